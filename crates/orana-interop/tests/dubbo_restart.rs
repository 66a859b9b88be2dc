//! The server is killed and started again while Dubbo 3.3.6, 2.7.23 and dubbo-go call each other: no call fails, nobody
//! loses a registration, and who comes afterwards is found.

use std::{thread, time::Duration};

use anyhow::{Result, bail, ensure};
use orana_interop::{
    Drill, Tree, drill,
    drill::eventually,
    dubbo::{Application, Consumer, Dubbo, await_registered, instances, registered},
};

const SESSION: Duration = Duration::from_secs(6);

#[test]
fn a_killed_server_costs_no_call_and_no_registration() {
    drill("dubbo-restart", 5, killed_under_load);
}

fn killed_under_load(drill: &Drill) -> Result<()> {
    let mut server = drill.subject()?;
    let tree = Tree::at(server.address())?;
    // Dubbo 3 registers both ways, so that each way has to live through it.
    let all = [Dubbo::Java33, Dubbo::Java27, Dubbo::Go];
    let address = server.address();
    let application = |dubbo| match dubbo {
        Dubbo::Java33 => Application::new(drill, dubbo, address.as_str())
            .with("mode=all")
            .with("session=6000"),
        _ => Application::new(drill, dubbo, address.as_str()).bare(SESSION),
    };
    let starting = all.map(|dubbo| application(dubbo).provider(&format!("provider-{dubbo}")));
    let providers = starting
        .into_iter()
        .map(|starting| starting?.ready())
        .collect::<Result<Vec<_>>>()?;
    let mut ports: Vec<u16> = providers.iter().map(|provider| provider.port).collect();
    await_registered(&tree, &ports, Duration::from_secs(30))?;
    let starting = all.map(|dubbo| application(dubbo).consumer(&format!("consumer-{dubbo}")));
    let mut consumers = starting
        .into_iter()
        .map(|starting| starting?.ready())
        .collect::<Result<Vec<_>>>()?;
    let [java33, others @ ..] = consumers.as_mut_slice() else {
        bail!("no consumers")
    };
    // Where an application is registered as one, Dubbo 3 does not look at providers of the bare interface.
    java33.until_answered_by(&ports[..1])?;
    for consumer in others {
        consumer.until_answered_by(&ports)?;
    }
    for consumer in &mut consumers {
        consumer.settle()?;
    }

    server.kill()?;
    thread::sleep(Duration::from_secs(2));
    let took = server.restart()?;
    eprintln!("the server was back {took:.2?} after its start");
    // As long as it takes until a session that nobody has resumed would be over.
    thread::sleep(SESSION + Duration::from_secs(4));
    ports.sort_unstable();
    let there = registered(&tree)?;
    ensure!(there == ports, "{there:?} are registered instead of {ports:?}");
    let shop = instances(&tree, "provider-java33")?;
    ensure!(shop.len() == 1, "the instances are {shop:?}");
    lost_nothing(&mut consumers)?;

    let late = application(Dubbo::Java33).provider("late")?.ready()?;
    ports.push(late.port);
    await_registered(&tree, &ports, Duration::from_secs(10))?;
    eventually(Duration::from_secs(5), || {
        ensure!(
            instances(&tree, "late")? == [late.port],
            "the newcomer is not there as an instance"
        );
        Ok(())
    })?;
    let [java33, java27, _] = consumers.as_mut_slice() else {
        bail!("no consumers")
    };
    java33.until_answered_by(&[providers[0].port, late.port])?;
    // Not dubbo-go: v3.3.0 closes its own listener on every reconnect and then hears of nobody new.
    java27.until_answered_by(&ports)?;
    lost_nothing(&mut consumers)
}

fn lost_nothing(consumers: &mut [Consumer]) -> Result<()> {
    for consumer in consumers {
        let calls = consumer.lost_nothing()?;
        eprintln!("{}: {calls}", consumer.peer.name());
    }
    Ok(())
}

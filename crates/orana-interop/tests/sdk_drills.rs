//! Outages of the registry and of providers while a Rust consumer calls Rust providers 500 times a second without retries:
//! what must not cost a call does not, and what must costs no more than what was under way until it was noticed.

use std::{
    env, fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use orana_interop::{
    Drill, drill,
    drill::eventually,
    dubbo::await_registered,
    sdk::peers::Built,
    sdk_drill::{
        SilentPath,
        fleet::{self, Fleet, RATE, SESSION},
    },
};

/// How long a call may take where providers fall silent.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Until then the first call to a provider that fell silent is late, and all that left before that are too.
const NOTICED: Duration = Duration::from_millis(2_500);

/// The most calls that may fail where one of two providers falls silent: what it is sent until the first of them is late,
/// with some more for a busy machine.
const SILENT_BOUND: u64 = RATE as u64 / 2 * 8 / 5;

#[test]
fn a_registry_that_is_killed_and_comes_back_costs_no_call_and_no_registration() {
    with_fleet("sdk-registry-killed", 2, &[], |_, fleet| {
        let pause = pause()?;
        fleet.registry.kill()?;
        thread::sleep(pause);
        fleet.account(&format!("registry away for {pause:?}"), 0)?;
        fleet.registry.restart()?;
        // As long as it takes until a session that nobody has resumed would be over.
        thread::sleep(SESSION + Duration::from_secs(3));
        fleet.until_registered()?;
        fleet.account("registry back", 0)?;
        fleet.welcome()?;
        fleet.account("a newcomer", 0).map(drop)
    });
}

#[test]
fn a_registry_that_lost_its_data_is_told_everything_again_and_nobody_is_dropped() {
    with_fleet("sdk-registry-emptied", 2, &[], |drill, fleet| {
        fleet.registry.kill()?;
        let port = fleet.registry.port();
        fleet.registry = drill.server(fleet::registry()?.port(port))?;
        let back = Instant::now();
        let took = fleet.until_registered()?;
        eprintln!("    registered again {took:.2?} after the empty registry was there");
        // The consumer has heard of it by then, whatever it was told first.
        let ports = fleet.ports();
        while back.elapsed() < Duration::from_secs(5) {
            let calls = fleet.consumer.during(Duration::from_millis(500))?;
            let by: Vec<u16> = calls.by.keys().copied().collect();
            ensure!(
                ports.iter().all(|port| by.contains(port)),
                "only {by:?} of {ports:?} are called"
            );
        }
        fleet.welcome()?;
        fleet.account("registry emptied", 0).map(drop)
    });
}

/// Nobody tells the consumer that they are back.
#[test]
fn providers_that_were_all_away_are_called_again_without_a_registry() {
    with_fleet("sdk-all-away", 2, &["check=off"], |_, fleet| {
        fleet.registry.kill()?;
        fleet.kill(0)?;
        fleet.kill(1)?;
        thread::sleep(pause()? + Duration::from_secs(5));
        let calls = fleet.account("nobody there", u64::MAX)?;
        ensure!(calls.failed > 0, "somebody answered: {calls}");
        fleet.start_again(0)?;
        fleet.start_again(1)?;
        let start = Instant::now();
        fleet.until_all_answer()?;
        let took = start.elapsed();
        eprintln!("    all answer {took:.1?} after they were ready");
        ensure!(
            took < Duration::from_secs(10),
            "all answer only {took:.1?} after they were ready"
        );
        fleet.begin()?;
        fleet.registry.restart()?;
        fleet.until_registered()?;
        thread::sleep(SESSION + Duration::from_secs(1));
        fleet.until_registered()?;
        fleet.until_all_answer()?;
        fleet.account("registry back", 0).map(drop)
    });
}

#[test]
fn packets_that_are_lost_on_the_way_to_the_registry_cost_no_call() {
    drill("sdk-registry-cut", 0, |drill| {
        let rust = rust();
        let registry = drill.server(fleet::registry()?)?;
        let near = fleet::applications(drill, &rust, &registry);
        let path = SilentPath::to(registry.port())?;
        let behind = fleet::applications_at(drill, &rust, &format!("127.0.0.1:{}", path.port()));
        let starting = [near.provider("provider-1")?, behind.provider("provider-2")?];
        let providers = starting.into_iter().map(|starting| starting.ready());
        let providers = providers.collect::<Result<Vec<_>>>()?;
        let mut fleet = Fleet::of(registry, behind, providers)?;

        path.lose()?;
        let first = fleet.provider(0)?.port;
        let took = await_registered(&fleet.tree()?, &[first], SESSION + Duration::from_secs(10))?;
        eprintln!("    not registered any more {took:.1?} after the cut");
        thread::sleep(Duration::from_secs(3));
        fleet.account("registry out of sight", 0)?;
        path.pass();
        let took = fleet.until_registered()?;
        eprintln!("    registered again {took:.1?} after the mending");
        fleet.until_all_answer()?;
        fleet.application = near;
        fleet.welcome()?;
        fleet.account("registry in sight", 0).map(drop)
    });
}

#[test]
fn a_consumer_that_starts_without_a_registry_calls_whom_it_knew() {
    with_fleet("sdk-registry-away", 2, &[], |drill, fleet| {
        let ports = fleet.ports();
        eventually(Duration::from_secs(5), || {
            remembered(&drill.dir().join("consumer-home/.dubbo"), &ports)
        })?;
        fleet.registry.kill()?;
        fleet.consumer.peer.leave(Duration::from_secs(10))?;
        let start = Instant::now();
        fleet.consumer = fleet.application.consumer("consumer")?.ready()?;
        let took = start.elapsed();
        eprintln!("    the first answer came {took:.0?} after the start");
        ensure!(
            took < Duration::from_secs(1),
            "the first answer came only after {took:.1?}"
        );
        fleet.begin()?;
        fleet.until_all_answer()?;
        fleet.account("registry still away", 0)?;
        fleet.registry.restart()?;
        fleet.welcome()?;
        fleet.account("registry back", 0).map(drop)
    });
}

#[test]
fn a_provider_that_is_killed_costs_the_calls_that_it_had() {
    with_fleet("sdk-provider-killed", 2, &[], |_, fleet| {
        fleet.consumer.delay(Duration::from_millis(20))?;
        thread::sleep(Duration::from_secs(1));
        fleet.kill(1)?;
        thread::sleep(Duration::from_secs(1));
        // At its share of the rate, what came within a fifth of a second.
        fleet.account("provider killed", u64::from(RATE / 2 / 5))?;
        // It is still registered for a while, and then it is not.
        thread::sleep(SESSION + Duration::from_secs(2));
        fleet.account("provider gone", 0)?;
        fleet.start_again(1)?;
        fleet.until_all_answer()?;
        fleet.account("provider back", 0).map(drop)
    });
}

#[test]
fn a_provider_that_is_stopped_costs_no_call() {
    with_fleet("sdk-provider-stopped", 2, &[], |_, fleet| {
        fleet.consumer.delay(Duration::from_millis(50))?;
        thread::sleep(Duration::from_secs(1));
        fleet.stop(1)?;
        fleet.providers.pop();
        fleet.until_all_answer()?;
        fleet.account("provider stopped", 0).map(drop)
    });
}

#[test]
fn providers_that_are_restarted_one_after_another_cost_no_call() {
    with_fleet("sdk-providers-restarted", 3, &[], |_, fleet| {
        fleet.consumer.delay(Duration::from_millis(30))?;
        thread::sleep(Duration::from_secs(1));
        for place in 0..3 {
            fleet.stop(place)?;
            fleet.start_again(place)?;
            fleet.until_all_answer()?;
        }
        fleet.account("all providers restarted", 0).map(drop)
    });
}

#[test]
fn a_provider_to_which_every_packet_is_lost_costs_what_was_sent_until_the_first_call_is_late() {
    drill("sdk-provider-cut", 0, |drill| {
        let rust = rust();
        let registry = drill.server(fleet::registry()?)?;
        let application = fleet::applications(drill, &rust, &registry)
            .with(format!("timeout={}", TIMEOUT.as_millis()))
            .with("heartbeat=1000");
        let near = application.provider("provider-1")?.ready()?;
        let port = drill.port()?;
        let path = SilentPath::to(port)?;
        let behind = application.clone().with(format!("seen={}", path.port()));
        let mut far = behind.provider_at("provider-2", port)?.ready()?;
        far.port = path.port();
        let mut fleet = Fleet::of(registry, application, vec![near, far])?;

        path.lose()?;
        thread::sleep(NOTICED);
        fleet.account("packets lost", SILENT_BOUND)?;
        // Long enough for heartbeats, the loss of the connection and attempts at another one.
        thread::sleep(Duration::from_secs(10));
        fleet.account("packets still lost", 0)?;
        path.pass();
        fleet.until_all_answer()?;
        fleet.account("packets pass", 0).map(drop)
    });
}

#[test]
fn a_provider_that_stood_still_beyond_its_session_registers_again_at_once() {
    let timeout = format!("timeout={}", TIMEOUT.as_millis());
    with_fleet("sdk-provider-paused", 2, &[&timeout], |_, fleet| {
        fleet.provider(1)?.peer.process().pause()?;
        let tree = fleet.tree()?;
        let first = fleet.provider(0)?.port;
        let took = await_registered(&tree, &[first], SESSION + Duration::from_secs(10))?;
        eprintln!("    not registered any more {took:.1?} after it stood still");
        fleet.account("provider stands still", SILENT_BOUND)?;
        thread::sleep(Duration::from_secs(3));
        fleet.account("provider expired", 0)?;
        fleet.provider(1)?.peer.process().resume()?;
        let took = fleet.until_registered()?;
        eprintln!("    registered again {took:.2?} after it went on");
        ensure!(took < Duration::from_secs(3), "registered again only after {took:.1?}");
        fleet.until_all_answer()?;
        fleet.account("provider back", 0).map(drop)
    });
}

/// With a long session, so that nobody but the consumer itself notices.
#[test]
fn a_provider_that_stands_still_gets_no_calls_until_it_says_a_word() {
    let timeout = format!("timeout={}", TIMEOUT.as_millis());
    with_fleet("sdk-provider-silent", 2, &[&timeout, "session=20000"], |_, fleet| {
        fleet.provider(1)?.peer.process().pause()?;
        thread::sleep(NOTICED);
        fleet.account("provider stands still", SILENT_BOUND)?;
        // It is given up, and connected again, since its kernel accepts connections for it.
        thread::sleep(Duration::from_secs(10));
        fleet.account("provider still stands still", 0)?;
        fleet.until_registered()?;
        fleet.provider(1)?.peer.process().resume()?;
        fleet.until_all_answer()?;
        fleet.account("provider back", 0).map(drop)
    });
}

#[test]
fn a_consumer_outlives_the_absence_of_all_providers() {
    with_fleet("sdk-providers-away", 2, &[], |_, fleet| {
        fleet.kill(0)?;
        fleet.kill(1)?;
        // First they are listed and cannot be reached, then nobody is listed.
        thread::sleep(SESSION + Duration::from_secs(4));
        let calls = fleet.account("nobody there", u64::MAX)?;
        ensure!(calls.failed > 0, "somebody answered: {calls}");
        fleet.start_again(0)?;
        fleet.start_again(1)?;
        let start = Instant::now();
        fleet.until_all_answer()?;
        eprintln!("    all answer {:.1?} after they were ready", start.elapsed());
        fleet.account("providers come back", u64::MAX)?;
        thread::sleep(Duration::from_secs(2));
        fleet.account("providers back", 0).map(drop)
    });
}

/// A drill with so many providers, and a consumer that calls them.
fn with_fleet(
    name: &str,
    providers: usize,
    parameters: &[&str],
    scenario: impl FnOnce(&Drill, &mut Fleet<'_>) -> Result<()>,
) {
    drill(name, 0, |drill| {
        let rust = rust();
        scenario(drill, &mut Fleet::start(drill, &rust, providers, parameters)?)
    });
}

/// How long the registry stays away: `PAUSE`, in seconds.
fn pause() -> Result<Duration> {
    match env::var("PAUSE") {
        Ok(seconds) => Ok(Duration::from_secs(seconds.parse().context("PAUSE in seconds")?)),
        Err(_) => Ok(Duration::from_secs(3)),
    }
}

fn rust() -> Built {
    Built(env!("CARGO_BIN_EXE_sdk-drill").into())
}

/// Whether the files of a directory name all these ports.
fn remembered(dir: &Path, ports: &[u16]) -> Result<()> {
    let mut text = String::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            text.push_str(&String::from_utf8_lossy(&fs::read(entry.path())?));
        }
    }
    for port in ports {
        ensure!(
            text.contains(&port.to_string()),
            "the provider at {port} is not remembered on disk"
        );
    }
    Ok(())
}

//! Rules that an operator writes into the configuration centre reach running Dubbo 3.3.6 and 2.7.23 applications, and
//! cease when they are taken away.

use std::time::Duration;

use anyhow::{Result, ensure};
use orana_interop::{
    Drill, Tree, drill,
    dubbo::{Application, Consumer, Dubbo, SERVICE},
};

/// Where both versions look for rules.
const RULES: &str = "/dubbo/config/dubbo";

#[test]
fn rules_reach_dubbo_33() {
    drill("dubbo33-rules", 4, |drill| obeys(drill, Dubbo::Java33));
}

#[test]
fn rules_reach_dubbo_27() {
    drill("dubbo27-rules", 4, |drill| obeys(drill, Dubbo::Java27));
}

fn obeys(drill: &Drill, dubbo: Dubbo) -> Result<()> {
    let server = drill.subject()?;
    let tree = Tree::at(server.address())?;
    let application = Application::new(drill, dubbo, server.address());
    let near = application
        .clone()
        .with("name=shop")
        .with("region=near")
        .provider("near")?;
    let far = application
        .clone()
        .with("name=shop")
        .with("region=far")
        .provider("far")?;
    let consumer = application.consumer("consumer")?;
    let (near, far, mut consumer) = (near.ready()?, far.ready()?, consumer.ready()?);
    let both = [near.port, far.port];
    consumer.until_answered_by(&both)?;

    a_condition_route_keeps_to_a_region(&tree, &mut consumer, near.port, &both)?;
    an_override_shortens_the_timeout(&tree, &mut consumer, &both)?;
    an_override_takes_the_weight_of_a_provider(&tree, &mut consumer, near.port, far.port)?;
    a_rule_that_is_there_first_counts_from_the_start(&tree, &application, near.port)
}

fn a_condition_route_keeps_to_a_region(tree: &Tree, consumer: &mut Consumer, near: u16, both: &[u16]) -> Result<()> {
    let rule = format!("{RULES}/{SERVICE}::.condition-router");
    tree.put(&rule, &condition("near"))?;
    consumer.until_answered_by(&[near])?;
    // A change of the rule, not only its coming.
    tree.put(&rule, &condition("nowhere"))?;
    consumer.until("nobody is left to call", |calls| calls.ok == 0 && calls.failed > 0)?;
    tree.delete(&rule)?;
    consumer.until_answered_by(both)?;
    Ok(())
}

fn an_override_shortens_the_timeout(tree: &Tree, consumer: &mut Consumer, both: &[u16]) -> Result<()> {
    consumer.delay(Duration::from_millis(150))?;
    consumer.until_answered_by(both)?;
    let rule = format!("{RULES}/{SERVICE}::.configurators");
    tree.put(
        &rule,
        &format!(
            "configVersion: v2.7\nscope: service\nkey: {SERVICE}\nenabled: true\nconfigs:\n\
             - side: consumer\n  parameters:\n    timeout: 50\n"
        ),
    )?;
    consumer.until("every call takes too long", |calls| calls.ok == 0 && calls.failed > 0)?;
    tree.delete(&rule)?;
    consumer.until_answered_by(both)?;
    consumer.delay(Duration::ZERO)
}

fn an_override_takes_the_weight_of_a_provider(tree: &Tree, consumer: &mut Consumer, near: u16, far: u16) -> Result<()> {
    // By the name of the application this time: each provider reads it for itself and registers anew.
    let rule = format!("{RULES}/shop.configurators");
    tree.put(
        &rule,
        &format!(
            "configVersion: v2.7\nscope: application\nkey: shop\nenabled: true\nconfigs:\n\
             - side: provider\n  addresses: ['127.0.0.1:{near}']\n  parameters:\n    weight: 10\n"
        ),
    )?;
    let calls = consumer.until("one in eleven calls goes to the lighter provider", |calls| {
        let of = |port| calls.by.get(&port).copied().unwrap_or(0);
        calls.failed == 0 && of(near) > 0 && of(near) * 5 < of(far)
    })?;
    eprintln!("with weight 10 for {near}: {calls}");
    tree.delete(&rule)?;
    consumer.until("both are equal again", |calls| {
        let of = |port| calls.by.get(&port).copied().unwrap_or(0);
        calls.failed == 0 && of(near) > 0 && of(near).abs_diff(of(far)) <= 4
    })?;
    Ok(())
}

fn a_rule_that_is_there_first_counts_from_the_start(
    tree: &Tree,
    application: &Application<'_>,
    near: u16,
) -> Result<()> {
    let rule = format!("{RULES}/{SERVICE}::.condition-router");
    tree.put(&rule, &condition("near"))?;
    let mut latecomer = application.consumer("latecomer")?.ready()?;
    let calls = latecomer.during(Duration::from_secs(2))?;
    ensure!(
        calls.failed == 0 && calls.by.keys().eq([&near]),
        "the latecomer does not obey: {calls}"
    );
    Ok(())
}

fn condition(region: &str) -> String {
    format!(
        "configVersion: v3.0\nscope: service\nkey: {SERVICE}\nforce: true\nruntime: true\nenabled: true\nconditions:\n\
         - '=> region={region}'\n"
    )
}

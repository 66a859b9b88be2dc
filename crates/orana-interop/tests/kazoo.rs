//! kazoo, the ZooKeeper client for Python, unmodified: its own test-suite as its package brings it along, and scenarios of
//! ours for what that suite does not ask (`interop/python/kazoo`).

use std::time::Duration;

use orana_interop::{Product, Python, Setup, drill, stage::Stage};

#[test]
fn kazoos_own_test_suite_passes() {
    play("suite.py", "kazoo-suite", 238);
}

#[test]
fn kazoos_recipes_hold_between_clients_that_lose_connections_and_sessions() {
    play("recipes.py", "kazoo-recipes", 20);
}

fn play(script: &'static str, name: &str, scenarios: usize) {
    let program = Python {
        project: "kazoo",
        script,
    };
    let stage = Stage {
        program: &program,
        scenarios,
        patience: Duration::from_secs(240),
    };
    drill(name, 0, |drill| stage.play(drill, Setup::new(Product::chosen()?)));
}

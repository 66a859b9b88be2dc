//! The plain ZooKeeper client for Java, 3.8 and 3.9, unmodified: every call of its interface, what its watches are told,
//! how its sessions live, and a restart of the server underneath. The scenarios are in `interop/java/zkclient` (both
//! versions) and `interop/java/zk39`.

use std::time::Duration;

use orana_interop::{Java, Product, Setup, drill, stage::Stage};

const SHARED: usize = 51;
const NEWER: usize = 5;

#[test]
fn every_call_of_the_3_8_client_is_answered_as_it_expects() {
    play("zk38", "orana.zk38.Main", SHARED);
}

#[test]
fn every_call_of_the_3_9_client_is_answered_as_it_expects() {
    play("zk39", "orana.zk39.Main", SHARED + NEWER);
}

fn play(project: &'static str, main: &'static str, scenarios: usize) {
    let program = Java {
        project,
        main,
        with_sources_of: &["stage", "zkclient"],
    };
    let stage = Stage {
        program: &program,
        scenarios,
        patience: Duration::from_secs(240),
    };
    drill(project, 1, |drill| stage.play(drill, Setup::new(Product::chosen()?)));
}

//! Curator 5 as Dubbo 3.3 brings it along: each recipe keeps its promise, also when a connection or a session is lost and
//! when the server is killed. The scenarios are in `interop/java/curator5`.

use std::time::Duration;

use orana_interop::{Java, Product, Setup, drill, stage::Stage};

#[test]
fn every_curator_recipe_keeps_its_promise() {
    let program = Java {
        project: "curator5",
        main: "orana.curator5.Main",
        with_sources_of: &["stage"],
    };
    let stage = Stage {
        program: &program,
        scenarios: 35,
        patience: Duration::from_secs(240),
    };
    drill("curator", 1, |drill| stage.play(drill, Setup::new(Product::chosen()?)));
}

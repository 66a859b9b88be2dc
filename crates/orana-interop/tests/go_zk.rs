//! The Go client `github.com/go-zookeeper/zk`, unmodified: its calls, watches, lock and four-letter words, over lost
//! connections, an expired session and a killed server. The scenarios are in `interop/go/zk`.

use std::time::Duration;

use orana_interop::{Go, Product, Setup, drill, stage::Stage};

#[test]
fn the_go_client_is_answered_as_it_expects() {
    let stage = Stage {
        program: &Go { project: "zk" },
        scenarios: 12,
        patience: Duration::from_secs(120),
    };
    drill("go-zk", 0, |drill| stage.play(drill, Setup::new(Product::chosen()?)));
}

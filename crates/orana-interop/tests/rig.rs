//! The rig itself: a server can be started, killed, paused and started again with its data.

use std::time::Duration;

use anyhow::{Result, ensure};
use orana_interop::{Drill, Product, Setup, Tree, drill};

#[test]
fn the_subject_keeps_its_data_over_a_kill() {
    drill("rig-subject", 0, keeps_its_data);
}

#[test]
fn the_real_zookeeper_can_be_started_whatever_the_subject_is() {
    drill("rig-original", 0, |drill| {
        let server = drill.server(Setup::new(Product::Zookeeper).tick(Duration::from_millis(500)))?;
        ensure!(server.four_letters("ruok")? == "imok");
        Ok(())
    });
}

fn keeps_its_data(drill: &Drill) -> Result<()> {
    let mut server = drill.subject()?;
    let tree = Tree::at(server.address())?;
    tree.put("/a/b", "kept")?;
    server.kill()?;
    ensure!(tree.data("/a/b").is_err(), "a killed server answered");
    server.restart()?;
    ensure!(tree.data("/a/b")?.as_deref() == Some(b"kept"), "the data is gone");
    ensure!(tree.children("/a")? == ["b"]);
    ensure!(tree.owner("/a/b")? == Some(0));
    server.process()?.pause()?;
    server.process()?.resume()?;
    tree.delete("/a/b")?;
    ensure!(tree.data("/a/b")?.is_none());
    ensure!(
        server.terminate()?.code().is_some_and(|code| code == 0 || code == 143),
        "SIGTERM did not end it in order"
    );
    Ok(())
}

//! The operator's commands: `ls`, `get` and `stat` against either server, `services` and `status` against Orana's own
//! admin API.

use std::{
    env,
    path::PathBuf,
    process::{Command, Output},
};

use anyhow::{Result, ensure};
use orana_interop::{Drill, Product, Setup, Tree, drill, place};
use serde_json::{Value, json};

#[test]
fn nodes_are_listed_read_and_described_through_the_zookeeper_protocol() {
    drill("cli-nodes", 0, nodes);
}

#[test]
fn registrations_are_shown_as_services() {
    drill("cli-services", 0, services);
}

fn nodes(drill: &Drill) -> Result<()> {
    let server = drill.subject()?;
    let tree = Tree::at(server.address())?;
    tree.put("/shop/b", "second")?;
    tree.put("/shop/a", "first")?;
    let ask = |command: &str, path: &str, more: &[&str]| {
        orana(&[&[command, path, "--zookeeper", &server.address()], more].concat())
    };

    ensure!(ask("ls", "/shop", &[])? == (Some(0), "a\nb\n".into()));
    ensure!(ask("ls", "/shop/a", &[])? == (Some(0), String::new()));
    ensure!(ask("get", "/shop/a", &[])? == (Some(0), "first\n".into()));

    let (_, out) = ask("stat", "/shop", &["--json"])?;
    let stat: Value = serde_json::from_str(&out)?;
    ensure!(stat["path"] == "/shop" && stat["stat"]["numChildren"] == 2, "{out}");
    let (_, out) = ask("get", "/shop/a", &["--json"])?;
    let node: Value = serde_json::from_str(&out)?;
    ensure!(node["data"] == "first" && node["stat"]["dataLength"] == 5, "{out}");

    for command in ["ls", "get", "stat"] {
        ensure!(ask(command, "/absent", &[])? == (Some(3), String::new()), "{command}");
    }
    Ok(())
}

fn services(drill: &Drill) -> Result<()> {
    // Only Orana has this API, whatever the subject of the other scenarios is.
    let server = drill.server(Setup::new(Product::Orana))?;
    let tree = Tree::at(server.address())?;
    let node = |protocol: &str, host: &str, more: &str| {
        format!("{protocol}%3A%2F%2F{host}%2Fcom.shop.Cart%3Finterface%3Dcom.shop.Cart{more}")
    };
    for host in ["10.0.0.1%3A20880", "10.0.0.2%3A20880"] {
        tree.put(
            &format!(
                "/dubbo/com.shop.Cart/providers/{}",
                node("dubbo", host, "%26version%3D1.0.0")
            ),
            "",
        )?;
    }
    tree.put(
        &format!(
            "/dubbo/com.shop.Cart/consumers/{}",
            node("consumer", "10.0.0.3", "%26version%3D1.0.0")
        ),
        "",
    )?;
    let admin = server.admin().to_string();

    let (code, out) = orana(&["services", "--json", "--admin", &admin])?;
    let list: Value = serde_json::from_str(&out)?;
    ensure!(code == Some(0) && list["total"] == 1, "{out}");
    let cart = json!({"interface": "com.shop.Cart", "group": null, "version": "1.0.0", "providers": 2, "consumers": 1});
    ensure!(list["services"] == json!([cart]), "{out}");

    let (code, out) = orana(&["status", "--json", "--admin", &admin])?;
    let status: Value = serde_json::from_str(&out)?;
    ensure!(
        code == Some(0) && status["role"].is_string() && status["version"].is_string(),
        "{out}"
    );
    Ok(())
}

/// Runs the binary; exit code and standard output.
fn orana(arguments: &[&str]) -> Result<(Option<i32>, String)> {
    let binary = env::var_os("ORANA_BIN").map_or_else(|| place::target().join("release/orana"), PathBuf::from);
    let Output { status, stdout, .. } = Command::new(binary).args(arguments).output()?;
    Ok((status.code(), String::from_utf8(stdout)?))
}

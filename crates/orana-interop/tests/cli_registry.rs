//! The operator's commands that go by a registry: `services`, `providers`, `consumers`, `watch` and `call`, with Dubbo
//! applications registered at either server.

use std::{
    env,
    path::PathBuf,
    process::{Command, Output},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use orana_interop::{
    Drill, Peer, drill,
    dubbo::{Application, Dubbo, SERVICE},
    place,
    process::Log,
};
use serde_json::{Value, json};

#[test]
fn a_dubbo_33_provider_is_listed_watched_and_called() {
    drill("cli-dubbo33", 2, |drill| operate(drill, Dubbo::Java33));
}

#[test]
fn a_dubbo_27_provider_is_listed_watched_and_called() {
    drill("cli-dubbo27", 2, |drill| operate(drill, Dubbo::Java27));
}

fn operate(drill: &Drill, dubbo: Dubbo) -> Result<()> {
    let server = drill.subject()?;
    let registry = format!("zookeeper://{}", server.address());
    let ask = |arguments: &[&str]| orana(&[arguments, &["--registry", &registry]].concat());

    let (code, out, error) = ask(&["providers", SERVICE])?;
    ensure!(code == Some(3) && out.is_empty(), "nobody is there: {code:?} {out}");
    ensure!(error.contains(SERVICE), "{error}");
    let (code, out, _) = ask(&["providers", SERVICE, "--json"])?;
    ensure!((code, out.trim()) == (Some(0), "[]"), "nobody is there: {code:?} {out}");

    let mut watch = Command::new(binary());
    watch.args(["watch", SERVICE, "--json", "--registry", &registry]);
    let mut watch = Peer::start(watch, "watch", Log::at(drill.dir().join("watch.log")))?;

    let application = Application::new(drill, dubbo, server.address()).bare(Duration::from_secs(6));
    let provider = application.provider("provider")?.ready()?;
    let address = format!("127.0.0.1:{}", provider.port);
    let seen = |watch: &mut Peer, event: &str| {
        watch.until(Duration::from_secs(10), |line| {
            let line: Value = serde_json::from_str(line).ok()?;
            (line["event"] == event && line["entry"]["address"] == *address).then_some(())
        })
    };
    seen(&mut watch, "added").context("the watch tells of the provider")?;

    let consumer = application.consumer("consumer")?.ready()?;
    let (code, out, _) = ask(&["services", "--json"])?;
    let list: Value = serde_json::from_str(&out)?;
    let counted = json!([{"interface": SERVICE, "group": null, "version": null, "providers": 1, "consumers": 1}]);
    ensure!(code == Some(0) && list["services"] == counted, "{out}");
    let (_, out, _) = ask(&["providers", SERVICE, "--json"])?;
    let list: Value = serde_json::from_str(&out)?;
    ensure!(
        list[0]["address"] == *address && list[0]["application"] == "provider",
        "{out}"
    );
    let url = list[0]["url"].as_str().unwrap_or_default();
    ensure!(url.starts_with(&format!("dubbo://{address}/{SERVICE}?")), "{url}");
    let (_, out, _) = ask(&["consumers", SERVICE, "--json"])?;
    let list: Value = serde_json::from_str(&out)?;
    ensure!(list[0]["application"] == "consumer" && list.get(1).is_none(), "{out}");
    let (_, out, _) = ask(&["providers", SERVICE])?;
    ensure!(out.contains(&address) && out.starts_with("ADDRESS"), "{out}");

    let slip = SERVICE.replace("ee", "e");
    let meant = format!("the nearest known one is `{SERVICE}`");
    for slipped in [&["providers", &*slip][..], &["call", &slip, "greet"]] {
        let (code, out, error) = ask(slipped)?;
        ensure!(
            code == Some(3) && out.is_empty() && error.contains(&meant),
            "{code:?} {out} {error}"
        );
    }

    let answer = format!("{} Ada", provider.port);
    let (code, out, error) = ask(&["call", SERVICE, "greet", r#"["Ada", 0]"#])?;
    ensure!(
        (code, out.trim()) == (Some(0), &*json!(answer).to_string()),
        "{out}{error}"
    );
    ensure!(error.contains(&address), "who answered is told: {error}");
    let types = [
        "--types",
        "java.lang.String,int",
        "--times",
        "20",
        "--concurrency",
        "4",
        "--json",
    ];
    let (code, out, _) = orana(
        &[
            &["call", SERVICE, "greet", r#"["Ada", 5]"#, "--address", &address],
            &types[..],
        ]
        .concat(),
    )?;
    let calls: Vec<Value> = out.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    ensure!(code == Some(0) && calls.len() == 20, "{out}");
    for call in calls {
        ensure!(call["result"] == *answer && call["provider"] == *address, "{call}");
        ensure!(
            call["elapsed_us"].as_u64().is_some_and(|elapsed| elapsed >= 5_000),
            "{call}"
        );
    }

    let (code, out, error) = ask(&["call", SERVICE, "leave", "[]", "--json"])?;
    let call: Value = serde_json::from_str(&out)?;
    ensure!(code != Some(0) && call["error"]["code"].is_u64(), "{code:?} {out}");
    ensure!(
        call["error"]["message"].is_string() && !error.is_empty(),
        "{out} {error}"
    );
    let (code, out, _) = ask(&[
        "call",
        SERVICE,
        "greet",
        r#"["Ada", 2000]"#,
        "--timeout",
        "200",
        "--json",
    ])?;
    let call: Value = serde_json::from_str(&out)?;
    ensure!(code == Some(1) && call["error"]["kind"] == "timeout", "{out}");

    let mut gone = provider.peer;
    gone.leave(Duration::from_secs(30))?;
    seen(&mut watch, "removed").context("the watch tells that the provider is gone")?;
    drop(consumer);
    Ok(())
}

fn binary() -> PathBuf {
    env::var_os("ORANA_BIN").map_or_else(|| place::target().join("release/orana"), PathBuf::from)
}

/// Runs the binary; exit code, standard output and standard error.
fn orana(arguments: &[&str]) -> Result<(Option<i32>, String, String)> {
    let Output { status, stdout, stderr } = Command::new(binary()).args(arguments).output()?;
    Ok((status.code(), String::from_utf8(stdout)?, String::from_utf8(stderr)?))
}

//! `orana explain` against a running consumer: twelve providers at either server, rules as dubbo-admin writes them. What the command line says
//! from the registry alone, what the consumer's own explanation says and whom its calls reach is the same.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    path::PathBuf,
    process::{Command, Output},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use orana::{Application, Export, Provider, Reference, Value};
use orana_interop::{
    Tree, drill,
    governance::{
        document::Document,
        orders::{INTERFACE, OrderServiceService, Orders},
    },
    place,
};
use serde_json::{Value as Json, json};
use tokio::runtime::Runtime;

const PROVIDERS: usize = 12;
const CALLS: usize = 100;
const SOON: Duration = Duration::from_secs(15);

/// A rule, a call, and how many of the twelve are left.
struct Case {
    key: &'static str,
    document: &'static str,
    attachments: &'static [(&'static str, &'static str)],
    left: usize,
    /// A stage that must be there.
    stage: &'static str,
}

const CASES: &[Case] = &[
    Case {
        key: "{service}.condition-router",
        document: "configVersion: v3.0\nenabled: true\nforce: true\nkey: org.example.orders.OrderService\npriority: 1\n\
                   runtime: true\nscope: service\nconditions:\n- method=find => region=hangzhou\n",
        attachments: &[],
        left: 4,
        stage: "condition",
    },
    Case {
        key: "{service}.condition-router",
        document: "configVersion: v3.0\nenabled: true\nforce: true\nkey: org.example.orders.OrderService\npriority: 1\n\
                   runtime: true\nscope: service\nconditions:\n- arguments[0]=vip => region!=hangzhou\n",
        attachments: &[],
        left: 8,
        stage: "condition",
    },
    Case {
        key: "order-service.tag-router",
        document: "configVersion: v3.0\nenabled: true\nforce: true\nkey: order-service\nruntime: true\ntags:\n\
                   - name: gray\n  match:\n  - key: region\n    value:\n      exact: beijing\n",
        attachments: &[("dubbo.tag", "gray")],
        left: 4,
        stage: "tag",
    },
    Case {
        key: "{service}.configurators",
        document: "configVersion: v2.7\nenabled: true\nkey: org.example.orders.OrderService\nscope: service\nconfigs:\n\
                   - side: consumer\n  match:\n    param:\n    - key: region\n      value:\n        exact: shanghai\n\
                   \x20 parameters:\n    weight: 0\n    timeout: 3210\n",
        attachments: &[],
        left: 12,
        stage: "configurator",
    },
    Case {
        key: "configurators",
        document: "override://0.0.0.0/org.example.orders.OrderService?category=configurators&dynamic=false&enabled=true&\
                   timeout=2345&loadbalance=roundrobin",
        attachments: &[],
        left: 12,
        stage: "configurator",
    },
    Case {
        key: "{service}.condition-router",
        document: "configVersion: v3.0\nenabled: true\nforce: true\nkey: org.example.orders.OrderService\npriority: 1\n\
                   runtime: true\nscope: service\nconditions:\n- => region=nowhere\n",
        attachments: &[],
        left: 0,
        stage: "condition",
    },
];

#[test]
fn what_the_command_line_explains_is_what_a_consumer_explains_and_whom_its_calls_reach() {
    drill("governance-explain", 0, |drill| {
        let subject = drill.subject()?;
        let registry = format!("zookeeper://{}", subject.address());
        let tree = Tree::at(subject.address())?;
        let runtime = Runtime::new()?;
        let providers = runtime.block_on(fleet(&registry))?;
        let application = Application::new("shop").registry(&registry);
        let reference: Reference = runtime.block_on(async {
            let refer = application.consumer().refer_to(INTERFACE);
            let refer = refer.parameter("region", "hangzhou").retries(0);
            refer.await
        })?;
        for (number, case) in CASES.iter().enumerate() {
            let document = Document::new(case.key, case.document)?;
            document.store(&tree)?;
            let compared = compare(&runtime, &reference, &registry, case);
            compared.with_context(|| format!("case {number}: {}", case.document))?;
            document.place.clear(&tree)?;
            until(&reference, "no rule is left", |json| {
                let stages = json["stages"].as_array().map_or(0, Vec::len);
                stages == 2
                    && json["registered"] == PROVIDERS
                    && json["candidates"].as_array().map_or(0, Vec::len) == PROVIDERS
            })?;
        }
        let slip = INTERFACE.replace("Order", "Oder");
        let (code, _, error) = orana(&["explain", &slip, "--method", "find", "--registry", &registry])?;
        ensure!(
            code == Some(3) && error.contains(&format!("the nearest known one is `{INTERFACE}`")),
            "{code:?} {error}"
        );
        runtime.block_on(async {
            drop(reference);
            application.close().await;
            for provider in providers {
                provider.stop().await;
            }
        });
        Ok(())
    });
}

/// Twelve providers: four of each region.
async fn fleet(registry: &str) -> Result<Vec<Provider>> {
    let mut providers = Vec::new();
    for number in 0..PROVIDERS {
        let region = ["hangzhou", "beijing", "shanghai"][number % 3];
        let application = Application::new("order-service").registry(registry);
        let export = Export::new(OrderServiceService::new(Orders(number.to_string())))
            .parameter("region", region)
            .parameter("warmup", 0);
        let provider = application.provider().listen("127.0.0.1:0").export(export);
        providers.push(provider.start().await?);
    }
    Ok(providers)
}

fn asking(reference: &Reference, case: &Case) -> Reference {
    let attachments = case.attachments.iter();
    attachments.fold(reference.clone(), |reference, (name, text)| {
        reference.attachment(name, text)
    })
}

fn compare(runtime: &Runtime, reference: &Reference, registry: &str, case: &Case) -> Result<()> {
    let calls = asking(reference, case);
    let mut line = vec!["explain", INTERFACE, "--method", "find", "--args", r#"["vip"]"#];
    line.extend(["--application", "shop", "--parameter", "region=hangzhou"]);
    line.extend(["--parameter", "retries=0", "--registry", registry, "--json"]);
    let pairs: Vec<String> = case
        .attachments
        .iter()
        .map(|(name, text)| format!("{name}={text}"))
        .collect();
    line.extend(pairs.iter().flat_map(|pair| ["--attachment", pair]));
    // Providers obey overrides, too, and register anew by them: until all have, both their urls may be listed, to one reader and not to another.
    let end = Instant::now() + SOON;
    let (own, code, error) = loop {
        let own = until(&calls, case.stage, |json| {
            let stages = json["stages"].as_array();
            let there = stages.is_some_and(|stages| stages.iter().any(|stage| stage["name"] == case.stage));
            there && json["registered"] == PROVIDERS && json["candidates"].as_array().map_or(0, Vec::len) == case.left
        })?;
        let (code, out, error) = orana(&line)?;
        let said: Json = serde_json::from_str(&out).with_context(|| format!("{code:?} {out} {error}"))?;
        if comparable(&said) == comparable(&own) {
            break (own, code, error);
        }
        ensure!(
            Instant::now() < end,
            "the command line says {said:#}, the consumer {own:#}"
        );
    };

    let reached = runtime.block_on(reached(&calls));
    if case.left == 0 {
        ensure!(code == Some(3), "{code:?}");
        let short = "12 registered, 0 after condition `=> region=nowhere`";
        let failure = reached.err().context("somebody is reached")?.to_string();
        ensure!(error.contains(short) && failure.contains(short), "{error} {failure}");
        return Ok(());
    }
    ensure!(code == Some(0), "{code:?} {error}");
    let reached = reached?;
    let candidates = own["candidates"].as_array().context("no candidates")?;
    let probable = candidates.iter().filter(|one| one["probability"].as_f64() > Some(0.0));
    let probable: BTreeSet<String> = probable
        .filter_map(|one| one["address"].as_str().map(str::to_owned))
        .collect();
    ensure!(
        reached == probable,
        "calls reach {reached:?}, and {probable:?} are probable"
    );
    let sum: f64 = candidates.iter().filter_map(|one| one["probability"].as_f64()).sum();
    ensure!((sum - 1.0).abs() < 1e-9, "{sum}");
    Ok(())
}

/// Whom many calls reach.
async fn reached(calls: &Reference) -> orana::Result<BTreeSet<String>> {
    let mut reached = BTreeSet::new();
    for _ in 0..CALLS {
        let arguments = [Value::from("vip")];
        let call = calls.call("find", &["java.lang.String"], &arguments);
        let (outcome, answered) = orana::observed(call).await;
        outcome?;
        reached.extend(answered.provider.map(|provider| provider.to_string()));
    }
    Ok(reached)
}

/// The explanation, once it is as it should be.
fn until(calls: &Reference, what: &str, ready: impl Fn(&Json) -> bool) -> Result<Json> {
    let end = Instant::now() + SOON;
    loop {
        let explanation = calls.explain("find", &[Value::from("vip")])?;
        let json = serde_json::to_value(&explanation)?;
        if ready(&json) {
            return Ok(json);
        }
        ensure!(Instant::now() < end, "{what}: {explanation}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Without what must differ: who connects to nobody says so, and a registry lists in whatever order.
fn comparable(explanation: &Json) -> Json {
    let mut json = explanation.clone();
    if let Some(stages) = json["stages"].as_array_mut() {
        for stage in stages {
            if stage["name"] == "reachable" {
                stage["rule"] = json!("");
            }
            if let Some(removed) = stage["removed"].as_array_mut() {
                removed.sort_by_key(ToString::to_string);
            }
        }
    }
    for value in ["loadbalance", "retries", "timeout"] {
        // Which of the providers stands first.
        if let Some(origin) = json[value]["origin"].as_str()
            && origin.starts_with("provider ")
        {
            json[value]["origin"] = json!("provider");
        }
    }
    let candidates = json["candidates"].as_array().cloned().unwrap_or_default();
    let by_address: BTreeMap<String, Json> = candidates
        .into_iter()
        .map(|one| (one["address"].to_string(), one))
        .collect();
    json["candidates"] = json!(by_address);
    json
}

fn binary() -> PathBuf {
    env::var_os("ORANA_BIN").map_or_else(|| place::target().join("release/orana"), PathBuf::from)
}

/// Runs the binary; exit code, standard output and standard error.
fn orana(arguments: &[&str]) -> Result<(Option<i32>, String, String)> {
    let Output { status, stdout, stderr } = Command::new(binary()).args(arguments).output()?;
    Ok((status.code(), String::from_utf8(stdout)?, String::from_utf8(stderr)?))
}

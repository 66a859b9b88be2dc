//! Explanations of a worked set of rules, as a person and as a program read them.

use std::borrow::Cow;
use std::sync::Arc;

use orana_core::rule::RulePlace;
use orana_core::{BoxFuture, Connector, Invoker, RpcError, RpcErrorCode, ServiceUrl};

use super::{Asking, Decided, Explanation};
use crate::aspect::Aspect;
use crate::call::Call;
use crate::candidates::Candidates;
use crate::clock::EpochMillis;
use crate::cluster::{self, NoMergers};
use crate::configurator::{Change, Effect};
use crate::endpoint::tests::Silent;
use crate::governance::{Configurator, Governance};
use crate::load_balance::Balances;
use crate::router::{Report, Routed, Router, Routers};
use crate::testing::call_with;
use crate::{ClusterInvoker, Directory};

const CONSUMER: &str = "consumer://10.0.0.9/org.Stock?application=shop&interface=org.Stock&retries=4";

/// Connects to everybody but the ports in it.
struct Without(&'static [u16]);

impl Connector for Without {
    fn connect<'a>(&'a self, url: &'a ServiceUrl) -> BoxFuture<'a, Result<Arc<dyn Invoker>, RpcError>> {
        let outcome = match url.port().is_some_and(|port| self.0.contains(&port)) {
            true => Err(RpcError::new(RpcErrorCode::Network, "refused")),
            false => Ok(Silent::at(url) as Arc<dyn Invoker>),
        };
        Box::pin(async { outcome })
    }

    fn supports(&self, protocol: &str) -> bool {
        protocol == "dubbo"
    }
}

/// Keeps those whose parameter `region` is that.
struct Region(&'static str);

impl Router for Region {
    fn name(&self) -> &str {
        "region"
    }

    fn aspect(&self, _: &Call<'_>, _: &mut Aspect) {}

    fn route<'l>(&self, _: &Call<'_>, set: Candidates<'l>, report: &mut Report) -> Result<Routed<'l>, String> {
        let mut left = set.clone();
        left.retain(|endpoint| endpoint.original().parameter("region") == Some(self.0));
        report.step(|| format!("region `{}` (rule test line 1)", self.0), &set, &left);
        Ok(Routed::Set(left))
    }
}

struct Fails;

impl Router for Fails {
    fn name(&self) -> &str {
        "odd"
    }

    fn aspect(&self, _: &Call<'_>, _: &mut Aspect) {}

    fn route<'l>(&self, _: &Call<'_>, _: Candidates<'l>, _: &mut Report) -> Result<Routed<'l>, String> {
        Err("no idea".to_owned())
    }
}

/// Disables port 2 and sets `timeout` of everybody.
struct Rules;

impl Configurator for Rules {
    fn configure(&self, url: &ServiceUrl) -> ServiceUrl {
        let url = url.edit().set("timeout", 777);
        match url.build() {
            two if two.port() == Some(2) => two.edit().set("disabled", "true").build(),
            other => other,
        }
    }

    fn effects(&self, url: &ServiceUrl) -> Vec<Effect> {
        let change = |key: &str, after: &str| Change {
            key: key.into(),
            before: None,
            after: after.into(),
        };
        let effect = |line: u32, why_not: Option<&str>, changes: Vec<Change>| Effect {
            place: RulePlace::of("org.Stock::.configurators").at(line, 1),
            text: format!("text of line {line}").into(),
            why_not: why_not.map(str::to_owned),
            changes,
            refused: Vec::new(),
        };
        let two = url.port() == Some(2);
        vec![
            effect(1, None, vec![change("timeout", "777")]),
            effect(
                2,
                (!two).then_some("it is for another address"),
                if two {
                    vec![change("disabled", "true")]
                } else {
                    Vec::new()
                },
            ),
            effect(3, Some("it is not enabled"), Vec::new()),
        ]
    }
}

const FLEET: [&str; 5] = [
    "dubbo://10.0.0.1:1/org.Stock?region=east&weight=300&loadbalance=roundrobin",
    "dubbo://10.0.0.1:2/org.Stock?region=east",
    "dubbo://10.0.0.1:3/org.Stock?region=east",
    "dubbo://10.0.0.1:4/org.Stock?region=west",
    "tri://10.0.0.1:5/org.Stock?region=east",
];

async fn explained(down: &'static [u16], governance: Governance, urls: &[&str]) -> Explanation {
    let providers: Arc<[ServiceUrl]> = urls.iter().map(|url| ServiceUrl::parse(url).unwrap()).collect();
    let consumer = ServiceUrl::parse(CONSUMER).unwrap();
    let options = crate::DirectoryOptions::default();
    let directory = Arc::new(Directory::new(
        consumer.clone(),
        "a test",
        Arc::new(Without(down)),
        options,
    ));
    directory.govern(governance);
    directory.notify(providers);
    directory.settled().await;
    // Also those that are not first.
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let parts = cluster::Parts {
        consumer: &consumer,
        mergers: Arc::new(NoMergers),
    };
    let strategy = cluster::named("failover", &parts).unwrap();
    let invoker = ClusterInvoker::new(directory, Balances::new(), strategy);
    let invocation = call_with("find", &[]);
    invoker.explain(&Asking {
        invocation: &invocation,
        now: EpochMillis(0),
        cluster: Decided::default_of("failover".to_owned()),
        said: &|key| (key == "retries").then(|| "shop.properties:3".to_owned()),
        connects: true,
    })
}

fn ruled(routers: Vec<Arc<dyn Router>>) -> Governance {
    Governance {
        configurator: Some(Arc::new(Rules)),
        routers: Arc::new(Routers::new(routers)),
    }
}

fn steps(explanation: &Explanation) -> Vec<(Cow<'_, str>, usize, usize, Vec<&str>)> {
    let step = |stage: &super::Stage| {
        let removed = stage.removed.clone();
        let ports = removed
            .iter()
            .map(|address| address.rsplit(':').next().unwrap().to_owned());
        let ports: Vec<&str> = ports.map(|port| &*port.leak()).collect();
        (Cow::Owned(stage.name.clone()), stage.before, stage.after, ports)
    };
    explanation.stages.iter().map(step).collect()
}

#[tokio::test(start_paused = true)]
async fn each_stage_says_how_many_it_took_and_whom() {
    let explanation = explained(&[3], ruled(vec![Arc::new(Region("east"))]), &FLEET).await;
    assert_eq!(explanation.registered, 5);
    assert_eq!(
        steps(&explanation),
        [
            ("usable".into(), 5, 4, vec!["5"]),
            ("configurator".into(), 4, 4, vec![]),
            ("configurator".into(), 4, 3, vec!["2"]),
            ("configurator".into(), 3, 3, vec![]),
            ("reachable".into(), 3, 2, vec!["3"]),
            ("method".into(), 2, 2, vec![]),
            ("region".into(), 2, 1, vec!["4"]),
        ]
    );
    assert_eq!(explanation.candidates.len(), 1);
    assert_eq!(explanation.candidates[0].probability, Some(1.0));
    assert_eq!(explanation.nobody, None);
}

#[tokio::test(start_paused = true)]
async fn each_value_says_who_decided_it() {
    let explanation = explained(&[], ruled(Vec::new()), &FLEET).await;
    let said = |decided: &Decided<String>| (decided.value.clone(), decided.origin.clone());
    assert_eq!(
        said(&explanation.loadbalance),
        ("roundrobin".to_owned(), "provider 10.0.0.1:1".to_owned())
    );
    assert_eq!(
        said(&explanation.cluster),
        ("failover".to_owned(), "default".to_owned())
    );
    assert_eq!(explanation.retries, Decided::new(4, "shop.properties:3"));
    let rule = "override `text of line 1` (rule org.Stock::.configurators line 1)";
    assert_eq!(explanation.timeout, Decided::new(777, rule));
}

#[tokio::test(start_paused = true)]
async fn without_rules_defaults_are_called_defaults_and_weights_are_shares() {
    let urls = [
        "dubbo://10.0.0.1:1/org.Stock?weight=300",
        "dubbo://10.0.0.1:2/org.Stock",
    ];
    let explanation = explained(&[], Governance::default(), &urls).await;
    assert_eq!(explanation.loadbalance, Decided::default_of("random".to_owned()));
    assert_eq!(explanation.timeout, Decided::default_of(1000));
    let shares: Vec<_> = explanation
        .candidates
        .iter()
        .map(|one| (one.weight, one.probability))
        .collect();
    assert_eq!(shares, [(300, Some(0.75)), (100, Some(0.25))]);
}

#[tokio::test(start_paused = true)]
async fn nobody_left_is_told_in_short_as_the_error_of_a_call_tells_it() {
    let explanation = explained(&[], ruled(vec![Arc::new(Fails), Arc::new(Region("north"))]), &FLEET).await;
    assert_eq!(
        explanation.nobody.as_deref(),
        Some(
            "no provider available: 5 registered, 3 after configurators, 0 after region `north` (rule test line 1) (registry a test)"
        )
    );
    let failed = explanation.stages.iter().find(|stage| stage.name == "odd").unwrap();
    assert_eq!(failed.rule, "failed, as if it did not exist: no idea");
    assert!(explanation.candidates.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_list_that_rules_disable_from_the_start_says_so() {
    let urls = ["dubbo://10.0.0.1:2/org.Stock"];
    let explanation = explained(&[], ruled(Vec::new()), &urls).await;
    assert_eq!(steps(&explanation)[1], ("configurator".into(), 1, 0, vec!["2"]));
    assert!(explanation.nobody.unwrap().contains("1 registered, 0 can be used"));
}

#[tokio::test(start_paused = true)]
async fn as_json_it_has_the_fields_that_programs_know() {
    let explanation = explained(&[], ruled(vec![Arc::new(Region("west"))]), &FLEET).await;
    let json: serde_json::Value = serde_json::from_str(&explanation.to_json().unwrap()).unwrap();
    let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "candidates",
            "cluster",
            "loadbalance",
            "registered",
            "retries",
            "stages",
            "timeout"
        ]
    );
    assert_eq!(
        json["stages"][0],
        serde_json::json!({"name": "usable", "rule": "not usable: its protocol is not supported", "in": 5, "out": 4, "removed": ["10.0.0.1:5"]})
    );
    assert_eq!(
        json["candidates"],
        serde_json::json!([{"address": "10.0.0.1:4", "weight": 100, "probability": 1.0}])
    );
    assert_eq!(
        json["retries"],
        serde_json::json!({"value": 4, "origin": "shop.properties:3"})
    );
}

#[tokio::test(start_paused = true)]
async fn for_a_person_it_is_an_aligned_tree() {
    let explanation = explained(&[], ruled(vec![Arc::new(Region("east"))]), &FLEET).await;
    let expected = "\
i.find, called by shop at 10.0.0.9 (registry a test)
├─ registered    5
├─ usable        5 → 4       not usable: its protocol is not supported
│                            without 10.0.0.1:5
├─ configurator  4 → 4       override `text of line 1` (rule org.Stock::.configurators line 1): timeout none → 777 at 4 of 5
├─ configurator  4 → 3       override `text of line 2` (rule org.Stock::.configurators line 2): disabled none → true at 1 of 5
│                            without 10.0.0.1:2
├─ configurator  3 → 3       override `text of line 3` (rule org.Stock::.configurators line 3): for nobody here: it is not enabled
├─ reachable     3 → 3       a connection could be opened
├─ method        3 → 3       `find` is among the methods
├─ region        3 → 2       region `east` (rule test line 1)
│                            without 10.0.0.1:4
├─ candidates    2
│  ├─ 10.0.0.1:1  weight 300   75.0 %
│  └─ 10.0.0.1:3  weight 100   25.0 %
├─ loadbalance   roundrobin  provider 10.0.0.1:1
├─ cluster       failover    default
├─ retries       4           shop.properties:3
└─ timeout       777 ms      override `text of line 1` (rule org.Stock::.configurators line 1)
";
    assert_eq!(explanation.to_string(), expected);
}

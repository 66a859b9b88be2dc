//! Order, keys and lists.

use orana_core::{Reply, filtered};

use super::super::testing::{Plain, answering, call, url};
use super::super::{AccessLog, Metrics, TraceSettings};
use super::*;

/// The names of the chain, the program's own in capitals.
fn names(side: Side, parameters: &str, own: &[ProgramFilter]) -> Vec<String> {
    let url = url(parameters);
    let key = if side == Side::Provider {
        "service.filter"
    } else {
        "reference.filter"
    };
    let list = List::of(&url, key);
    list.check(side, key, own).unwrap();
    places(side, &url, &list, own)
        .iter()
        .map(|place| match place {
            Place::Row(row) => row.name.to_owned(),
            Place::Own(own) => own.name.to_uppercase(),
        })
        .collect()
}

fn own(names: &[&str]) -> Vec<ProgramFilter> {
    names
        .iter()
        .map(|name| ProgramFilter::named(name, Arc::new(Plain)))
        .collect()
}

const ALL: &str = "actives=1&executes=1&tps=1&token=t&monitor=m&accesslog=true&adaptive-service=true";

#[test]
fn the_order_is_dubbos() {
    assert_eq!(
        names(Side::Provider, ALL, &[]),
        [
            "profiler-server",
            "observation",
            "metrics",
            "accesslog",
            "adaptive-limit",
            "executelimit",
            "monitor",
            "timeout",
            "token",
            "tps"
        ]
    );
    assert_eq!(
        names(Side::ConsumerCall, ALL, &own(&["", "mine"])),
        ["observation", "metrics", "monitor", "", "MINE"]
    );
    assert_eq!(names(Side::ConsumerAttempt, ALL, &[]), ["activelimit"]);
}

#[test]
fn a_key_that_is_absent_or_says_no_activates_nothing() {
    let quiet = ["profiler-server", "observation", "metrics", "accesslog", "timeout"];
    assert_eq!(names(Side::Provider, "", &[]), quiet);
    assert_eq!(
        names(Side::Provider, "executes=0&tps=false&token=N/A&monitor=null", &[]),
        quiet
    );
    assert_eq!(names(Side::ConsumerAttempt, "say.actives=3", &[]), ["activelimit"]);
    assert_eq!(names(Side::ConsumerAttempt, "reactives=3", &[]), [""; 0]);
}

#[test]
fn a_list_places_takes_out_and_marks() {
    let consumer = |list: &str| {
        let parameters = format!("monitor=m&reference.filter={list}");
        names(Side::ConsumerCall, &parameters, &own(&["a", "b"])).join(" ")
    };
    assert_eq!(consumer(""), "observation metrics monitor A B");
    assert_eq!(consumer("b"), "observation metrics monitor B A");
    assert_eq!(consumer("a,default,b"), "A observation metrics monitor B");
    assert_eq!(consumer("-monitor"), "observation metrics A B");
    assert_eq!(consumer("-default,a"), "A B");
    assert_eq!(consumer("monitor,default"), "monitor observation metrics A B");
    assert_eq!(consumer("-a,a, a"), "observation metrics monitor B");
    assert_eq!(consumer("-default,metrics,default"), "metrics A B");
    assert_eq!(
        names(Side::Provider, "service.filter=-default,executelimit", &[]),
        ["executelimit"],
        "a name needs no key"
    );
}

#[test]
fn a_name_that_does_not_exist_is_an_error_that_lists_those_that_do() {
    let parts = Parts::default();
    let made = |side, parameters: &str| chain(side, &url(parameters), &parts, &own(&["mine"]));
    let error = made(Side::Provider, "service.filter=default,tpss").err().unwrap();
    assert_eq!(
        error.to_string(),
        "`service.filter` names the filter `tpss`, which does not exist; known are accesslog, adaptive-limit, executelimit, \
         metrics, mine, monitor, observation, profiler-server, timeout, token, tps"
    );
    assert!(
        made(Side::ConsumerCall, "reference.filter=executelimit").is_err(),
        "of the other side"
    );
    for list in ["activelimit,monitor", "echo", "-nobody", "mine", "consumercontext"] {
        let parameters = format!("reference.filter={list}");
        assert!(made(Side::ConsumerCall, &parameters).is_ok(), "{list}");
        assert!(made(Side::ConsumerAttempt, &parameters).is_ok(), "{list}");
    }
}

#[test]
fn a_filter_without_its_part_is_not_made() {
    let made = |parts: &Parts| chain(Side::Provider, &url("monitor=m"), parts, &[]).unwrap().len();
    let mut parts = Parts::default();
    let always = "the ones that tell of busy machines and of calls that took too long";
    assert_eq!(made(&parts), 2, "{always}");
    parts.metrics = Some(Metrics::new("shop"));
    parts.monitor = Some(Arc::default());
    parts.tracing = Some(TraceSettings::default());
    assert_eq!(made(&parts), 5);
}

#[test]
fn names_are_unique_on_each_side() {
    for row in FILTERS {
        let same = FILTERS
            .iter()
            .filter(|other| other.side == row.side && other.name == row.name);
        assert_eq!(same.count(), 1, "{}", row.name);
        assert!(!ELSEWHERE.contains(&row.name));
    }
}

#[tokio::test]
async fn what_an_inner_filter_refuses_the_outer_ones_see() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("access.log");
    let parts = Parts {
        access_log: Some(Arc::new(AccessLog::start(0).unwrap())),
        metrics: Some(Metrics::new("shop")),
        monitor: Some(Arc::default()),
        tracing: Some(TraceSettings::default()),
        ..Parts::default()
    };
    let text = format!("{ALL}&token=t&accesslog={}&accesslog.fixed.path=false", path.display());
    let filters = chain(Side::Provider, &url(&text.replace("accesslog=true&", "")), &parts, &[]).unwrap();
    let service = filtered(&filters, Arc::new(answering(|| Ok(Reply::null()))));
    let mut say = call("say");
    say.attachments.set("token", "t");
    assert!(service.invoke(&say).await.is_ok());
    say.attachments.set("token", "stolen");
    assert!(service.invoke(&say).await.is_err());
    say.attachments.set("token", "t");
    let refused = service.invoke(&say).await.unwrap_err();
    assert!(
        refused.message().contains("exceed max service tps"),
        "a token was taken once: {refused}"
    );
    let text = parts.metrics.as_ref().unwrap().text();
    let total =
        r#"dubbo_provider_requests_total{application_name="shop",interface="i",method="say",group="",version=""} 3"#;
    assert!(text.contains(total), "{text}");
    let counted = parts.monitor.as_ref().unwrap().collect(1);
    assert_eq!(
        (counted[0].parameter("success"), counted[0].parameter("failure")),
        (Some("1"), Some("2"))
    );
    drop((filters, service, parts));
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 3);
}

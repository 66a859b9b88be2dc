//! Each case of the facts about tags, by name.

use orana_core::Invocation;
use orana_core::rule::{ParameterMatch, RulePlace, TextMatch};

use super::*;
use crate::clock::EpochMillis;
use crate::testing::{Lab, call_with};

const FOUR: [&str; 4] = [
    "dubbo://10.0.0.1:20880/i?region=east",
    "dubbo://10.0.0.2:20880/i?dubbo.tag=gray&region=east",
    "dubbo://10.0.0.3:20880/i",
    "dubbo://10.0.0.4:20881/i?dubbo.tag=blue",
];

fn tags(force: bool, tags: &[(&str, TagSource)]) -> TagRule {
    let place = RulePlace::of("shop.tag-router");
    TagRule {
        enabled: true,
        force,
        tags: tags
            .iter()
            .map(|(name, source)| Tag {
                place: place.clone(),
                name: (*name).into(),
                source: source.clone(),
            })
            .collect(),
        place,
    }
}

fn at(addresses: &[&str]) -> TagSource {
    TagSource::Addresses(addresses.iter().map(|address| (*address).into()).collect())
}

fn tagged(tag: &str, force: bool) -> Invocation {
    let mut invocation = call_with("say", &[]);
    if !tag.is_empty() {
        invocation.attachments.set(TAG, tag);
    }
    if force {
        invocation.attachments.set(FORCE, "true");
    }
    invocation
}

/// The last part of the addresses that are left.
fn left(rule: Option<&TagRule>, urls: &[&str], invocation: &Invocation) -> Vec<u8> {
    let lab = Lab::of(urls);
    let call = Call::new(invocation, &lab.consumer, EpochMillis(0), 0);
    let routed = TagRouter::new(rule).route(&call, Candidates::all(&lab.list), &mut Report::silent());
    let Ok(Routed::Set(left)) = routed else {
        panic!("{routed:?}")
    };
    let last = |endpoint: &Arc<Endpoint>| {
        endpoint
            .url()
            .host()
            .unwrap()
            .rsplit('.')
            .next()
            .unwrap()
            .parse()
            .unwrap()
    };
    left.iter().map(last).collect()
}

#[test]
fn without_a_rule_a_tag_finds_providers_that_say_they_have_it() {
    assert_eq!(left(None, &FOUR, &tagged("gray", false)), [2]);
    assert_eq!(left(None, &FOUR, &tagged("", false)), [1, 3]);
    assert_eq!(left(None, &FOUR, &tagged("red", false)), [1, 3]);
    assert_eq!(left(None, &FOUR, &tagged("red", true)), [0; 0]);
}

#[test]
fn untagged_calls_fail_when_every_provider_has_a_tag() {
    assert_eq!(left(None, &FOUR[1..2], &tagged("", false)), [0; 0]);
}

#[test]
fn the_consumers_own_tag_counts_when_a_call_has_none() {
    let mut lab = Lab::of(&FOUR);
    lab.consumer = ServiceUrlOf::tagged("gray");
    let router = TagRouter::new(None);
    let ask = |invocation: &Invocation| {
        let call = Call::new(invocation, &lab.consumer, EpochMillis(0), 0);
        match router.route(&call, Candidates::all(&lab.list), &mut Report::silent()) {
            Ok(Routed::Set(left)) => left.len(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(ask(&tagged("", false)), 1);
    assert_eq!(ask(&tagged("red", false)), 2);
}

struct ServiceUrlOf;

impl ServiceUrlOf {
    fn tagged(tag: &str) -> orana_core::ServiceUrl {
        orana_core::ServiceUrl::parse(&format!("consumer://10.0.0.9/i?dubbo.tag={tag}")).unwrap()
    }
}

#[test]
fn the_rule_says_who_has_a_tag_and_what_providers_say_does_not_count_then() {
    let rule = tags(false, &[("tag1", at(&["10.0.0.1:20880"])), ("gray", at(&["10.0.0.3"]))]);
    assert_eq!(left(Some(&rule), &FOUR, &tagged("tag1", false)), [1]);
    assert_eq!(left(Some(&rule), &FOUR, &tagged("gray", false)), [3]);
    assert_eq!(
        left(Some(&rule), &FOUR, &tagged("blue", false)),
        [4],
        "a tag that the rule does not know"
    );
    assert_eq!(
        left(Some(&rule), &FOUR[..1], &tagged("", false)),
        [0; 0],
        "everybody is listed under some tag"
    );
    assert_eq!(left(Some(&rule), &FOUR, &tagged("", false)), [0; 0]);
}

#[test]
fn nobody_with_the_tag_means_those_with_none_unless_rule_or_call_forces() {
    let gone = [("tag1", at(&["10.9.9.9:1"]))];
    assert_eq!(left(Some(&tags(false, &gone)), &FOUR, &tagged("tag1", false)), [1, 3]);
    assert_eq!(left(Some(&tags(true, &gone)), &FOUR, &tagged("tag1", false)), [0; 0]);
    assert_eq!(left(Some(&tags(false, &gone)), &FOUR, &tagged("tag1", true)), [0; 0]);
    let rule = tags(false, &[("tag1", at(&["10.0.0.1:20880"]))]);
    assert_eq!(
        left(Some(&rule), &FOUR, &tagged("tag2", false)),
        [3],
        "not who is listed under another tag"
    );
}

#[test]
fn a_tag_of_levels_is_looked_for_level_by_level() {
    let rule = tags(
        false,
        &[
            ("beta", at(&["10.0.0.3:20880"])),
            ("beta|team1", at(&["10.0.0.1:20880"])),
        ],
    );
    assert_eq!(left(Some(&rule), &FOUR, &tagged("beta|team1|partner1", false)), [1]);
    assert_eq!(left(Some(&rule), &FOUR, &tagged("beta|team2", false)), [3]);
    assert_eq!(
        left(Some(&rule), &FOUR, &tagged("beta|team2", true)),
        [0; 0],
        "a forced one is taken as it is"
    );
}

#[test]
fn addresses_may_be_networks_ranges_and_any_host_at_a_port() {
    for (address, who) in [
        ("10.0.0.0/30", vec![1, 2, 3]),
        ("10.0.0.2-3", vec![2, 3]),
        ("10.0.*.4", vec![4]),
        ("0.0.0.0:20881", vec![4]),
        ("not an address", vec![1, 3]),
    ] {
        let rule = tags(false, &[("t", at(&[address]))]);
        assert_eq!(left(Some(&rule), &FOUR, &tagged("t", false)), who, "{address}");
    }
}

#[test]
fn a_tag_may_be_given_by_what_providers_say_elsewhere() {
    let such = TagSource::Match(vec![
        ParameterMatch {
            key: "region".into(),
            value: TextMatch::Exact("east".into()),
        },
        ParameterMatch {
            key: TAG.into(),
            value: TextMatch::Empty,
        },
    ]);
    let rule = tags(false, &[("t", such)]);
    assert_eq!(left(Some(&rule), &FOUR, &tagged("t", false)), [1]);
    assert_eq!(left(Some(&rule), &FOUR, &tagged("", false)), [3]);
}

#[test]
fn a_rule_that_is_off_or_has_no_tags_counts_as_none() {
    let mut off = tags(true, &[("gray", at(&["10.0.0.3"]))]);
    off.enabled = false;
    for rule in [off, tags(true, &[])] {
        assert_eq!(left(Some(&rule), &FOUR, &tagged("gray", false)), [2]);
    }
}

#[test]
fn what_a_tag_did_is_told_with_the_rule() {
    let lab = Lab::of(&FOUR);
    let rule = tags(false, &[("tag1", at(&["10.0.0.1:20880"]))]);
    let invocation = tagged("tag1", false);
    let call = Call::new(&invocation, &lab.consumer, EpochMillis(0), 0);
    let mut report = Report::recording();
    TagRouter::new(Some(&rule))
        .route(&call, Candidates::all(&lab.list), &mut report)
        .unwrap();
    let stages = report.into_stages();
    assert_eq!(stages.len(), 1);
    assert_eq!(stages[0].rule, "tag `tag1` (rule shop.tag-router)");
    assert_eq!((stages[0].before, stages[0].after), (4, 1));
    assert_eq!(
        stages[0].removed.iter().map(|one| &**one).collect::<Vec<_>>(),
        ["10.0.0.2:20880", "10.0.0.3:20880", "10.0.0.4:20881"]
    );
}

#[test]
fn a_tag_with_a_pattern_that_cannot_be_used_is_named_and_why() {
    let such = |pattern: &str| {
        TagSource::Match(vec![ParameterMatch {
            key: "region".into(),
            value: TextMatch::Regex(pattern.into()),
        }])
    };
    assert_eq!(TagRouter::problem(&tags(false, &[("gray", such("ea.*"))])), None);
    let problem = TagRouter::problem(&tags(false, &[("gray", such("ea.*")), ("blue", such("("))]));
    assert!(problem.unwrap().to_string().contains("shop.tag-router"));
}

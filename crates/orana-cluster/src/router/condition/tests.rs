//! What conditions leave, each rule of the facts by name. Conditions are put together by hand: how they are written is the matter of
//! `orana-wire`.

use orana_core::Invocation;
use orana_core::rule::{Destination, RulePlace};

use super::*;
use crate::clock::EpochMillis;
use crate::plan::Plan;
use crate::router::Routers;
use crate::testing::{Lab, call_with};

const THREE: [&str; 3] = [
    "dubbo://10.0.0.1:20880/i?region=east&application=shop",
    "dubbo://10.0.0.2:20880/i?region=west&application=shop",
    "dubbo://10.0.0.3:20881/i?application=shop",
];

fn glob(text: &str) -> Pattern {
    match text.strip_prefix('$') {
        Some(name) => Pattern::OfConsumer(name.into()),
        None => Pattern::Glob(text.into()),
    }
}

fn is(subject: Subject, values: &[&str]) -> Clause {
    Clause {
        subject,
        matches: values.iter().map(|text| glob(text)).collect(),
        mismatches: Vec::new(),
    }
}

fn is_not(subject: Subject, values: &[&str]) -> Clause {
    Clause {
        subject,
        matches: Vec::new(),
        mismatches: values.iter().map(|text| glob(text)).collect(),
    }
}

fn parameter(name: &str) -> Subject {
    Subject::Parameter(name.into())
}

fn condition(when: Vec<Clause>, then: Then) -> Condition {
    Condition {
        place: RulePlace::of("i::.condition-router").at(2, 3),
        text: "a => b".into(),
        when,
        then,
        missing_passes_mismatch: false,
    }
}

fn rule(force: bool, conditions: Vec<Condition>) -> ConditionRule {
    ConditionRule {
        place: RulePlace::of("i::.condition-router"),
        scope: None,
        enabled: true,
        force,
        priority: 0,
        conditions,
    }
}

fn plan(lab: &Lab, rule: &ConditionRule, invocation: &Invocation, report: &mut Report) -> Plan {
    let call = Call::new(invocation, &lab.consumer, EpochMillis(0), 0);
    let routers = Routers::new(ConditionRouter::of(rule));
    routers.plan(&lab.list, &call, report).0
}

fn left_by(rule: &ConditionRule, invocation: &Invocation) -> Vec<u8> {
    let lab = Lab::of(&THREE);
    let plan = plan(&lab, rule, invocation, &mut Report::silent());
    let candidates = Candidates::of_branch(&lab.list, plan.branch(0).unwrap());
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
    candidates.iter().map(last).collect()
}

/// What one condition leaves of a call of `say("vip")`.
fn left(force: bool, when: Vec<Clause>, then: Then) -> Vec<u8> {
    left_by(&rule(force, vec![condition(when, then)]), &call_with("say", &["vip"]))
}

fn keep(clause: Clause) -> Then {
    Then::Keep(vec![clause])
}

#[test]
fn a_call_that_is_not_meant_passes() {
    assert_eq!(
        left(true, vec![is(Subject::Host, &["10.0.0.9"])], Then::Nobody),
        [1, 2, 3]
    );
    assert_eq!(
        left(true, vec![is(Subject::Method, &["find*", "get*"])], Then::Nobody),
        [1, 2, 3]
    );
}

#[test]
fn nobody_is_nobody_without_force_too() {
    assert_eq!(
        left(false, vec![is(Subject::Host, &["10.0.0.1"])], Then::Nobody),
        [0; 0]
    );
    assert_eq!(left(false, Vec::new(), Then::Nobody), [0; 0]);
}

#[test]
fn providers_are_kept_by_host_port_address_and_parameters() {
    let west = keep(is(parameter("region"), &["west", "north"]));
    assert_eq!(left(false, Vec::new(), west), [2]);
    assert_eq!(
        left(false, Vec::new(), keep(is_not(Subject::Host, &["10.0.0.3"]))),
        [1, 2]
    );
    assert_eq!(left(false, Vec::new(), keep(is(Subject::Port, &["20881"]))), [3]);
    assert_eq!(
        left(false, Vec::new(), keep(is(Subject::Address, &["10.0.0.*:20880"]))),
        [1, 2]
    );
    let both = Then::Keep(vec![
        is(Subject::Port, &["20880"]),
        is_not(parameter("region"), &["east"]),
    ]);
    assert_eq!(left(false, Vec::new(), both), [2]);
}

#[test]
fn a_key_that_a_provider_lacks_fails_even_a_mismatch() {
    assert_eq!(
        left(false, Vec::new(), keep(is_not(parameter("region"), &["east"]))),
        [2]
    );
    let mut of_2_6 = condition(Vec::new(), keep(is_not(parameter("region"), &["east"])));
    of_2_6.missing_passes_mismatch = true;
    assert_eq!(left_by(&rule(false, vec![of_2_6]), &call_with("say", &[])), [2, 3]);
}

#[test]
fn nobody_left_is_everybody_unless_it_is_forced() {
    let north = || keep(is(parameter("region"), &["north"]));
    assert_eq!(left(false, Vec::new(), north()), [1, 2, 3]);
    assert_eq!(left(true, Vec::new(), north()), [0; 0]);
}

#[test]
fn mismatches_count_before_matches() {
    let both = Clause {
        subject: Subject::Host,
        matches: vec![glob("10.0.0.*")],
        mismatches: vec![glob("10.0.0.2")],
    };
    assert_eq!(left(false, Vec::new(), keep(both)), [1, 3]);
    let neither = Clause {
        subject: Subject::Host,
        matches: Vec::new(),
        mismatches: Vec::new(),
    };
    assert_eq!(left(true, Vec::new(), keep(neither)), [0; 0]);
}

#[test]
fn arguments_and_attachments_of_the_call_decide() {
    let east = || keep(is(parameter("region"), &["east"]));
    assert_eq!(left(false, vec![is(Subject::Argument(Some(0)), &["vip"])], east()), [1]);
    assert_eq!(
        left(false, vec![is(Subject::Argument(Some(0)), &["other"])], east()),
        [1, 2, 3]
    );
    assert_eq!(
        left(false, vec![is(Subject::Argument(Some(7)), &["vip"])], east()),
        [1, 2, 3]
    );
    assert_eq!(
        left(false, vec![is_not(Subject::Argument(Some(7)), &["vip"])], east()),
        [1],
        "nothing is not vip"
    );
    assert_eq!(
        left(false, vec![is_not(Subject::Argument(None), &["vip"])], east()),
        [1]
    );

    let by_user = rule(
        false,
        vec![condition(
            vec![Clause {
                subject: Subject::Attachment(Some("user_id".into())),
                matches: vec![Pattern::Range {
                    low: Some(1),
                    high: 100,
                }],
                mismatches: Vec::new(),
            }],
            east(),
        )],
    );
    let mut invocation = call_with("say", &[]);
    assert_eq!(left_by(&by_user, &invocation), [1, 2, 3], "no attachment");
    invocation.attachments.set("user_id", "42");
    assert_eq!(left_by(&by_user, &invocation), [1]);
    invocation.attachments.set("user_id", "101");
    assert_eq!(left_by(&by_user, &invocation), [1, 2, 3]);
    let dotted = || Subject::Attachment(None);
    assert_eq!(
        left(true, vec![is(dotted(), &["x"])], Then::Nobody),
        [1, 2, 3],
        "a name with dots is never found"
    );
    assert_eq!(left(true, vec![is_not(dotted(), &["x"])], Then::Nobody), [0; 0]);
    let mut of_url = condition(vec![is_not(Subject::Argument(Some(7)), &["vip"])], Then::Nobody);
    of_url.missing_passes_mismatch = true;
    assert_eq!(left_by(&rule(true, vec![of_url]), &call_with("say", &[])), [1, 2, 3]);
}

#[test]
fn providers_are_looked_at_as_they_registered() {
    // `application` of the merged URL is the consumer's own.
    let lab = Lab::of(&["dubbo://10.0.0.1:20880/i?application=me"]);
    let original = ServiceUrl::parse("dubbo://10.0.0.1:20880/i?application=shop").unwrap();
    let known = &lab.list.endpoints()[0];
    let endpoint = Endpoint::of(
        original,
        known.url().clone(),
        Arc::clone(known.invoker()),
        Arc::default(),
    );
    let lab = Lab {
        list: crate::EndpointList::new(vec![Arc::new(endpoint)], 1),
        ..lab
    };
    let shop = rule(
        true,
        vec![condition(Vec::new(), keep(is(parameter("application"), &["shop"])))],
    );
    let plan = plan(&lab, &shop, &call_with("say", &[]), &mut Report::silent());
    assert_eq!(Candidates::of_branch(&lab.list, plan.branch(0).unwrap()).len(), 1);
}

#[test]
fn conditions_apply_one_after_the_other() {
    let two = rule(
        false,
        vec![
            condition(Vec::new(), keep(is(Subject::Port, &["20880"]))),
            condition(Vec::new(), keep(is(parameter("region"), &["north"]))),
            condition(Vec::new(), keep(is_not(Subject::Host, &["10.0.0.1"]))),
        ],
    );
    assert_eq!(left_by(&two, &call_with("say", &[])), [2]);
}

#[test]
fn a_rule_that_is_off_has_no_effect() {
    let mut off = rule(true, vec![condition(Vec::new(), Then::Nobody)]);
    off.enabled = false;
    assert_eq!(left_by(&off, &call_with("say", &[])), [1, 2, 3]);
}

fn destination(region: &str, weight: u32) -> Destination {
    Destination {
        text: region.into(),
        clauses: vec![is(parameter("region"), &[region])],
        weight,
    }
}

#[test]
fn several_destinations_share_calls_by_their_weights_and_empty_ones_are_left_out() {
    let lab = Lab::of(&THREE);
    let shares = Then::Shares(vec![
        destination("east", 100),
        destination("north", 500),
        destination("west", 900),
    ]);
    let shared = rule(false, vec![condition(Vec::new(), shares)]);
    let mut report = Report::recording();
    let plan = plan(&lab, &shared, &call_with("say", &[]), &mut report);
    let shares: Vec<f64> = plan.branches().iter().map(|branch| branch.share()).collect();
    assert_eq!(shares, [0.1, 0.9]);
    let mut chance = fastrand::Rng::with_seed(3);
    let east = (0..10_000).filter(|_| {
        let branch = plan.branch(chance.u64(..)).unwrap();
        *Candidates::of_branch(&lab.list, branch).get(0).unwrap().address() == "10.0.0.1:20880".into()
    });
    let east = east.count();
    assert!((900..1100).contains(&east), "{east}");
    let told: Vec<_> = report.into_stages().into_iter().map(|stage| stage.after).collect();
    assert_eq!(told, [1, 1]);

    let only = Then::Shares(vec![destination("north", 500), destination("west", 1)]);
    assert_eq!(left(false, Vec::new(), only), [2]);
    let none = || Then::Shares(vec![destination("north", 500)]);
    assert_eq!(left(false, Vec::new(), none()), [1, 2, 3]);
    assert_eq!(left(true, Vec::new(), none()), [0; 0]);
}

#[test]
fn calls_that_differ_in_nothing_a_rule_looks_at_have_one_aspect() {
    let lab = Lab::of(&THREE);
    let by_argument = rule(
        false,
        vec![
            condition(
                vec![is(Subject::Host, &["10.0.0.1"])],
                keep(is(Subject::Port, &["20880"])),
            ),
            condition(
                vec![is(Subject::Argument(Some(0)), &["vip"])],
                keep(is(parameter("region"), &["east"])),
            ),
        ],
    );
    let routers = Routers::new(ConditionRouter::of(&by_argument));
    let aspect = |argument: &str| {
        let invocation = call_with("say", &[argument]);
        let call = Call::new(&invocation, &lab.consumer, EpochMillis(0), 0);
        routers.aspect(&lab.list, &call).key().unwrap().to_vec()
    };
    assert_eq!(aspect("a"), aspect("b"));
    assert_ne!(aspect("a"), aspect("vip"));
}

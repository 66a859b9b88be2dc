//! Documents of conditions as consoles and people write them.

use orana_core::rule::{Clause, Pattern, Scope, Subject, Then};

use super::*;

const KEY: &str = "com.foo.Bar::.condition-router";

fn parsed(text: &str) -> Parsed<ConditionRule> {
    condition(KEY, text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn rule(text: &str) -> ConditionRule {
    parsed(text).rule().unwrap_or_else(|| panic!("no rule: {text}")).clone()
}

/// The only condition of a document with it.
fn one(condition: &str) -> Condition {
    let text = format!("conditions:\n  - {condition}\n");
    rule(&text).conditions.remove(0)
}

fn refused(text: &str) -> String {
    match condition(KEY, text) {
        Ok(parsed) => panic!("{parsed:?}"),
        Err(error) => error.to_string(),
    }
}

fn glob(text: &str) -> Pattern {
    Pattern::Glob(text.into())
}

fn clause(subject: Subject, matches: &[Pattern], mismatches: &[Pattern]) -> Clause {
    Clause {
        subject,
        matches: matches.to_vec(),
        mismatches: mismatches.to_vec(),
    }
}

fn parameter(name: &str) -> Subject {
    Subject::Parameter(name.into())
}

/// A side in the form of the golden file.
fn shown(clauses: &[Clause]) -> String {
    let mut rows: Vec<_> = clauses
        .iter()
        .map(|clause| {
            let key = match &clause.subject {
                Subject::Method => "method".into(),
                Subject::Host => "host".into(),
                Subject::Port => "port".into(),
                Subject::Attachment(Some(name)) => format!("attachments[{name}]"),
                Subject::Parameter(name) => name.to_string(),
                other => panic!("{other:?}"),
            };
            let values = |patterns: &[Pattern]| {
                let mut values: Vec<_> = patterns
                    .iter()
                    .map(|pattern| match pattern {
                        Pattern::Glob(text) | Pattern::BadRange(text) => text.to_string(),
                        Pattern::OfConsumer(name) => format!("${name}"),
                        Pattern::Range { low: None, high } => format!("~{high}"),
                        Pattern::Range { low: Some(low), high } => format!("{low}~{high}"),
                    })
                    .collect();
                values.sort();
                values.dedup();
                values.join(", ")
            };
            format!(
                "[{key} +[{}] -[{}]]",
                values(&clause.matches),
                values(&clause.mismatches)
            )
        })
        .collect();
    rows.sort();
    rows.concat()
}

#[test]
fn every_condition_string_is_read_as_dubbo_reads_it() {
    let mut seen = 0;
    for line in include_str!("../golden/conditions.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let (text, wanted) = line.split_once('\t').unwrap();
        let read = match clauses::condition(&text.replace("\\t", "\t"), Dialect::Text) {
            Err(_) => "ERR".to_owned(),
            Ok((when, Then::Nobody)) => format!("{}\tNOBODY", shown(&when)),
            // Java has an empty map there, which no provider satisfies.
            Ok((when, Then::Keep(then))) if then[0].subject == parameter("") => format!("{}\t", shown(&when)),
            Ok((when, Then::Keep(then))) => format!("{}\t{}", shown(&when), shown(&then)),
            Ok((_, Then::Shares(_))) => panic!("shares in a string: {text}"),
        };
        assert_eq!(read, wanted, "of {text:?}");
        seen += 1;
    }
    assert!(seen > 35);
}

#[test]
fn a_document_of_dubbo_admin_needs_no_config_version() {
    let text = "conditions:\n- ' method=sayHello => region=hangzhou'\n- \"  => host !=  10.0.0.1 , 10.0.0.2\"\n\
                enabled: true\nforce: false\nkey: com.foo.Bar\npriority: \"1\"\nruntime: true\nscope: service\n";
    let rule = rule(text);
    assert_eq!(rule.scope, Some(Scope::Service));
    assert_eq!((rule.enabled, rule.force, rule.priority), (true, false, 1));
    assert_eq!(rule.conditions.len(), 2);
    assert_eq!(&*rule.conditions[0].text, "method=sayHello => region=hangzhou");
    assert_eq!(rule.conditions[0].place, rule.place.at(2, 3));
    assert_eq!(
        rule.conditions[1].then,
        Then::Keep(vec![clause(Subject::Host, &[], &[glob("10.0.0.1"), glob("10.0.0.2")])])
    );
    assert_eq!(parsed(text).remarks, []);
}

#[test]
fn folded_and_literal_strings_are_conditions_too() {
    let text = "conditions:\n  - >\n    method!=sayHello =>\n  - |\n    host=127.0.0.1\n    =>\n    port=20880\n";
    let rule = rule(text);
    assert_eq!(
        rule.conditions[0].when,
        [clause(Subject::Method, &[], &[glob("sayHello")])]
    );
    assert_eq!(rule.conditions[0].then, Then::Nobody);
    assert_eq!(
        rule.conditions[1].then,
        Then::Keep(vec![clause(Subject::Port, &[glob("20880")], &[])])
    );
}

#[test]
fn keys_are_what_they_look_at() {
    let subjects = |text: &str| {
        one(text)
            .when
            .into_iter()
            .map(|clause| clause.subject)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        subjects(
            "'address=a & host=b & port=c & protocol=d & path=e & username=f & password=g & methods=h & env=i =>'"
        ),
        [
            Subject::Address,
            Subject::Host,
            Subject::Port,
            Subject::Protocol,
            Subject::Path,
            Subject::User,
            Subject::Password,
            Subject::Method,
            parameter("env"),
        ]
    );
}

#[test]
fn a_method_on_the_right_is_a_parameter_of_the_provider() {
    assert_eq!(
        one("=> methods=say*").then,
        Then::Keep(vec![clause(parameter("methods"), &[glob("say*")], &[])])
    );
}

#[test]
fn a_dollar_is_the_consumers_value_on_the_right_only() {
    assert_eq!(
        one("=> region=$region").then,
        Then::Keep(vec![clause(
            parameter("region"),
            &[Pattern::OfConsumer("region".into())],
            &[]
        )])
    );
    assert_eq!(
        one("region=$region =>").when,
        [clause(parameter("region"), &[glob("$region")], &[])]
    );
}

#[test]
fn ranges_are_whole_numbers_and_what_is_none_counts_as_zero() {
    let range = |text: &str| one(&format!("'level={text} =>'")).when[0].matches[0].clone();
    assert_eq!(
        range("1~100"),
        Pattern::Range {
            low: Some(1),
            high: 100
        }
    );
    assert_eq!(range("~100"), Pattern::Range { low: None, high: 100 });
    assert_eq!(range("a~5"), Pattern::Range { low: Some(0), high: 5 });
    assert_eq!(range("-5~5"), Pattern::Range { low: Some(0), high: 5 });
    assert_eq!(range("1~2~3"), Pattern::Range { low: Some(1), high: 2 });
    assert_eq!(
        range("5~~9"),
        Pattern::Range {
            low: Some(5),
            high: i64::MAX
        }
    );
    for bad in ["~", "5~", "~~9", "1~99999999999"] {
        assert_eq!(range(bad), Pattern::BadRange(bad.into()));
    }
}

#[test]
fn arguments_and_attachments_have_their_name_in_brackets() {
    let subject = |text: &str| one(&format!("'{text}=x =>'")).when[0].subject.clone();
    assert_eq!(subject("arguments[0]"), Subject::Argument(Some(0)));
    assert_eq!(subject("arguments[12].name"), Subject::Argument(Some(12)));
    for bad in [
        "arguments",
        "arguments[]",
        "arguments[a]",
        "arguments[-1]",
        "arguments[99999999999]",
    ] {
        assert_eq!(subject(bad), Subject::Argument(None), "{bad}");
    }
    assert_eq!(
        subject("attachments[user-id]"),
        Subject::Attachment(Some("user-id".into()))
    );
    assert_eq!(subject("attachments[a]]"), Subject::Attachment(Some("a]".into())));
    for bad in ["attachments", "attachments[]", "attachments[user.id]"] {
        assert_eq!(subject(bad), Subject::Attachment(None), "{bad}");
    }
}

#[test]
fn an_error_points_at_the_character_in_the_document() {
    let text =
        "force: true\nconditions:\n  - host=a => port=1\n  - '  consumer.host = a & provider.x == b => port=1'\n";
    assert_eq!(
        refused(text),
        "com.foo.Bar::.condition-router line 4, column 39: `==` before `b` is no separator; there are `=`, `!=`, `,` and `&`"
    );
    assert_eq!(
        refused("conditions: ['=> a=b,,c']"),
        format!("{KEY} line 1, column 21: `,,` before `c` is no separator; there are `=`, `!=`, `,` and `&`")
    );
}

#[test]
fn an_error_in_a_folded_string_points_at_the_string() {
    assert!(refused("conditions:\n  - >\n    a=b\n    && c=d => x=y\n").contains(" line 3, column"));
}

#[test]
fn one_bad_condition_refuses_the_document() {
    assert!(refused("conditions: ['=> a=b', '']").contains("the condition is empty"));
    assert!(refused("conditions: ['=> a=b', ]\nforce: [1]").contains("`force` is a list"));
    assert!(refused("conditions:\n  -\n").contains("a condition is empty"));
}

#[test]
fn a_disabled_document_may_be_broken() {
    let rule = rule("enabled: false\nconditions: ['a == b']\n");
    assert!(!rule.enabled);
    assert_eq!(rule.conditions, []);
}

#[test]
fn without_conditions_the_previous_ones_stay() {
    for text in [
        "force: true",
        "conditions:",
        "conditions: []",
        "conditions: ['=> a=b']\nvalid: false",
        "configVersion: v3.1\nconditions: []",
    ] {
        assert!(matches!(parsed(text).outcome, Outcome::KeepPrevious(_)), "{text}");
    }
}

#[test]
fn versions_decide_how_conditions_are_read() {
    for version in ["v2.7", "v3.0", "V3.0", "v1"] {
        assert_eq!(
            rule(&format!("configVersion: {version}\nconditions: ['=> a=b']"))
                .conditions
                .len(),
            1,
            "{version}"
        );
    }
    for version in ["v3.2", "V4", "x", "v3.9.1"] {
        let parsed = parsed(&format!("configVersion: {version}\nconditions: ['=> a=b']"));
        let Outcome::Unsupported(remark) = parsed.outcome else {
            panic!("{version}");
        };
        assert_eq!(remark.place.line, 1);
    }
    assert!(refused("configVersion: 3.0\nconditions: ['=> a=b']").contains("put it into quotes"));
}

#[test]
fn a_mapping_among_strings_needs_version_3_1() {
    assert!(
        refused("conditions:\n- from: {match: a=b}\n  to: [{match: c=d}]\n").contains("needs `configVersion: v3.1`")
    );
}

const SHARES: &str = "configVersion: v3.1
scope: service
force: true
runtime: true
enabled: true
key: com.foo.Bar
conditions:
  - from:
      match: tag=gray
    to:
      - match: tag!=gray
        weight: 100
      - match: tag=gray & region=$region
        weight: \"900\"
  - from: {match: region=hangzhou}
";

#[test]
fn conditions_of_version_3_1_share_calls_among_destinations() {
    let rule = rule(SHARES);
    let [first, second] = &rule.conditions[..] else {
        panic!("{rule:?}");
    };
    assert_eq!(first.when, [clause(parameter("tag"), &[glob("gray")], &[])]);
    let Then::Shares(destinations) = &first.then else {
        panic!("{first:?}");
    };
    assert_eq!(
        destinations
            .iter()
            .map(|destination| destination.weight)
            .collect::<Vec<_>>(),
        [100, 900]
    );
    assert_eq!(
        destinations[1].clauses[1],
        clause(parameter("region"), &[Pattern::OfConsumer("region".into())], &[])
    );
    assert_eq!(
        &*first.text,
        "tag=gray => tag!=gray (weight 100); tag=gray & region=$region (weight 900)"
    );
    assert_eq!(first.place.line, 8);
    assert_eq!(second.then, Then::Nobody);
}

#[test]
fn version_3_1_keeps_the_words_consumer_and_provider() {
    let rule = rule("configVersion: v3.1\nconditions:\n- from: {match: consumer.host=a}\n  to: [{match: b=c}]\n");
    assert_eq!(rule.conditions[0].when[0].subject, parameter("consumer.host"));
}

#[test]
fn blank_true_and_false_of_version_3_1_are_everybody() {
    for (from, to) in [("true", "false"), ("\"\"", "' '"), ("", ""), ("'true'", "'false'")] {
        let text = format!("configVersion: v3.1\nconditions:\n- from: {{match: {from}}}\n  to: [{{match: {to}}}]\n");
        let condition = rule(&text).conditions.remove(0);
        assert_eq!(condition.when, []);
        let Then::Shares(destinations) = condition.then else {
            panic!("{text}");
        };
        assert_eq!((destinations[0].clauses.len(), destinations[0].weight), (0, 100));
    }
}

#[test]
fn weights_that_are_none_are_a_hundred_and_other_things_are_refused() {
    let text =
        |weight: &str| format!("configVersion: v3.1\nconditions:\n- to:\n  - {{match: a=b, weight: {weight}}}\n");
    for weight in ["", "0", "-3", "\"0\""] {
        let Then::Shares(destinations) = rule(&text(weight)).conditions.remove(0).then else {
            panic!("{weight}");
        };
        assert_eq!(destinations[0].weight, 100);
    }
    for weight in ["1.5", "heavy", "99999999999", "[1]"] {
        assert!(refused(&text(weight)).contains("line 4, column"), "{weight}");
    }
}

#[test]
fn nothing_on_a_side_of_version_3_1_is_as_if_it_were_left_out() {
    let rule = rule(
        "configVersion: v3.1\nconditions:\n- from:\n  to: [{match: a=b, weight: }]\n- from: {match: a=b}\n  to:\n",
    );
    assert_eq!(rule.conditions[0].when, []);
    assert!(matches!(&rule.conditions[0].then, Then::Shares(shares) if shares[0].weight == 100));
    assert_eq!(rule.conditions[1].then, Then::Nobody);
}

#[test]
fn version_3_1_is_read_even_where_it_is_disabled() {
    assert!(refused("configVersion: v3.1\nenabled: false\nconditions:\n- from: {match: a==b}\n").contains("`==`"));
    assert!(refused("configVersion: v3.1\nconditions: ['=> a=b']\n").contains("it must be a mapping"));
}

#[test]
fn unknown_keys_are_ignored_and_named() {
    let parsed = parsed("conditions: ['=> a=b']\nratio: 5\nforce: \"yes\"\n");
    let remarks: Vec<_> = parsed.remarks.iter().map(ToString::to_string).collect();
    assert_eq!(
        remarks,
        [
            format!("{KEY} line 2: the key `ratio` is unknown and ignored"),
            format!("{KEY} line 3: `force` is `yes`, which counts as false; write `true` or `false`"),
        ]
    );
    assert!(!parsed.rule().unwrap().force);
}

#[test]
fn sizes_are_limited() {
    let many = |n: usize| format!("conditions:\n{}", "- '=> a=b'\n".repeat(n));
    assert_eq!(rule(&many(limits::CONDITIONS)).conditions.len(), limits::CONDITIONS);
    assert!(
        refused(&many(limits::CONDITIONS + 1))
            .contains("line 1002, column 3: `conditions` has 1001 entries, more than 1000")
    );
    let keys = |n: usize| (0..n).map(|n| format!("k{n}=v")).collect::<Vec<_>>().join(" & ");
    assert_eq!(
        one(&format!("{} =>", keys(limits::CLAUSES))).when.len(),
        limits::CLAUSES
    );
    assert!(refused(&format!("conditions:\n- {} =>\n", keys(limits::CLAUSES + 1))).contains("one key more than 64"));
    let values = |n: usize| format!("k={}", vec!["v"; n].join(","));
    assert_eq!(one(&values(limits::VALUES)).when.len(), 0);
    assert!(refused(&format!("conditions:\n- {}\n", values(limits::VALUES + 1))).contains("one value more than 1000"));
    assert!(refused(&format!("conditions:\n- {}\n", "a".repeat(limits::CONDITION_BYTES + 1))).contains("bytes"));
    let megabyte = format!("conditions:\n- {}\n", "host=a & ".repeat(120_000));
    assert!(refused(&megabyte).contains("bytes, more than"));
}

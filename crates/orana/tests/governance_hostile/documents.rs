//! Documents of the configuration centre that are made to do harm.

use std::time::Instant;

use super::stage::{CONDITIONS, CONFIGURATORS, PATIENCE, Stage, TAGS, Warnings, resident_mib};

const EAST: &str = "conditions: [ '=> region=east' ]\n";
const WEST: &str = "conditions: [ '=> region=west' ]\n";

/// Each line of it is nine of the line before.
fn bomb() -> String {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let of = format!("*a{}, ", level - 1).repeat(9);
        text.push_str(&format!("a{level}: &a{level} [{}]\n", of.trim_end_matches(", ")));
    }
    text.push_str("conditions: *a8\n");
    text
}

/// A document that is made to do harm.
struct Harm {
    name: &'static str,
    key: &'static str,
    text: String,
    /// What the warning must say beside the key.
    words: &'static [&'static str],
}

fn harm(name: &'static str, key: &'static str, text: impl Into<String>, words: &'static [&'static str]) -> Harm {
    Harm {
        name,
        key,
        text: text.into(),
        words,
    }
}

fn harms() -> Vec<Harm> {
    let row = "  - 'method=find => region=north'\n";
    let rows = |count: usize| format!("conditions:\n{}", row.repeat(count));
    let full = (1 << 20) / row.len();
    let names = (0..200)
        .map(|number| format!("'n{number}'"))
        .collect::<Vec<_>>()
        .join(", ");
    let configs = |rest: &str| format!("key: org.example.Stock\nconfigs:\n  - side: consumer\n{rest}");
    vec![
        harm("a bomb of aliases", CONDITIONS, bomb(), &["line ", "100000"]),
        harm("a cycle", CONDITIONS, "conditions: &c\n  - *c\n", &["line 2"]),
        harm("more than a megabyte", CONDITIONS, rows(full + 1), &["1048576"]),
        harm(
            "a megabyte of conditions",
            CONDITIONS,
            rows(full - 1),
            &["line 1002", "1000"],
        ),
        harm(
            "one condition of a megabyte",
            CONDITIONS,
            format!("conditions: [ 'host={} => region=north' ]\n", "a,".repeat(500_000)),
            &["line 1", "65536"],
        ),
        harm(
            "a deep list",
            CONDITIONS,
            format!("conditions: {}{}\n", "[".repeat(100_000), "]".repeat(100_000)),
            &["line 1", "recursion"],
        ),
        harm(
            "no list of conditions",
            CONDITIONS,
            "force: true\nconditions: 7\n",
            &["line 2", "conditions"],
        ),
        harm(
            "no flag",
            CONDITIONS,
            "force: [1]\nconditions: [ '=> region=north' ]\n",
            &["line 1", "force"],
        ),
        harm(
            "no YAML at all",
            CONDITIONS,
            "conditions: [ '=> region=north'\nforce: {\n",
            &["line "],
        ),
        harm(
            "no condition",
            CONDITIONS,
            "conditions:\n  - '=> region=north'\n  - 'a == b'\n",
            &["line 3"],
        ),
        harm(
            "bytes of a program",
            CONDITIONS,
            "\u{7f}ELF\u{1}\u{2}\0\0conditions:",
            &["line 1"],
        ),
        harm(
            "tags of a wrong type",
            TAGS,
            "force: true\ntags: { name: gray }\n",
            &["line ", "tags"],
        ),
        harm(
            "a tag without a name",
            TAGS,
            "tags: [ { addresses: ['1.2.3.4:5'] } ]\n",
            &["line 1"],
        ),
        harm(
            "configs of a wrong type",
            CONFIGURATORS,
            "key: org.example.Stock\nconfigs: { side: consumer }\n",
            &["line ", "configs"],
        ),
        harm(
            "no key",
            CONFIGURATORS,
            "configs:\n  - side: consumer\n    parameters: { weight: 0 }\n",
            &["line ", "key"],
        ),
        harm(
            "parameters of a wrong type",
            CONFIGURATORS,
            configs("    parameters: [ weight ]\n"),
            &["line 4", "parameters"],
        ),
        harm(
            "overrides that multiply",
            CONFIGURATORS,
            configs(&format!(
                "    parameters: {{ weight: 0 }}\n    addresses: [ {names} ]\n    applications: [ {names} ]\n"
            )),
            &["line ", "10000"],
        ),
    ]
}

#[tokio::test]
async fn a_document_made_to_do_harm_is_told_once_and_the_rule_before_it_stays() {
    let stage = Stage::set("harm").await;
    let before = resident_mib();
    let warnings = Warnings::listen();
    stage.write(CONDITIONS, EAST);
    stage.write(TAGS, "tags: [ { name: gray, addresses: ['10.9.9.9:1'] } ]\n");
    stage.write(
        CONFIGURATORS,
        "configVersion: v2.7\nscope: service\nkey: org.example.Stock\nconfigs:\n  - side: consumer\n    parameters: { timeout: 4321 }\n",
    );
    stage.becomes(&["east"]).await;
    while stage.reference().providers()[0].parameter("timeout") != Some("4321") {
        tokio::task::yield_now().await;
    }
    let unprovoked = warnings.take();
    assert!(unprovoked.is_empty(), "{unprovoked:?}");
    for Harm { name, key, text, words } in harms() {
        let start = Instant::now();
        stage.write(key, &text);
        let said = warnings.next().await;
        let took = start.elapsed();
        println!("{name}: {took:.0?}: {}", said[0].chars().take(300).collect::<String>());
        assert_eq!(said.len(), 1, "{name}: {said:?}");
        assert!(said[0].len() < 4096, "{name}: a warning of {} bytes", said[0].len());
        for word in words.iter().chain(&[key, "org.example.Stock"]) {
            assert!(said[0].contains(word), "{name}: no `{word}` in {}", said[0]);
        }
        assert!(took < PATIENCE / 2, "{name} took {took:?}");
        stage.stays(&["east"]).await;
        assert_eq!(
            stage.reference().providers()[0].parameter("timeout"),
            Some("4321"),
            "{name}"
        );
        assert_eq!(warnings.count(), 0, "{name} is told again");
    }
    stage.write(CONDITIONS, WEST);
    stage.becomes(&["west"]).await;
    for key in [CONDITIONS, CONFIGURATORS, TAGS] {
        stage.erase(key);
    }
    stage.becomes(&["east", "north", "west"]).await;
    assert!(resident_mib() < before + 256, "{before} MiB became {}", resident_mib());
}

#[tokio::test]
async fn a_rule_with_an_unknown_field_or_a_key_of_another_document_holds_and_that_is_told() {
    let stage = Stage::set("odd").await;
    let warnings = Warnings::listen();
    stage.write(CONDITIONS, "prioriti: 3\nconditions: [ '=> region=east' ]\n");
    let said = warnings.next().await;
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("line 1") && said[0].contains("prioriti") && said[0].contains(CONDITIONS),
        "{}",
        said[0]
    );
    stage.becomes(&["east"]).await;
    stage.write(
        CONFIGURATORS,
        "configVersion: v2.7\nscope: service\nkey: org.example.Shop\nconfigs:\n  - side: consumer\n    parameters: { timeout: 4321 }\n",
    );
    let said = warnings.next().await;
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("line 3") && said[0].contains("reaches nobody"),
        "{}",
        said[0]
    );
    stage.stays(&["east"]).await;
    assert_ne!(stage.reference().providers()[0].parameter("timeout"), Some("4321"));
}

#[tokio::test]
async fn patterns_that_would_take_for_ever_do_not() {
    let stage = Stage::set("patterns").await;
    let warnings = Warnings::listen();
    let with = |pattern: &str| {
        format!(
            "configVersion: v3.0\ntags:\n  - name: gray\n    match:\n      - key: region\n        value: {{ regex: '{pattern}' }}\n"
        )
    };
    for (pattern, refused) in [
        ("(e*)*(a|a)*(e|a|s|t)*$", false),
        ("(.*.*.*.*.*)*x", false),
        ("((((a{99}){99}){99}){99}){99}", true),
        ("(", true),
        ("(?<=a)b", true),
    ] {
        let start = Instant::now();
        stage.write(TAGS, &with(pattern));
        if refused {
            let said = warnings.next().await;
            assert_eq!(said.len(), 1, "{pattern}: {said:?}");
            assert!(
                said[0].contains("line ") && said[0].contains(TAGS),
                "{pattern}: {}",
                said[0]
            );
        }
        // Calls without a tag, of a rule that gives the tag to some, to all or to nobody.
        let answer = super::stage::reached(stage.reference()).await;
        println!("{pattern}: {answer:?} {:.0?}", start.elapsed());
        assert!(start.elapsed() < PATIENCE / 2, "{pattern} took {:?}", start.elapsed());
    }
    stage.erase(TAGS);
    stage.becomes(&["east", "north", "west"]).await;
}

#[tokio::test]
async fn a_document_that_is_good_and_bad_by_turns_a_thousand_times_leaves_the_last_good_one() {
    let stage = Stage::set("turns").await;
    let warnings = Warnings::listen();
    let mut before = 0;
    for turn in 0..1_000 {
        stage.write(CONDITIONS, if turn % 2 == 0 { EAST } else { WEST });
        tokio::task::yield_now().await;
        stage.write(CONDITIONS, &format!("conditions: [ 'turn {turn} == is no rule' ]\n"));
        let start = Instant::now();
        while warnings.count() == 0 {
            assert!(start.elapsed() < PATIENCE, "turn {turn} is not told");
            tokio::task::yield_now().await;
        }
        let said = warnings.take();
        assert_eq!(said.len(), 1, "turn {turn}: {said:?}");
        assert!(
            said[0].contains(CONDITIONS) && said[0].contains("line 1"),
            "{}",
            said[0]
        );
        if turn == 100 {
            before = resident_mib();
        }
    }
    assert!(resident_mib() < before + 64, "{before} MiB became {}", resident_mib());
    stage.write(CONDITIONS, EAST);
    stage.becomes(&["east"]).await;
    stage.erase(CONDITIONS);
    stage.becomes(&["east", "north", "west"]).await;
}

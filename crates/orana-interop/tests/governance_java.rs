//! The same rules for Dubbo Java and for Rust: rule documents as files below `rules/` are stored in a registry, consumers of
//! several identities call twelve providers, and the sets of providers that they reach are compared. `RULES` names the
//! rules to try, by the beginning of their names, if not all; with `LANGUAGES=java` the files
//! are tried on Java alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use orana_interop::{
    Drill, Peer, drill,
    governance::{
        fleet,
        identity::IDENTITIES,
        ledger, network,
        rule::{Release, Rule},
        trial::{Language, Trial},
    },
    place,
    program::{Java, Program},
    sdk::peers::Built,
};

const RING: Java = Java {
    project: "governance/dubbo33",
    main: "org.orana.interop.governance.ring.Ring",
    with_sources_of: &[],
};

const PROVIDER: Java = Java {
    project: "governance/dubbo33",
    main: "org.orana.interop.governance.fleet.Provider",
    with_sources_of: &[],
};

/// The rule under which a thousand keys are asked for.
const CONSISTENT_HASH: &str = "override/consistent-hash";

/// The least that issue 5 asks for.
const DOCUMENTS: usize = 80;

#[test]
fn dubbo_33_and_rust_reach_the_same_providers() -> Result<()> {
    let test = "dubbo_33_and_rust_reach_the_same_providers";
    compare(test, Release::V33, Providers::Rust, |rule| !rule.is_for_providers())
}

#[test]
fn dubbo_27_and_rust_reach_the_same_providers() -> Result<()> {
    let test = "dubbo_27_and_rust_reach_the_same_providers";
    compare(test, Release::V27, Providers::Rust, |rule| !rule.is_for_providers())
}

#[test]
fn there_are_enough_rules_and_every_difference_is_admitted() -> Result<()> {
    let rules = Rule::all(&folder())?;
    let documents: usize = rules
        .iter()
        .flat_map(|rule| &rule.steps)
        .map(|step| step.documents.len())
        .sum();
    ensure!(
        rules.len() >= DOCUMENTS,
        "only {} rules with {documents} documents",
        rules.len()
    );
    let unbalanced = ledger::unbalanced(&rules)?;
    ensure!(
        unbalanced.is_empty(),
        "the page and the files do not agree on {unbalanced:?}"
    );
    Ok(())
}

#[test]
fn providers_in_java_obey_the_rules_for_providers() -> Result<()> {
    let test = "providers_in_java_obey_the_rules_for_providers";
    compare(test, Release::V33, Providers::Java, Rule::is_for_providers)
}

#[test]
fn providers_in_rust_obey_the_rules_for_providers() -> Result<()> {
    let test = "providers_in_rust_obey_the_rules_for_providers";
    compare(test, Release::V33, Providers::Rust, Rule::is_for_providers)
}

/// The places that the ring of `orana-cluster` is compared with, two hexadecimal digits for each key.
#[test]
fn the_golden_rings_are_those_of_dubbo_33() -> Result<()> {
    let golden = place::repository().join("crates/orana-cluster/src/load_balance/consistent_hash");
    let home = tempfile::tempdir()?;
    for providers in [12, 100] {
        let path = golden.join(format!("java-{providers}.txt"));
        let known: String = fs::read_to_string(&path)?.split_whitespace().collect();
        let keys = (known.len() / 2).to_string();
        let output = RING
            .command(home.path())?
            .args([&providers.to_string(), &keys])
            .output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let places = String::from_utf8(output.stdout)?
            .lines()
            .map(place_of)
            .collect::<Result<String>>()?;
        ensure!(
            known.len() == 2000 && known == places,
            "{} is not what Java says",
            path.display()
        );
    }
    Ok(())
}

/// Of a line `order-7 10.0.1.3:20880`: 52, in hexadecimal digits.
fn place_of(line: &str) -> Result<String> {
    let address = line.split_once(' ').context("a key and an address")?.1;
    let host: Vec<usize> = address
        .split(['.', ':'])
        .map(str::parse)
        .collect::<Result<_, _>>()
        .with_context(|| format!("`{line}`"))?;
    match host[..] {
        [10, 0, fifties, ones, 20880] if ones > 0 => Ok(format!("{:02x}", fifties * 50 + ones - 1)),
        _ => bail!("`{line}` names no provider of the ring"),
    }
}

/// Whose providers are called.
#[derive(Clone, Copy)]
enum Providers {
    Rust,
    Java,
}

fn compare(test: &str, release: Release, providers: Providers, about: fn(&Rule) -> bool) -> Result<()> {
    let language = Language::Java(release);
    if !network::is_own() {
        language.prepare()?;
        PROVIDER.class_path()?;
        return network::enter(test);
    }
    drill(test, providers.seats(), |drill| {
        let registry = drill.subject()?;
        let rust = Built(PathBuf::from(env!("CARGO_BIN_EXE_rule-peer")));
        let _providers = providers.start(drill, &rust, &registry.address())?;
        let identities: Vec<_> = IDENTITIES.iter().collect();
        let mut languages = vec![language];
        if std::env::var("LANGUAGES").as_deref() != Ok("java") {
            languages.push(Language::Rust);
        }
        let mut trial = Trial::start(drill, &rust, &registry.address(), &languages, &identities)?;
        let wanted = std::env::var("RULES").unwrap_or_default();
        let mut rules = Rule::all(&folder())?;
        rules.retain(|rule| about(rule) && rule.releases.contains(&release) && rule.name.starts_with(&wanted));
        ensure!(!rules.is_empty(), "no rule begins with `{wanted}`");
        let mut wrong = Vec::new();
        for rule in &rules {
            let differences = trial
                .run(rule)
                .with_context(|| format!("so far: {}", wrong.join("\n")))?;
            eprintln!(
                "{}: {}",
                rule.name,
                if differences.is_empty() { "same" } else { "DIFFERENT" }
            );
            for difference in differences {
                eprintln!("    {}: {}", difference.about, difference.what);
                wrong.push(format!("{}: {}", difference.about, difference.what));
            }
        }
        if let Some(rule) = rules.iter().find(|rule| rule.name == CONSISTENT_HASH) {
            let chosen = trial.choose_alike(rule)?;
            ensure!(
                chosen == fleet::PROVIDERS,
                "a thousand keys choose only {chosen} providers"
            );
        }
        ensure!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
        eprintln!("{} rules: {language} and rust reach the same providers", rules.len());
        Ok(())
    });
    Ok(())
}

impl Providers {
    /// What each takes of the machine; Java takes all of it.
    fn seats(self) -> usize {
        match self {
            Providers::Rust => IDENTITIES.len(),
            Providers::Java => 6,
        }
    }

    fn start(self, drill: &Drill, rust: &Built, registry: &str) -> Result<Vec<Peer>> {
        let registry = format!("zookeeper://{registry}");
        let mut peers = match self {
            Providers::Rust => vec![drill.run(rust, "fleet", &["fleet", "--registry", &registry])?],
            Providers::Java => (1..=fleet::PROVIDERS)
                .map(|number| {
                    let name = format!("provider-{number}");
                    drill.run(&PROVIDER, &name, &fleet::java_arguments(number, &registry))
                })
                .collect::<Result<_>>()?,
        };
        for peer in &mut peers {
            peer.expect("READY", Duration::from_secs(180))?;
        }
        Ok(peers)
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("rules")
}

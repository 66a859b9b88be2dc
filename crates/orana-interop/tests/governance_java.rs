//! The same rules for Dubbo Java and for Rust: rule documents as files below `rules/` are stored in a registry, consumers of
//! several identities call twelve providers, and the sets of providers that they reach are compared. `RULES` names the
//! rules to try, by the beginning of their names, if not all; with `LANGUAGES=all` Rust has to
//! reach the same, otherwise the files are tried on Java alone.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use orana_interop::{
    Drill, Peer, drill,
    governance::{
        identity::IDENTITIES,
        ledger, network,
        rule::{Release, Rule},
        trial::{Language, Trial},
    },
    sdk::peers::Built,
};

/// The least that issue 5 asks for.
const DOCUMENTS: usize = 80;

#[test]
fn dubbo_33_and_rust_reach_the_same_providers() -> Result<()> {
    compare(Release::V33, "dubbo_33_and_rust_reach_the_same_providers")
}

#[test]
fn dubbo_27_and_rust_reach_the_same_providers() -> Result<()> {
    compare(Release::V27, "dubbo_27_and_rust_reach_the_same_providers")
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

fn compare(release: Release, test: &str) -> Result<()> {
    let language = Language::Java(release);
    if !network::is_own() {
        language.prepare()?;
        return network::enter(test);
    }
    drill(&format!("rules-{language}"), IDENTITIES.len(), |drill| {
        let registry = drill.subject()?;
        let rust = Built(PathBuf::from(env!("CARGO_BIN_EXE_rule-peer")));
        let _providers = providers(drill, &rust, &registry.address())?;
        let identities: Vec<_> = IDENTITIES.iter().collect();
        let mut languages = vec![language];
        if std::env::var("LANGUAGES").as_deref() == Ok("all") {
            languages.push(Language::Rust);
        }
        let mut trial = Trial::start(drill, &rust, &registry.address(), &languages, &identities)?;
        let wanted = std::env::var("RULES").unwrap_or_default();
        let mut rules = Rule::all(&folder())?;
        rules.retain(|rule| rule.releases.contains(&release) && rule.name.starts_with(&wanted));
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
        ensure!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
        eprintln!("{} rules: {language} and rust reach the same providers", rules.len());
        Ok(())
    });
    Ok(())
}

fn providers(drill: &Drill, rust: &Built, registry: &str) -> Result<Peer> {
    let mut peer = drill.run(
        rust,
        "fleet",
        &["fleet", "--registry", &format!("zookeeper://{registry}")],
    )?;
    peer.expect("READY", Duration::from_secs(60))?;
    Ok(peer)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("rules")
}

//! One set of consumers under one rule after the other: each is told nothing but to call, and what they reach is compared
//! with what the rule's file expects, and Rust with Java.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::answer::{Answer, Reached};
use super::document::Place;
use super::fleet;
use super::identity::Identity;
use super::outcome::Outcome;
use super::question::Question;
use super::rule::{Ask, Release, Rule, Step};
use crate::drill::{Drill, eventually};
use crate::peer::Peer;
use crate::program::{Java, Program};
use crate::tree::Tree;

/// How long a program may take to start while others start beside it.
const START: Duration = Duration::from_secs(120);

/// How long a rule may take until it has its effect.
const EFFECT: Duration = Duration::from_secs(15);

/// How long the effect must then last: a rule that changes nothing is only seen to change nothing if somebody waits.
const HOLD: Duration = Duration::from_millis(300);

/// How long the calls of one line may take.
const ANSWER: Duration = Duration::from_secs(60);

const JAVA_33: Java = Java {
    project: "governance/dubbo33",
    main: "org.orana.interop.governance.Consumer",
    with_sources_of: &[],
};
const JAVA_27: Java = Java {
    project: "governance/dubbo27",
    main: "org.orana.interop.governance.Consumer",
    with_sources_of: &["governance/dubbo33"],
};

/// Whose consumer it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Dubbo Java of that release.
    Java(Release),
    /// The crate `orana`.
    Rust,
}

/// A consumer that runs.
#[derive(Debug)]
pub struct Party {
    language: Language,
    identity: &'static Identity,
    peer: Peer,
}

/// Consumers, and the tree in which rules are stored.
#[derive(Debug)]
pub struct Trial {
    tree: Tree,
    parties: Vec<Party>,
}

/// Something that is not as it should be.
#[derive(Debug, Clone)]
pub struct Difference {
    /// The rule, the step and the question.
    pub about: String,
    /// Who reached what instead of what.
    pub what: String,
}

impl Language {
    /// Builds what has to be built, while there is a network to fetch it from.
    pub fn prepare(self) -> Result<()> {
        match self {
            Language::Java(Release::V33) => JAVA_33.class_path().map(drop),
            Language::Java(Release::V27) => JAVA_27.class_path().map(drop),
            Language::Rust => Ok(()),
        }
    }

    /// The program of its consumer; `rust` is ours.
    fn start(self, drill: &Drill, rust: &dyn Program, identity: &Identity, registry: &str) -> Result<Peer> {
        let flags = identity.flags(registry);
        let name = format!("{}-{self}", identity.name);
        match self {
            Language::Java(Release::V33) => drill.run(&JAVA_33, &name, &flags),
            Language::Java(Release::V27) => drill.run(&JAVA_27, &name, &flags),
            Language::Rust => {
                let role = std::iter::once("consumer".to_owned());
                drill.run(rust, &name, &role.chain(flags).collect::<Vec<_>>())
            }
        }
    }
}

impl std::fmt::Display for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Language::Java(Release::V33) => "java33",
            Language::Java(Release::V27) => "java27",
            Language::Rust => "rust",
        })
    }
}

impl Party {
    /// Asks everything at once and waits for all the answers.
    fn ask(&mut self, questions: &[Question]) -> Result<Vec<Answer>> {
        for question in questions {
            self.peer.say(&serde_json::to_string(question)?)?;
        }
        let answers = questions.iter().map(|question| {
            let line = self.peer.expect("ANSWER", ANSWER)?;
            let answer: Answer = serde_json::from_str(&line).with_context(|| format!("`{line}` is no answer"))?;
            ensure!(
                answer.id == question.id,
                "an answer to {} instead of {}",
                answer.id,
                question.id
            );
            Ok(answer)
        });
        answers.collect()
    }
}

impl Trial {
    /// Starts a consumer of each language for each identity, and waits until all of them reach whom they should reach when
    /// there are no rules.
    pub fn start(
        drill: &Drill,
        rust: &dyn Program,
        registry: &str,
        languages: &[Language],
        identities: &[&'static Identity],
    ) -> Result<Trial> {
        let url = format!("zookeeper://{registry}");
        let mut parties = Vec::new();
        for identity in identities {
            for language in languages {
                parties.push(Party {
                    language: *language,
                    identity,
                    peer: language.start(drill, rust, identity, &url)?,
                });
            }
        }
        for party in &mut parties {
            party.peer.expect("READY", START)?;
        }
        let mut trial = Trial {
            tree: Tree::at(registry)?,
            parties,
        };
        trial.without_rules().context("before the first rule")?;
        Ok(trial)
    }

    /// Stores the documents of a rule step by step, compares, and takes them away again.
    pub fn run(&mut self, rule: &Rule) -> Result<Vec<Difference>> {
        let mut differences = Vec::new();
        for (index, step) in rule.steps.iter().enumerate() {
            let about = match rule.steps.len() {
                1 => rule.name.clone(),
                _ => format!("{} step {}", rule.name, index + 1),
            };
            self.store(step)?;
            differences.extend(self.step(step, &about)?);
        }
        self.clear(rule)?;
        Ok(differences)
    }

    /// Does something while the first step of a rule has its effect, and takes the rule away again.
    pub(super) fn under<T>(&mut self, rule: &Rule, work: impl FnOnce(&mut Trial) -> Result<T>) -> Result<T> {
        let step = rule.steps.first().context("a step")?;
        self.store(step)?;
        let differences = self.step(step, &rule.name)?;
        ensure!(differences.is_empty(), "{differences:?}");
        let done = work(self)?;
        self.clear(rule)?;
        Ok(done)
    }

    /// Asks every consumer of an identity; the answers of one after those of the other.
    pub(super) fn ask_all(&mut self, identity: &Identity, questions: &[Question]) -> Result<Vec<Vec<Answer>>> {
        let asked = self.parties.iter_mut().filter(|party| party.identity == identity);
        asked.map(|party| party.ask(questions)).collect()
    }

    fn store(&self, step: &Step) -> Result<()> {
        step.documents
            .iter()
            .try_for_each(|document| document.store(&self.tree))
    }

    fn clear(&mut self, rule: &Rule) -> Result<()> {
        let documents = rule.steps.iter().flat_map(|step| &step.documents);
        let places: BTreeSet<&Place> = documents.map(|document| &document.place).collect();
        for place in places {
            place.clear(&self.tree)?;
        }
        self.without_rules().with_context(|| format!("after {}", rule.name))
    }

    /// Waits until each consumer reaches whom it reaches without rules.
    fn without_rules(&mut self) -> Result<()> {
        for party in &mut self.parties {
            let expected = Outcome::parse(party.identity.baseline)?;
            let question = Question {
                id: 0,
                method: "list".to_owned(),
                arguments: Vec::new(),
                attachments: Default::default(),
                calls: 48,
            };
            eventually(Duration::from_secs(20), || {
                let answers = party.ask(std::slice::from_ref(&question))?;
                let answer = answers.first().context("no answer")?;
                let reached = answer.reached(fleet::number);
                ensure!(
                    expected.is(&reached),
                    "{} ({}) reaches {reached} and not {expected}{}",
                    party.identity.name,
                    party.language,
                    said(answer)
                );
                Ok(())
            })?;
        }
        Ok(())
    }

    fn step(&mut self, step: &Step, about: &str) -> Result<Vec<Difference>> {
        let start = Instant::now();
        while !self.as_expected(step)? && start.elapsed() < EFFECT {
            thread::sleep(Duration::from_millis(30));
        }
        thread::sleep(HOLD);
        let mut differences = Vec::new();
        for ask in &step.asks {
            let mut answers = Vec::new();
            for party in self.parties.iter_mut().filter(|party| party.identity == ask.identity) {
                let answer = party.ask(&[question(ask)])?.into_iter().next().context("no answer")?;
                let reached = answer.reached(fleet::number);
                answers.push((party.language, reached, said(&answer)));
            }
            let about = format!("{about}: {}", ask.text);
            differences.extend(compare(ask, &answers).into_iter().map(|what| Difference {
                about: about.clone(),
                what,
            }));
        }
        Ok(differences)
    }

    /// Whether everybody reaches whom the file says, asking all questions of a step.
    fn as_expected(&mut self, step: &Step) -> Result<bool> {
        for ask in &step.asks {
            for party in self.parties.iter_mut().filter(|party| party.identity == ask.identity) {
                let answers = party.ask(&[question(ask)])?;
                let reached = answers.first().context("no answer")?.reached(fleet::number);
                if !expected(ask, party.language).is(&reached) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// What a language's consumer is to reach.
fn expected(ask: &Ask, language: Language) -> &Outcome {
    match (language, &ask.ours) {
        (Language::Rust, Some(ours)) => ours,
        _ => &ask.expected,
    }
}

/// What is wrong with the answers to a question: Java against the file; Rust against Java, or, where it differs on purpose,
/// against what the file says of it.
fn compare(ask: &Ask, answers: &[(Language, Reached, String)]) -> Vec<String> {
    let java = answers.iter().find(|(language, ..)| *language != Language::Rust);
    let mut wrong = Vec::new();
    for (language, reached, said) in answers {
        let wanted = expected(ask, *language);
        let same = match (language, java) {
            (Language::Rust, Some((_, java, _))) if ask.ours.is_none() => reached == java,
            _ => wanted.is(reached),
        };
        if !same {
            let theirs = match java {
                Some((java, theirs, _)) if java != language => format!(" ({java} reaches {theirs})"),
                _ => String::new(),
            };
            wrong.push(format!(
                "{language} reaches {reached} instead of {wanted}{theirs}{said}"
            ));
        }
    }
    wrong
}

fn question(ask: &Ask) -> Question {
    Question {
        id: 1,
        method: ask.method.clone(),
        arguments: ask.arguments.clone(),
        attachments: ask.attachments.clone(),
        calls: ask.calls,
    }
}

/// The first failure's own words, cut.
fn said(answer: &Answer) -> String {
    let failure = answer
        .failure
        .as_deref()
        .map(|failure| failure.chars().take(200).collect::<String>());
    failure.map_or_else(String::new, |failure| format!("; it says: {failure}"))
}

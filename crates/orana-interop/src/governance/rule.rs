//! Rule files: what a rule says, who reaches whom under it, and the documents as an operator would store them.
//!
//! ```text
//! # Reading is kept to hangzhou.
//! with 33 27
//! ask shop find("a") user=vip x300 -> 1-4
//! ask crawler get("a") -> all rust error 6
//! --- {service}.condition-router
//! configVersion: v3.0
//! …
//! =====
//! # The rule is gone.
//! ask shop find("a") -> all
//! --- {service}.condition-router
//! deleted
//! ```
//!
//! `with` names the releases of Dubbo Java that the file is about (33 if it does not say so). `rust` gives the answer of ours
//! where a fault of Java's is not copied; each of these stands in `docs/protocols/rules.md`. Behind a line of `=` comes what
//! the operator does next, with the documents of the steps before in place. In documents `{1}` is the address of provider 1,
//! `{port1}` the first port, and what stands between `«` and `»` is encoded as a URL's parameter; in keys `{service}` and `{blue}` are the
//! service as the configuration centre has it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use orana_core::percent;
use serde_json::Value;

use super::document::Document;
use super::identity::Identity;
use super::outcome::Outcome;

/// Calls of a question that does not say how many: every provider is reached at least twice.
const CALLS: u32 = 48;

/// A release of Dubbo Java.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Release {
    /// 3.3.6.
    V33,
    /// 2.7.23.
    V27,
}

/// A rule file.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Folder and name: `condition/blank-then-side`.
    pub name: String,
    /// Whom it is compared with.
    pub releases: Vec<Release>,
    /// What is done, in order.
    pub steps: Vec<Step>,
}

/// Documents that are stored, and what comes of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Step {
    /// What the rule says, in words.
    pub says: String,
    /// Who asks what.
    pub asks: Vec<Ask>,
    /// What is stored.
    pub documents: Vec<Document>,
}

/// One consumer's calls.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// The line, for messages.
    pub text: String,
    /// Who.
    pub identity: &'static Identity,
    /// The method's Java name.
    pub method: String,
    /// Its arguments.
    pub arguments: Vec<Value>,
    /// Attachments of each call.
    pub attachments: BTreeMap<String, String>,
    /// How often.
    pub calls: u32,
    /// What it comes to.
    pub expected: Outcome,
    /// What it comes to with ours, where that is another thing on purpose.
    pub ours: Option<Outcome>,
}

impl Rule {
    /// Reads all files of the folders below `root`, sorted by name.
    pub fn all(root: &Path) -> Result<Vec<Rule>> {
        let mut rules = Vec::new();
        for folder in sorted(root)? {
            let folder_name = file_name(&folder)?;
            for file in sorted(&folder)? {
                let stem = file_name(&file)?;
                let stem = stem
                    .strip_suffix(".rule")
                    .with_context(|| format!("{stem} is no `.rule`"))?;
                let name = format!("{folder_name}/{stem}");
                let text = fs::read_to_string(&file)?;
                rules.push(Rule::parse(&name, &text).with_context(|| format!("rule {name}"))?);
            }
        }
        Ok(rules)
    }

    /// Whether providers obey it, and consumers only see what comes of that.
    pub fn is_for_providers(&self) -> bool {
        self.name.starts_with("provider/")
    }

    /// Reads one file's text.
    pub fn parse(name: &str, text: &str) -> Result<Rule> {
        let mut rule = Rule {
            name: name.to_owned(),
            releases: vec![Release::V33],
            steps: vec![Step::default()],
        };
        let mut content: Option<(String, String)> = None;
        for (index, line) in text.lines().enumerate() {
            let at = || format!("line {}", index + 1);
            let step = rule.steps.last_mut().context("a step")?;
            if let Some(key) = line.strip_prefix("--- ") {
                step.take(content.take()).with_context(at)?;
                content = Some((key.trim().to_owned(), String::new()));
            } else if line.starts_with("=====") {
                step.take(content.take()).with_context(at)?;
                rule.steps.push(Step::default());
            } else if let Some((_, content)) = &mut content {
                content.push_str(line);
                content.push('\n');
            } else if let Some(words) = line.strip_prefix('#') {
                step.says.push_str(words);
            } else if let Some(ask) = line.strip_prefix("ask ") {
                step.asks.push(Ask::parse(ask).with_context(at)?);
            } else if let Some(releases) = line.strip_prefix("with ") {
                rule.releases = releases
                    .split_whitespace()
                    .map(release)
                    .collect::<Result<_>>()
                    .with_context(at)?;
            } else {
                ensure!(
                    line.trim().is_empty(),
                    "line {}: `{line}` means nothing here",
                    index + 1
                );
            }
        }
        if let Some(step) = rule.steps.last_mut() {
            step.take(content)?;
        }
        for (index, step) in rule.steps.iter().enumerate() {
            ensure!(
                !step.says.is_empty(),
                "step {}: it does not say what the rule says",
                index + 1
            );
            ensure!(!step.asks.is_empty(), "step {}: nobody asks", index + 1);
            ensure!(!step.documents.is_empty(), "step {}: nothing is stored", index + 1);
        }
        Ok(rule)
    }
}

impl Step {
    fn take(&mut self, content: Option<(String, String)>) -> Result<()> {
        if let Some((key, content)) = content {
            self.documents.push(Document::new(&key, &encoded(content))?);
        }
        Ok(())
    }
}

impl Ask {
    /// `shop find("a", 1) user=vip x300 -> 1-4 rust error 6`.
    fn parse(text: &str) -> Result<Ask> {
        let (call, outcome) = text.rsplit_once("->").context("no `->`")?;
        let (expected, ours) = match outcome.split_once("rust") {
            Some((expected, ours)) => (expected, Some(Outcome::parse(ours)?)),
            None => (outcome, None),
        };
        let (name, call) = call.trim().split_once(' ').context("nobody is named")?;
        let (method, rest) = call.split_once('(').context("no call")?;
        let (arguments, rest) = rest.rsplit_once(')').context("the call has no end")?;
        let mut ask = Ask {
            text: text.trim().to_owned(),
            identity: Identity::named(name)?,
            method: method.trim().to_owned(),
            arguments: serde_json::from_str(&format!("[{arguments}]")).context("arguments are JSON")?,
            attachments: BTreeMap::new(),
            calls: CALLS,
            expected: Outcome::parse(expected)?,
            ours,
        };
        for word in rest.split_whitespace() {
            if let Some((key, value)) = word.split_once('=') {
                ask.attachments.insert(key.to_owned(), value.to_owned());
            } else if let Some(calls) = word.strip_prefix('x') {
                ask.calls = calls.parse().with_context(|| format!("`{word}`"))?;
            } else {
                bail!("`{word}` is neither an attachment nor a number of calls");
            }
        }
        Ok(ask)
    }
}

fn release(word: &str) -> Result<Release> {
    match word {
        "33" => Ok(Release::V33),
        "27" => Ok(Release::V27),
        other => bail!("there is no release `{other}`; there are `33` and `27`"),
    }
}

/// The text with all between `«` and `»` encoded.
fn encoded(mut text: String) -> String {
    while let Some((before, (inside, after))) = text
        .split_once('«')
        .and_then(|(before, rest)| Some((before, rest.split_once('»')?)))
    {
        text = format!("{before}{}{after}", percent::encode(inside));
    }
    text
}

fn sorted(dir: &Path) -> Result<Vec<std::path::PathBuf>> {
    let entries = fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn file_name(path: &Path) -> Result<String> {
    let name = path.file_name().and_then(|name| name.to_str());
    Ok(name
        .with_context(|| format!("{} has no name", path.display()))?
        .to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Rule> {
        Rule::parse("condition/x", text)
    }

    #[test]
    fn a_file_says_what_is_stored_and_who_reaches_whom() {
        let text = "# Reading stays\n# near.\nwith 33 27\nask shop findPage(\"a b\", 3) user.level=vip x7 -> 1-4\n\n\
                    --- {service}.condition-router\nkey: a\n  force: no\n--- routers\nroute://x?rule=«=> a»\n\
                    =====\n# Gone.\nask crawler list() -> all rust error 6\n--- {service}.condition-router\ndeleted\n";
        let rule = parse(text).unwrap();
        assert_eq!(rule.releases, [Release::V33, Release::V27]);
        let [first, second] = &rule.steps[..] else {
            panic!("two steps")
        };
        assert_eq!(first.says, " Reading stays near.");
        let ask = &first.asks[0];
        assert_eq!(ask.identity.name, "shop");
        assert_eq!(ask.arguments, [Value::from("a b"), Value::from(3)]);
        assert_eq!(ask.attachments["user.level"], "vip");
        assert_eq!((ask.calls, &ask.ours), (7, &None));
        assert_eq!(first.documents.len(), 2);
        assert_eq!(first.documents[0].content.as_deref(), Some("key: a\n  force: no\n"));
        assert_eq!(first.documents[1].content.as_deref(), Some("route://x?rule=%3D%3E+a\n"));
        assert_eq!(second.asks[0].ours, Some(Outcome::parse("error 6").unwrap()));
        assert_eq!(second.documents[0].content, None);
    }

    #[test]
    fn a_file_that_proves_nothing_is_refused() {
        let whole = "# x\nask shop list() -> all\n--- a.tag-router\nforce: true\n";
        assert!(parse(whole).is_ok());
        for without in ["# x\n", "ask shop list() -> all\n", "--- a.tag-router\nforce: true\n"] {
            assert!(parse(&whole.replace(without, "")).is_err(), "{without}");
        }
        for wrong in [
            "nobody list() -> all",
            "shop list -> all",
            "shop list()",
            "shop list(a) -> all",
            "shop list() x -> all",
        ] {
            assert!(parse(&whole.replace("shop list() -> all", wrong)).is_err(), "{wrong}");
        }
    }
}

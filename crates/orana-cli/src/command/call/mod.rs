//! `orana call SERVICE METHOD ARGUMENTS`: calls a method of a provider without knowing its types, through Dubbo's generic invocation.

mod json;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use orana::{Application, ErrorCode, Reference, Value};
use orana_core::ServiceKey;
use serde::Serialize;
use serde_json::Value as Json;

use crate::failure::{Failure, Kind};
use crate::print;
use crate::registry::{Source, refused, run, service};

/// The command line of `orana call`.
#[derive(Args)]
pub(crate) struct Call {
    /// The service: GROUP/INTERFACE:VERSION; a group or version that is left out may be any
    #[arg(value_name = "SERVICE", value_parser = service)]
    service: ServiceKey,
    /// The method
    method: String,
    /// The arguments as a JSON array; a single argument may stand without one. An object is a map, and a Java object if it has
    /// a key `class`
    #[arg(default_value = "[]", value_name = "JSON")]
    arguments: String,
    /// The parameter types in Java's notation, joined by commas: java.lang.String,int; needed only for overloaded methods
    #[arg(long, value_delimiter = ',', value_name = "TYPE")]
    types: Option<Vec<String>>,
    /// The registry [default: zookeeper://127.0.0.1:2181]
    #[arg(long, value_name = "URL", conflicts_with = "address")]
    registry: Option<String>,
    /// Call this provider and ask no registry
    #[arg(long, value_name = "HOST:PORT")]
    address: Option<String>,
    /// The group of the service, instead of one in SERVICE
    #[arg(long)]
    group: Option<String>,
    /// The version of the service, instead of one in SERVICE
    #[arg(long)]
    version: Option<String>,
    /// Something to send beside the arguments; may be given several times
    #[arg(long, value_name = "NAME=TEXT", value_parser = pair)]
    attachment: Vec<(String, String)>,
    /// How long a call may take: 300ms, 2s, or milliseconds without a unit
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time)]
    timeout: Duration,
    /// How many further providers are tried when one cannot be reached
    #[arg(long, default_value_t = 0)]
    retries: u32,
    /// How many calls to make
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    times: u64,
    /// How many of them at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    concurrency: u64,
    /// Print JSON, an object for each call
    #[arg(long)]
    json: bool,
}

/// What came of one call.
#[derive(Debug, Serialize)]
struct Called {
    #[serde(flatten)]
    outcome: Outcome,
    provider: Option<String>,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    attachments: serde_json::Map<String, Json>,
    elapsed_us: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Result(Json),
    Error(CallError),
}

#[derive(Debug, Serialize)]
struct CallError {
    /// Dubbo's number for its kind.
    code: u8,
    /// The same as a word.
    kind: &'static str,
    /// The Java class, if the service threw something.
    class: Option<String>,
    message: String,
    #[serde(skip)]
    failure: Kind,
}

impl Call {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let arguments = arguments(&self.arguments)?;
        if let Some(types) = &self.types
            && types.len() != arguments.len()
        {
            let message = format!("--types names {} types for {} arguments", types.len(), arguments.len());
            return Err(Failure::new(Kind::Usage, message));
        }
        run(self.call(arguments))
    }

    async fn call(self, arguments: Vec<Value>) -> Result<(), Failure> {
        let (application, reference) = self.reference().await?;
        let call = Arc::new((self, reference, arguments));
        let left = Arc::new(AtomicU64::new(call.0.times));
        let workers: Vec<_> = (0..call.0.concurrency.min(call.0.times))
            .map(|_| {
                let (call, left) = (Arc::clone(&call), Arc::clone(&left));
                tokio::spawn(async move {
                    let mut done = Vec::new();
                    let (line, reference, arguments) = &*call;
                    while left
                        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
                        .is_ok()
                    {
                        let called = once(reference, &line.method, line.types.as_deref(), arguments).await;
                        line.print(&called)?;
                        let failure = match called.outcome {
                            Outcome::Result(_) => None,
                            Outcome::Error(error) => Some((error.failure, error.message)),
                        };
                        done.push((called.elapsed_us, failure));
                    }
                    Ok::<_, Failure>(done)
                })
            })
            .collect();
        let mut done = Vec::new();
        for worker in workers {
            let more = worker.await.map_err(|error| Failure::new(Kind::Failed, error))?;
            done.extend(more?);
        }
        application.close().await;
        call.0.conclude(done)
    }

    /// The service, through a registry or at an address.
    async fn reference(&self) -> Result<(Application, Reference), Failure> {
        let mut application = Application::new("orana-cli");
        let group = self.group.as_deref().or(self.service.group());
        let version = self.version.as_deref().or(self.service.version());
        // Whoever is asked directly is what he is; a registry is asked for anything that was not named.
        let (group, version) = match &self.address {
            Some(_) => (group.unwrap_or(""), version.unwrap_or("")),
            None => (group.unwrap_or("*"), version.unwrap_or("*")),
        };
        let source = match &self.address {
            Some(_) => None,
            None => Some(Source::of(
                self.registry.as_deref().unwrap_or("zookeeper://127.0.0.1:2181"),
            )),
        };
        if let Some(source) = &source {
            application = application.registry(&source.url()?.full_text());
        }
        let mut refer = application
            .consumer()
            .refer_to(self.service.interface())
            .group(group)
            .version(version)
            .timeout(self.timeout)
            .retries(self.retries)
            .parameter("register", false)
            .check_wait(Duration::from_secs(3));
        if let Some(address) = &self.address {
            refer = refer.direct(address);
        }
        let mut reference = match (refer.await, &source) {
            (Ok(reference), _) => reference,
            (Err(error), Some(source)) if error.code() == ErrorCode::Forbidden => {
                let asked = ServiceKey::new(
                    self.service.interface(),
                    self.group.as_deref().or(self.service.group()),
                    self.version.as_deref().or(self.service.version()),
                );
                let hint = source.meant(&asked).await;
                return Err(match hint {
                    Some(hint) => Failure::new(Kind::NotFound, format_args!("{error}; {hint}")),
                    None => error.into(),
                });
            }
            (Err(error), _) => return Err(error.into()),
        };
        for (name, text) in &self.attachment {
            reference = reference.attachment(name, text);
        }
        Ok((application, reference))
    }

    fn print(&self, called: &Called) -> Result<(), Failure> {
        if self.json {
            return print::json_line(called);
        }
        if self.times > 1 {
            return Ok(());
        }
        if let Outcome::Result(result) = &called.outcome {
            let result = serde_json::to_string_pretty(result).map_err(|error| Failure::new(Kind::Failed, error))?;
            print::text(&result)?;
            for (name, text) in &called.attachments {
                eprintln!("{name}: {text}");
            }
            let provider = called.provider.as_deref().unwrap_or("nobody");
            eprintln!("from {provider} in {}", millis(called.elapsed_us));
        }
        Ok(())
    }

    /// Sums up, and fails if a call did.
    fn conclude(&self, mut done: Vec<(u64, Option<(Kind, String)>)>) -> Result<(), Failure> {
        let calls = done.len();
        done.sort_by_key(|(elapsed, _)| *elapsed);
        let failed = done.iter().filter(|(_, failure)| failure.is_some()).count();
        if self.times > 1 && !self.json {
            let at = |share: usize| {
                done.get((calls * share / 100).min(calls.saturating_sub(1)))
                    .map_or(0, |(elapsed, _)| *elapsed)
            };
            print::text(&format!(
                "{calls} calls, {failed} failed, p50 {}, p99 {}",
                millis(at(50)),
                millis(at(99))
            ))?;
        }
        match done.into_iter().find_map(|(_, failure)| failure) {
            Some((kind, message)) => Err(Failure::new(kind, message)),
            None => Ok(()),
        }
    }
}

async fn once(reference: &Reference, method: &str, types: Option<&[String]>, arguments: &[Value]) -> Called {
    let types: Option<Vec<&str>> = types.map(|types| types.iter().map(String::as_str).collect());
    let began = Instant::now();
    let (outcome, answered) = orana::observed(reference.call_generic(method, types.as_deref(), arguments)).await;
    let elapsed_us = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
    let mut provider = answered.provider.map(|provider| provider.to_string());
    let outcome = match outcome {
        Ok(value) => match json::to_json(&value) {
            Ok(result) => Outcome::Result(result),
            Err(message) => Outcome::Error(CallError {
                code: 5,
                kind: "serialization",
                class: None,
                message,
                failure: Kind::Failed,
            }),
        },
        Err(error) => {
            provider = provider.or_else(|| error.address().map(str::to_owned));
            Outcome::Error(call_error(error, reference, method))
        }
    };
    let texts = answered.attachments.iter().filter(|(name, _)| *name != "dubbo");
    Called {
        outcome,
        provider,
        attachments: texts.map(|(name, text)| (name.to_owned(), Json::from(text))).collect(),
        elapsed_us,
    }
}

/// What a caller is told of a failed call. A provider that would not perform it is asked for nothing more: its registration says which
/// methods it has.
fn call_error(error: orana::Error, reference: &Reference, method: &str) -> CallError {
    let (code, kind) = (error.code().number(), error.code().name());
    let class = error.exception().map(|exception| exception.class.to_string());
    let providers = reference.providers();
    let mut methods: Vec<&str> = providers.iter().flat_map(|url| url.list("methods")).collect();
    methods.sort_unstable();
    methods.dedup();
    let unknown = !methods.is_empty() && !methods.contains(&"*") && !methods.contains(&method);
    if unknown && (refused(&error) || class.is_some()) {
        let interface = reference.service().interface();
        return CallError {
            message: format!("`{interface}` has no method `{method}`; it has: {}", methods.join(", ")),
            failure: Kind::NotFound,
            code,
            kind,
            class,
        };
    }
    CallError {
        message: error.to_string(),
        failure: match Failure::from(error) {
            Failure::Said(kind, _) => kind,
            Failure::ReaderGone => Kind::Failed,
        },
        code,
        kind,
        class,
    }
}

/// The arguments: an array of them, or the only one.
pub(super) fn arguments(text: &str) -> Result<Vec<Value>, Failure> {
    let refuse = |error: String| {
        Failure::new(
            Kind::Usage,
            format_args!("the arguments are no JSON that can be sent: {error}"),
        )
    };
    let document: Json = serde_json::from_str(text).map_err(|error| {
        refuse(format!(
            "{error}; a text needs quotes of its own: '\"{}\"'",
            text.trim_matches('\'')
        ))
    })?;
    let items = match document {
        Json::Array(items) => items,
        single => vec![single],
    };
    items
        .iter()
        .map(json::to_value)
        .collect::<Result<_, _>>()
        .map_err(refuse)
}

/// A time with a unit, or milliseconds.
fn time(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let number: u64 = digits
        .parse()
        .map_err(|_| "write 300ms, 2s or a number of milliseconds".to_owned())?;
    match text.get(digits.len()..) {
        Some("" | "ms") => Ok(Duration::from_millis(number)),
        Some("s") => Ok(Duration::from_secs(number)),
        _ => Err("the units are ms and s".to_owned()),
    }
}

pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=TEXT".to_owned()),
    }
}

fn millis(micros: u64) -> String {
    format!("{}.{:03} ms", micros / 1_000, micros % 1_000)
}

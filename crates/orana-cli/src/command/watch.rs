//! `orana watch SERVICE`: who comes, goes and changes, a line each, until it is interrupted.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use orana::registry::backend::Link;
use orana::registry::{Notification, Query};
use orana_core::ServiceKey;
use serde::Serialize;

use crate::command::stat::utc;
use crate::entry::Entry;
use crate::failure::{Failure, Kind};
use crate::print;
use crate::registry::{Source, question, run, service};

/// The command line of `orana watch`.
#[derive(Args)]
pub(crate) struct Watch {
    /// The service: GROUP/INTERFACE:VERSION; a group or version that is left out may be any
    #[arg(value_name = "SERVICE", value_parser = service)]
    service: ServiceKey,
    #[command(flatten)]
    source: Source,
    /// Watch consumers too
    #[arg(long)]
    consumers: bool,
    /// Print JSON, an object a line
    #[arg(long)]
    json: bool,
}

/// Something that happened.
#[derive(Debug, PartialEq, Serialize)]
struct Line {
    time: String,
    #[serde(flatten)]
    event: Event,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Event {
    /// It is listed now.
    Added { category: &'static str, entry: Box<Entry> },
    /// It is not listed any more.
    Removed { category: &'static str, entry: Box<Entry> },
    /// It says something else than before.
    Changed {
        category: &'static str,
        address: String,
        changes: Vec<Change>,
    },
    /// The registry cannot be reached; what was listed may be out of date.
    Lost { reason: String },
    /// It can again.
    Connected,
}

#[derive(Debug, PartialEq, Serialize)]
struct Change {
    parameter: String,
    from: Option<String>,
    to: Option<String>,
}

/// The entries that were told, by category and identity.
#[derive(Default)]
struct Told(BTreeMap<(&'static str, String), Entry>);

impl Watch {
    pub(crate) fn run(self) -> Result<(), Failure> {
        run(self.watch())
    }

    async fn watch(self) -> Result<(), Failure> {
        let registry = self.source.open()?;
        // What cannot be reached is said at once, and not when patience ends.
        registry
            .lookup(&Query::from_url(&question(&self.service, "providers"))?)
            .await?;
        let categories = if self.consumers {
            "providers,consumers"
        } else {
            "providers"
        };
        let mut subscription = registry.subscribe(&question(&self.service, categories)).await?;
        let mut link = registry.link();
        let mut told = Told::default();
        self.say(told.take(&subscription.current()))?;
        if told.0.is_empty() {
            eprintln!("nobody provides `{}` yet; waiting (ctrl-c ends)", self.service);
        }
        let mut up = link.borrow_and_update().is_up();
        loop {
            tokio::select! {
                notification = subscription.changed() => match notification {
                    Some(notification) => self.say(told.take(&notification))?,
                    None => {
                        let message = format!("the subscription to `{}` ended", self.service);
                        return Err(Failure::new(Kind::Unreachable, message));
                    }
                },
                changed = link.changed() => {
                    if changed.is_err() {
                        return Err(Failure::new(Kind::Unreachable, "the registry was closed"));
                    }
                    let now = link.borrow_and_update().clone();
                    match (&now, up) {
                        (Link::Up { .. }, false) => self.say(vec![Event::Connected])?,
                        (Link::Down { reason } | Link::Refused { reason }, true) => {
                            self.say(vec![Event::Lost { reason: reason.to_string() }])?;
                        }
                        _ => {}
                    }
                    up = match now {
                        Link::Up { .. } => true,
                        Link::Down { .. } | Link::Refused { .. } => false,
                        _ => up,
                    };
                }
                _ = tokio::signal::ctrl_c() => {
                    registry.close().await;
                    return Ok(());
                }
            }
        }
    }

    fn say(&self, events: Vec<Event>) -> Result<(), Failure> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        for event in events {
            let time = utc(i64::try_from(now.as_millis()).unwrap_or(i64::MAX));
            if self.json {
                print::json_line(&Line { time, event })?;
            } else {
                print::text(&format!("{time}  {}", event.sentence()))?;
            }
        }
        Ok(())
    }
}

impl Told {
    /// Takes the whole list; gives what is different from before.
    fn take(&mut self, notification: &Notification) -> Vec<Event> {
        let mut now = BTreeMap::new();
        let mut spoken = Vec::new();
        for list in notification.services.iter().flat_map(|service| &service.lists) {
            let category = list.category.name();
            spoken.push(category);
            for url in list.urls.iter() {
                let entry = Entry::of(url);
                now.insert((category, format!("{:?}", entry.identity())), entry);
            }
        }
        let mut events = Vec::new();
        for (key, entry) in &self.0 {
            // A category that nothing was said about is as it was.
            if !now.contains_key(key) && spoken.contains(&key.0) {
                events.push(Event::Removed {
                    category: key.0,
                    entry: Box::new(entry.clone()),
                });
            }
        }
        self.0
            .retain(|key, _| now.contains_key(key) || !spoken.contains(&key.0));
        for (key, entry) in now {
            match self.0.get(&key) {
                Some(before) if *before == entry => {}
                Some(before) => events.push(Event::Changed {
                    category: key.0,
                    address: entry.address.clone(),
                    changes: changes(before, &entry),
                }),
                None => events.push(Event::Added {
                    category: key.0,
                    entry: Box::new(entry.clone()),
                }),
            }
            self.0.insert(key, entry);
        }
        events
    }
}

/// The parameters in which two URLs differ.
fn changes(before: &Entry, after: &Entry) -> Vec<Change> {
    let parameters = |entry: &Entry| -> BTreeMap<String, String> {
        match orana::ServiceUrl::parse(&entry.url) {
            Ok(url) => url
                .parameters()
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
            Err(_) => BTreeMap::new(),
        }
    };
    let (before, after) = (parameters(before), parameters(after));
    let mut keys: Vec<&String> = before.keys().chain(after.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let differs = |key: &&String| before.get(*key) != after.get(*key);
    let change = |key: &String| Change {
        from: before.get(key).cloned(),
        to: after.get(key).cloned(),
        parameter: key.clone(),
    };
    keys.into_iter().filter(differs).map(change).collect()
}

impl Event {
    fn sentence(&self) -> String {
        let about = |entry: &Entry| {
            let mut about = entry.address.clone();
            let said = [
                ("application", &entry.application),
                ("group", &entry.group),
                ("version", &entry.version),
            ];
            for (name, value) in said {
                if let Some(value) = value {
                    about.push_str(&format!("  {name} {value}"));
                }
            }
            about
        };
        match self {
            Event::Added { category, entry } => format!("+ {category}  {}", about(entry)),
            Event::Removed { category, entry } => format!("- {category}  {}", about(entry)),
            Event::Changed {
                category,
                address,
                changes,
            } => {
                let none = || "none".to_owned();
                let changes: Vec<_> = changes
                    .iter()
                    .map(|change| {
                        let (from, to) = (change.from.clone(), change.to.clone());
                        let (from, to) = (from.unwrap_or_else(none), to.unwrap_or_else(none));
                        format!("{} {from} → {to}", change.parameter)
                    })
                    .collect();
                format!("~ {category}  {address}  {}", changes.join(", "))
            }
            Event::Lost { reason } => format!("! the registry is lost: {reason}"),
            Event::Connected => "! the registry is back".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use orana::ServiceUrl;
    use orana::registry::{Freshness, List, Service, Skipped, Standing};
    use orana_core::Category;

    use super::*;

    fn notification(urls: &[&str]) -> Notification {
        Notification {
            services: vec![Arc::new(Service {
                interface: "i".into(),
                lists: vec![List {
                    category: Category::Providers,
                    urls: urls.iter().map(|url| ServiceUrl::parse(url).unwrap()).collect(),
                    standing: Standing::Listed,
                }],
                skipped: Skipped::default(),
            })],
            freshness: Freshness::Fresh,
        }
    }

    #[test]
    fn a_list_is_told_by_its_differences() {
        let mut told = Told::default();
        let sentences = |told: &mut Told, urls: &[&str]| -> Vec<String> {
            let events = told.take(&notification(urls));
            events.iter().map(Event::sentence).collect()
        };
        assert_eq!(
            sentences(&mut told, &["dubbo://h:1/i?application=a", "dubbo://h:2/i"]),
            ["+ providers  h:1  application a", "+ providers  h:2"]
        );
        assert_eq!(
            sentences(&mut told, &["dubbo://h:1/i?application=a&weight=5", "dubbo://h:3/i"]),
            [
                "- providers  h:2",
                "~ providers  h:1  weight none → 5",
                "+ providers  h:3"
            ]
        );
        assert!(sentences(&mut told, &["dubbo://h:3/i", "dubbo://h:1/i?application=a&weight=5"]).is_empty());
        assert_eq!(sentences(&mut told, &[]).len(), 2);
        assert!(told.take(&Notification::not_ready()).is_empty());
    }
}

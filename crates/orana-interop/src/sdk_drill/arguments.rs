//! The arguments of the Rust application, the same as those of the Java one: a role, then `key=value` pairs.

use std::collections::HashMap;
use std::str::FromStr;

use anyhow::{Context, Result, anyhow};
use orana::Application;

/// What the application was told at its start.
#[derive(Debug, Clone)]
pub struct Arguments {
    /// `provider` or `consumer`.
    pub role: String,
    values: HashMap<String, String>,
}

impl Arguments {
    /// Reads a command line without the program's name.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Arguments> {
        let mut arguments = arguments.into_iter();
        let role = arguments.next().context("a role: `provider` or `consumer`")?;
        let pairs = arguments.map(|argument| {
            let pair = argument.split_once('=');
            let (key, value) = pair.with_context(|| format!("`{argument}` is no `key=value`"))?;
            Ok((key.to_owned(), value.to_owned()))
        });
        Ok(Arguments {
            role,
            values: pairs.collect::<Result<_>>()?,
        })
    }

    /// What was said for `key`.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// The number that was said for `key`.
    pub fn number<T: FromStr>(&self, key: &str) -> Result<Option<T>> {
        let text = self.text(key);
        text.map(|text| text.parse().map_err(|_| anyhow!("`{key}={text}` is no number")))
            .transpose()
    }

    /// The application with its registry: `registry=HOST:PORT name=APPLICATION [session=MILLIS]`.
    pub fn application(&self) -> Result<Application> {
        let address = self.text("registry").context("`registry=HOST:PORT` is missing")?;
        let name = self.text("name").context("`name=APPLICATION` is missing")?;
        let mut url = format!("zookeeper://{address}");
        if let Some(session) = self.text("session") {
            url.push_str(&format!("?session={session}"));
        }
        Ok(Application::new(name).registry(&url))
    }
}

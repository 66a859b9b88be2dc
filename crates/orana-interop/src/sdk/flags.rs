//! What the Rust peer is told on its command line: the role, then `--key value` pairs, as with the Java and Go peers.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::{Context, Result};
use orana::{Application, Client, Refer};

/// Of a call: 5 MB take a while on a machine with other work.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The flags of one program, and the application that they describe.
#[derive(Debug, Clone)]
pub struct Asked {
    values: HashMap<String, String>,
    application: Application,
}

impl Asked {
    /// Takes the arguments behind the role.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Asked> {
        let mut values = HashMap::new();
        let mut arguments = arguments.into_iter();
        while let Some(key) = arguments.next() {
            let name = key
                .strip_prefix("--")
                .with_context(|| format!("`{key}` is no `--key`"))?;
            let value = arguments.next().with_context(|| format!("`{key}` has no value"))?;
            values.insert(name.to_owned(), value);
        }
        let application = Application::new(values.get("application").map_or("rust-peer", String::as_str));
        let application = match values.get("registry").map(String::as_str) {
            None | Some("N/A") => application,
            Some(url) => application.registry(url),
        };
        Ok(Asked { values, application })
    }

    /// What was said.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// The application, with its registry unless that is `N/A`.
    pub fn application(&self) -> &Application {
        &self.application
    }

    /// A reference without retries, which would hide failures; to the address that was named, or to whoever is registered.
    pub fn refer<C: Client>(&self) -> Refer<C> {
        let refer = self.application.consumer().refer::<C>().retries(0).timeout(TIMEOUT);
        match self.get("address") {
            Some(address) => refer.direct(address),
            None => refer,
        }
    }
}

//! Who asks. Rules tell consumers apart by their application, address and parameters.

use anyhow::{Context, Result};

use super::fleet::BLUE;

/// A consumer as rules see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The name in rule files, and of its application.
    pub name: &'static str,
    /// Its address.
    pub host: &'static str,
    /// Group and version of the service that it wants.
    pub wants: Option<(&'static str, &'static str)>,
    /// Of its URL.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Whom it reaches when no rule is there.
    pub baseline: &'static str,
}

/// All that rule files may name.
pub const IDENTITIES: &[Identity] = &[
    Identity {
        name: "shop",
        host: "10.20.0.31",
        wants: None,
        parameters: &[("region", "hangzhou"), ("env", "prod"), ("level", "5")],
        baseline: "all",
    },
    Identity {
        name: "crawler",
        host: "10.20.0.32",
        wants: None,
        parameters: &[("region", "beijing"), ("dubbo.tag", "gray")],
        baseline: "all",
    },
    Identity {
        name: "blue-shop",
        host: "10.20.0.33",
        wants: Some(BLUE),
        parameters: &[("region", "hangzhou")],
        // Whoever asks for no tag reaches nobody who has one.
        baseline: "1 2 7-12",
    },
];

impl Identity {
    /// The identity of that name.
    pub fn named(name: &str) -> Result<&'static Identity> {
        let found = IDENTITIES.iter().find(|identity| identity.name == name);
        found.with_context(|| format!("nobody is called `{name}`"))
    }

    /// What a consumer program, Java or Rust, is told to have this identity.
    pub fn flags(&self, registry: &str) -> Vec<String> {
        let mut flags: Vec<String> = ["--registry", registry, "--application", self.name, "--host", self.host]
            .map(str::to_owned)
            .into();
        if let Some((group, version)) = self.wants {
            flags.extend(["--group", group, "--version", version].map(str::to_owned));
        }
        for (key, value) in self.parameters {
            flags.extend(["--param".to_owned(), format!("{key}={value}")]);
        }
        flags
    }
}

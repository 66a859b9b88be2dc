//! Registries, configuration centres and metadata reports: an address and its settings as one URL.

use std::fmt;

use orana_core::ServiceUrl;

use super::error::ConfigError;
use super::origin::Origin;
use super::secret::shown;
use super::settings::{Level, Setting, Settings};

/// A registry, a configuration centre or a metadata report.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Endpoint {
    /// Its identifier, in `dubbo.registries.ID.address`.
    pub id: Option<String>,
    /// Its address with what is to be known of it, as a URL: `zookeeper://127.0.0.1:2181?backup=…`. May hold credentials.
    pub url: ServiceUrl,
    /// Where the address came from.
    pub origin: Origin,
    /// Whether it is for those that do not say which one they want. `default`, on.
    pub default: bool,
    /// All that was said, of which the URL has what it is to have.
    pub settings: Settings,
}

/// The address that means: none.
const NOT_AVAILABLE: &str = "N/A";

/// The endpoints at an address, of which `;` or `|` separates several (`UrlUtils.parseURLs`). None without an address.
///
/// What the address says wins over the settings beside it.
///
/// # Errors
/// [`ConfigError::Address`].
pub(super) fn endpoints(id: Option<&str>, settings: &Settings) -> Result<Vec<Endpoint>, ConfigError> {
    let Some(address) = settings.get("address") else {
        return Ok(Vec::new());
    };
    let texts = address.value.split([';', '|']).map(str::trim);
    texts
        .filter(|text| !text.is_empty() && !text.eq_ignore_ascii_case(NOT_AVAILABLE))
        .map(|text| {
            Ok(Endpoint {
                id: id.map(str::to_owned),
                url: url(text, settings, address)?,
                origin: address.origin.clone(),
                default: settings.flag_or("default", true),
                settings: settings.clone(),
            })
        })
        .collect()
}

fn url(text: &str, settings: &Settings, address: &Setting) -> Result<ServiceUrl, ConfigError> {
    // Members of a cluster may be named without more: `a:2181,b:2181`.
    let (first, backup) = match text.split_once(',') {
        Some((first, more)) if !text.contains("://") && !text.contains('?') => (first.trim(), Some(more)),
        _ => (text, None),
    };
    let parsed = ServiceUrl::parse(first).map_err(|error| ConfigError::Address {
        given: shown("address", text),
        origin: address.origin.clone(),
        why: error.to_string(),
    })?;
    if parsed.host().is_none() {
        return Err(ConfigError::Address {
            given: shown("address", text),
            origin: address.origin.clone(),
            why: "it names no host".to_owned(),
        });
    }
    let mut url = parsed.edit();
    if parsed.protocol().is_none() {
        url = url.protocol(settings.text("protocol").unwrap_or("dubbo"));
    }
    if let (None, Some(user)) = (parsed.user(), settings.text("username")) {
        url = url.user(user).password(settings.text("password").unwrap_or_default());
    }
    if let (None, Some(port)) = (parsed.port(), settings.number("port")) {
        url = url.port(port);
    }
    if let Some(backup) = backup {
        let members: Vec<&str> = backup.split(',').map(str::trim).collect();
        url = url.set("backup", members.join(","));
    }
    for (key, value) in settings.parameters() {
        url = url.set_if_absent(key, value);
    }
    Ok(url.build())
}

/// Puts what an application says for all registries below what a registry says itself.
pub(super) fn with_application<'a>(
    settings: &Settings,
    application: impl IntoIterator<Item = (&'a str, &'a Setting)>,
) -> Settings {
    let mut all = settings.clone();
    for (key, setting) in application {
        all.put(Setting {
            key: key.to_owned(),
            level: Level::Application,
            in_url: true,
            ..setting.clone()
        });
    }
    all
}

/// Without credentials.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("id", &self.id)
            .field("address", &self.url.address())
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

//! What counts at one level: of every key below a prefix, and in the code, the strongest value.

use super::attribute::{Attribute, Target};
use super::key::{What, item, pairs};
use super::layer::{Layer, Rank};
use super::origin::Origin;
use super::settings::{Level, Setting, Settings};
use super::table::{ARGUMENT, RETRY, Section};

/// What is gathered.
pub(super) struct Wanted<'a> {
    pub(super) section: &'static Section,
    /// Without a dot at its end.
    pub(super) prefix: &'a str,
    /// Which methods there are, below an interface.
    pub(super) methods: Methods<'a>,
    /// What code says, by the names of URL parameters.
    pub(super) code: &'a [(String, String)],
    pub(super) level: Level,
}

/// Which methods have settings of their own.
#[derive(Clone, Copy)]
pub(super) enum Methods<'a> {
    /// None: it is not one interface that is meant.
    None,
    /// Those of the interface; all, if none is known.
    Of(&'a [&'a str]),
}

/// Attributes that stay out of the URL although code names them as it names parameters.
const NO_PARAMETERS: &[&str] = &["check", "protocol-ids", "registry", "registry-ids", "url"];

/// Puts what is said below the prefix into `settings`. `layers` are there weakest first; their values are known to be of their types.
pub(super) fn gather(layers: &[Layer], wanted: &Wanted<'_>, settings: &mut Settings) {
    let (weaker, stronger) = layers.split_at(layers.partition_point(|layer| layer.rank < Rank::Code));
    weaker.iter().for_each(|layer| from_layer(layer, wanted, settings));
    for (key, value) in wanted.code {
        settings.put(Setting {
            key: key.clone(),
            value: value.clone(),
            origin: Origin::Code,
            level: wanted.level,
            in_url: !NO_PARAMETERS.contains(&key.as_str()),
            appends: wanted
                .section
                .attributes()
                .any(|attribute| attribute.appends && attribute.key() == *key),
        });
    }
    stronger.iter().for_each(|layer| from_layer(layer, wanted, settings));
}

/// Whether any layer says something below a prefix.
pub(super) fn is_said(layers: &[Layer], prefix: &str) -> bool {
    layers.iter().any(|layer| {
        layer
            .entries
            .iter()
            .any(|entry| entry.below(layer.rank, prefix).is_some())
    })
}

fn from_layer(layer: &Layer, wanted: &Wanted<'_>, settings: &mut Settings) {
    for entry in &layer.entries {
        let Some(rest) = entry.below(layer.rank, wanted.prefix) else {
            continue;
        };
        let methods = match wanted.methods {
            Methods::None => &[],
            Methods::Of(methods) => methods,
        };
        // Below `dubbo.reference` stand other interfaces, too.
        let Some(found) = item(wanted.section, &rest, methods) else {
            continue;
        };
        let wanted_method = |method: &str| match wanted.methods {
            Methods::None => false,
            Methods::Of(methods) => methods.is_empty() || methods.contains(&method),
        };
        if !found.method.is_none_or(wanted_method) {
            continue;
        }
        let mut put = |key: &str, value: &str, in_url, appends| {
            settings.put(Setting {
                key: match found.method {
                    Some(method) => format!("{method}.{key}"),
                    None => key.to_owned(),
                },
                value: value.to_owned(),
                origin: entry.origin.clone(),
                level: wanted.level,
                in_url,
                appends,
            });
        };
        let value = entry.value.trim();
        match found.what {
            What::Attribute(attribute) if attribute.name == RETRY && found.method.is_some() => {
                // It says so in another word than `retries`, and only to forbid them.
                if value.eq_ignore_ascii_case("false") {
                    put("retries", "0", true, false);
                }
            }
            What::Attribute(attribute) => put(&attribute.key(), value, in_url(attribute), attribute.appends),
            What::Parameter(name) => put(name, value, true, false),
            What::Parameters => {
                for (name, value) in pairs(value).unwrap_or_default() {
                    put(name, value, true, false);
                }
            }
            What::Argument(index) => put(&format!("{index}.{}", ARGUMENT.name), value, true, false),
            What::Nothing => {}
        }
    }
}

fn in_url(attribute: &Attribute) -> bool {
    matches!(attribute.target, Target::Dotted | Target::Parameter(_))
}

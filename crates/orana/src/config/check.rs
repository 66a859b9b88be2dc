//! Every given value, before any is used: placeholders replaced, keys known, values of their type.
//!
//! A value of the wrong type is an error even where a stronger one hides it: the weaker one would come forth some day. Dubbo passes over
//! such a value in silence.

use super::error::ConfigError;
use super::key::{Item, What, below_method, item, pairs};
use super::layer::{Entry, Layer, Rank, Rest};
use super::placeholder;
use super::secret::shown;
use super::source::MAX_TEXT;
use super::spelling::{kebab, nearest, strip_prefix_any_case, variable};
use super::table::{ARGUMENT, NOT_HERE, PROPERTIES, REFERENCE_SECTION, SECTIONS, SEVERAL, Section, Shape, of_method};
use super::warning::{Warning, Warnings};

/// Replaces the placeholders in all values of Dubbo's keys.
pub(super) fn replace_placeholders(layers: &mut [Layer], warnings: &mut Warnings) -> Result<(), ConfigError> {
    let values = placeholder::Values::of(layers);
    let mut grown = 0;
    let entries = layers.iter_mut().flat_map(|layer| {
        let rank = layer.rank;
        layer.entries.iter_mut().map(move |entry| (rank, entry))
    });
    for (rank, entry) in entries {
        if !entry.value.contains('$') || !is_dubbos(rank, &entry.key) {
            continue;
        }
        let replaced = placeholder::replace(&entry.value, &values).map_err(|why| ConfigError::Placeholder {
            key: entry.key.clone(),
            origin: entry.origin.clone(),
            why,
        })?;
        for name in replaced.unresolved {
            warnings.add(|| Warning::Unresolved {
                key: entry.key.clone(),
                origin: entry.origin.clone(),
                name,
            });
        }
        grown += replaced.value.len().saturating_sub(entry.value.len());
        if grown > MAX_TEXT {
            return Err(ConfigError::Placeholder {
                key: entry.key.clone(),
                origin: entry.origin.clone(),
                why: format!("placeholders make the configuration longer by more than {MAX_TEXT} bytes"),
            });
        }
        entry.value = replaced.value;
    }
    Ok(())
}

fn is_dubbos(rank: Rank, key: &str) -> bool {
    strip_prefix_any_case(key, "dubbo.").is_some()
        || (rank == Rank::Environment && strip_prefix_any_case(key, "DUBBO_").is_some())
}

/// Looks at every entry.
pub(super) fn check(layers: &[Layer], warnings: &mut Warnings) -> Result<(), ConfigError> {
    for layer in layers {
        for entry in &layer.entries {
            if entry.value.trim().is_empty() || PROPERTIES.iter().any(|key| entry.is_for(layer.rank, key)) {
                continue;
            }
            check_entry(layer.rank, entry, warnings)?;
        }
    }
    Ok(())
}

fn check_entry(rank: Rank, entry: &Entry, warnings: &mut Warnings) -> Result<(), ConfigError> {
    let Some(rest) = strip_prefix_any_case(&entry.key, "dubbo.") else {
        return match rank {
            Rank::Environment => check_variable(entry, warnings),
            _ => Ok(()),
        };
    };
    let (head, rest) = rest.split_once('.').unwrap_or((rest, ""));
    let name = kebab(head);
    let by_name = SECTIONS.iter().find(|section| section.name == name);
    let Some(section) = by_name.or_else(|| SECTIONS.iter().find(|section| section.plural == Some(&*name))) else {
        unknown(entry, warnings, || {
            let sections = SECTIONS.iter().flat_map(|section| [Some(section.name), section.plural]);
            let section = nearest(head, sections.flatten()).unwrap_or_default();
            match rest {
                "" => format!("dubbo.{section}"),
                rest => format!("dubbo.{section}.{rest}"),
            }
        });
        return Ok(());
    };
    if let Shape::Without(why) = section.shape {
        no_effect(entry, warnings, why);
        return Ok(());
    }
    if by_name.is_some() {
        return below(section, &format!("dubbo.{name}"), rest, entry, warnings);
    }
    match rest.split_once('.') {
        Some((id, rest)) if SEVERAL.iter().any(|several| several.name == section.name) => {
            below(section, &format!("dubbo.{name}.{id}"), rest, entry, warnings)
        }
        Some(_) => {
            no_effect(
                entry,
                warnings,
                "of this kind there is only one; say it without an identifier",
            );
            Ok(())
        }
        None => {
            unknown(entry, warnings, || {
                format!("dubbo.{name}.ID.{}", nearest_attribute(section, rest))
            });
            Ok(())
        }
    }
}

/// A key below a section's name or an identifier.
fn below(
    section: &'static Section,
    prefix: &str,
    rest: &str,
    entry: &Entry,
    warnings: &mut Warnings,
) -> Result<(), ConfigError> {
    let found = match section.shape {
        Shape::Interfaces => below_interfaces(section, rest),
        _ => item(section, &Rest::Dotted(rest), &[]).map(|item| item.what),
    };
    match found {
        Some(What::Nothing) => no_effect(entry, warnings, NOT_HERE),
        Some(what) => return check_value(&what, prefix, entry),
        None => unknown(entry, warnings, || {
            let last = rest.rsplit('.').next().unwrap_or(rest);
            let above = match section.shape {
                Shape::Interfaces => rest.get(..rest.len() - last.len()).unwrap_or_default(),
                _ => "",
            };
            format!("{prefix}.{above}{}", nearest_attribute(section, last))
        }),
    }
    Ok(())
}

/// A key behind `dubbo.reference.` or `dubbo.service.`, of which it is not known where the interface ends: the end of it decides.
fn below_interfaces<'a>(section: &'static Section, rest: &'a str) -> Option<What<'a>> {
    if let Some(Item { method: None, what }) = item(section, &Rest::Dotted(rest), &[]) {
        return Some(what);
    }
    let suffixes = rest.match_indices('.').filter_map(|(at, _)| rest.get(at + 1..));
    // Longest first: `parameters.timeout` is a parameter called `timeout`.
    suffixes
        .into_iter()
        .find_map(|suffix| match item(section, &Rest::Dotted(suffix), &[]) {
            Some(Item { method: None, what }) => Some(what),
            _ => below_method(suffix),
        })
}

/// A variable, of which it is not known where `_` is a dot. Only what begins like a section and ends like nothing is told.
fn check_variable(entry: &Entry, warnings: &mut Warnings) -> Result<(), ConfigError> {
    let sections = SECTIONS
        .iter()
        .filter(|section| !matches!(section.shape, Shape::Without(_)));
    for section in sections {
        for (name, identified) in [(Some(section.name), false), (section.plural, true)] {
            let prefix = format!("dubbo.{}", name.unwrap_or(section.name));
            let Some(rest @ Rest::Variable(_)) = entry.below(Rank::Environment, &prefix) else {
                continue;
            };
            let found = item(section, &rest, &[]).filter(|_| !identified);
            if let Some(Item { what, .. }) = found {
                return check_value(&what, &prefix, entry);
            }
            let rest = rest.attribute();
            if identified || section.shape == Shape::Interfaces {
                if !ends_in_attribute(section, &rest) {
                    let end = rest.rsplit('-').next().unwrap_or_default();
                    unknown(entry, warnings, || {
                        variable(&format!("{prefix}.….{}", nearest_attribute(section, end)))
                    });
                }
            } else {
                unknown(entry, warnings, || {
                    variable(&format!("{prefix}.{}", nearest_attribute(section, &rest)))
                });
            }
            return Ok(());
        }
    }
    Ok(())
}

/// Whether what stands behind an identifier or an interface, which may be any part of it, can be an attribute.
fn ends_in_attribute(section: &Section, rest: &str) -> bool {
    let mut ends = rest.match_indices('-').filter_map(|(at, _)| rest.get(at + 1..));
    ends.any(|end| section.attribute(end).is_some() || of_method(end).is_some() || end == "parameters")
}

fn check_value(what: &What<'_>, prefix: &str, entry: &Entry) -> Result<(), ConfigError> {
    let value = entry.value.trim();
    let refuse = |key: String, wanted| {
        Err(ConfigError::Value {
            given: shown(&entry.key, value),
            key,
            origin: entry.origin.clone(),
            wanted,
        })
    };
    match what {
        What::Attribute(attribute) => match attribute.kind.check(value) {
            Ok(()) => Ok(()),
            Err(wanted) => refuse(spelled(entry, prefix, attribute.name), wanted),
        },
        What::Argument(_) => match ARGUMENT.kind.check(value) {
            Ok(()) => Ok(()),
            Err(wanted) => refuse(entry.key.clone(), wanted),
        },
        What::Parameters if pairs(value).is_none() => refuse(
            spelled(entry, prefix, "parameters"),
            "pairs of the form `[{name:value},{name:value}]`",
        ),
        What::Parameters | What::Parameter(_) | What::Nothing => Ok(()),
    }
}

/// The key in Dubbo's spelling, as far as that can be told.
fn spelled(entry: &Entry, prefix: &str, name: &str) -> String {
    let own = strip_prefix_any_case(&entry.key, prefix).and_then(|rest| rest.rsplit_once('.'));
    match own {
        Some((above, _)) => format!("{prefix}{above}.{name}"),
        None => format!("{prefix}.{name}"),
    }
}

fn nearest_attribute(section: &'static Section, given: &str) -> &'static str {
    let of_method = REFERENCE_SECTION
        .attributes()
        .filter(|_| section.shape == Shape::Interfaces);
    let names = section.attributes().chain(of_method).map(|attribute| attribute.name);
    nearest(given, names.chain(["parameters"])).unwrap_or_default()
}

/// `near` is the nearest key of a section; one of no section may be nearer.
fn unknown(entry: &Entry, warnings: &mut Warnings, near: impl FnOnce() -> String) {
    warnings.add(|| {
        let near = near();
        let candidates = [&*near].into_iter().chain(PROPERTIES.iter().copied());
        Warning::UnknownKey {
            given: entry.key.clone(),
            origin: entry.origin.clone(),
            nearest: nearest(&entry.key, candidates).unwrap_or(&near).to_owned(),
        }
    });
}

fn no_effect(entry: &Entry, warnings: &mut Warnings, why: &'static str) {
    warnings.add(|| Warning::NoEffect {
        given: entry.key.clone(),
        origin: entry.origin.clone(),
        why,
    });
}

//! Which filters stand before a service or an endpoint, and in which order: the table, the lists of the URL, and the program's own filters
//! (`ExtensionLoader.getActivateExtension`).

use std::sync::Arc;

use orana_core::{Filter, ServiceUrl};

use super::{ActivatedBy, ELSEWHERE, FILTERS, Parts, Row, Side};

/// A filter of the program's own. One with a name can be placed, or taken out, by a list.
#[derive(Clone)]
pub struct ProgramFilter {
    /// Empty for none.
    pub name: Box<str>,
    /// What it does.
    pub filter: Arc<dyn Filter>,
}

impl ProgramFilter {
    /// One that stands behind all others.
    pub fn new(filter: Arc<dyn Filter>) -> ProgramFilter {
        ProgramFilter::named("", filter)
    }

    /// One that lists may name.
    pub fn named(name: &str, filter: Arc<dyn Filter>) -> ProgramFilter {
        ProgramFilter {
            name: name.into(),
            filter,
        }
    }
}

/// A list names a filter that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` names the filter `{name}`, which does not exist; known are {}", known.join(", "))]
pub struct UnknownFilter {
    /// The parameter.
    pub key: &'static str,
    /// What it names.
    pub name: String,
    /// What it may name, sorted.
    pub known: Vec<String>,
}

/// The filters before what `url` describes, the outermost first.
///
/// Without a list: those of the table that the URL activates, by their order, then the program's own as they were given. The list
/// (`service.filter` at a provider, `reference.filter` at a consumer, for both of its sides) changes that: a name puts its filter at its place behind the
/// activated ones, whether it is activated or not; `default` marks where the activated ones stand instead; `-name` takes one out, and
/// `-default` all activated ones. What is taken out need not exist.
pub fn chain(
    side: Side,
    url: &ServiceUrl,
    parts: &Parts,
    own: &[ProgramFilter],
) -> Result<Vec<Arc<dyn Filter>>, UnknownFilter> {
    let key = match side {
        Side::Provider => "service.filter",
        Side::ConsumerCall | Side::ConsumerAttempt => "reference.filter",
    };
    let named = List::of(url, key);
    named.check(side, key, own)?;
    // The program's own stand around the cluster, not around each attempt.
    let own = if side == Side::ConsumerAttempt { &[] } else { own };
    let made = |places: &[Place<'_>]| {
        let filters = places.iter().filter_map(|place| match place {
            Place::Row(row) => (row.make)(url, parts),
            Place::Own(own) => Some(Arc::clone(&own.filter)),
        });
        filters.collect()
    };
    Ok(made(&places(side, url, &named, own)))
}

/// What a list says.
struct List<'a> {
    /// Names, and `default` where it stands; each once.
    places: Vec<&'a str>,
    removed: Vec<&'a str>,
}

/// A filter before it is made.
enum Place<'a> {
    Row(&'static Row),
    Own(&'a ProgramFilter),
}

impl<'a> List<'a> {
    fn of(url: &'a ServiceUrl, key: &str) -> List<'a> {
        let removed: Vec<&str> = url.list(key).filter_map(|name| name.strip_prefix('-')).collect();
        let mut places = Vec::new();
        for name in url.list(key).filter(|name| !name.starts_with('-')) {
            if !removed.contains(&name) && !places.contains(&name) {
                places.push(name);
            }
        }
        List { places, removed }
    }

    fn names(&self, name: &str) -> bool {
        self.places.contains(&name)
    }

    /// An error if it names what does not exist on that side of a connection.
    fn check(&self, side: Side, key: &'static str, own: &[ProgramFilter]) -> Result<(), UnknownFilter> {
        let provider = side == Side::Provider;
        let rows = FILTERS.iter().filter(|row| (row.side == Side::Provider) == provider);
        let mut known: Vec<&str> = rows.map(|row| row.name).collect();
        known.extend(own.iter().map(|own| &*own.name).filter(|name| !name.is_empty()));
        known.sort_unstable();
        known.dedup();
        let exists = |name: &str| name == "default" || known.contains(&name) || ELSEWHERE.contains(&name);
        match self.places.iter().find(|name| !exists(name)) {
            None => Ok(()),
            Some(name) => Err(UnknownFilter {
                key,
                name: (*name).to_owned(),
                known: known.into_iter().map(str::to_owned).collect(),
            }),
        }
    }
}

/// Which filters, in order.
fn places<'a>(side: Side, url: &ServiceUrl, list: &List<'_>, own: &'a [ProgramFilter]) -> Vec<Place<'a>> {
    let here = |row: &&Row| row.side == side;
    let mut activated: Vec<&'static Row> = FILTERS
        .iter()
        .filter(here)
        .filter(|row| row.activated_by.is_met(url) && !list.names(row.name) && !list.removed.contains(&row.name))
        .collect();
    activated.sort_by_key(|row| (row.order, row.name));
    if list.removed.contains(&"default") {
        activated.clear();
    }
    let mut default: Option<Vec<&'static Row>> = Some(activated);
    let mut places = Vec::new();
    if !list.names("default") {
        places.extend(default.take().into_iter().flatten().map(Place::Row));
    }
    for name in &list.places {
        if *name == "default" {
            places.extend(default.take().into_iter().flatten().map(Place::Row));
        }
        // The program's own comes before ours of the same name: it was put there on purpose.
        match own.iter().find(|own| *own.name == **name) {
            Some(own) => places.push(Place::Own(own)),
            None => places.extend(
                FILTERS
                    .iter()
                    .filter(here)
                    .find(|row| row.name == *name)
                    .map(Place::Row),
            ),
        }
    }
    let rest = own
        .iter()
        .filter(|own| own.name.is_empty() || !(list.names(&own.name) || list.removed.contains(&&*own.name)));
    places.extend(rest.map(Place::Own));
    places
}

impl ActivatedBy {
    /// Whether the URL says it.
    pub fn is_met(self, url: &ServiceUrl) -> bool {
        let says = |value: &str| {
            !matches!(
                value.trim().to_ascii_lowercase().as_str(),
                "" | "false" | "0" | "null" | "n/a"
            )
        };
        match self {
            ActivatedBy::Always => true,
            ActivatedBy::Key(key) => {
                let named =
                    |found: &str| found == key || found.strip_suffix(key).is_some_and(|rest| rest.ends_with('.'));
                url.parameter(key).is_some_and(says)
                    || url.parameters().any(|(found, value)| named(found) && says(value))
            }
        }
    }
}

#[cfg(test)]
mod tests;

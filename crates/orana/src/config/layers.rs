//! The places that values come from, put in their order.

use std::fmt;
use std::sync::Arc;

use super::error::ConfigError;
use super::layer::{Entry, Layer, Rank};
use super::origin::{External, Origin};
use super::source::{self, Form};

/// All that is said outside of code. What is said later wins over what is said before in the same way; otherwise the order of
/// saying does not matter.
///
/// Strongest first: [properties](Layers::property), [variables](Layers::environment), the configuration centre's text for the
/// [application](Layers::external), that for all, and, below what code says, [files](Layers::file). This is Dubbo's order
/// (`Environment.getPrefixedConfiguration`).
#[derive(Clone, Default)]
#[must_use = "layers become a `Configuration`"]
pub struct Layers {
    layers: Vec<Layer>,
}

impl Layers {
    /// Nothing said.
    pub fn new() -> Layers {
        Layers::default()
    }

    /// Sets a property, which is the strongest that can be said: what `-Dkey=value` is to Java, for flags of the program, say.
    pub fn property(mut self, key: &str, value: impl ToString) -> Layers {
        let entry = Entry {
            key: key.to_owned(),
            value: value.to_string(),
            origin: Origin::Property(key.into()),
        };
        self.add(Rank::Property, vec![entry]);
        self
    }

    /// Takes variables: `dubbo.registry.address` under exactly that name, or as `DUBBO_REGISTRY_ADDRESS`. Others serve placeholders.
    ///
    /// What Kubernetes sets for a service that happens to be called `dubbo-registry`, `DUBBO_REGISTRY_PORT=tcp://…`, is passed over.
    pub fn environment(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Layers {
        let of_kubernetes = |(name, value): &(String, String)| {
            name.ends_with("_PORT") && (value.starts_with("tcp://") || value.starts_with("udp://"))
        };
        let entries = variables
            .into_iter()
            .filter(|variable| !of_kubernetes(variable))
            .map(|(key, value)| Entry {
                origin: Origin::Variable(key.as_str().into()),
                key,
                value,
            })
            .collect();
        self.add(Rank::Environment, entries);
        self
    }

    /// Takes a text of the configuration centre, in the form of `.properties`: `dubbo.properties` of the application's group or of
    /// the group for all.
    ///
    /// # Errors
    /// [`ConfigError::Syntax`] and [`ConfigError::TooLarge`].
    pub fn external(mut self, scope: External, name: &str, text: &str) -> Result<Layers, ConfigError> {
        let rank = match scope {
            External::Application => Rank::ApplicationExternal,
            External::Global => Rank::GlobalExternal,
        };
        let name: Arc<str> = name.into();
        let place = |line, key| Origin::External {
            scope,
            name: Arc::clone(&name),
            line,
            key,
        };
        let entries = entries(&name, text, Form::Properties, place)?;
        self.add(rank, entries);
        Ok(self)
    }

    /// Takes the text of a file; its name says whether it is `.properties`, `.yaml` (`.yml`) or `.toml`.
    ///
    /// # Errors
    /// [`ConfigError::Form`], [`ConfigError::Syntax`] and [`ConfigError::TooLarge`].
    pub fn file(mut self, name: &str, text: &str) -> Result<Layers, ConfigError> {
        let form = Form::of_name(name).ok_or_else(|| ConfigError::Form { name: name.to_owned() })?;
        let name: Arc<str> = name.into();
        let place = |line, key| Origin::File {
            name: Arc::clone(&name),
            line,
            key,
        };
        let entries = entries(&name, text, form, place)?;
        self.add(Rank::File, entries);
        Ok(self)
    }

    /// The layers, weakest first.
    pub(super) fn sorted(mut self) -> Vec<Layer> {
        self.layers.sort_by_key(|layer| layer.rank);
        self.layers
    }

    fn add(&mut self, rank: Rank, entries: Vec<Entry>) {
        match self.layers.last_mut() {
            Some(layer) if layer.rank == rank => layer.entries.extend(entries),
            _ => self.layers.push(Layer { rank, entries }),
        }
    }
}

fn entries(
    name: &str,
    text: &str,
    form: Form,
    place: impl Fn(usize, Arc<str>) -> Origin,
) -> Result<Vec<Entry>, ConfigError> {
    let entry = |line: source::Line| Entry {
        origin: place(line.line, line.key.as_str().into()),
        key: line.key,
        value: line.value,
    };
    Ok(source::read(name, text, form)?.into_iter().map(entry).collect())
}

/// Without the values, which may be secret.
impl fmt::Debug for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.layers.iter().map(|layer| (layer.rank, layer.entries.len()));
        f.debug_map().entries(counts).finish()
    }
}

//! What was said about one thing, by level and with the place it came from.

use std::collections::{BTreeMap, btree_map};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::origin::Origin;
use super::secret::{is_secret, shown};

/// How specific a setting is; the more specific one counts. A method's own settings are called `METHOD.KEY` and stand at
/// [`Level::Interface`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// `dubbo.application.…`
    Application,
    /// `dubbo.module.…`
    Module,
    /// `dubbo.consumer.…` or `dubbo.provider.…`; of an address, `dubbo.registry.…` and the like.
    Defaults,
    /// `dubbo.protocol.…`, of a service.
    Protocol,
    /// `dubbo.reference.…` or `dubbo.service.…`
    Interface,
}

/// One value, and where it came from.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setting {
    /// The parameter of a URL that it becomes, or the attribute's name in kebab-case if it becomes none.
    pub key: String,
    /// The value. It may be secret; [`Setting::shown`] is for printing.
    pub value: String,
    /// The place it came from.
    pub origin: Origin,
    /// Where it applies.
    pub level: Level,
    /// Whether it becomes a parameter of the URL; if not, it is for the SDK.
    pub in_url: bool,
    /// Whether it went behind a less specific value.
    pub(super) appends: bool,
}

/// What was said about one reference, service, protocol or address. A key has at most one value at each level.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Settings {
    levels: BTreeMap<Level, BTreeMap<String, Setting>>,
}

impl Setting {
    /// The value as it may be printed: cut, and without secrets.
    pub fn shown(&self) -> String {
        shown(&self.key, &self.value)
    }

    /// Whether the value is a password, a token or the like.
    pub fn is_secret(&self) -> bool {
        is_secret(&self.key)
    }
}

impl Settings {
    /// The value of a key at the most specific level that has one.
    pub fn get(&self, key: &str) -> Option<&Setting> {
        self.levels.values().rev().find_map(|level| level.get(key))
    }

    /// The value of a key at one level.
    pub fn at(&self, level: Level, key: &str) -> Option<&Setting> {
        self.levels.get(&level)?.get(key)
    }

    /// The text of a key.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).map(|setting| &*setting.value)
    }

    /// A key as a flag; `default` when nothing was said. What was read from places is known to be one.
    pub fn flag_or(&self, key: &str, default: bool) -> bool {
        self.text(key)
            .map_or(default, |value| value.eq_ignore_ascii_case("true"))
    }

    /// A key as a number; `None` when nothing was said, or no such number by code.
    pub fn number<T: FromStr>(&self, key: &str) -> Option<T> {
        self.text(key)?.trim().parse().ok()
    }

    /// A key as a time in milliseconds.
    pub fn millis(&self, key: &str) -> Option<Duration> {
        self.number(key).map(Duration::from_millis)
    }

    /// The items of a key that is a comma list.
    pub fn list(&self, key: &str) -> impl Iterator<Item = &str> {
        let items = self.text(key).unwrap_or_default().split(',').map(str::trim);
        items.filter(|item| !item.is_empty())
    }

    /// The settings that count, ascending by key.
    pub fn iter(&self) -> impl Iterator<Item = &Setting> {
        let mut merged: BTreeMap<&str, &Setting> = BTreeMap::new();
        for level in self.levels.values() {
            merged.extend(level.iter().map(|(key, setting)| (&**key, setting)));
        }
        merged.into_values()
    }

    /// The parameters of the URL, ascending by key.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        self.iter()
            .filter(|setting| setting.in_url)
            .map(|setting| (&*setting.key, &*setting.value))
    }

    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        self.levels.values().all(BTreeMap::is_empty)
    }

    /// Puts a setting in the place of a weaker one of the same level.
    pub(super) fn put(&mut self, setting: Setting) {
        let level = self.levels.entry(setting.level).or_default();
        match level.entry(setting.key.clone()) {
            btree_map::Entry::Vacant(free) => {
                free.insert(setting);
            }
            btree_map::Entry::Occupied(mut taken) => {
                taken.insert(setting);
            }
        }
    }

    /// Takes a setting away.
    pub(super) fn take(&mut self, level: Level, key: &str) -> Option<Setting> {
        self.levels.get_mut(&level)?.remove(key)
    }

    /// Joins values that go behind less specific ones: `reference.filter` of a consumer and of a reference. Each word stays once.
    pub(super) fn append(&mut self) {
        let mut before: BTreeMap<String, String> = BTreeMap::new();
        for level in self.levels.values_mut() {
            for setting in level.values_mut().filter(|setting| setting.appends) {
                if let Some(less) = before.get(&setting.key) {
                    let mut words: Vec<&str> = Vec::new();
                    for word in less.split(',').chain(setting.value.split(',')).map(str::trim) {
                        if !word.is_empty() && !words.contains(&word) {
                            words.push(word);
                        }
                    }
                    setting.value = words.join(",");
                }
                before.insert(setting.key.clone(), setting.value.clone());
            }
        }
    }
}

/// `key = value (origin)`, without secrets.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {} ({})", self.key, self.shown(), self.origin)
    }
}

/// Without secrets.
impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What counts, without secrets.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

//! What a URL says, apart from where it is and what is different in each process: the providers of one interface in one
//! fleet differ in host, port and a few values, so all else is kept once for them when a pool brings them together.
//!
//! Which values count as different is settled by their key alone, so that equal URLs always fall apart alike.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Parts;

/// A parameter of this prefix defines the one without it, too.
pub(super) const DEFAULT_PREFIX: &str = "default.";

/// Protocol, credentials, path, every key, and every value that is not different in each process.
pub(super) struct Shape {
    /// Protocol, user, password and path, then keys and values in turn, with nothing between them.
    text: Box<str>,
    protocol: Place,
    user: Place,
    password: Place,
    path: Place,
    /// Ascending by key, each key once.
    entries: Box<[Entry]>,
    has_defaults: bool,
    digest: u64,
}

/// A range of bytes of the text; both ends are boundaries of characters, because whole strings were joined there.
///
/// Who builds a URL of more than 4 GiB finds empty parts in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    start: u32,
    end: u32,
}

/// A parameter: the key ends where the value begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    start: u32,
    middle: u32,
    end: u32,
    /// The value is this one of the URL's own.
    own: Option<u8>,
}

/// The values that are different in each process, each with an `&` behind it, then the host.
pub(super) fn own_text(parts: &Parts<'_>) -> Box<str> {
    let own = || parts.parameters.iter().filter(|(key, value)| is_own(key, value));
    let mut text = String::with_capacity(own().map(|(_, value)| value.len() + 1).sum::<usize>() + parts.host.len());
    for (_, value) in own() {
        text.push_str(value);
        text.push('&');
    }
    text.push_str(parts.host);
    text.into_boxed_str()
}

/// Whether a parameter's value is another one in each process, so that it is kept with the URL instead of its shape.
fn is_own(key: &str, value: &str) -> bool {
    let own = matches!(
        key,
        "bind.ip"
            | "bind.port"
            | "instance-id"
            | "ipv6"
            | "pid"
            | "register.ip"
            | "remote.timestamp"
            | "timestamp"
            | "token"
    );
    // No text has a value with `&` in it; a program may build one.
    own && !value.contains('&')
}

impl Shape {
    /// The shape of a URL of these parts.
    pub(super) fn of(parts: &Parts<'_>) -> Shape {
        let stable = |key: &str, value: &Cow<'_, str>| if is_own(key, value) { 0 } else { value.len() };
        let heads = [parts.protocol, parts.user, parts.password, parts.path];
        let length = heads.iter().map(|head| head.len()).sum::<usize>()
            + parts
                .parameters
                .iter()
                .map(|(key, value)| key.len() + stable(key, value))
                .sum::<usize>();
        let mut text = String::with_capacity(length);
        let mut place = |part: &str| {
            let start = end_of(&text);
            text.push_str(part);
            Place {
                start,
                end: end_of(&text),
            }
        };
        let [protocol, user, password, path] = heads.map(&mut place);
        let mut owned = 0;
        let entries = parts
            .parameters
            .iter()
            .map(|(key, value)| {
                let key_place = place(key);
                let own = is_own(key, value).then(|| {
                    owned += 1;
                    owned - 1
                });
                let value_place = place(if own.is_some() { "" } else { value });
                Entry {
                    start: key_place.start,
                    middle: key_place.end,
                    end: value_place.end,
                    own,
                }
            })
            .collect();
        Shape {
            protocol,
            user,
            password,
            path,
            entries,
            has_defaults: parts.parameters.iter().any(|(key, _)| key.starts_with(DEFAULT_PREFIX)),
            digest: Shape::digest_of(parts),
            text: text.into_boxed_str(),
        }
    }

    /// A number that shapes of equal parts have in common.
    pub(super) fn digest_of(parts: &Parts<'_>) -> u64 {
        // Without keys of its own, so that it is the same for every pool and for a URL outside of any.
        let mut digest = DefaultHasher::new();
        (parts.protocol, parts.user, parts.password, parts.path).hash(&mut digest);
        for (key, value) in &parts.parameters {
            let value = (!is_own(key, value)).then_some(value);
            (key, value).hash(&mut digest);
        }
        digest.finish()
    }

    /// Whether it is the shape of a URL of these parts.
    pub(super) fn fits(&self, parts: &Parts<'_>) -> bool {
        self.protocol() == parts.protocol
            && self.user() == parts.user
            && self.password() == parts.password
            && self.path() == parts.path
            && self.entries.len() == parts.parameters.len()
            && self.entries.iter().zip(&parts.parameters).all(|(entry, (key, value))| {
                self.key(entry) == *key
                    && match entry.own {
                        Some(_) => is_own(key, value),
                        None => !is_own(key, value) && self.slice(entry.middle, entry.end) == value,
                    }
            })
    }

    pub(super) fn digest(&self) -> u64 {
        self.digest
    }

    pub(super) fn protocol(&self) -> &str {
        self.at(self.protocol)
    }

    pub(super) fn user(&self) -> &str {
        self.at(self.user)
    }

    pub(super) fn password(&self) -> &str {
        self.at(self.password)
    }

    pub(super) fn path(&self) -> &str {
        self.at(self.path)
    }

    pub(super) fn host<'a>(&self, own: &'a str) -> &'a str {
        let values = self.entries.iter().filter(|entry| entry.own.is_some()).count();
        own.splitn(values + 1, '&').nth(values).unwrap_or_default()
    }

    /// The value of `key`, or else of `default.key`; `own` is the URL's own text.
    pub(super) fn value<'a>(&'a self, key: &str, own: &'a str) -> Option<&'a str> {
        self.find(&[key], own).or_else(|| {
            let defined = self.has_defaults && !key.is_empty();
            defined.then(|| self.find(&[DEFAULT_PREFIX, key], own)).flatten()
        })
    }

    /// The value of `method.key`.
    pub(super) fn method_value<'a>(&'a self, method: &str, key: &str, own: &'a str) -> Option<&'a str> {
        self.find(&[method, ".", key], own)
    }

    /// The value of `key` as it is written.
    pub(super) fn written<'a>(&'a self, key: &str, own: &'a str) -> Option<&'a str> {
        self.find(&[key], own)
    }

    /// Every parameter, ascending by key.
    pub(super) fn parameters<'a>(&'a self, own: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.entries
            .iter()
            .map(move |entry| (self.key(entry), self.entry_value(entry, own)))
    }

    /// The value of the key that the pieces make together.
    fn find<'a>(&'a self, pieces: &[&str], own: &'a str) -> Option<&'a str> {
        let wanted = || pieces.iter().flat_map(|piece| piece.bytes());
        let found = match pieces {
            [key] => self.entries.binary_search_by(|entry| self.key(entry).cmp(key)),
            _ => self
                .entries
                .binary_search_by(|entry| self.key(entry).bytes().cmp(wanted())),
        };
        let entry = self.entries.get(found.ok()?)?;
        Some(self.entry_value(entry, own))
    }

    fn key(&self, entry: &Entry) -> &str {
        self.slice(entry.start, entry.middle)
    }

    fn entry_value<'a>(&'a self, entry: &Entry, own: &'a str) -> &'a str {
        match entry.own {
            Some(index) => own.split('&').nth(index.into()).unwrap_or_default(),
            None => self.slice(entry.middle, entry.end),
        }
    }

    fn at(&self, place: Place) -> &str {
        self.slice(place.start, place.end)
    }

    fn slice(&self, start: u32, end: u32) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// Equal texts cut at equal places are equal shapes, as nothing else is in the text.
impl PartialEq for Shape {
    fn eq(&self, other: &Shape) -> bool {
        self.digest == other.digest
            && self.text == other.text
            && (self.protocol, self.user, self.password, self.path)
                == (other.protocol, other.user, other.password, other.path)
            && self.entries == other.entries
    }
}

fn end_of(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

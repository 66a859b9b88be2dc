//! What travels beside arguments and results: a map from names to values, mostly strings.

use std::sync::Arc;

use crate::hessian::{DecodeError, Decoder, EncodeError, Encoder, Kind, Value};

/// Names and values. Few, so they are searched and not hashed; the order has no meaning.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Attachments {
    entries: Vec<(Arc<str>, Value)>,
}

impl Attachments {
    /// None at all.
    pub const EMPTY: Attachments = Attachments { entries: Vec::new() };

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        // A map that was read may hold a name twice; the later one counts, as in Java.
        let entry = self.entries.iter().rfind(|(known, _)| **known == *name);
        entry.map(|(_, value)| value)
    }

    /// The value of a name, if it is a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_text()
    }

    /// Sets a value and returns the one that the name had before.
    pub fn set(&mut self, name: impl Into<Arc<str>>, value: impl Into<Value>) -> Option<Value> {
        let name = name.into();
        let before = self.remove(&name);
        self.entries.push((name, value.into()));
        before
    }

    /// Takes a name away and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let before = self.get(name).cloned();
        if before.is_some() {
            self.entries.retain(|(known, _)| **known != *name);
        }
        before
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(name, value)| (&**name, value))
    }

    /// Reads a map of any type, or null, which is none at all. An entry whose name is no text is left out.
    pub fn read(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let mut attachments = Attachments::EMPTY;
        if input.null()? {
            return Ok(attachments);
        }
        input.map(|input| {
            if input.peek()? == Kind::Text {
                let name = Arc::from(input.text()?);
                attachments.entries.push((name, input.value()?));
            } else {
                input.skip()?;
                input.skip()?;
            }
            Ok(())
        })?;
        Ok(attachments)
    }

    /// Appends a plain map.
    pub fn write(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.begin_map(None);
        for (name, value) in &self.entries {
            out.text(name);
            out.value(value)?;
        }
        out.end_map();
        Ok(())
    }
}

impl<N: Into<Arc<str>>, V: Into<Value>> FromIterator<(N, V)> for Attachments {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(entries: I) -> Self {
        let mut attachments = Attachments::EMPTY;
        for (name, value) in entries {
            attachments.set(name, value);
        }
        attachments
    }
}

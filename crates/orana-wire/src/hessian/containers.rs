//! Reads lists, maps and objects, follows references to them, and builds [`Value`]s.
//!
//! Every function that calls itself through a value within goes down one level of `Limits::depth` first.

use std::borrow::Cow;

use super::decode::{Decoder, Position};
use super::error::DecodeError;
use super::kind::Kind;
use super::node::{Content, Node};
use super::value::{List, Map, Object, Value};

/// A container whose beginning has been read. Types and classes are numbers in the decoder's tables.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// So many values, or values until the end mark.
    List { kind: Option<usize>, length: Option<usize> },
    /// Pairs until the end mark.
    Map { kind: Option<usize> },
    /// A value for each field.
    Object { class: usize },
}

impl Shape {
    fn kind(&self) -> Kind {
        match self {
            Shape::List { .. } => Kind::List,
            Shape::Map { .. } => Kind::Map,
            Shape::Object { .. } => Kind::Object,
        }
    }
}

impl<'a> Decoder<'a> {
    /// Reads a list of any form, each value by `item`, which must read one.
    pub fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        self.within(|decoder, shape| match shape {
            Shape::List { length, .. } => {
                let mut items = decoder.room(length);
                match length {
                    Some(length) => {
                        for _ in 0..length {
                            items.push(item(decoder)?);
                        }
                    }
                    None => {
                        while !decoder.ended()? {
                            items.push(item(decoder)?);
                        }
                    }
                }
                Ok(items)
            }
            other => Err(DecodeError::Unexpected {
                wanted: "a list",
                found: other.kind(),
            }),
        })
    }

    /// Reads a map; `entry` is called for each pair and must read key and value.
    pub fn map(&mut self, mut entry: impl FnMut(&mut Self) -> Result<(), DecodeError>) -> Result<(), DecodeError> {
        self.within(|decoder, shape| match shape {
            Shape::Map { .. } => {
                while !decoder.ended()? {
                    entry(decoder)?;
                }
                Ok(())
            }
            other => Err(DecodeError::Unexpected {
                wanted: "a map",
                found: other.kind(),
            }),
        })
    }

    /// Reads an object, or a map that stands for one, by the names of its fields.
    ///
    /// `field` is told a name and either reads the value and says `true`, or leaves it and says `false`; what it
    /// leaves is skipped. The order of the fields is the sender's.
    pub fn fields(
        &mut self,
        mut field: impl FnMut(&mut Self, &str) -> Result<bool, DecodeError>,
    ) -> Result<(), DecodeError> {
        self.within(|decoder, shape| match shape {
            Shape::Object { class } => {
                let mut at = 0;
                while let Some(name) = decoder.definitions.field(class, at) {
                    if !field(decoder, name.as_str())? {
                        decoder.skip()?;
                    }
                    at += 1;
                }
                Ok(())
            }
            Shape::Map { .. } => {
                while !decoder.ended()? {
                    let known = match decoder.peek()? {
                        Kind::Text => {
                            let name = decoder.text()?;
                            field(decoder, &name)?
                        }
                        _ => {
                            decoder.skip()?;
                            false
                        }
                    };
                    if !known {
                        decoder.skip()?;
                    }
                }
                Ok(())
            }
            other => Err(DecodeError::Unexpected {
                wanted: "an object",
                found: other.kind(),
            }),
        })
    }

    /// The Java type of the next value, if it says one: an object's class, or the type of a typed list or map.
    pub fn peek_type(&mut self) -> Result<Option<Cow<'a, str>>, DecodeError> {
        let here = self.mark();
        let name = match self.peek()? {
            Kind::List | Kind::Map | Kind::Object | Kind::Reference => self.within(|decoder, shape| {
                Ok(match shape {
                    Shape::List { kind, .. } | Shape::Map { kind } => {
                        kind.and_then(|kind| decoder.definitions.type_name(kind))
                    }
                    Shape::Object { class } => decoder.definitions.class_name(class),
                }
                .cloned())
            })?,
            _ => None,
        };
        self.rewind(here)?;
        Ok(name.map(Cow::from))
    }

    /// The number of the container that the next value is, or that it refers to: its identity in this stream.
    pub fn peek_number(&mut self) -> Result<usize, DecodeError> {
        let here = self.mark();
        let number = match self.peek()? {
            Kind::Reference => self.reference()?.0,
            _ => self.at.containers,
        };
        self.rewind(here)?;
        Ok(number)
    }

    /// Reads a value and forgets it.
    pub fn skip(&mut self) -> Result<(), DecodeError> {
        if self.plain_text().is_some() {
            return Ok(());
        }
        match self.peek()? {
            Kind::Null => self.null().map(drop),
            Kind::Bool => self.bool().map(drop),
            Kind::Int | Kind::Long => self.integer().map(drop),
            Kind::Double => self.double().map(drop),
            Kind::Date => self.date().map(drop),
            Kind::Text => self.text().map(drop),
            Kind::Binary => self.binary().map(drop),
            Kind::Reference => self.reference().map(drop),
            Kind::List | Kind::Map | Kind::Object => self.within(Decoder::skip_content),
        }
    }

    fn skip_content(&mut self, shape: Shape) -> Result<(), DecodeError> {
        let count = match shape {
            Shape::List { length, .. } => length,
            Shape::Map { .. } => None,
            Shape::Object { class } => Some(self.definitions.field_count(class)),
        };
        match count {
            Some(count) => {
                for _ in 0..count {
                    self.skip()?;
                }
            }
            None => {
                while !self.ended()? {
                    self.skip()?;
                    if matches!(shape, Shape::Map { .. }) {
                        self.skip()?;
                    }
                }
            }
        }
        Ok(())
    }

    // -----------------------------------------------------------------------------------------------------------------

    /// Reads a value of any kind.
    pub fn value(&mut self) -> Result<Value, DecodeError> {
        Ok(match self.peek()? {
            Kind::Null => {
                self.null()?;
                Value::Null
            }
            Kind::Bool => Value::Bool(self.bool()?),
            Kind::Int => Value::Int(self.index()?),
            Kind::Long => Value::Long(self.integer()?),
            Kind::Double => Value::Double(self.double()?),
            Kind::Date => Value::Date(self.date()?),
            Kind::Text => Value::Text(self.text()?.into()),
            Kind::Binary => Value::Binary(self.binary()?.into()),
            Kind::List | Kind::Map | Kind::Object => Value::Node(self.node()?),
            Kind::Reference => self.referred()?,
        })
    }

    fn referred(&mut self) -> Result<Value, DecodeError> {
        let (number, place) = self.reference()?;
        if let Some(node) = self.nodes.get(number).and_then(Option::as_ref) {
            return Ok(match node.content() {
                Some(_) => Value::Node(node.clone()),
                None => Value::Back(node.back()),
            });
        }
        // It was read as something else than a value, so it is read again.
        let after = self.at;
        self.at = place;
        let node = self.node()?;
        self.return_to(after, place)?;
        Ok(Value::Node(node))
    }

    fn node(&mut self) -> Result<Node, DecodeError> {
        self.descend()?;
        let outer = self.inside;
        let shape = self.shape()?;
        let node = Node::unfilled();
        let number = self.inside;
        if self.nodes.len() <= number {
            self.nodes.resize(number + 1, None);
        }
        if let Some(entry) = self.nodes.get_mut(number) {
            *entry = Some(node.clone());
        }
        node.fill(self.content(shape)?);
        self.inside = outer;
        self.depth -= 1;
        Ok(node)
    }

    fn content(&mut self, shape: Shape) -> Result<Content, DecodeError> {
        Ok(match shape {
            Shape::List { kind, length } => {
                let mut items = self.room(length);
                match length {
                    Some(length) => {
                        for _ in 0..length {
                            items.push(self.value()?);
                        }
                    }
                    None => {
                        while !self.ended()? {
                            items.push(self.value()?);
                        }
                    }
                }
                let kind = kind.and_then(|kind| self.definitions.keep_type(kind));
                Content::List(List { kind, items })
            }
            Shape::Map { kind } => {
                let mut entries = Vec::new();
                while !self.ended()? {
                    entries.push((self.value()?, self.value()?));
                }
                let kind = kind.and_then(|kind| self.definitions.keep_type(kind));
                Content::Map(Map { kind, entries })
            }
            Shape::Object { class } => {
                let class = self
                    .definitions
                    .keep_class(class)
                    .ok_or(DecodeError::Invalid("class"))?;
                let mut values = self.room(Some(class.fields.len()));
                for _ in &class.fields {
                    values.push(self.value()?);
                }
                Content::Object(Object { class, values })
            }
        })
    }

    /// Room for so many values, but never for more bytes than there are left to read.
    fn room<T>(&self, length: Option<usize>) -> Vec<T> {
        Vec::with_capacity(length.unwrap_or(0).min(self.rest().len() / size_of::<T>().max(1)))
    }

    // -----------------------------------------------------------------------------------------------------------------

    /// Enters the container that stands here or that a reference here leads to, and comes back after it.
    pub(super) fn within<T>(
        &mut self,
        read: impl FnOnce(&mut Self, Shape) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        let mut back = None;
        if self.peek()? == Kind::Reference {
            let (_, place) = self.reference()?;
            back = Some((self.at, place));
            self.at = place;
        }
        self.descend()?;
        let outer = self.inside;
        let shape = self.shape()?;
        let result = read(self, shape)?;
        self.inside = outer;
        self.depth -= 1;
        if let Some((after, place)) = back {
            self.return_to(after, place)?;
        }
        Ok(result)
    }

    fn return_to(&mut self, after: Position, place: Position) -> Result<(), DecodeError> {
        self.charge_replay(place.byte)?;
        self.at = after;
        Ok(())
    }

    fn descend(&mut self) -> Result<(), DecodeError> {
        if self.depth >= self.limits.depth {
            return Err(DecodeError::Depth);
        }
        let marker = 0u8;
        let here = std::ptr::from_ref(&marker).addr();
        if self.depth == 0 {
            self.stack = here;
        } else if self.stack.abs_diff(here) > self.limits.stack {
            return Err(DecodeError::Depth);
        }
        self.depth += 1;
        Ok(())
    }

    /// Reads a reference: a container's number, and where it begins.
    fn reference(&mut self) -> Result<(usize, Position), DecodeError> {
        self.begin_value()?;
        let index = self.index()?;
        let number = usize::try_from(index)
            .ok()
            .filter(|number| *number < self.at.containers);
        let place = number.and_then(|number| Some((number, *self.places.get(number)?)));
        place.ok_or(DecodeError::Reference(index))
    }

    /// Whether the end mark of a map or list stands here; it is read.
    fn ended(&mut self) -> Result<bool, DecodeError> {
        let ended = self.peek_byte()? == 0x5a;
        if ended {
            self.byte()?;
        }
        Ok(ended)
    }

    /// Reads the beginning of a container, which takes the next number.
    fn shape(&mut self) -> Result<Shape, DecodeError> {
        while self.peek_byte()? == 0x43 {
            self.begin_value()?;
            self.class_definition()?;
        }
        let place = self.at;
        match self.peek()? {
            Kind::List | Kind::Map | Kind::Object => {}
            found => {
                return Err(DecodeError::Unexpected {
                    wanted: "a list, map or object",
                    found,
                });
            }
        }
        // When a part is read again its containers are in the table already.
        if self.at.containers == self.places.len() {
            if self.places.len() >= self.limits.containers {
                return Err(DecodeError::Count);
            }
            self.places.push(place);
        }
        self.inside = self.at.containers;
        self.at.containers += 1;
        let list = |kind, length| Shape::List { kind, length };
        let first = self.begin_value()?;
        Ok(match first {
            0x48 => Shape::Map { kind: None },
            0x4d => Shape::Map {
                kind: self.type_number()?,
            },
            0x55 => list(self.type_number()?, None),
            0x56 => list(self.type_number()?, Some(self.length()?)),
            0x57 => list(None, None),
            0x58 => list(None, Some(self.length()?)),
            0x70..=0x77 => list(self.type_number()?, Some(usize::from(first - 0x70))),
            0x78..=0x7f => list(None, Some(usize::from(first - 0x78))),
            0x60..=0x6f => Shape::Object {
                class: self.class(i32::from(first - 0x60))?,
            },
            _ => {
                let index = self.index()?;
                Shape::Object {
                    class: self.class(index)?,
                }
            }
        })
    }
}

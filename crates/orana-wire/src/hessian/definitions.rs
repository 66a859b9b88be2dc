//! What a reader remembers of the types and classes that its stream has named.
//!
//! Names stay where they are in the stream. Only one that is not UTF-8 there, or that a [`Value`](super::Value) keeps,
//! is put on the heap, and from then on shared.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

use super::decode::Decoder;
use super::error::DecodeError;
use super::kind::Kind;
use super::value::Class;

/// The types and classes of one stream, each by the number that the stream gives it.
#[derive(Debug, Default)]
pub(super) struct Definitions<'a> {
    types: SmallVec<[Name<'a>; 2]>,
    classes: SmallVec<[Definition<'a>; 3]>,
    /// The fields of all classes, one class after the other.
    fields: SmallVec<[Name<'a>; 24]>,
}

/// A name out of the stream.
#[derive(Debug, Clone)]
pub(super) enum Name<'a> {
    /// As it stands there.
    Here(&'a str),
    /// On the heap.
    Kept(Arc<str>),
}

#[derive(Debug)]
struct Definition<'a> {
    name: Name<'a>,
    fields: Range<usize>,
    /// The same for a value to keep.
    kept: Option<Arc<Class>>,
}

impl Name<'_> {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Name::Here(name) => name,
            Name::Kept(name) => name,
        }
    }

    fn keep(&mut self) -> Arc<str> {
        match self {
            Name::Kept(name) => Arc::clone(name),
            Name::Here(name) => {
                let kept = Arc::from(*name);
                *self = Name::Kept(Arc::clone(&kept));
                kept
            }
        }
    }
}

impl<'a> From<Cow<'a, str>> for Name<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        match text {
            Cow::Borrowed(name) => Name::Here(name),
            Cow::Owned(name) => Name::Kept(name.into()),
        }
    }
}

impl<'a> From<Name<'a>> for Cow<'a, str> {
    fn from(name: Name<'a>) -> Self {
        match name {
            Name::Here(name) => Cow::Borrowed(name),
            Name::Kept(name) => Cow::Owned(name.as_ref().to_owned()),
        }
    }
}

impl<'a> Definitions<'a> {
    /// How many types have been named.
    pub(super) fn types(&self) -> usize {
        self.types.len()
    }

    /// Gives a type the next number.
    pub(super) fn add_type(&mut self, name: Name<'a>) {
        self.types.push(name);
    }

    /// The name of a type.
    pub(super) fn type_name(&self, number: usize) -> Option<&Name<'a>> {
        self.types.get(number)
    }

    /// The name of a type for a value to keep.
    pub(super) fn keep_type(&mut self, number: usize) -> Option<Arc<str>> {
        self.types.get_mut(number).map(Name::keep)
    }

    /// How many classes have been defined.
    pub(super) fn classes(&self) -> usize {
        self.classes.len()
    }

    /// Makes room for a new class of so many fields.
    pub(super) fn begin_class(&mut self, fields: usize) {
        // Those of a definition that could not be read are forgotten.
        let first = self.classes.last().map_or(0, |class| class.fields.end);
        self.fields.truncate(first);
        self.fields.reserve(fields);
    }

    /// Adds a field to the class that will be defined next.
    pub(super) fn add_field(&mut self, name: Name<'a>) {
        self.fields.push(name);
    }

    /// Gives a class the next number; its fields are those that were added since it was begun.
    pub(super) fn add_class(&mut self, name: Name<'a>) {
        let first = self.classes.last().map_or(0, |class| class.fields.end);
        if first == self.fields.len() {
            let unannounced = Class::unannounced_field(name.as_str());
            self.fields.extend(unannounced.map(Name::Here));
        }
        let fields = first..self.fields.len();
        let kept = None;
        self.classes.push(Definition { name, fields, kept });
    }

    /// The name of a class.
    pub(super) fn class_name(&self, number: usize) -> Option<&Name<'a>> {
        self.classes.get(number).map(|class| &class.name)
    }

    /// How many fields a class has.
    pub(super) fn field_count(&self, class: usize) -> usize {
        self.classes.get(class).map_or(0, |class| class.fields.len())
    }

    /// The name of a field.
    #[inline]
    pub(super) fn field(&self, class: usize, at: usize) -> Option<Name<'a>> {
        let fields = self.fields.get(self.classes.get(class)?.fields.clone())?;
        fields.get(at).cloned()
    }

    /// A class for a value to keep.
    pub(super) fn keep_class(&mut self, number: usize) -> Option<Arc<Class>> {
        let class = self.classes.get_mut(number)?;
        if let Some(kept) = &class.kept {
            return Some(Arc::clone(kept));
        }
        let fields = self.fields.get_mut(class.fields.clone())?;
        let kept = Arc::new(Class {
            name: class.name.keep(),
            fields: fields.iter_mut().map(Name::keep).collect(),
        });
        class.kept = Some(Arc::clone(&kept));
        Some(kept)
    }
}

// ---------------------------------------------------------------------------------------------------------------------

impl<'a> Decoder<'a> {
    /// Reads a type: its name the first time, its number from then on. An empty name is no type.
    pub(super) fn type_number(&mut self) -> Result<Option<usize>, DecodeError> {
        let number = if self.peek()? == Kind::Text {
            let name = self.name()?;
            // When a part is read again its types are in the table already.
            if self.at.types == self.definitions.types() {
                self.definitions.add_type(name);
            }
            self.at.types += 1;
            self.at.types - 1
        } else {
            let index = self.index()?;
            let known = usize::try_from(index).ok().filter(|at| *at < self.at.types);
            known.ok_or(DecodeError::Type(index))?
        };
        let name = self.definitions.type_name(number).map_or("", Name::as_str);
        Ok(Some(number).filter(|_| !name.is_empty()))
    }

    #[inline]
    fn name(&mut self) -> Result<Name<'a>, DecodeError> {
        match self.plain_text() {
            Some(name) => Ok(Name::Here(name)),
            None => Ok(self.any_text()?.into()),
        }
    }

    /// Reads a class definition, whose first byte has been read.
    pub(super) fn class_definition(&mut self) -> Result<(), DecodeError> {
        let name = self.name()?;
        let count = self.length()?;
        // When a part is read again its classes are in the table already.
        let fresh = self.at.classes == self.definitions.classes();
        if fresh {
            // No more room than there are bytes to read.
            let room = count.min(self.rest().len() / size_of::<Name<'_>>());
            self.definitions.begin_class(room);
        }
        for _ in 0..count {
            let field = self.name()?;
            if fresh {
                self.definitions.add_field(field);
            }
        }
        if fresh {
            self.definitions.add_class(name);
        }
        self.at.classes += 1;
        Ok(())
    }

    /// The class of a number, if it is defined.
    pub(super) fn class(&self, index: i32) -> Result<usize, DecodeError> {
        match usize::try_from(index) {
            Ok(known) if known < self.at.classes => Ok(known),
            _ => Err(DecodeError::Class(index)),
        }
    }
}

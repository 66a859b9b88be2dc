//! The objects of the corpus as Rust has them: fields by the names and types of the Java classes.

use std::collections::{BTreeMap, BTreeSet};

use orana::Hessian;
use orana::hessian::java::{Array, BigDecimal, BigInteger, Date, Exception, LocalDate};

use super::canonical::{Canonical, Text};

/// `org.example.peer.Colour`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hessian)]
#[hessian(class = "org.example.peer.Colour", rename_all = "UPPERCASE")]
pub enum Colour {
    /// `RED`.
    Red,
    /// `GREEN`.
    Green,
    /// `BLUE`, which has a class of its own in Java.
    Blue,
}

/// The fields of `org.example.peer.Base`, of which others are children.
#[derive(Debug, Clone, Default, PartialEq, Hessian)]
pub struct Parent {
    /// `id`.
    #[hessian(default)]
    pub id: i64,
    /// `note`.
    pub note: Option<String>,
}

/// `org.example.peer.Base` itself.
#[derive(Debug, Clone, Default, PartialEq, Hessian)]
#[hessian(class = "org.example.peer.Base")]
pub struct Base {
    /// Its only fields.
    #[hessian(flatten)]
    pub parent: Parent,
}

/// `org.example.peer.Special`.
#[derive(Debug, Clone, Default, PartialEq, Hessian)]
#[hessian(class = "org.example.peer.Special")]
pub struct Special {
    /// The fields of the parent.
    #[hessian(flatten)]
    pub parent: Parent,
    /// `extra`.
    pub extra: Option<String>,
}

/// What may stand where Java declares a `Base`.
#[derive(Debug, Clone, PartialEq, Hessian)]
#[hessian(declared = "org.example.peer.Base")]
pub enum AnyBase {
    /// An `Item`.
    Item(Box<Item>),
    /// A `Special`.
    Special(Special),
    /// The parent alone.
    Base(Base),
}

/// `org.example.peer.Item`.
#[derive(Debug, Clone, PartialEq, Hessian)]
#[hessian(class = "org.example.peer.Item")]
#[allow(missing_docs, reason = "the fields of the Java class")]
pub struct Item {
    #[hessian(flatten)]
    pub parent: Parent,
    #[hessian(default)]
    pub flag: bool,
    #[hessian(default)]
    pub small: i8,
    #[hessian(default)]
    pub medium: i16,
    #[hessian(default)]
    pub count: i32,
    #[hessian(default)]
    pub letter: Letter,
    #[hessian(default)]
    pub price: f64,
    pub boxed: Option<i32>,
    pub big: Option<i64>,
    pub ratio: Option<f64>,
    pub name: Option<String>,
    pub made: Option<Date>,
    pub cost: Option<BigDecimal>,
    pub huge: Option<BigInteger>,
    pub colour: Option<Colour>,
    pub day: Option<LocalDate>,
    pub raw: Option<Vec<u8>>,
    pub numbers: Option<Array<i32>>,
    pub words: Option<Array<Option<String>>>,
    pub tags: Option<Vec<String>>,
    pub marks: Option<BTreeSet<i32>>,
    pub labels: Option<BTreeMap<i32, Option<String>>>,
    pub inner: Option<Box<Item>>,
    pub parts: Option<Vec<Option<Item>>>,
}

/// A `char` that is `x` unless it is said, as Java's constructor has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hessian)]
pub struct Letter(pub char);

/// `org.example.peer.Refused`, an exception with a field.
#[derive(Debug, Clone, PartialEq, Hessian)]
#[hessian(class = "org.example.peer.Refused")]
pub struct Refused {
    /// What every exception has.
    #[hessian(flatten)]
    pub exception: Exception,
    /// `code`.
    pub code: i32,
}

impl Default for Letter {
    fn default() -> Letter {
        Letter('x')
    }
}

impl Default for Item {
    /// As Java makes it.
    fn default() -> Item {
        Item {
            parent: Parent::default(),
            flag: false,
            small: 0,
            medium: 0,
            count: 0,
            letter: Letter::default(),
            price: 0.0,
            boxed: None,
            big: None,
            ratio: None,
            name: None,
            made: None,
            cost: None,
            huge: None,
            colour: None,
            day: None,
            raw: None,
            numbers: None,
            words: None,
            tags: None,
            marks: None,
            labels: None,
            inner: None,
            parts: None,
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------

impl Canonical for Colour {
    fn tell(&self, text: &mut Text) {
        text.put(match self {
            Colour::Red => "Colour.RED",
            Colour::Green => "Colour.GREEN",
            Colour::Blue => "Colour.BLUE",
        });
    }
}

impl Canonical for Letter {
    fn tell(&self, text: &mut Text) {
        self.0.tell(text);
    }
}

impl Canonical for Base {
    fn tell(&self, text: &mut Text) {
        text.object("Base", &mut [("id", &self.parent.id), ("note", &self.parent.note)]);
    }
}

impl Canonical for Special {
    fn tell(&self, text: &mut Text) {
        let parent = &self.parent;
        text.object(
            "Special",
            &mut [("id", &parent.id), ("note", &parent.note), ("extra", &self.extra)],
        );
    }
}

impl Canonical for AnyBase {
    fn tell(&self, text: &mut Text) {
        match self {
            AnyBase::Item(item) => item.tell(text),
            AnyBase::Special(special) => special.tell(text),
            AnyBase::Base(base) => base.tell(text),
        }
    }
}

impl Canonical for Item {
    fn tell(&self, text: &mut Text) {
        text.object(
            "Item",
            &mut [
                ("id", &self.parent.id),
                ("note", &self.parent.note),
                ("flag", &self.flag),
                ("small", &self.small),
                ("medium", &self.medium),
                ("count", &self.count),
                ("letter", &self.letter),
                ("price", &self.price),
                ("boxed", &self.boxed),
                ("big", &self.big),
                ("ratio", &self.ratio),
                ("name", &self.name),
                ("made", &self.made),
                ("cost", &self.cost),
                ("huge", &self.huge),
                ("colour", &self.colour),
                ("day", &self.day),
                ("raw", &self.raw),
                ("numbers", &self.numbers),
                ("words", &self.words),
                ("tags", &self.tags),
                ("marks", &self.marks),
                ("labels", &self.labels),
                ("inner", &self.inner),
                ("parts", &self.parts),
            ],
        );
    }
}

//! Writes values one after the other in the shortest form, and keeps the tables that a stream builds up.
//!
//! Lists are always written with their length: current Java readers cannot read the other form into collections.

use std::sync::Arc;

use bytes::{BufMut, BytesMut};
use smallvec::SmallVec;

use super::classes::{Classes, Origin};
use super::error::EncodeError;
use super::layout::{Field, Layout};
use super::node::{Content, Identity, Node};
use super::numbers::Numbers;
use super::text::{low_byte, put_text, put_u16};
use super::value::{Class, Value};

/// The most bytes of a binary chunk.
const CHUNK_BYTES: usize = 0xffff;

/// Appends values to a buffer. One encoder writes one stream: tables are shared from the first value to the last.
#[derive(Debug)]
pub struct Encoder<'b> {
    out: &'b mut BytesMut,
    /// How many containers have begun; each has the number that it was begun as.
    containers: i32,
    /// The nodes that have been written, with their numbers. Held, so that no other node gets the address of one.
    nodes: Numbers<Identity>,
    types: Numbers<Box<str>>,
    type_count: i32,
    classes: Classes,
}

impl<'b> Encoder<'b> {
    /// Appends to `out`.
    pub fn new(out: &'b mut BytesMut) -> Self {
        Encoder {
            out,
            containers: 0,
            nodes: Numbers::default(),
            types: Numbers::default(),
            type_count: 0,
            classes: Classes::default(),
        }
    }

    /// Appends null.
    pub fn null(&mut self) {
        self.out.put_u8(0x4e);
    }

    /// Appends a boolean.
    pub fn bool(&mut self, value: bool) {
        self.out.put_u8(if value { 0x54 } else { 0x46 });
    }

    /// Appends an int.
    #[inline]
    pub fn int(&mut self, value: i32) {
        let [_, b2, b1, b0] = value.to_be_bytes();
        match value {
            -0x10..=0x2f => self.out.put_u8(b0.wrapping_add(0x90)),
            -0x800..=0x7ff => self.out.put_slice(&[b1.wrapping_add(0xc8), b0]),
            -0x4_0000..=0x3_ffff => self.out.put_slice(&[b2.wrapping_add(0xd4), b1, b0]),
            _ => {
                self.out.put_u8(0x49);
                self.out.put_i32(value);
            }
        }
    }

    /// Appends a long.
    #[inline]
    pub fn long(&mut self, value: i64) {
        let [.., b2, b1, b0] = value.to_be_bytes();
        match (value, i32::try_from(value)) {
            (-0x8..=0xf, _) => self.out.put_u8(b0.wrapping_add(0xe0)),
            (-0x800..=0x7ff, _) => self.out.put_slice(&[b1.wrapping_add(0xf8), b0]),
            (-0x4_0000..=0x3_ffff, _) => self.out.put_slice(&[b2.wrapping_add(0x3c), b1, b0]),
            (_, Ok(short)) => {
                self.out.put_u8(0x59);
                self.out.put_i32(short);
            }
            (_, Err(_)) => {
                self.out.put_u8(0x4c);
                self.out.put_i64(value);
            }
        }
    }

    /// Appends a double. Unlike Java's writer this keeps the sign of zero.
    #[allow(clippy::cast_possible_truncation, reason = "compared with the original afterwards")]
    #[allow(clippy::float_cmp, reason = "a short form must stand for exactly the same number")]
    pub fn double(&mut self, value: f64) {
        let whole = value as i32;
        let mills = (value * 1000.0) as i32;
        if f64::from(whole).to_bits() == value.to_bits() {
            match (whole, i8::try_from(whole), i16::try_from(whole)) {
                (0, ..) => return self.out.put_u8(0x5b),
                (1, ..) => return self.out.put_u8(0x5c),
                (_, Ok(byte), _) => {
                    self.out.put_u8(0x5d);
                    return self.out.put_i8(byte);
                }
                (_, _, Ok(short)) => {
                    self.out.put_u8(0x5e);
                    return self.out.put_i16(short);
                }
                _ => {}
            }
        }
        if mills != 0 && 0.001 * f64::from(mills) == value {
            self.out.put_u8(0x5f);
            self.out.put_i32(mills);
        } else {
            self.out.put_u8(0x44);
            self.out.put_f64(value);
        }
    }

    /// Appends a date: milliseconds since 1970.
    pub fn date(&mut self, millis: i64) {
        match i32::try_from(millis / 60_000) {
            Ok(minutes) if millis % 60_000 == 0 => {
                self.out.put_u8(0x4b);
                self.out.put_i32(minutes);
            }
            _ => {
                self.out.put_u8(0x4a);
                self.out.put_i64(millis);
            }
        }
    }

    /// Appends a string.
    #[inline]
    pub fn text(&mut self, text: &str) {
        put_text(self.out, text);
    }

    /// Appends a byte array.
    pub fn binary(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while rest.len() > CHUNK_BYTES {
            let (chunk, tail) = rest.split_at_checked(CHUNK_BYTES).unwrap_or((rest, &[]));
            self.out.put_u8(0x41);
            put_u16(self.out, chunk.len());
            self.out.put_slice(chunk);
            rest = tail;
        }
        match rest.len() {
            length @ 0..=0xf => self.out.put_u8(0x20 | low_byte(length)),
            length @ 0x10..=0x3ff => put_u16(self.out, 0x3400 | length),
            length => {
                self.out.put_u8(0x42);
                put_u16(self.out, length);
            }
        }
        self.out.put_slice(rest);
    }

    // -----------------------------------------------------------------------------------------------------------------

    /// Begins a list; exactly `length` values must follow.
    pub fn begin_list(&mut self, kind: Option<&str>, length: usize) -> Result<(), EncodeError> {
        let count = i32::try_from(length).map_err(|_| EncodeError::Length(length))?;
        self.containers += 1;
        // A type without a name would not be readable as one; Java has none.
        match (kind.filter(|kind| !kind.is_empty()), length) {
            (Some(kind), 0..=7) => {
                self.out.put_u8(0x70 | low_byte(length));
                self.type_name(kind);
            }
            (Some(kind), _) => {
                self.out.put_u8(0x56);
                self.type_name(kind);
                self.int(count);
            }
            (None, 0..=7) => self.out.put_u8(0x78 | low_byte(length)),
            (None, _) => {
                self.out.put_u8(0x58);
                self.int(count);
            }
        }
        Ok(())
    }

    /// Begins a map; keys and values in turn must follow, then [`end_map`](Self::end_map).
    pub fn begin_map(&mut self, kind: Option<&str>) {
        self.containers += 1;
        match kind.filter(|kind| !kind.is_empty()) {
            Some(kind) => {
                self.out.put_u8(0x4d);
                self.type_name(kind);
            }
            None => self.out.put_u8(0x48),
        }
    }

    /// Ends the map that was begun last and has not ended.
    pub fn end_map(&mut self) {
        self.out.put_u8(0x5a);
    }

    /// Begins an object; the value of each field in this order must follow. The class is defined the first time.
    pub fn begin_object<S: AsRef<str>>(&mut self, class: &str, fields: &[S]) -> Result<(), EncodeError> {
        self.begin_defined(None, class, fields.len(), |out| {
            fields.iter().for_each(|field| put_text(out, field.as_ref()));
            fields.first().map(AsRef::as_ref)
        })
    }

    /// Begins an object of a class that is known from the source code; as with [`begin_object`](Self::begin_object),
    /// the values of the fields must follow.
    #[inline]
    pub fn begin(&mut self, layout: &'static Layout) -> Result<(), EncodeError> {
        let origin = Origin::of(layout);
        if let Some(number) = self.classes.from(origin) {
            return self.begin_known(number);
        }
        self.begin_defined(Some(origin), layout.class, Field::count(layout.fields), |out| {
            let mut first = None;
            Field::for_each(layout.fields, &mut |field| {
                first = first.or(Some(field));
                put_text(out, field);
            });
            first
        })
    }

    /// Begins an object of a class of which only `origin` may be known. `put_fields` appends the names of the fields and
    /// returns the first.
    fn begin_defined<'f>(
        &mut self,
        origin: Option<Origin>,
        class: &str,
        count: usize,
        put_fields: impl FnOnce(&mut BytesMut) -> Option<&'f str>,
    ) -> Result<(), EncodeError> {
        let fields = i32::try_from(count).map_err(|_| EncodeError::Length(count))?;
        let start = self.out.len();
        self.out.put_u8(0x43);
        self.text(class);
        let counted = self.out.len();
        self.int(fields);
        let first = put_fields(self.out);
        if count == 1 && first == Class::unannounced_field(class) {
            self.out.truncate(counted);
            self.int(0);
        }
        let number = self.classes.settle(origin, self.out, start);
        self.begin_known(number)
    }

    /// Begins an object of a class that has a number.
    #[inline]
    fn begin_known(&mut self, number: usize) -> Result<(), EncodeError> {
        self.containers += 1;
        match number {
            0..=0xf => self.out.put_u8(0x60 | low_byte(number)),
            _ => {
                self.out.put_u8(0x4f);
                self.int(i32::try_from(number).map_err(|_| EncodeError::Length(number))?);
            }
        }
        Ok(())
    }

    fn type_name(&mut self, name: &str) {
        match self.types.get(name) {
            Some(number) => self.int(number),
            None => {
                self.types.insert(name.into(), self.type_count);
                self.type_count += 1;
                self.text(name);
            }
        }
    }

    // -----------------------------------------------------------------------------------------------------------------

    /// Appends a value of any kind. A node that this encoder has written before becomes a reference.
    ///
    /// Keeps its own stack: a graph may be as deep as it is long.
    pub fn value(&mut self, value: &Value) -> Result<(), EncodeError> {
        let mut open: SmallVec<[(Node, usize); 8]> = SmallVec::new();
        open.extend(self.value_here(value)?.map(|node| (node, 0)));
        while let Some((node, next)) = open.last_mut() {
            let content = node.content().ok_or(EncodeError::Unfilled)?;
            match content.child(*next) {
                Some(child) => {
                    *next += 1;
                    if let Some(inner) = self.value_here(child)? {
                        open.push((inner, 0));
                    }
                }
                None => {
                    if matches!(content, Content::Map(_)) {
                        self.end_map();
                    }
                    open.pop();
                }
            }
        }
        Ok(())
    }

    /// Appends a value, or only the beginning of the node that is returned.
    fn value_here(&mut self, value: &Value) -> Result<Option<Node>, EncodeError> {
        match value {
            Value::Null => self.null(),
            Value::Bool(value) => self.bool(*value),
            Value::Int(value) => self.int(*value),
            Value::Long(value) => self.long(*value),
            Value::Double(value) => self.double(*value),
            Value::Date(value) => self.date(*value),
            Value::Text(value) => self.text(value),
            Value::Binary(value) => self.binary(value),
            Value::Node(node) => return self.begin_node(node.clone()),
            Value::Back(back) => return self.begin_node(back.node().ok_or(EncodeError::Gone)?),
        }
        Ok(None)
    }

    fn begin_node(&mut self, node: Node) -> Result<Option<Node>, EncodeError> {
        let identity = Identity(node.clone());
        if let Some(number) = self.nodes.get(&identity) {
            self.out.put_u8(0x51);
            self.int(number);
            return Ok(None);
        }
        self.nodes.insert(identity, self.containers);
        match node.content().ok_or(EncodeError::Unfilled)? {
            Content::List(list) => self.begin_list(list.kind.as_deref(), list.items.len())?,
            Content::Map(map) => self.begin_map(map.kind.as_deref()),
            Content::Object(object) => {
                if object.values.len() != object.class.fields.len() {
                    return Err(EncodeError::Fields(Arc::clone(&object.class.name)));
                }
                // The node is held, and its class with it.
                let origin = Origin::of(&*object.class);
                match self.classes.from(origin) {
                    Some(number) => self.begin_known(number)?,
                    None => self.begin_defined(Some(origin), &object.class.name, object.class.fields.len(), |out| {
                        let fields = &object.class.fields;
                        fields.iter().for_each(|field| put_text(out, field));
                        fields.first().map(AsRef::as_ref)
                    })?,
                }
            }
        }
        Ok(Some(node))
    }
}

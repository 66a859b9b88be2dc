//! Reads values one after the other: the opcodes, and the three tables that a stream builds up.
//!
//! A reference on the wire names a container by its number. A typed reader that meets one is taken back to where that
//! container stands, reads it again, and goes on after the reference; the tables know what they held at that place.
//! [`containers`](super::containers) reads lists, maps and objects; this file reads everything that stands for itself.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::ascii::ascii;
use super::definitions::Definitions;
use super::error::DecodeError;
use super::kind::Kind;
use super::limits::Limits;
use super::node::Node;
use super::text::TextReader;

/// A place in the stream, with what the tables held there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Position {
    pub(super) byte: usize,
    pub(super) containers: usize,
    pub(super) classes: usize,
    pub(super) types: usize,
}

/// Where a reader may come back to.
#[derive(Debug, Clone, Copy)]
pub struct Bookmark {
    at: Position,
    inside: usize,
    depth: usize,
}

/// Reads values from a slice. One decoder reads one stream: tables are shared from the first value to the last.
#[derive(Debug)]
pub struct Decoder<'a> {
    input: &'a [u8],
    pub(super) at: Position,
    pub(super) limits: Limits,
    pub(super) depth: usize,
    values: usize,
    /// Bytes read once more than they are long, because a reference led back to them.
    replayed: usize,
    /// Where each container begins, by its number.
    pub(super) places: SmallVec<[Position; 12]>,
    /// The containers that were read as [`Value`](super::Value)s, by their number.
    pub(super) nodes: Vec<Option<Node>>,
    pub(super) definitions: Definitions<'a>,
    /// The number of the container that is being read, if one is.
    pub(super) inside: usize,
    /// Where the stack stood when the outermost container was entered.
    pub(super) stack: usize,
}

// ---------------------------------------------------------------------------------------------------------------------

impl<'a> Decoder<'a> {
    /// Starts at the beginning of `input` with the default limits.
    pub fn new(input: &'a [u8]) -> Self {
        Decoder::limited(input, Limits::DEFAULT)
    }

    /// Starts at the beginning of `input`.
    pub fn limited(input: &'a [u8], limits: Limits) -> Self {
        Decoder {
            input,
            at: Position {
                byte: 0,
                containers: 0,
                classes: 0,
                types: 0,
            },
            limits,
            depth: 0,
            values: 0,
            replayed: 0,
            places: SmallVec::new(),
            nodes: Vec::new(),
            definitions: Definitions::default(),
            inside: 0,
            stack: 0,
        }
    }

    /// Bytes that have not been read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.input.get(self.at.byte..).unwrap_or(&[])
    }

    /// Marks where the next value begins; [`rewind`](Self::rewind) leads back there.
    pub fn mark(&self) -> Bookmark {
        Bookmark {
            at: self.at,
            inside: self.inside,
            depth: self.depth,
        }
    }

    /// The number of the container that is being read, or of the last one: its identity in this stream.
    pub fn inside(&self) -> usize {
        self.inside
    }

    /// Goes back to a mark that this decoder has set in the container that it is in, also after an error.
    pub fn rewind(&mut self, mark: Bookmark) -> Result<(), DecodeError> {
        self.charge_replay(mark.at.byte)?;
        self.at = mark.at;
        self.inside = mark.inside;
        self.depth = mark.depth;
        // What was being built when reading failed will never be complete.
        self.nodes.truncate(mark.at.containers);
        Ok(())
    }

    /// What the next value is. A class definition counts as the object that follows it.
    #[inline]
    pub fn peek(&self) -> Result<Kind, DecodeError> {
        match self.kind() {
            Some(kind) => Ok(kind),
            None => Err(self.no_kind()),
        }
    }

    #[inline]
    fn kind(&self) -> Option<Kind> {
        let byte = self
            .input
            .get(self.at.byte)
            .filter(|_| self.at.byte < self.limits.bytes)?;
        Kind::begun_by(*byte)
    }

    /// Why nothing begins here.
    #[cold]
    fn no_kind(&self) -> DecodeError {
        match self.peek_byte() {
            Ok(byte) => DecodeError::Opcode { byte, at: self.at.byte },
            Err(error) => error,
        }
    }

    /// Reads a null if there is one.
    #[inline]
    pub fn null(&mut self) -> Result<bool, DecodeError> {
        let null = self.peek_byte()? == 0x4e;
        if null {
            self.begin_value()?;
        }
        Ok(null)
    }

    /// Reads a boolean.
    pub fn bool(&mut self) -> Result<bool, DecodeError> {
        match self.expect(Kind::Bool, "a boolean")? {
            0x54 => Ok(true),
            _ => Ok(false),
        }
    }

    /// Reads a whole number: an int, a long, or a double without a fraction, as Java's readers convert freely.
    #[inline]
    pub fn integer(&mut self) -> Result<i64, DecodeError> {
        match self.peek()? {
            Kind::Int | Kind::Long => {}
            Kind::Double => return self.whole(),
            found => {
                return Err(DecodeError::Unexpected {
                    wanted: "an integer",
                    found,
                });
            }
        }
        let first = self.begin_value()?;
        let high = |base: u8| i64::from(first) - i64::from(base);
        Ok(match first {
            0x80..=0xbf => high(0x90),
            0xc0..=0xcf => (high(0xc8) << 8) + i64::from(self.byte()?),
            0xd0..=0xd7 => (high(0xd4) << 16) + i64::from(u16::from_be_bytes(self.chunk()?)),
            0xd8..=0xef => high(0xe0),
            0xf0..=0xff => (high(0xf8) << 8) + i64::from(self.byte()?),
            0x38..=0x3f => (high(0x3c) << 16) + i64::from(u16::from_be_bytes(self.chunk()?)),
            0x4c => i64::from_be_bytes(self.chunk()?),
            _ => i64::from(i32::from_be_bytes(self.chunk()?)),
        })
    }

    fn whole(&mut self) -> Result<i64, DecodeError> {
        let number = self.double()?;
        // Both bounds are doubles exactly; -2^63 is within, 2^63 is not.
        if number.fract() == 0.0 && (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number) {
            #[allow(clippy::cast_possible_truncation, reason = "checked on the line above")]
            return Ok(number as i64);
        }
        Err(DecodeError::Range("an integer"))
    }

    /// Reads a number as a double.
    pub fn double(&mut self) -> Result<f64, DecodeError> {
        match self.peek()? {
            Kind::Double => {}
            Kind::Int | Kind::Long => {
                #[allow(clippy::cast_precision_loss, reason = "so it is in Java")]
                return Ok(self.integer()? as f64);
            }
            found => {
                return Err(DecodeError::Unexpected {
                    wanted: "a number",
                    found,
                });
            }
        }
        Ok(match self.begin_value()? {
            0x5b => 0.0,
            0x5c => 1.0,
            0x5d => f64::from(i8::from_be_bytes(self.chunk()?)),
            0x5e => f64::from(i16::from_be_bytes(self.chunk()?)),
            0x5f => 0.001 * f64::from(i32::from_be_bytes(self.chunk()?)),
            _ => f64::from_be_bytes(self.chunk()?),
        })
    }

    /// Reads a date: milliseconds since 1970.
    pub fn date(&mut self) -> Result<i64, DecodeError> {
        match self.expect(Kind::Date, "a date")? {
            0x4b => Ok(i64::from(i32::from_be_bytes(self.chunk()?)) * 60_000),
            _ => Ok(i64::from_be_bytes(self.chunk()?)),
        }
    }

    /// Reads a string; borrows it where Java's form and ours are the same.
    #[inline]
    pub fn text(&mut self) -> Result<Cow<'a, str>, DecodeError> {
        match self.plain_text() {
            Some(plain) => Ok(Cow::Borrowed(plain)),
            None => self.any_text(),
        }
    }

    /// Reads a string if it is one chunk of ASCII, as most are; otherwise nothing. What it returns fits registers, which
    /// is half of its worth.
    #[inline]
    pub(super) fn plain_text(&mut self) -> Option<&'a str> {
        let (start, units) = match *self.rest() {
            [first @ 0x00..=0x1f, ..] => (self.at.byte + 1, usize::from(first)),
            [first @ 0x30..=0x33, second, ..] => {
                let high = usize::from(first - 0x30) << 8;
                (self.at.byte + 2, high | usize::from(second))
            }
            _ => return None,
        };
        let end = start + units;
        let plain = self.input.get(start..end).and_then(ascii)?;
        if self.at.byte >= self.limits.bytes || self.values >= self.limits.values {
            return None;
        }
        self.values += 1;
        self.at.byte = end;
        Some(plain)
    }

    pub(super) fn any_text(&mut self) -> Result<Cow<'a, str>, DecodeError> {
        let first = self.expect(Kind::Text, "a string")?;
        let units = self.units(first)?;
        self.chunks(first, units)
    }

    /// Reads a string chunk by chunk, whose first byte and length have been read.
    fn chunks(&mut self, mut first: u8, mut units: usize) -> Result<Cow<'a, str>, DecodeError> {
        let mut text = TextReader::default();
        loop {
            let taken = text.chunk(self.rest(), units)?;
            self.at.byte += taken;
            if first != 0x52 {
                return Ok(text.finish());
            }
            first = self.byte()?;
            units = self.units(first)?;
        }
    }

    /// Reads the length of a string's chunk, whose first byte has been read.
    #[inline]
    fn units(&mut self, first: u8) -> Result<usize, DecodeError> {
        Ok(match first {
            0x00..=0x1f => usize::from(first),
            0x30..=0x33 => usize::from(first - 0x30) << 8 | usize::from(self.byte()?),
            0x52 | 0x53 => usize::from(u16::from_be_bytes(self.chunk()?)),
            byte => return Err(self.no_chunk(byte)),
        })
    }

    /// Reads a byte array; borrows it if it is one chunk.
    pub fn binary(&mut self) -> Result<Cow<'a, [u8]>, DecodeError> {
        let mut first = self.expect(Kind::Binary, "a byte array")?;
        let mut bytes = Cow::Borrowed(&[][..]);
        loop {
            let length = match first {
                0x20..=0x2f => usize::from(first - 0x20),
                0x34..=0x37 => usize::from(first - 0x34) << 8 | usize::from(self.byte()?),
                0x41 | 0x42 => usize::from(u16::from_be_bytes(self.chunk()?)),
                byte => return Err(self.no_chunk(byte)),
            };
            let chunk = self.take(length)?;
            if bytes.is_empty() {
                bytes = Cow::Borrowed(chunk);
            } else {
                bytes.to_mut().extend_from_slice(chunk);
            }
            if first != 0x41 {
                return Ok(bytes);
            }
            first = self.byte()?;
        }
    }

    // -----------------------------------------------------------------------------------------------------------------

    /// Reads the first byte of a value of this kind.
    #[inline]
    fn expect(&mut self, kind: Kind, wanted: &'static str) -> Result<u8, DecodeError> {
        let found = self.peek()?;
        if found == kind {
            self.begin_value()
        } else {
            Err(DecodeError::Unexpected { wanted, found })
        }
    }

    /// Reads the first byte of a value and counts the value.
    #[inline]
    pub(super) fn begin_value(&mut self) -> Result<u8, DecodeError> {
        self.count()?;
        self.byte()
    }

    #[inline]
    fn count(&mut self) -> Result<(), DecodeError> {
        self.values += 1;
        if self.values > self.limits.values {
            return Err(DecodeError::Count);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn peek_byte(&self) -> Result<u8, DecodeError> {
        if self.at.byte >= self.limits.bytes {
            return Err(DecodeError::Bytes);
        }
        match self.input.get(self.at.byte) {
            Some(byte) => Ok(*byte),
            None => Err(DecodeError::Truncated),
        }
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Result<u8, DecodeError> {
        let byte = self.peek_byte()?;
        self.at.byte += 1;
        Ok(byte)
    }

    #[inline]
    pub(super) fn chunk<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let Some(chunk) = self.rest().first_chunk::<N>() else {
            return Err(DecodeError::Truncated);
        };
        self.at.byte += N;
        Ok(*chunk)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let Some(taken) = self.rest().get(..length) else {
            return Err(DecodeError::Truncated);
        };
        self.at.byte += length;
        Ok(taken)
    }

    fn no_chunk(&self, byte: u8) -> DecodeError {
        DecodeError::Opcode {
            byte,
            at: self.at.byte.saturating_sub(1),
        }
    }

    /// Reads an int that is a length; every element takes a byte at least.
    pub(super) fn length(&mut self) -> Result<usize, DecodeError> {
        let length = self.index()?;
        let length = usize::try_from(length).map_err(|_| DecodeError::Length(length))?;
        if length > self.rest().len() {
            return Err(DecodeError::Truncated);
        }
        Ok(length)
    }

    /// Reads an int that is a number in a table.
    pub(super) fn index(&mut self) -> Result<i32, DecodeError> {
        match self.peek()? {
            Kind::Int => i32::try_from(self.integer()?).map_err(|_| DecodeError::Range("an int")),
            found => Err(DecodeError::Unexpected {
                wanted: "an int",
                found,
            }),
        }
    }

    /// Accounts for reading again from `byte` up to here.
    pub(super) fn charge_replay(&mut self, byte: usize) -> Result<(), DecodeError> {
        self.replayed = self.replayed.saturating_add(self.at.byte.saturating_sub(byte));
        if self.replayed > self.limits.bytes {
            return Err(DecodeError::Bytes);
        }
        Ok(())
    }
}

//! What kinds of values there are, and which bytes begin them.

use std::fmt;

/// What a value is, as far as its first byte says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is what it says")]
pub enum Kind {
    Null,
    Bool,
    Int,
    Long,
    Double,
    Date,
    Text,
    Binary,
    List,
    Map,
    Object,
    Reference,
}

/// What a value is that begins with a byte.
#[allow(clippy::indexing_slicing, reason = "by a byte, and when the program is built")]
static KINDS: [Option<Kind>; 256] = {
    let mut kinds = [None; 256];
    let mut byte = 0u8;
    loop {
        kinds[byte as usize] = Kind::of(byte);
        if byte == u8::MAX {
            break kinds;
        }
        byte += 1;
    }
};

impl Kind {
    /// What a value is that begins with `byte`.
    #[inline]
    pub(super) fn begun_by(byte: u8) -> Option<Kind> {
        KINDS.get(usize::from(byte)).copied().flatten()
    }

    const fn of(byte: u8) -> Option<Kind> {
        Some(match byte {
            0x00..=0x1f | 0x30..=0x33 | 0x52 | 0x53 => Kind::Text,
            0x20..=0x2f | 0x34..=0x37 | 0x41 | 0x42 => Kind::Binary,
            0x49 | 0x80..=0xd7 => Kind::Int,
            0x38..=0x3f | 0x4c | 0x59 | 0xd8..=0xff => Kind::Long,
            0x44 | 0x5b..=0x5f => Kind::Double,
            0x46 | 0x54 => Kind::Bool,
            0x4e => Kind::Null,
            0x4a | 0x4b => Kind::Date,
            0x55..=0x58 | 0x70..=0x7f => Kind::List,
            0x48 | 0x4d => Kind::Map,
            0x43 | 0x4f | 0x60..=0x6f => Kind::Object,
            0x51 => Kind::Reference,
            0x40 | 0x45 | 0x47 | 0x50 | 0x5a => return None,
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Null => "null",
            Kind::Bool => "a boolean",
            Kind::Int => "an int",
            Kind::Long => "a long",
            Kind::Double => "a double",
            Kind::Date => "a date",
            Kind::Text => "a string",
            Kind::Binary => "a byte array",
            Kind::List => "a list",
            Kind::Map => "a map",
            Kind::Object => "an object",
            Kind::Reference => "a reference",
        })
    }
}

//! Strings as Java counts and writes them: in UTF-16 units, each unit by itself as one to three bytes.
//!
//! A character above U+FFFF is therefore two units of three bytes, which is not valid UTF-8. Unpaired surrogates, which
//! Java strings may hold and Rust strings may not, become U+FFFD.

use std::borrow::Cow;

use bytes::{BufMut, BytesMut};

use super::ascii::ascii;
use super::error::DecodeError;

/// The most units Java puts in one chunk, and so do we.
const CHUNK_UNITS: usize = 0x8000;
const DIRECT_MAX: usize = 0x1f;
const SHORT_MAX: usize = 0x3ff;

// ---------------------------------------------------------------------------------------------------------------------

/// Collects the units of a string, chunk by chunk; borrows while the bytes are UTF-8 already.
#[derive(Debug, Default)]
pub(super) struct TextReader<'a> {
    text: Cow<'a, str>,
    /// A first half that awaits its second, which may stand in the next chunk.
    high: Option<u16>,
}

impl<'a> TextReader<'a> {
    /// Reads `units` units from the front of `bytes` and returns how many bytes they took.
    #[inline]
    pub(super) fn chunk(&mut self, bytes: &'a [u8], units: usize) -> Result<usize, DecodeError> {
        // Every unit is at least one byte, so a string of ASCII is exactly its units.
        if let Some(plain) = bytes.get(..units).and_then(ascii) {
            self.lone_high();
            self.push(plain);
            return Ok(units);
        }
        self.mixed(bytes, units)
    }

    /// The whole string.
    pub(super) fn finish(mut self) -> Cow<'a, str> {
        self.lone_high();
        self.text
    }

    fn mixed(&mut self, bytes: &'a [u8], units: usize) -> Result<usize, DecodeError> {
        if units > bytes.len() {
            return Err(DecodeError::Truncated);
        }
        let mut taken = 0;
        let mut plain_from = 0;
        for _ in 0..units {
            let (unit, length) = unit(bytes.get(taken..).unwrap_or(&[]))?;
            let ordinary = !matches!(unit, 0xd800..=0xdfff) && length == utf8_length(unit);
            if !ordinary || self.high.is_some() {
                self.push_bytes(bytes.get(plain_from..taken));
                self.unit(unit);
                plain_from = taken + length;
            }
            taken += length;
        }
        self.push_bytes(bytes.get(plain_from..taken));
        Ok(taken)
    }

    fn push_bytes(&mut self, bytes: Option<&'a [u8]>) {
        // These were looked at unit by unit: nothing in them is not UTF-8.
        if let Some(Ok(text)) = bytes.map(std::str::from_utf8) {
            self.push(text);
        }
    }

    fn push(&mut self, text: &'a str) {
        if self.text.is_empty() {
            self.text = Cow::Borrowed(text);
        } else if !text.is_empty() {
            self.text.to_mut().push_str(text);
        }
    }

    fn unit(&mut self, unit: u16) {
        let pair = self.high.take().map(|high| [high, unit]);
        match (pair, unit) {
            (Some(pair), 0xdc00..=0xdfff) => {
                for character in char::decode_utf16(pair) {
                    self.text
                        .to_mut()
                        .push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                return;
            }
            (Some(_), _) => self.text.to_mut().push(char::REPLACEMENT_CHARACTER),
            (None, _) => {}
        }
        match unit {
            0xd800..=0xdbff => self.high = Some(unit),
            unit => {
                let character = char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER);
                self.text.to_mut().push(character);
            }
        }
    }

    fn lone_high(&mut self) {
        if self.high.take().is_some() {
            self.text.to_mut().push(char::REPLACEMENT_CHARACTER);
        }
    }
}

/// The unit at the front and how many bytes it takes.
fn unit(bytes: &[u8]) -> Result<(u16, usize), DecodeError> {
    let low = |byte: u8| match byte {
        0x80..=0xbf => Ok(u16::from(byte & 0x3f)),
        _ => Err(DecodeError::Text),
    };
    match *bytes {
        [byte @ 0..=0x7f, ..] => Ok((u16::from(byte), 1)),
        [a @ 0xc0..=0xdf, b, ..] => Ok((u16::from(a & 0x1f) << 6 | low(b)?, 2)),
        [a @ 0xe0..=0xef, b, c, ..] => Ok((u16::from(a & 0x0f) << 12 | low(b)? << 6 | low(c)?, 3)),
        [] | [0xc0..=0xef, ..] => Err(DecodeError::Truncated),
        [..] => Err(DecodeError::Text),
    }
}

fn utf8_length(unit: u16) -> usize {
    match unit {
        0..=0x7f => 1,
        0x80..=0x7ff => 2,
        _ => 3,
    }
}

// ---------------------------------------------------------------------------------------------------------------------

/// Appends a string in the chunks that Java would choose.
#[inline]
pub(super) fn put_text(out: &mut BytesMut, text: &str) {
    if !text.is_ascii() || text.len() > SHORT_MAX {
        return put_chunks(out, text);
    }
    match text.len() {
        length @ 0..=DIRECT_MAX => out.put_u8(low_byte(length)),
        length => put_u16(out, 0x3000 | length),
    }
    out.put_slice(text.as_bytes());
}

fn put_chunks(out: &mut BytesMut, text: &str) {
    let ascii = text.is_ascii();
    let mut rest = text;
    // Bytes are never fewer than units, so what is short in bytes needs no counting.
    while rest.len() > CHUNK_UNITS {
        let (units, length) = if ascii {
            (CHUNK_UNITS, CHUNK_UNITS)
        } else {
            first_chunk(rest)
        };
        if length == rest.len() {
            break;
        }
        let (chunk, tail) = rest.split_at_checked(length).unwrap_or((rest, ""));
        out.put_u8(0x52);
        put_u16(out, units);
        put_units(out, chunk);
        rest = tail;
    }
    let units = if ascii { rest.len() } else { units_of(rest) };
    if units <= DIRECT_MAX {
        out.put_u8(low_byte(units));
    } else if units <= SHORT_MAX {
        put_u16(out, 0x3000 | units);
    } else {
        out.put_u8(0x53);
        put_u16(out, units);
    }
    put_units(out, rest);
}

/// Units and bytes of the longest beginning that fits a chunk and splits no character.
fn first_chunk(text: &str) -> (usize, usize) {
    let mut units = 0;
    for (at, character) in text.char_indices() {
        if units + character.len_utf16() > CHUNK_UNITS {
            return (units, at);
        }
        units += character.len_utf16();
    }
    (units, text.len())
}

/// How many units a text has: one for each character, and one more for each beyond U+FFFF.
fn units_of(text: &str) -> usize {
    let units = |byte: u8| usize::from(!matches!(byte, 0x80..=0xbf)) + usize::from(byte >= 0xf0);
    text.bytes().map(units).sum()
}

fn put_units(out: &mut BytesMut, text: &str) {
    let mut rest = text;
    if !text.bytes().any(|byte| byte >= 0xf0) {
        return out.put_slice(text.as_bytes());
    }
    while let Some(at) = rest.find(|character: char| character > '\u{ffff}') {
        let (plain, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.put_slice(plain.as_bytes());
        let mut characters = tail.chars();
        for unit in characters.next().iter().flat_map(|character| {
            let mut pair = [0; 2];
            character.encode_utf16(&mut pair);
            pair
        }) {
            out.put_u8(0xe0 | low_byte(usize::from(unit >> 12)));
            out.put_u8(0x80 | low_byte(usize::from(unit >> 6 & 0x3f)));
            out.put_u8(0x80 | low_byte(usize::from(unit & 0x3f)));
        }
        rest = characters.as_str();
    }
    out.put_slice(rest.as_bytes());
}

/// Appends the low 16 bits: lengths of chunks, which never have more.
pub(super) fn put_u16(out: &mut BytesMut, value: usize) {
    out.put_slice(&[low_byte(value >> 8), low_byte(value)]);
}

/// The low eight bits.
pub(super) fn low_byte(value: usize) -> u8 {
    let [byte, ..] = value.to_le_bytes();
    byte
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(chunks: &[(&[u8], usize)]) -> Result<String, DecodeError> {
        let mut reader = TextReader::default();
        for (bytes, units) in chunks {
            assert_eq!(reader.chunk(bytes, *units)?, bytes.len());
        }
        Ok(reader.finish().into_owned())
    }

    #[test]
    fn a_pair_of_surrogates_is_one_character_even_across_chunks() {
        let smile: &[u8] = b"\xed\xa0\xbd\xed\xb8\x80";
        assert_eq!(read(&[(smile, 2)]).unwrap(), "\u{1f600}");
        assert_eq!(read(&[(&smile[..3], 1), (&smile[3..], 1)]).unwrap(), "\u{1f600}");
        assert_eq!(read(&[(b"a\xed\xa0\xbd\xed\xb8\x80b", 4)]).unwrap(), "a\u{1f600}b");
    }

    #[test]
    fn half_a_pair_is_replaced_and_nothing_else_is_lost() {
        assert_eq!(read(&[(b"a\xed\xa0\xbdb", 3)]).unwrap(), "a\u{fffd}b");
        assert_eq!(read(&[(b"\xed\xb8\x80b", 2)]).unwrap(), "\u{fffd}b");
        assert_eq!(
            read(&[(b"\xed\xa0\xbd\xed\xa0\xbd\xed\xb8\x80", 3)]).unwrap(),
            "\u{fffd}\u{1f600}"
        );
        assert_eq!(read(&[(b"\xed\xa0\xbd", 1), (b"ab", 2)]).unwrap(), "\u{fffd}ab");
        assert_eq!(read(&[(b"\xed\xa0\xbd", 1)]).unwrap(), "\u{fffd}");
    }

    #[test]
    fn what_is_utf8_already_is_borrowed() {
        let mut reader = TextReader::default();
        reader.chunk("grüße 中".as_bytes(), 7).unwrap();
        assert!(matches!(reader.finish(), Cow::Borrowed("grüße 中")));
    }

    #[test]
    fn javas_two_byte_nul_is_a_nul_and_four_byte_characters_are_refused() {
        assert_eq!(read(&[(b"a\xc0\x80b", 3)]).unwrap(), "a\0b");
        assert_eq!(read(&[("\u{1f600}".as_bytes(), 1)]), Err(DecodeError::Text));
        assert_eq!(read(&[(b"\xc3(", 1)]), Err(DecodeError::Text));
        assert_eq!(read(&[(b"\xe4\xb8", 1)]), Err(DecodeError::Truncated));
        assert_eq!(read(&[(b"ab", 3)]), Err(DecodeError::Truncated));
    }

    #[test]
    fn chunks_end_before_a_character_that_would_be_split() {
        let mut out = BytesMut::new();
        put_text(&mut out, &format!("{}\u{1f600}", "x".repeat(32767)));
        assert_eq!(&out[..3], b"\x52\x7f\xff");
        assert_eq!(&out[3 + 32767..], b"\x02\xed\xa0\xbd\xed\xb8\x80");
    }
}

//! The text form of `java.util.Properties`: what its `store` writes, and everything that its `load` reads. ISO 8859-1 in a file, with
//! `\uXXXX` for the rest; any characters in a text. Knows nothing of what keys and values mean.

use std::io::{self, BufRead, Bytes, Write};
use std::iter::Peekable;

/// A logical line may be this long; a thousand providers of an interface take a megabyte.
const MAX_LINE: usize = 256 << 20;

/// Why a text is not of this form.
#[derive(Debug)]
#[non_exhaustive]
pub enum PropertiesError {
    /// It could not be read.
    Read(io::Error),
    /// It could be read and is something else.
    Damaged {
        /// Which line, counted from 1; of several that continue each other the first, if it is what they say together.
        line: usize,
        /// What is wrong with it.
        why: &'static str,
    },
}

/// The entries of a text, in its order.
pub struct Entries<R: BufRead> {
    input: Peekable<Bytes<R>>,
    encoding: Encoding,
    /// How many lines have ended.
    ended: usize,
    /// Where the newest entry begins.
    began: usize,
    failed: bool,
}

/// What a byte above 127 is.
#[derive(Clone, Copy)]
enum Encoding {
    /// A character of its own, as `load(InputStream)` has it.
    Latin1,
    /// A part of one, as in what is given to `load(Reader)`.
    Utf8,
}

impl<'a> Entries<&'a [u8]> {
    /// The entries in a text whose characters stand for themselves.
    pub fn of_text(text: &'a str) -> Entries<&'a [u8]> {
        Entries {
            encoding: Encoding::Utf8,
            ..Entries::new(text.as_bytes())
        }
    }
}

impl<R: BufRead> Entries<R> {
    /// The entries in `input`.
    pub fn new(input: R) -> Entries<R> {
        Entries {
            input: input.bytes().peekable(),
            encoding: Encoding::Latin1,
            ended: 0,
            began: 0,
            failed: false,
        }
    }

    /// The line, from 1, on which the newest entry begins; 0 before the first.
    pub fn line(&self) -> usize {
        self.began
    }

    fn entry(&mut self) -> Result<Option<(String, String)>, PropertiesError> {
        let Some(line) = self.logical_line()? else {
            return Ok(None);
        };
        let (key, value) = split(&line);
        Ok(Some((self.unescaped(key)?, self.unescaped(value)?)))
    }

    /// The next line that is neither blank nor a comment, joined with those that continue it, escapes still in it.
    fn logical_line(&mut self) -> Result<Option<Vec<u8>>, PropertiesError> {
        let mut line = Vec::new();
        let mut continued = false;
        loop {
            if !continued {
                self.began = self.ended + 1;
            }
            if !self.natural_line(&mut line, continued)? {
                return Ok((!line.is_empty()).then_some(line));
            }
            if line.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1 {
                line.pop();
                continued = true;
            } else if !line.is_empty() || continued {
                return Ok(Some(line));
            }
        }
    }

    /// Appends the next line without the blanks at its front, nothing of it if it is a comment. `false` at the end.
    fn natural_line(&mut self, line: &mut Vec<u8>, continued: bool) -> Result<bool, PropertiesError> {
        let mut before_text = true;
        let mut comment = false;
        let mut any = false;
        for byte in &mut self.input {
            let byte = byte.map_err(PropertiesError::Read)?;
            any = true;
            match byte {
                b'\n' => {
                    self.ended += 1;
                    return Ok(true);
                }
                b'\r' => {
                    self.ended += 1;
                    self.input.next_if(|next| matches!(next, Ok(b'\n')));
                    return Ok(true);
                }
                b' ' | b'\t' | b'\x0c' if before_text => {}
                b'#' | b'!' if before_text && !continued => {
                    before_text = false;
                    comment = true;
                }
                0 => return Err(damaged(self.ended + 1, "it holds a zero byte")),
                _ => {
                    before_text = false;
                    if !comment {
                        if line.len() == MAX_LINE {
                            return Err(damaged(self.ended + 1, "it is too long"));
                        }
                        line.push(byte);
                    }
                }
            }
        }
        Ok(any)
    }

    fn unescaped(&self, text: &[u8]) -> Result<String, PropertiesError> {
        match self.encoding {
            Encoding::Latin1 => self.characters(text.len(), text.iter().map(|byte| char::from(*byte))),
            Encoding::Utf8 => {
                let text = std::str::from_utf8(text).map_err(|_| damaged(self.began, "it is not UTF-8"))?;
                self.characters(text.len(), text.chars())
            }
        }
    }

    /// What `text`, of about `length` units, says without its escapes. An escape is half of a character at times.
    fn characters(&self, length: usize, mut text: impl Iterator<Item = char>) -> Result<String, PropertiesError> {
        let mut units = Vec::with_capacity(length);
        while let Some(character) = text.next() {
            let said = match character {
                '\\' => match text.next() {
                    Some('t') => '\t',
                    Some('n') => '\n',
                    Some('r') => '\r',
                    Some('f') => '\x0c',
                    Some('u') => {
                        let mut unit = 0;
                        for _ in 0..4 {
                            let digit = text.next().and_then(|digit| digit.to_digit(16));
                            let why = "`\\u` is not followed by four hexadecimal digits";
                            let digit = digit.ok_or(damaged(self.began, why))?;
                            unit = unit << 4 | digit as u16;
                        }
                        units.push(unit);
                        continue;
                    }
                    Some(other) => other,
                    None => break,
                },
                plain => plain,
            };
            units.extend_from_slice(said.encode_utf16(&mut [0; 2]));
        }
        Ok(String::from_utf16_lossy(&units))
    }
}

fn damaged(line: usize, why: &'static str) -> PropertiesError {
    PropertiesError::Damaged { line, why }
}

impl<R: BufRead> Iterator for Entries<R> {
    type Item = Result<(String, String), PropertiesError>;

    /// The next entry. Nothing follows an error.
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let entry = self.entry().transpose();
        self.failed = matches!(entry, Some(Err(_)));
        entry
    }
}

/// Key and value of a logical line, both still escaped: the key ends at the first `=`, `:` or blank that is not escaped.
fn split(line: &[u8]) -> (&[u8], &[u8]) {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\x0c');
    let mut escaped = false;
    let end = line.iter().position(|byte| {
        let ends = !escaped && (matches!(byte, b'=' | b':') || blank(byte));
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    let (key, rest) = line.split_at_checked(end.unwrap_or(line.len())).unwrap_or((line, &[]));
    let skip = |rest: &'_ [u8]| rest.iter().take_while(|byte| blank(byte)).count();
    let mut start = skip(rest);
    if matches!(rest.get(start), Some(b'=' | b':')) {
        start += 1;
        start += skip(rest.get(start..).unwrap_or_default());
    }
    (key, rest.get(start..).unwrap_or_default())
}

/// Writes a key with its `=`.
pub fn write_key(out: &mut impl Write, key: &str) -> io::Result<()> {
    for character in key.chars() {
        match character {
            ' ' => out.write_all(b"\\ ")?,
            _ => write_character(out, character)?,
        }
    }
    out.write_all(b"=")
}

/// Writes a value, or a part of one that does not begin with a blank.
pub fn write_value(out: &mut impl Write, value: &str) -> io::Result<()> {
    let text = value.trim_start_matches(' ');
    for _ in text.len()..value.len() {
        out.write_all(b"\\ ")?;
    }
    text.chars().try_for_each(|character| write_character(out, character))
}

fn write_character(out: &mut impl Write, character: char) -> io::Result<()> {
    match character {
        '\t' => out.write_all(b"\\t"),
        '\n' => out.write_all(b"\\n"),
        '\r' => out.write_all(b"\\r"),
        '\x0c' => out.write_all(b"\\f"),
        '\\' | '=' | ':' | '#' | '!' => write!(out, "\\{character}"),
        ' '..='~' => out.write_all(&[character as u8]),
        _ => {
            let mut units = [0; 2];
            character
                .encode_utf16(&mut units)
                .iter()
                .try_for_each(|unit| write!(out, "\\u{unit:04X}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &[u8]) -> Vec<(String, String)> {
        Entries::new(text).collect::<Result<_, _>>().unwrap()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        let own = |text: &str| text.to_owned();
        expected.iter().map(|(key, value)| (own(key), own(value))).collect()
    }

    fn written(key: &str, value: &str) -> Vec<u8> {
        let mut text = Vec::new();
        write_key(&mut text, key).unwrap();
        write_value(&mut text, value).unwrap();
        text.push(b'\n');
        text
    }

    #[test]
    fn what_java_stores_is_read() {
        // As `Properties.store` of a JDK 17 writes it.
        let text = b"#Dubbo Registry Cache\n#Tue Nov 25 10:00:00 UTC 2025\ng/com.a.B\\:1.0.0=dubbo\\://h\\:1/com.a.B?a\\=b&c\\=\\u4E2D\\uD83D\\uDE00 empty\\://h/com.a.B?category\\=routers\n";
        assert_eq!(
            read(text),
            pairs(&[(
                "g/com.a.B:1.0.0",
                "dubbo://h:1/com.a.B?a=b&c=\u{4e2d}\u{1f600} empty://h/com.a.B?category=routers"
            )])
        );
    }

    #[test]
    fn what_java_loads_is_read() {
        let text = b"! a comment \\\na=1\r\n  b : 2\rc 3\n\n   \t\nd\ne = \\\n   4, \\\r\n   5\nf\\ g\\=h=\\ i\nj=k\\\\\nl=\\tm\\z\xe9\n=n\no=p\\";
        let expected = pairs(&[
            ("a", "1"),
            ("b", "2"),
            ("c", "3"),
            ("d", ""),
            ("e", "4, 5"),
            ("f g=h", " i"),
            ("j", "k\\"),
            ("l", "\tmz\u{e9}"),
            ("", "n"),
            ("o", "p"),
        ]);
        assert_eq!(read(text), expected);
    }

    #[test]
    fn a_text_of_another_kind_is_told_with_its_line() {
        let damaged = |text: &[u8]| match Entries::new(text).find_map(Result::err) {
            Some(PropertiesError::Damaged { line, .. }) => line,
            other => panic!("{other:?}"),
        };
        assert_eq!(damaged(b"a=1\nb=\\u12G4\n"), 2);
        assert_eq!(damaged(b"a=\\u12"), 1);
        assert_eq!(damaged(b"a=1\nb=\\u12"), 2);
        assert_eq!(damaged(b"a=1\n\nb=\x00"), 3);
        assert_eq!(damaged(b"PK\x03\x04\x00\x00"), 1);
    }

    #[test]
    fn a_text_has_characters_where_a_file_has_bytes() {
        let text = "a=\u{e9}\u{1f600}\\\u{4e2d}\\u4E2D";
        let said = Entries::of_text(text).collect::<Result<Vec<_>, _>>().unwrap();
        assert_eq!(said, pairs(&[("a", "\u{e9}\u{1f600}\u{4e2d}\u{4e2d}")]));
        assert_eq!(read("a=\u{e9}".as_bytes()), pairs(&[("a", "\u{c3}\u{a9}")]));
    }

    #[test]
    fn an_entry_is_on_the_line_on_which_it_begins() {
        let mut entries = Entries::of_text("# a comment\n\na=1\nb=2,\\\n  3\r\n\r\nc=4");
        let mut lines = Vec::new();
        while let Some(entry) = entries.next() {
            lines.push((entry.unwrap().0, entries.line()));
        }
        assert_eq!(lines, [("a".to_owned(), 3), ("b".to_owned(), 4), ("c".to_owned(), 7)]);
    }

    #[test]
    fn it_is_written_as_java_writes_it() {
        assert_eq!(
            written("g/com.a.B:1 0", " x=1:2#3!4\\5\u{e9}\u{1f600}\t y"),
            b"g/com.a.B\\:1\\ 0=\\ x\\=1\\:2\\#3\\!4\\\\5\\u00E9\\uD83D\\uDE00\\t y\n"
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(key in any::<String>(), value in any::<String>()) {
            prop_assume!(!key.contains('\0') && !value.contains('\0'));
            // A line of nothing but `=` has no key, which `load` reads as the empty one.
            prop_assert_eq!(read(&written(&key, &value)), vec![(key, value)]);
        }

        #[test]
        fn no_bytes_make_reading_panic(text in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Entries::new(&text[..]).count();
        }

        #[test]
        fn no_text_of_delimiters_makes_reading_panic(text in "[ab=: \\\\\n\r#!u0-9\t]{0,60}") {
            for entry in Entries::new(text.as_bytes()).flatten() {
                prop_assert_eq!(read(&written(&entry.0, &entry.1)), vec![entry]);
            }
        }
    }
}

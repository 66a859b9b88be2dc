//! The encoding beneath every message: big-endian integers, counted strings, buffers and lists, records inline.
//!
//! A count of -1 means "null", which is not the same as empty and is kept apart everywhere. A type says its own wire
//! form through [`Record`], so that a struct's list of fields is the only description of its layout.

use std::borrow::Cow;

use bytes::{BufMut, BytesMut};

/// A string that may be null, as every path on the wire may be. Bytes that are not UTF-8 were replaced.
pub type Path<'a> = Option<Cow<'a, str>>;

/// A byte buffer that may be null.
pub type Buffer<'a> = Option<&'a [u8]>;

/// Why bytes could not be read as the record that was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The bytes end before the record does, or a count promises more than there is.
    #[error("record is cut short")]
    Truncated,
    /// A string or buffer length below -1.
    #[error("impossible length {0}")]
    Length(i32),
    /// A null where the protocol has none.
    #[error("unexpected null")]
    Null,
    /// A number outside the set that the protocol knows, for instance an event type.
    #[error("unknown value {0}")]
    Value(i32),
}

// ---------------------------------------------------------------------------------------------------------------------

/// Reads records from the front of a slice and borrows from it.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Starts at the beginning of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    /// What has not been read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Reads one value of any wire type.
    #[inline]
    pub fn read<T: Record<'a>>(&mut self) -> Result<T, WireError> {
        T::read(self)
    }

    /// Reads a string that the protocol never leaves null.
    pub fn text(&mut self) -> Result<Cow<'a, str>, WireError> {
        self.read::<Path<'a>>()?.ok_or(WireError::Null)
    }

    /// Reads a list that the protocol never leaves null.
    pub fn list<T: Record<'a>>(&mut self) -> Result<Vec<T>, WireError> {
        self.read::<Option<Vec<T>>>()?.ok_or(WireError::Null)
    }

    #[inline]
    fn chunk<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (chunk, rest) = self.rest.split_first_chunk::<N>().ok_or(WireError::Truncated)?;
        self.rest = rest;
        Ok(*chunk)
    }

    #[inline]
    fn take(&mut self, count: usize) -> Result<&'a [u8], WireError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(WireError::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }
}

// ---------------------------------------------------------------------------------------------------------------------

/// A type with one wire form.
pub trait Record<'a>: Sized {
    /// The fewest bytes a value takes; a list's claimed count is checked against it before anything is allocated.
    const MIN_LEN: usize;

    /// Reads a value and moves past it.
    fn read(reader: &mut Reader<'a>) -> Result<Self, WireError>;

    /// Appends the value.
    fn write(&self, out: &mut BytesMut);
}

impl<'a> Record<'a> for bool {
    const MIN_LEN: usize = 1;

    #[inline]
    fn read(reader: &mut Reader<'a>) -> Result<Self, WireError> {
        let [byte] = reader.chunk::<1>()?;
        Ok(byte != 0)
    }

    #[inline]
    fn write(&self, out: &mut BytesMut) {
        out.put_u8(u8::from(*self));
    }
}

impl<'a> Record<'a> for i32 {
    const MIN_LEN: usize = 4;

    #[inline]
    fn read(reader: &mut Reader<'a>) -> Result<Self, WireError> {
        reader.chunk::<4>().map(i32::from_be_bytes)
    }

    #[inline]
    fn write(&self, out: &mut BytesMut) {
        out.put_i32(*self);
    }
}

impl<'a> Record<'a> for i64 {
    const MIN_LEN: usize = 8;

    #[inline]
    fn read(reader: &mut Reader<'a>) -> Result<Self, WireError> {
        reader.chunk::<8>().map(i64::from_be_bytes)
    }

    #[inline]
    fn write(&self, out: &mut BytesMut) {
        out.put_i64(*self);
    }
}

impl<'a> Record<'a> for Buffer<'a> {
    const MIN_LEN: usize = 4;

    #[inline]
    fn read(reader: &mut Reader<'a>) -> Result<Self, WireError> {
        match reader.read::<i32>()? {
            -1 => Ok(None),
            length => {
                let length = usize::try_from(length).map_err(|_| WireError::Length(length))?;
                reader.take(length).map(Some)
            }
        }
    }

    #[inline]
    fn write(&self, out: &mut BytesMut) {
        put_buffer(out, *self);
    }
}

impl<'a> Record<'a> for Path<'a> {
    const MIN_LEN: usize = 4;

    #[inline]
    fn read(reader: &mut Reader<'a>) -> Result<Self, WireError> {
        Ok(reader.read::<Buffer<'a>>()?.map(text_of))
    }

    #[inline]
    fn write(&self, out: &mut BytesMut) {
        put_buffer(out, self.as_ref().map(|text| text.as_bytes()));
    }
}

impl<'a> Record<'a> for Cow<'a, str> {
    const MIN_LEN: usize = 4;

    #[inline]
    fn read(reader: &mut Reader<'a>) -> Result<Self, WireError> {
        reader.text()
    }

    #[inline]
    fn write(&self, out: &mut BytesMut) {
        put_buffer(out, Some(self.as_bytes()));
    }
}

impl<'a, T: Record<'a>> Record<'a> for Option<Vec<T>> {
    const MIN_LEN: usize = 4;

    fn read(reader: &mut Reader<'a>) -> Result<Self, WireError> {
        let count = reader.read::<i32>()?;
        if count == -1 {
            return Ok(None);
        }
        // A count below -1 reads as an empty list in the original, so it does here.
        let count = usize::try_from(count).unwrap_or(0);
        if count > reader.rest.len() / T::MIN_LEN {
            return Err(WireError::Truncated);
        }
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(T::read(reader)?);
        }
        Ok(Some(items))
    }

    fn write(&self, out: &mut BytesMut) {
        match self {
            None => out.put_i32(-1),
            Some(items) => {
                put_length(out, items.len());
                for item in items {
                    item.write(out);
                }
            }
        }
    }
}

/// Declares a struct whose wire form is its fields in order.
macro_rules! record {
    ($(#[$doc:meta])* $vis:vis struct $name:ident<$life:lifetime> {
        $($(#[$field_doc:meta])* pub $field:ident: $kind:ty,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        $vis struct $name<$life> { $($(#[$field_doc])* pub $field: $kind,)* }
        $crate::zookeeper::record::record!(@impl [$life] $name<$life> { $($field: $kind,)* });
    };
    ($(#[$doc:meta])* $vis:vis struct $name:ident {
        $($(#[$field_doc:meta])* pub $field:ident: $kind:ty,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis struct $name { $($(#[$field_doc])* pub $field: $kind,)* }
        $crate::zookeeper::record::record!(@impl ['r] $name { $($field: $kind,)* });
    };
    (@impl [$life:lifetime] $name:ty { $($field:ident: $kind:ty,)* }) => {
        impl<$life> $crate::zookeeper::record::Record<$life> for $name {
            const MIN_LEN: usize = 0 $(+ <$kind as $crate::zookeeper::record::Record<$life>>::MIN_LEN)*;

            #[inline]
            fn read(
                reader: &mut $crate::zookeeper::record::Reader<$life>,
            ) -> Result<Self, $crate::zookeeper::record::WireError> {
                // Field initialisers run in the order they are written, which is the order on the wire.
                Ok(Self { $($field: reader.read()?,)* })
            }

            #[inline]
            fn write(&self, out: &mut bytes::BytesMut) {
                $($crate::zookeeper::record::Record::write(&self.$field, out);)*
            }
        }
    };
}
pub(crate) use record;

// ---------------------------------------------------------------------------------------------------------------------

/// Appends a length or count. Frames end far below 2^31 bytes, so a longer one is a mistake of the caller.
#[inline]
pub fn put_length(out: &mut BytesMut, length: usize) {
    debug_assert!(i32::try_from(length).is_ok(), "length {length} has no wire form");
    out.put_i32(i32::try_from(length).unwrap_or(i32::MAX));
}

/// Appends a buffer or the UTF-8 of a string; `None` is null.
#[inline]
pub fn put_buffer(out: &mut BytesMut, bytes: Option<&[u8]>) {
    match bytes {
        None => out.put_i32(-1),
        Some(bytes) => {
            put_length(out, bytes.len());
            out.put_slice(bytes);
        }
    }
}

/// Appends a string.
#[inline]
pub fn put_string(out: &mut BytesMut, text: &str) {
    put_buffer(out, Some(text.as_bytes()));
}

/// Appends a list of strings, given as UTF-8; the count is filled in afterwards, so any iterator will do.
pub fn put_strings<S: AsRef<[u8]>>(out: &mut BytesMut, texts: impl IntoIterator<Item = S>) {
    let start = out.len();
    out.put_i32(0);
    let mut count = 0;
    for text in texts {
        put_buffer(out, Some(text.as_ref()));
        count += 1;
    }
    patch_i32(out, start, count);
}

/// Overwrites the four bytes at `start`, which the caller has written before.
pub(crate) fn patch_i32(out: &mut BytesMut, start: usize, value: i32) {
    if let Some(place) = out.get_mut(start..).and_then(|tail| tail.first_chunk_mut::<4>()) {
        *place = value.to_be_bytes();
    }
}

/// Borrows valid UTF-8; replaces what is not valid as the Java decoder does, which counts a three-byte surrogate
/// (its own writer emits such pairs for characters above U+FFFF) as one mistake, not three.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(replaced(bytes)),
    }
}

#[cold]
fn replaced(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        match std::str::from_utf8(rest) {
            Ok(valid) => {
                text.push_str(valid);
                break;
            }
            Err(error) => {
                let (valid, broken) = rest.split_at_checked(error.valid_up_to()).unwrap_or((rest, &[]));
                text.push_str(&String::from_utf8_lossy(valid));
                text.push(char::REPLACEMENT_CHARACTER);
                let skipped = match broken {
                    [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..] => 3,
                    _ => error.error_len().unwrap_or(broken.len()),
                };
                rest = broken.get(skipped..).unwrap_or(&[]);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<'a, T: Record<'a>>(bytes: &'a [u8]) -> Result<T, WireError> {
        Reader::new(bytes).read()
    }

    #[test]
    fn null_is_not_empty() {
        assert_eq!(read::<Buffer>(&[0xff; 4]), Ok(None));
        assert_eq!(read::<Buffer>(&[0; 4]), Ok(Some(&[][..])));
        assert_eq!(read::<Path>(&[0xff; 4]), Ok(None));
        assert_eq!(read::<Option<Vec<i32>>>(&[0xff; 4]), Ok(None));
        assert_eq!(read::<Option<Vec<i32>>>(&[0; 4]), Ok(Some(vec![])));
    }

    #[test]
    fn any_byte_but_zero_is_true() {
        assert_eq!(read::<bool>(&[7]), Ok(true));
        assert_eq!(read::<bool>(&[0]), Ok(false));
    }

    #[test]
    fn a_valid_string_is_borrowed() {
        assert!(matches!(read::<Path>(b"\0\0\0\x02/a"), Ok(Some(Cow::Borrowed("/a")))));
    }

    #[test]
    fn invalid_utf8_is_replaced_as_java_does_it() {
        let text = |bytes: &[u8]| text_of(bytes).into_owned();
        assert_eq!(text(b"/a\xff\xfeb"), "/a\u{fffd}\u{fffd}b");
        assert_eq!(text(b"/\xed\xa0\xbd\xed\xb8\x80"), "/\u{fffd}\u{fffd}");
        assert_eq!(text(b"\xe2\x82"), "\u{fffd}");
        assert_eq!(text(b"\xe2\x82("), "\u{fffd}(");
        assert_eq!(text(b"\xf0\x9f\x98"), "\u{fffd}");
        assert_eq!(text(b"\xc0\x80"), "\u{fffd}\u{fffd}");
    }

    #[test]
    fn lengths_that_promise_more_than_there_is_are_refused() {
        assert_eq!(read::<Buffer>(b"\0\0\0\x05abcd"), Err(WireError::Truncated));
        assert_eq!(
            read::<Buffer>(&i32::MIN.to_be_bytes()),
            Err(WireError::Length(i32::MIN))
        );
        assert_eq!(
            read::<Option<Vec<Path>>>(&i32::MAX.to_be_bytes()),
            Err(WireError::Truncated)
        );
        assert_eq!(
            read::<Option<Vec<Path>>>(b"\0\0\0\x02\0\0\0\0\0\0\0"),
            Err(WireError::Truncated)
        );
    }

    #[test]
    fn a_list_count_below_minus_one_is_an_empty_list() {
        assert_eq!(read::<Option<Vec<i32>>>(&(-2i32).to_be_bytes()), Ok(Some(vec![])));
    }
}

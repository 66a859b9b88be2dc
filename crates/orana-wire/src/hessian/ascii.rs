//! Text that is ASCII, looked at once.
//!
//! Nearly all names and most values of a stream are, and a look for ASCII is much cheaper than one for UTF-8; but only
//! the second gives a `str` without `unsafe`. Doing both took a sixth of the time of reading an object.
#![allow(unsafe_code)]

/// The bytes as text, if they are ASCII.
#[inline]
pub(super) fn ascii(bytes: &[u8]) -> Option<&str> {
    // SAFETY: all that `from_utf8_unchecked` asks is that the bytes are UTF-8, and ASCII is.
    bytes.is_ascii().then(|| unsafe { str::from_utf8_unchecked(bytes) })
}

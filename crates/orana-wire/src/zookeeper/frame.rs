//! Cuts the byte stream into frames: a four-byte length, then that many bytes. Knows nothing of what is inside.

use bytes::{BufMut, BytesMut};

use super::record::patch_i32;

/// Bytes of the length in front of a frame.
pub const LENGTH_BYTES: usize = 4;

/// The largest request a ZooKeeper accepts unless told otherwise (`jute.maxbuffer`).
pub const DEFAULT_LIMIT: usize = 0xf_ffff;

/// A length after which the stream cannot be followed any further; the connection has to be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The length is below zero.
    #[error("frame length {0} is negative")]
    Negative(i32),
    /// The length is above the limit.
    #[error("frame of {length} bytes is over the limit of {limit}")]
    TooLong {
        /// What the peer announced.
        length: usize,
        /// What we accept.
        limit: usize,
    },
}

/// The first frame's body and how many bytes of `buf` it took, length included; `None` until it is complete.
///
/// A length that can never be accepted is reported as soon as its four bytes are there.
#[inline]
pub fn next_frame(buf: &[u8], limit: usize) -> Result<Option<(&[u8], usize)>, FrameError> {
    let Some((length, rest)) = buf.split_first_chunk::<LENGTH_BYTES>() else {
        return Ok(None);
    };
    let length = i32::from_be_bytes(*length);
    let length = usize::try_from(length).map_err(|_| FrameError::Negative(length))?;
    if length > limit {
        return Err(FrameError::TooLong { length, limit });
    }
    Ok(rest.get(..length).map(|body| (body, LENGTH_BYTES + length)))
}

/// A frame that has been begun and still lacks its length.
#[derive(Debug)]
#[must_use = "a frame without its length cannot be read"]
pub struct OpenFrame {
    start: usize,
}

/// Leaves room for the length; whatever is appended next is the frame's body.
#[inline]
pub fn begin_frame(out: &mut BytesMut) -> OpenFrame {
    let start = out.len();
    out.put_i32(0);
    OpenFrame { start }
}

/// Fills in the length of a frame begun in the same buffer.
#[inline]
pub fn end_frame(out: &mut BytesMut, frame: OpenFrame) {
    let length = out.len().saturating_sub(frame.start + LENGTH_BYTES);
    debug_assert!(
        i32::try_from(length).is_ok(),
        "frame of {length} bytes has no wire form"
    );
    patch_i32(out, frame.start, i32::try_from(length).unwrap_or(i32::MAX));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_given_only_when_it_is_complete() {
        let bytes = b"\0\0\0\x02abrest";
        for end in 0..6 {
            assert_eq!(next_frame(&bytes[..end], 10), Ok(None));
        }
        assert_eq!(next_frame(bytes, 10), Ok(Some((&b"ab"[..], 6))));
    }

    #[test]
    fn impossible_lengths_are_refused_before_the_body_arrives() {
        assert_eq!(next_frame(&[0xff; 4], 10), Err(FrameError::Negative(-1)));
        assert_eq!(
            next_frame(b"\0\0\0\x0b", 10),
            Err(FrameError::TooLong { length: 11, limit: 10 })
        );
        assert_eq!(next_frame(b"\0\0\0\0", 0), Ok(Some((&b""[..], 4))));
    }

    #[test]
    fn frames_are_closed_where_they_were_begun() {
        let mut out = BytesMut::from(&b"before"[..]);
        let frame = begin_frame(&mut out);
        out.put_slice(b"body");
        end_frame(&mut out, frame);
        assert_eq!(&out[..], b"before\0\0\0\x04body");
    }
}

//! Cuts the byte stream into frames, and stays in step with it when a frame is too large to be read.

use bytes::BytesMut;

use super::header::{HEADER_BYTES, Header, MAGIC};

/// The largest body that a Dubbo accepts unless told otherwise (`payload`): 8 MiB.
pub const DEFAULT_LIMIT: usize = 8 << 20;

/// A body longer than this is not worth waiting for its end.
pub const SKIPPED_MAX: usize = 256 << 20;

/// Why the stream cannot be followed any further; the connection has to be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// Something else than a frame: another protocol, or a terminal.
    #[error("not a dubbo frame: it begins with {0:#04x}")]
    Magic(u8),
    /// The length is below zero.
    #[error("body length {0} is negative")]
    Negative(i32),
    /// The length is beyond all reason.
    #[error("body of {0} bytes")]
    Absurd(u32),
}

/// What the front of the stream is. `consumed` bytes of it are done with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'b> {
    /// More bytes must come first. So many of those that are here belong to a body that is skipped.
    More {
        /// May be zero.
        consumed: usize,
    },
    /// A whole frame.
    Frame {
        /// Without the body.
        header: Header,
        /// The body.
        body: &'b [u8],
        /// All of it.
        consumed: usize,
    },
    /// The header of a frame whose body is over the limit. The body is skipped as it comes; if an answer is wanted,
    /// [`BAD_REQUEST`](super::Status::BAD_REQUEST) with [`oversize`] as its text is what Java gives.
    Oversized {
        /// Without the body.
        header: Header,
        /// Only the header.
        consumed: usize,
    },
}

/// One direction of a connection.
#[derive(Debug, Clone, Copy)]
pub struct Frames {
    limit: usize,
    /// Bytes of an oversized body that are still to come.
    skipping: usize,
}

impl Frames {
    /// A stream whose bodies may have so many bytes.
    pub fn new(limit: usize) -> Self {
        Frames { limit, skipping: 0 }
    }

    /// Whether the stream is within an oversized body.
    pub fn is_skipping(&self) -> bool {
        self.skipping > 0
    }

    /// Looks at the front of `buf`, which begins after what has been consumed before.
    pub fn next<'b>(&mut self, buf: &'b [u8]) -> Result<Step<'b>, FrameError> {
        let skipped = self.skipping.min(buf.len());
        let rest = buf.get(skipped..).unwrap_or(&[]);
        self.skipping -= skipped;
        let more = Ok(Step::More { consumed: skipped });
        // A wrong beginning is known by its first byte; a terminal may never send sixteen.
        let strange = rest.iter().zip(MAGIC).find(|(byte, magic)| **byte != *magic);
        if let Some((byte, _)) = strange {
            return Err(FrameError::Magic(*byte));
        }
        let Some((header, rest)) = rest.split_first_chunk::<HEADER_BYTES>() else {
            return more;
        };
        let header = Header::read(header).map_err(FrameError::Negative)?;
        let length = usize::try_from(header.length).unwrap_or(usize::MAX);
        if length > self.limit {
            if length > SKIPPED_MAX.max(self.limit) {
                return Err(FrameError::Absurd(header.length));
            }
            self.skipping = length;
            return Ok(Step::Oversized {
                header,
                consumed: skipped + HEADER_BYTES,
            });
        }
        match rest.get(..length) {
            Some(body) => Ok(Step::Frame {
                header,
                body,
                consumed: skipped + HEADER_BYTES + length,
            }),
            None => more,
        }
    }
}

/// What is said about a body over the limit.
pub fn oversize(length: u32, limit: usize) -> String {
    format!("Data length too large: {length}, max payload: {limit}")
}

/// A frame that has been begun and still lacks its length.
#[derive(Debug)]
#[must_use = "a frame without its length cannot be read"]
pub struct OpenFrame {
    start: usize,
}

/// Appends a header; whatever is appended next is the body.
pub fn begin_frame(header: &Header, out: &mut BytesMut) -> OpenFrame {
    let start = out.len();
    header.write(out);
    OpenFrame { start }
}

/// Fills in the length of a frame begun in the same buffer and returns it.
///
/// A body above `limit` is taken back: nothing of the frame is left, and its length is the error.
pub fn end_frame(out: &mut BytesMut, frame: OpenFrame, limit: usize) -> Result<usize, usize> {
    let length = out.len().saturating_sub(frame.start + HEADER_BYTES);
    let place = out
        .get_mut(frame.start..)
        .and_then(|tail| tail.get_mut(HEADER_BYTES - 4..HEADER_BYTES));
    match (place, i32::try_from(length)) {
        (Some(place), Ok(value)) if length <= limit => {
            place.copy_from_slice(&value.to_be_bytes());
            Ok(length)
        }
        _ => {
            out.truncate(frame.start);
            Err(length)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::header::{Direction, Status};
    use super::*;

    fn frame(length: usize) -> BytesMut {
        let mut out = BytesMut::new();
        let open = begin_frame(&Header::request(-7, true), &mut out);
        out.resize(HEADER_BYTES + length, 0x4e);
        assert_eq!(end_frame(&mut out, open, usize::MAX), Ok(length));
        out
    }

    #[test]
    fn a_frame_is_given_only_when_it_is_complete() {
        let bytes = frame(3);
        let mut frames = Frames::new(10);
        for end in 0..bytes.len() {
            assert_eq!(frames.next(&bytes[..end]), Ok(Step::More { consumed: 0 }));
        }
        let Ok(Step::Frame { header, body, consumed }) = frames.next(&bytes) else {
            panic!("no frame");
        };
        assert_eq!((header.id, header.length, body, consumed), (-7, 3, &b"NNN"[..], 19));
    }

    #[test]
    fn a_body_over_the_limit_is_skipped_and_the_next_frame_is_found() {
        let stream = [frame(1000), frame(1)].concat();
        for piece in [1, 7, 16, 500, stream.len()] {
            let mut frames = Frames::new(10);
            let (mut held, mut seen) = (Vec::new(), Vec::new());
            for bytes in stream.chunks(piece) {
                held.extend_from_slice(bytes);
                loop {
                    let (length, consumed) = match frames.next(&held).unwrap() {
                        Step::More { consumed } => (None, consumed),
                        Step::Frame { header, consumed, .. } | Step::Oversized { header, consumed } => {
                            (Some(header.length), consumed)
                        }
                    };
                    held.drain(..consumed);
                    seen.extend(length);
                    assert!(held.len() <= piece.max(HEADER_BYTES + 10));
                    if length.is_none() {
                        break;
                    }
                }
            }
            assert_eq!(seen, [1000, 1], "in pieces of {piece}");
        }
    }

    #[test]
    fn what_is_no_frame_is_known_at_once() {
        let mut frames = Frames::new(10);
        assert_eq!(frames.next(b"G"), Err(FrameError::Magic(b'G')));
        assert_eq!(frames.next(b"\xda\x00"), Err(FrameError::Magic(0)));
        assert_eq!(frames.next(b"\xda"), Ok(Step::More { consumed: 0 }));
        let mut bytes = frame(0);
        bytes[12] = 0xff;
        assert!(matches!(frames.next(&bytes), Err(FrameError::Negative(_))));
        bytes[12] = 0x7f;
        assert_eq!(frames.next(&bytes), Err(FrameError::Absurd(0x7f00_0000)));
    }

    #[test]
    fn a_frame_that_came_out_too_large_leaves_nothing_behind() {
        let mut out = BytesMut::from(&b"before"[..]);
        let open = begin_frame(&Header::response(1, Status::OK), &mut out);
        out.extend_from_slice(&[0; 11]);
        assert_eq!(end_frame(&mut out, open, 10), Err(11));
        assert_eq!(&out[..], b"before");
    }

    #[test]
    fn statuses_and_flags_are_where_java_has_them() {
        let mut out = BytesMut::new();
        for (header, flags, status) in [
            (Header::request(1, true), 0xc2, 0),
            (Header::request(1, false), 0x82, 0),
            (Header::response(1, Status::BAD_REQUEST), 0x02, 40),
        ] {
            out.clear();
            header.write(&mut out);
            assert_eq!(out[..4], [0xda, 0xbb, flags, status]);
            assert_eq!(Header::read(out.first_chunk().unwrap()), Ok(header));
        }
        let unknown = Header::response(1, Status(99));
        assert_eq!(unknown.direction, Direction::Response { status: Status(99) });
        assert_eq!(Status(99).to_string(), "status 99");
    }
}

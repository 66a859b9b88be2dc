//! Where values are written before they are sent: one block for each thread, out of which every message is cut, so that
//! most messages cost no allocation.
//!
//! Knows nothing of what is written.

use std::cell::RefCell;

use bytes::{Bytes, BytesMut};

/// Bytes of a block. What is cut out of it keeps all of it, so it is small.
const BLOCK: usize = 8 << 10;

thread_local! {
    static SCRATCH: RefCell<BytesMut> = RefCell::new(BytesMut::new());
}

/// The bytes that `write` appends. Nothing of it is left if that fails.
pub(crate) fn cut<E>(write: impl FnOnce(&mut BytesMut) -> Result<(), E>) -> Result<Bytes, E> {
    SCRATCH.with(|scratch| {
        // A value that is being written and itself writes another one gets a buffer of its own.
        let Ok(mut block) = scratch.try_borrow_mut() else {
            let mut own = BytesMut::new();
            write(&mut own)?;
            return Ok(own.freeze());
        };
        block.clear();
        // Takes the old block again if nobody holds a part of it any more.
        if block.capacity() < BLOCK / 8 {
            block.reserve(BLOCK);
        }
        let written = write(&mut block);
        let bytes = block.split().freeze();
        written.map(|()| bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Bytes {
        cut(|out| {
            out.extend_from_slice(text.as_bytes());
            Ok::<_, ()>(())
        })
        .unwrap()
    }

    #[test]
    fn what_was_cut_stays_when_more_is_written_and_when_writing_fails() {
        let one = text("one");
        let failed = cut(|out| {
            out.extend_from_slice(b"half");
            Err("broken")
        });
        assert_eq!(failed, Err("broken"));
        let long = text(&"x".repeat(3 * BLOCK));
        let nested = cut(|out| {
            out.extend_from_slice(&text("in"));
            out.extend_from_slice(b"out");
            Ok::<_, ()>(())
        });
        assert_eq!((&one[..], long.len()), (&b"one"[..], 3 * BLOCK));
        assert_eq!(&nested.unwrap()[..], b"inout");
    }
}

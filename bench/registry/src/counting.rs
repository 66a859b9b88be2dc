//! The allocator of this program: jemalloc, and a count of the bytes that its blocks take.
#![allow(unsafe_code, reason = "an allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicUsize, Ordering};

use tikv_jemallocator::Jemalloc;

/// Passes everything on and counts what the whole program holds.
pub(crate) struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);

/// Bytes of all blocks that are in use, each as large as the allocator makes it.
pub(crate) fn held() -> usize {
    HELD.load(Ordering::Relaxed)
}

// SAFETY: every call is jemalloc's, unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(block(layout.size()), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { Jemalloc.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(block(layout.size()), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { Jemalloc.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(block(layout.size()), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { Jemalloc.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        HELD.fetch_add(block(size), Ordering::Relaxed);
        HELD.fetch_sub(block(layout.size()), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { Jemalloc.realloc(pointer, layout, size) }
    }
}

/// The block that jemalloc takes for so many bytes: multiples of 16 up to 128, then four sizes to each power of two.
const fn block(size: usize) -> usize {
    match size {
        0..=8 => 8,
        9..=128 => size.next_multiple_of(16),
        _ => {
            let group = (size - 1).ilog2();
            size.next_multiple_of(1 << (group - 2))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::block;

    #[test]
    fn blocks_are_the_size_classes_of_jemalloc() {
        for (size, class) in [
            (1, 8),
            (9, 16),
            (17, 32),
            (128, 128),
            (129, 160),
            (161, 192),
            (256, 256),
            (257, 320),
            (1_052, 1_280),
            (4_096, 4_096),
            (4_097, 5_120),
        ] {
            assert_eq!(block(size), class, "{size}");
        }
    }
}

//! Whom to wake once a batch was applied. Waking is put off to the end of the batch, so that a connection that
//! was told of a hundred things is woken once; only when many were told it begins earlier.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use atomic_waker::AtomicWaker;

/// Wakes the one task that listens to it. Ringing while nobody listens is remembered, once.
#[derive(Default)]
pub struct Alarm {
    rung: AtomicBool,
    waker: AtomicWaker,
}

impl Alarm {
    /// Wakes the listener.
    pub fn ring(&self) {
        self.rung.store(true, Ordering::Release);
        self.waker.wake();
    }

    /// Ready if it was rung since the last time it was ready; else the task is woken when it is.
    pub fn poll_rung(&self, context: &mut Context<'_>) -> Poll<()> {
        self.waker.register(context.waker());
        if self.rung.swap(false, Ordering::Acquire) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

/// Nobody waits for more than so many others to be told of the same change.
const BURST: usize = 64;

/// Collects whoever has something new to send.
#[derive(Default)]
pub struct Wakes(Vec<Arc<Alarm>>);

impl Wakes {
    /// Remembers somebody; the caller sees to it that nobody is remembered twice in a row.
    pub fn push(&mut self, who: Arc<Alarm>) {
        self.0.push(who);
        // A thousand watchers of one node: the first ones can be written to while the last ones are told.
        if self.0.len() >= BURST {
            self.wake();
        }
    }

    pub(crate) fn wake(&mut self) {
        for who in self.0.drain(..) {
            who.ring();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_that_nobody_heard_is_heard_later_and_once() {
        let alarm = Alarm::default();
        let mut context = Context::from_waker(std::task::Waker::noop());
        assert!(alarm.poll_rung(&mut context).is_pending());
        alarm.ring();
        alarm.ring();
        assert!(alarm.poll_rung(&mut context).is_ready());
        assert!(alarm.poll_rung(&mut context).is_pending());
    }
}

//! Who has yet to act on what it was told. Waking is put off to the end of the batch, so that a connection that was
//! told of a hundred things is woken once; where many were told, they are handed to the fan-out as they come.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use atomic_waker::AtomicWaker;

use crate::fan_out::Crowds;

/// Somebody who was told of something and has yet to act on it.
pub trait Told: Send + Sync + 'static {
    /// Sees to it that it acts, on a task of its own.
    fn wake(&self);

    /// Acts at once, on the caller's thread, if that needs no waiting; else the same as [`Told::wake`]. It is one of
    /// many that were told together, and to wake a task for each would cost more than what the tasks do.
    fn act_in_crowd(&self) {
        self.wake();
    }
}

/// Wakes the one task that listens to it. Ringing while nobody listens is remembered, once.
#[derive(Default)]
pub struct Alarm {
    rung: AtomicBool,
    waker: AtomicWaker,
}

/// Nobody waits for more than so many others to be told of the same change.
pub(crate) const BURST: usize = 64;

/// Collects whoever has something new to send.
#[derive(Default)]
pub struct Wakes {
    told: Vec<Arc<dyn Told>>,
    /// Where a crowd goes; without it everybody is woken.
    crowds: Option<Crowds>,
    /// A part of them has gone there.
    crowded: bool,
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

impl Wakes {
    pub(crate) fn new(crowds: Crowds) -> Wakes {
        Wakes {
            crowds: Some(crowds),
            ..Wakes::default()
        }
    }

    /// Remembers somebody; the caller sees to it that nobody is remembered twice in a row.
    pub fn push(&mut self, who: Arc<dyn Told>) {
        self.told.push(who);
        // A thousand watchers of one node: the first ones can be written to while the last ones are told.
        if self.told.len() >= BURST {
            self.crowded = true;
            self.pass_on();
        }
    }

    /// Lets everybody act who has not begun yet. Called when nothing is held.
    pub(crate) fn wake(&mut self) {
        if std::mem::take(&mut self.crowded) {
            self.pass_on();
        }
        self.told.drain(..).for_each(|who| who.wake());
    }

    fn pass_on(&mut self) {
        let told = std::mem::replace(&mut self.told, Vec::with_capacity(BURST));
        let left = match &self.crowds {
            Some(crowds) => crowds.take(told),
            None => told,
        };
        left.into_iter().for_each(|who| who.wake());
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

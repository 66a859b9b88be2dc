//! What others hold of a connection of a server: where its answers go, how many calls it waits for, whether it is to end.
//!
//! Knows nothing of how requests arrive.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use orana_wire::dubbo::event::put_read_only;
use orana_wire::dubbo::response::put_error;

use super::outbox::{Leave, Outbox, Unsent};
use super::request::Refusal;
use super::response::{self, Envelope};
use super::server::Shared;
use super::serving::Served;

/// The way back to one consumer.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) outbox: Outbox,
    /// Calls that are being performed.
    busy: AtomicUsize,
    /// To be closed as soon as nothing is under way.
    closing: AtomicBool,
    /// More answers wait than may; to be closed at once.
    flooded: AtomicBool,
}

/// Counts a call as under way.
pub(super) struct Busy {
    shared: Arc<Shared>,
    pub(super) line: Arc<Line>,
}

impl Line {
    /// Nothing is under way.
    pub(super) fn new(outbox: Outbox) -> Line {
        Line {
            outbox,
            busy: AtomicUsize::new(0),
            closing: AtomicBool::new(false),
            flooded: AtomicBool::new(false),
        }
    }

    /// How many calls are being performed.
    pub(super) fn busy(&self) -> usize {
        self.busy.load(Ordering::Acquire)
    }

    /// Whether it is to be closed as soon as nothing is under way.
    pub(super) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Whether more answers wait than may.
    pub(super) fn is_flooded(&self) -> bool {
        self.flooded.load(Ordering::Acquire)
    }

    /// Tells the consumer whether calls are welcome.
    pub(super) fn announce(&self, read_only: bool) {
        let _ = self.outbox.put(Leave::Together, |out| put_read_only(0, read_only, out));
    }

    /// Closes the connection when nothing is under way.
    pub(super) fn close(&self) {
        self.closing.store(true, Ordering::Release);
        self.outbox.task().wake();
    }

    /// Puts the answer to a request that is not performed.
    pub(super) fn refuse(&self, id: i64, refusal: &Refusal) {
        let put = |out: &mut _| put_error(id, refusal.status, &refusal.text, out);
        let _ = self.outbox.put(Leave::OnFlush, put);
    }

    /// Puts the answer, if one is wanted.
    pub(super) fn answer(&self, envelope: Envelope, two_way: bool, served: Served, leave: Leave) {
        let (result, attachments) = served;
        if two_way {
            let put = |out: &mut _| response::put(envelope, &result, &attachments, out);
            // If the connection is closed nobody is there to be told.
            if let Err(Unsent::Full) = self.outbox.put(leave, put) {
                self.flooded.store(true, Ordering::Release);
                self.outbox.task().wake();
            }
        } else if let Err(error) = result {
            tracing::debug!(%error, "a one-way call failed");
        }
    }
}

impl Busy {
    /// A call that came over `line` is under way until this is dropped.
    pub(super) fn new(shared: &Arc<Shared>, line: &Arc<Line>) -> Busy {
        shared.busy.fetch_add(1, Ordering::AcqRel);
        line.busy.fetch_add(1, Ordering::AcqRel);
        Busy {
            shared: Arc::clone(shared),
            line: Arc::clone(line),
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.shared.busy.fetch_sub(1, Ordering::AcqRel);
        let others = self.line.busy.fetch_sub(1, Ordering::AcqRel) - 1;
        if others == 0 && self.line.is_closing() {
            self.line.outbox.task().wake();
        }
    }
}

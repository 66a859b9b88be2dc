//! The calls that wait for an answer on one connection.
//!
//! A call is a slot; its request id is the slot's number and how often the slot has been used, so that a late answer finds
//! nobody and does no harm. Deadlines need no timer each: one look at all slots when the earliest may be over is enough,
//! because most calls are answered long before. Time is an argument; nothing here reads a clock or a socket.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use orana_core::RpcError;
use orana_wire::dubbo::Header;
use parking_lot::Mutex;
use tokio::time::Instant;

/// The calls of one connection.
#[derive(Debug)]
pub(super) struct Calls {
    slots: Mutex<Slots>,
    /// How many calls may wait.
    limit: usize,
}

#[derive(Debug)]
struct Slots {
    slots: Vec<Slot>,
    free: Option<u32>,
    open: usize,
    /// No deadline is before this; none if no call has waited since the last look.
    next_look: Option<Instant>,
    unanswered: Unanswered,
    /// Why no call may be begun any more.
    closed: Option<RpcError>,
}

#[derive(Debug)]
struct Slot {
    /// How often it has been used.
    uses: u32,
    begun: Instant,
    deadline: Instant,
    state: State,
}

#[derive(Debug)]
enum State {
    Free { next: Option<u32> },
    Waiting(Option<Waker>),
    Done(Result<Answer, Failure>),
}

/// What came back.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) header: Header,
    pub(super) body: Bytes,
}

/// Why nothing came back.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    /// The deadline is over.
    Late,
    /// The body of the answer is over the limit.
    Oversized(Header),
    /// The connection is lost.
    Lost(RpcError),
}

/// Why a call could not be begun.
#[derive(Debug)]
pub(super) enum Refused {
    /// As many calls wait as may.
    Full(usize),
    /// The connection is lost.
    Closed(RpcError),
}

/// A call that waits. Dropping it frees its slot.
#[derive(Debug)]
pub(super) struct Waiting {
    calls: Arc<Calls>,
    id: i64,
    /// Whether no other call waited when this one began.
    pub(super) alone: bool,
    /// Whether the connection's task must hear of the deadline.
    pub(super) hurried: bool,
}

/// The calls whose time was over since a call was last answered, be it too late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Unanswered {
    pub(super) calls: u32,
    /// When the oldest of them began.
    pub(super) since: Option<Instant>,
}

/// What answers were for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settled {
    /// How many were for calls that were made, whether or not somebody still waits.
    pub(super) known: usize,
    /// How many nobody waits for.
    pub(super) strays: usize,
}

/// The look at the deadlines of all calls.
#[derive(Debug)]
pub(super) struct Look {
    /// When the next look is due.
    pub(super) next: Option<Instant>,
    /// When the oldest call began whose time is over.
    pub(super) late_since: Option<Instant>,
    pub(super) unanswered: Unanswered,
}

fn id_of(index: u32, uses: u32) -> i64 {
    i64::from(uses) << 32 | i64::from(index)
}

/// The number of a slot, and which of its uses.
fn parts_of(id: i64) -> (usize, u32) {
    let [u3, u2, u1, u0, i3, i2, i1, i0] = id.to_be_bytes();
    let index = u32::from_be_bytes([i3, i2, i1, i0]) as usize;
    (index, u32::from_be_bytes([u3, u2, u1, u0]))
}

impl Calls {
    /// None yet, and at most `limit`.
    pub(super) fn new(limit: usize) -> Calls {
        Calls {
            limit: limit.min(u32::MAX as usize),
            slots: Mutex::new(Slots {
                slots: Vec::new(),
                free: None,
                open: 0,
                next_look: None,
                unanswered: Unanswered::default(),
                closed: None,
            }),
        }
    }

    /// How many wait.
    pub(super) fn open(&self) -> usize {
        self.slots.lock().open
    }

    /// Begins a call whose answer is awaited until `deadline`.
    pub(super) fn begin(self: &Arc<Self>, now: Instant, deadline: Instant) -> Result<Waiting, Refused> {
        let mut slots = self.slots.lock();
        let slots = &mut *slots;
        if let Some(reason) = &slots.closed {
            return Err(Refused::Closed(reason.clone()));
        }
        if slots.open >= self.limit {
            return Err(Refused::Full(self.limit));
        }
        let index = match slots.free {
            Some(index) => index,
            None => {
                let index = u32::try_from(slots.slots.len()).map_err(|_| Refused::Full(self.limit))?;
                slots.slots.push(Slot {
                    uses: 0,
                    begun: now,
                    deadline,
                    state: State::Free { next: None },
                });
                index
            }
        };
        let Some(slot) = slots.slots.get_mut(index as usize) else {
            return Err(Refused::Full(self.limit));
        };
        slots.free = match slot.state {
            State::Free { next } => next,
            _ => None,
        };
        slot.uses = slot.uses.wrapping_add(1);
        slot.begun = now;
        slot.deadline = deadline;
        slot.state = State::Waiting(None);
        let alone = slots.open == 0;
        slots.open += 1;
        let hurried = slots.next_look.is_none_or(|look| deadline < look);
        if hurried {
            slots.next_look = Some(deadline);
        }
        Ok(Waiting {
            calls: Arc::clone(self),
            id: id_of(index, slot.uses),
            alone,
            hurried,
        })
    }

    /// Gives answers to those who wait for them, and puts who is to be woken into `wake`.
    pub(super) fn settle(
        &self,
        answers: impl Iterator<Item = (i64, Result<Answer, Failure>)>,
        wake: &mut Vec<Waker>,
    ) -> Settled {
        let mut slots = self.slots.lock();
        let (mut known, mut strays) = (0, 0);
        for (id, answer) in answers {
            known += usize::from(slots.was_made(id));
            match slots.of(id) {
                Some(slot) if matches!(slot.state, State::Waiting(_)) => {
                    if let State::Waiting(Some(waker)) = std::mem::replace(&mut slot.state, State::Done(answer)) {
                        wake.push(waker);
                    }
                }
                _ => strays += 1,
            }
        }
        if known > 0 {
            slots.unanswered = Unanswered::default();
        }
        Settled { known, strays }
    }

    /// Ends the calls whose deadline is over, if any may be.
    pub(super) fn look(&self, now: Instant, wake: &mut Vec<Waker>) -> Look {
        let mut slots = self.slots.lock();
        let slots = &mut *slots;
        let mut late_since = None;
        if slots.next_look.is_some_and(|look| look <= now) {
            let mut next: Option<Instant> = None;
            for slot in &mut slots.slots {
                let State::Waiting(waker) = &mut slot.state else {
                    continue;
                };
                if slot.deadline <= now {
                    wake.extend(waker.take());
                    slot.state = State::Done(Err(Failure::Late));
                    slots.unanswered.add(slot.begun);
                    late_since = Some(late_since.map_or(slot.begun, |since: Instant| since.min(slot.begun)));
                } else {
                    next = Some(next.map_or(slot.deadline, |next| next.min(slot.deadline)));
                }
            }
            slots.next_look = next;
        }
        Look {
            next: slots.next_look,
            late_since,
            unanswered: slots.unanswered,
        }
    }

    /// Fails all calls, and those that will be begun.
    pub(super) fn close(&self, reason: &RpcError) {
        let mut wake = Vec::new();
        let mut slots = self.slots.lock();
        slots.closed.get_or_insert_with(|| reason.clone());
        for slot in &mut slots.slots {
            if let State::Waiting(waker) = &mut slot.state {
                wake.extend(waker.take());
                slot.state = State::Done(Err(Failure::Lost(reason.clone())));
            }
        }
        drop(slots);
        wake.into_iter().for_each(Waker::wake);
    }
}

impl Unanswered {
    fn add(&mut self, begun: Instant) {
        self.calls = self.calls.saturating_add(1);
        self.since = Some(self.since.map_or(begun, |since| since.min(begun)));
    }

    /// Whether there are so many that have waited for so long.
    pub(super) fn are(&self, calls: u32, time: Duration, now: Instant) -> bool {
        let waited = self.since.map(|since| now.saturating_duration_since(since));
        self.calls >= calls && waited.is_some_and(|waited| waited >= time)
    }
}

impl Slots {
    fn of(&mut self, id: i64) -> Option<&mut Slot> {
        let (index, uses) = parts_of(id);
        self.slots.get_mut(index).filter(|slot| slot.uses == uses)
    }

    /// Whether a call has ever had that id.
    fn was_made(&self, id: i64) -> bool {
        let (index, uses) = parts_of(id);
        self.slots
            .get(index)
            .is_some_and(|slot| (1..=slot.uses).contains(&uses))
    }

    fn release(&mut self, id: i64) {
        let free = self.free;
        if let Some(slot) = self.of(id) {
            slot.state = State::Free { next: free };
            self.free = u32::try_from(id & i64::from(u32::MAX)).ok();
            self.open -= 1;
        }
    }
}

impl Waiting {
    /// The id of its request.
    pub(super) fn id(&self) -> i64 {
        self.id
    }
}

impl Future for Waiting {
    type Output = Result<Answer, Failure>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut slots = self.calls.slots.lock();
        let Some(slot) = slots.of(self.id) else {
            return Poll::Ready(Err(Failure::Late));
        };
        match &mut slot.state {
            State::Waiting(Some(waker)) => waker.clone_from(cx.waker()),
            State::Waiting(none) => *none = Some(cx.waker().clone()),
            State::Free { .. } => return Poll::Ready(Err(Failure::Late)),
            done @ State::Done(_) => {
                if let State::Done(answer) = std::mem::replace(done, State::Waiting(None)) {
                    return Poll::Ready(answer);
                }
            }
        }
        Poll::Pending
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.calls.slots.lock().release(self.id);
    }
}

#[cfg(test)]
mod tests {
    use orana_core::RpcErrorCode;
    use orana_wire::dubbo::Status;

    use super::*;

    fn answer(id: i64) -> (i64, Result<Answer, Failure>) {
        let answer = Answer {
            header: Header::response(id, Status::OK),
            body: Bytes::new(),
        };
        (id, Ok(answer))
    }

    fn poll(waiting: &mut Waiting) -> Poll<Result<Answer, Failure>> {
        Pin::new(waiting).poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn a_late_answer_finds_nobody_although_its_slot_is_used_again() {
        let calls = Arc::new(Calls::new(10));
        let now = Instant::now();
        let first = calls.begin(now, now).unwrap();
        let id = first.id();
        drop(first);
        let mut second = calls.begin(now, now).unwrap();
        assert_ne!(second.id(), id);
        let mut wake = Vec::new();
        let settled = calls.settle([answer(id), answer(77)].into_iter(), &mut wake);
        assert_eq!(settled, Settled { known: 1, strays: 2 });
        assert!(poll(&mut second).is_pending());
        let settled = calls.settle([answer(second.id())].into_iter(), &mut wake);
        assert_eq!(settled, Settled { known: 1, strays: 0 });
        assert!(matches!(poll(&mut second), Poll::Ready(Ok(_))));
    }

    #[test]
    fn only_calls_whose_time_is_over_end_and_the_next_look_is_when_the_next_may_be() {
        let calls = Arc::new(Calls::new(10));
        let now = Instant::now();
        let at = |second| now + Duration::from_secs(second);
        let mut late = calls.begin(now, at(3)).unwrap();
        let mut soon = calls.begin(at(1), at(2)).unwrap();
        let mut last = calls.begin(at(1), at(9)).unwrap();
        assert_eq!((late.hurried, soon.hurried, last.hurried), (true, true, false));
        let mut wake = Vec::new();
        assert_eq!(calls.look(at(1), &mut wake).next, Some(at(2)));
        let look = calls.look(at(3), &mut wake);
        assert_eq!((look.next, look.late_since), (Some(at(9)), Some(now)));
        assert!(matches!(poll(&mut late), Poll::Ready(Err(Failure::Late))));
        assert!(matches!(poll(&mut soon), Poll::Ready(Err(Failure::Late))));
        assert!(poll(&mut last).is_pending());
    }

    #[test]
    fn calls_without_an_answer_are_counted_until_any_call_is_answered_be_it_too_late() {
        let calls = Arc::new(Calls::new(10));
        let now = Instant::now();
        let at = |second| now + Duration::from_secs(second);
        let mut wake = Vec::new();
        for second in 0..3 {
            let _late = calls.begin(at(second), at(second + 1)).unwrap();
            let unanswered = calls.look(at(second + 1), &mut wake).unanswered;
            assert_eq!(
                (unanswered.calls, unanswered.since),
                (u32::try_from(second).unwrap() + 1, Some(now))
            );
        }
        let unanswered = calls.look(at(3), &mut wake).unanswered;
        let time = Duration::from_secs(3);
        assert!(unanswered.are(3, time, at(3)) && !unanswered.are(4, time, at(3)) && !unanswered.are(3, time, at(2)));
        // Answers to calls that nobody made do not count.
        let made = calls.begin(at(3), at(4)).unwrap().id();
        for stranger in [0, 1, made + 1, made + (1 << 32), -1] {
            calls.settle([answer(stranger)].into_iter(), &mut wake);
            assert_eq!(calls.look(at(3), &mut wake).unanswered, unanswered, "{stranger}");
        }
        calls.settle([answer(made - (1 << 32))].into_iter(), &mut wake);
        assert_eq!(calls.look(at(3), &mut wake).unanswered, Unanswered::default());
    }

    #[test]
    fn so_many_calls_wait_and_no_more_until_one_is_let_go() {
        let calls = Arc::new(Calls::new(2));
        let now = Instant::now();
        let held = [calls.begin(now, now).unwrap(), calls.begin(now, now).unwrap()];
        assert!(matches!(calls.begin(now, now), Err(Refused::Full(2))));
        drop(held);
        assert_eq!(calls.open(), 0);
        let mut waiting = calls.begin(now, now).unwrap();
        assert!(waiting.alone);
        calls.close(&RpcError::new(RpcErrorCode::Network, "gone"));
        assert!(matches!(poll(&mut waiting), Poll::Ready(Err(Failure::Lost(_)))));
        assert!(matches!(calls.begin(now, now), Err(Refused::Closed(_))));
    }
}

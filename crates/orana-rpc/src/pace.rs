//! Where the calls of a method are begun: on the task of the connection that they come over, which is quick, or on a thread
//! apart, so that one that runs long without a pause holds up nobody.
//!
//! Learns from how long they run. Time is measured elsewhere, and nothing is run here.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// So many more quick calls than long ones it takes until a method that ran long is tried on a connection's task again.
const LONG_CALLS: u32 = 1000;

/// For so many quick calls counts one that runs long meanwhile.
const SETBACK: u32 = 50;

/// The states of a method other than a number of quick calls that are to come.
const QUICK: u32 = 0;
const UNKNOWN: u32 = u32::MAX;
const LONG_ONCE: u32 = u32::MAX - 1;
const BLOCKING: u32 = u32::MAX - 2;

/// What is known of one method.
#[derive(Debug)]
pub(crate) struct Pace {
    state: AtomicU32,
    /// A call that is to show how long the method runs has been begun on a connection's task.
    probing: AtomicBool,
}

/// Where a call is begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// On the connection's task.
    Here,
    /// There, and no other until it is known how long this one runs.
    Probe,
    /// On a thread for such work.
    Apart,
}

impl Pace {
    /// Of a method that was never called; one that is said to be `blocking` need not be found out.
    pub(crate) fn new(blocking: bool) -> Pace {
        Pace {
            state: AtomicU32::new(if blocking { BLOCKING } else { UNKNOWN }),
            probing: AtomicBool::new(false),
        }
    }

    /// Where the next call is to be begun. [`Pace::ran`] must be told of it afterwards.
    pub(crate) fn place(&self) -> Place {
        match self.state.load(Ordering::Relaxed) {
            QUICK => Place::Here,
            UNKNOWN | LONG_ONCE if !self.probing.swap(true, Ordering::Relaxed) => Place::Probe,
            _ => Place::Apart,
        }
    }

    /// Notes whether a call that was begun at `place` ran long without a pause. A single one may have been interrupted by
    /// other work of the machine; two in a row were not.
    pub(crate) fn ran(&self, place: Place, long: bool) {
        // Calls that end at the same time may count as one; it is a guess anyway.
        let before = self.state.load(Ordering::Relaxed);
        let after = match (before, long) {
            (QUICK | UNKNOWN, true) => LONG_ONCE,
            (LONG_ONCE, true) => LONG_CALLS,
            (UNKNOWN | LONG_ONCE, false) if place != Place::Apart => QUICK,
            (BLOCKING | QUICK | UNKNOWN | LONG_ONCE, _) => before,
            (left, true) => left.saturating_add(SETBACK).min(LONG_CALLS),
            (1, false) => LONG_ONCE,
            (left, false) => left - 1,
        };
        if after != before {
            self.state.store(after, Ordering::Relaxed);
        }
        if place == Place::Probe {
            self.probing.store(false, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call that is begun and has run.
    fn call(pace: &Pace, long: bool) -> Place {
        let place = pace.place();
        pace.ran(place, long);
        place
    }

    #[test]
    fn until_a_method_is_known_one_call_at_a_time_holds_up_its_connection() {
        let pace = Pace::new(false);
        assert_eq!(pace.place(), Place::Probe);
        assert_eq!([pace.place(), pace.place()], [Place::Apart; 2]);
        pace.ran(Place::Probe, false);
        assert_eq!([pace.place(), pace.place()], [Place::Here; 2]);
        // One that runs long all of a sudden must be looked at again.
        pace.ran(Place::Here, true);
        assert_eq!([pace.place(), pace.place()], [Place::Probe, Place::Apart]);
    }

    #[test]
    fn a_method_that_runs_long_is_not_tried_again_before_it_was_quick_on_its_thread() {
        let pace = Pace::new(false);
        assert_eq!([call(&pace, true), call(&pace, true)], [Place::Probe; 2]);
        for _ in 0..10 * LONG_CALLS {
            assert_eq!(call(&pace, true), Place::Apart);
        }
        // One in twenty is enough to hold up others.
        for number in 0..10 * LONG_CALLS {
            assert_eq!(call(&pace, number % 20 == 0), Place::Apart);
        }
        for _ in 0..LONG_CALLS {
            if call(&pace, false) != Place::Apart {
                break;
            }
        }
        assert_eq!(call(&pace, false), Place::Here);
    }

    #[test]
    fn calls_apart_tell_that_a_method_runs_long_while_the_first_one_does() {
        let pace = Pace::new(false);
        assert_eq!(pace.place(), Place::Probe);
        assert_eq!([call(&pace, true), call(&pace, true)], [Place::Apart; 2]);
        pace.ran(Place::Probe, true);
        assert_eq!(pace.place(), Place::Apart);
    }

    #[test]
    fn a_method_that_is_said_to_block_is_never_tried() {
        let pace = Pace::new(true);
        for _ in 0..2 * LONG_CALLS {
            assert_eq!(call(&pace, false), Place::Apart);
        }
    }
}

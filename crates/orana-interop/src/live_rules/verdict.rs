//! Whether calls go where the rules of their moment say, and when a change shows. Told calls and changes; knows no clock.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::calls::Call;
use super::changes::{Expected, Members};

/// How unlikely it is that calls miss by chance those whom a change has excluded, before it is believed that none can reach them: one
/// in 10⁹, as the exponent of *e*.
const SURE: f64 = 20.7;

/// Calls that must stay where they are when a change changes nothing.
const UNMOVED: f64 = 20.0;

/// The judge of calls under one change after the other.
#[derive(Debug)]
pub struct Verdict {
    before: Expected,
    now: Expected,
    /// Calls that began earlier may be of any time.
    floor: Instant,
    /// When the change was begun.
    since: Instant,
    shown: Option<Instant>,
    /// How sure it is by the calls so far, and the first of them.
    doubt: f64,
    first: Option<Instant>,
}

impl Verdict {
    /// Nothing has changed yet.
    pub fn new(now: Expected, since: Instant) -> Verdict {
        Verdict {
            before: now.clone(),
            now,
            floor: since,
            since,
            shown: Some(since),
            doubt: 0.0,
            first: None,
        }
    }

    /// Something is being changed from `since` on; the change before must have shown.
    pub fn change(&mut self, then: Expected, since: Instant) {
        self.floor = self.shown.unwrap_or(self.since);
        self.before = std::mem::replace(&mut self.now, then);
        self.since = since;
        self.shown = None;
        self.doubt = 0.0;
        self.first = None;
    }

    /// Whether the change moves anybody.
    pub fn moves(&self) -> bool {
        self.before != self.now
    }

    /// How long it took from the change to the first call that it counted for; nothing as long as it may not have shown.
    pub fn shown_after(&self) -> Option<Duration> {
        self.shown.map(|shown| shown.saturating_duration_since(self.since))
    }

    /// Takes a call.
    ///
    /// # Errors
    /// It failed, or it went where no rule of its time lets it go.
    pub fn take(&mut self, call: &Call) -> Result<()> {
        let answer = match &call.answer {
            Ok(answer) => *answer,
            Err(error) => bail!("a call failed: {error}"),
        };
        if call.begun < self.floor {
            return Ok(());
        }
        let of = |expected: &Expected| match call.gray {
            true => expected.gray.clone(),
            false => expected.plain.clone(),
        };
        let (before, now) = (of(&self.before), of(&self.now));
        let (was, is) = (allows(&before, answer), allows(&now, answer));
        let late = self.shown.is_some_and(|shown| call.begun >= shown);
        if !is && (!was || late) {
            bail!(
                "a call (gray: {}) went to {answer:?}, {:?} after a change from {before:?} to {now:?}, shown after {:?}",
                call.gray,
                call.begun.saturating_duration_since(self.since),
                self.shown_after()
            );
        }
        if self.shown.is_none() && call.begun >= self.since {
            self.weigh(call, &before, &now, was, is);
        }
        Ok(())
    }

    fn weigh(&mut self, call: &Call, before: &Members, now: &Members, was: bool, is: bool) {
        if is && !was {
            self.shown = Some(call.begun);
        } else if !is {
            self.doubt = 0.0;
            self.first = None;
        } else if before != now || !self.moves() {
            let stay = before.intersection(now).count() as f64 / before.len().max(1) as f64;
            self.doubt += match self.moves() {
                // Where everybody stays only a newcomer tells.
                true => -stay.max(f64::MIN_POSITIVE).ln(),
                false => SURE / UNMOVED,
            };
            let first = *self.first.get_or_insert(call.begun);
            if self.doubt >= SURE {
                self.shown = Some(first);
            }
        }
    }
}

fn allows(members: &Members, answer: Option<u16>) -> bool {
    match answer {
        Some(port) => members.contains(&port),
        None => members.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(ports: &[u16]) -> Expected {
        let members: Members = ports.iter().copied().collect();
        Expected {
            plain: members.clone(),
            gray: members,
        }
    }

    fn at(start: Instant, millis: u64, answer: Option<u16>) -> Call {
        Call {
            begun: start + Duration::from_millis(millis),
            gray: false,
            answer: Ok(answer),
        }
    }

    #[test]
    fn a_newcomer_shows_a_change_and_nobody_else_may_answer_after_that() {
        let start = Instant::now();
        let mut verdict = Verdict::new(both(&[1, 2]), start);
        verdict.take(&at(start, 1, Some(1))).unwrap();
        verdict.change(both(&[3]), start + Duration::from_millis(10));
        verdict.take(&at(start, 12, Some(2))).unwrap();
        assert_eq!(verdict.shown_after(), None);
        verdict.take(&at(start, 15, Some(3))).unwrap();
        assert_eq!(verdict.shown_after(), Some(Duration::from_millis(5)));
        verdict.take(&at(start, 14, Some(1))).unwrap();
        assert!(verdict.take(&at(start, 16, Some(1))).is_err());
    }

    #[test]
    fn who_is_excluded_is_so_once_chance_cannot_explain_it() {
        let start = Instant::now();
        let mut verdict = Verdict::new(both(&[1, 2]), start);
        verdict.change(both(&[1]), start);
        verdict.take(&at(start, 1, Some(1))).unwrap();
        verdict.take(&at(start, 2, Some(2))).unwrap();
        for millis in 3..32 {
            verdict.take(&at(start, millis, Some(1))).unwrap();
            assert_eq!(verdict.shown_after(), None);
        }
        verdict.take(&at(start, 32, Some(1))).unwrap();
        assert_eq!(verdict.shown_after(), Some(Duration::from_millis(3)));
        assert!(verdict.take(&at(start, 33, Some(2))).is_err());
        assert!(verdict.take(&at(start, 33, None)).is_err());
    }

    #[test]
    fn a_failure_is_no_refusal() {
        let start = Instant::now();
        let mut verdict = Verdict::new(both(&[1]), start);
        verdict.change(both(&[]), start);
        verdict.take(&at(start, 1, None)).unwrap();
        assert!(verdict.shown_after().is_some());
        let mut call = at(start, 2, None);
        call.answer = Err("lost".into());
        assert!(verdict.take(&call).is_err());
    }
}

//! Decisions without I/O: what is done next, after whatever happened.

use super::*;

const RETRY: Retry = Retry {
    period: Duration::from_secs(5),
    times: None,
};
const DYNAMIC: Kind = Kind::Registration { dynamic: true };
const PERSISTENT: Kind = Kind::Registration { dynamic: false };

fn up(epoch: u64, now: Instant) -> Convergence {
    let mut convergence = Convergence::new(16);
    convergence.link(Some(epoch), now);
    convergence
}

fn take(convergence: &mut Convergence, operation: Operation, now: Instant) -> Step {
    let step = convergence.next(now).expect("a step");
    assert_eq!(step.operation, operation);
    step
}

fn publish(convergence: &mut Convergence, kind: Kind, now: Instant) -> (Key, Step) {
    let key = convergence.want(kind, RETRY, now);
    let step = take(convergence, Operation::Publish, now);
    assert_eq!(convergence.finished(step, Outcome::Done, now, 0.5), Verdict::Settled);
    (key, step)
}

#[test]
fn nothing_is_done_before_the_link_is_up_and_everything_then() {
    let now = Instant::now();
    let mut convergence = Convergence::new(16);
    convergence.want(DYNAMIC, RETRY, now);
    convergence.want(Kind::Watch, RETRY, now);
    assert_eq!((convergence.next(now), convergence.wake()), (None, None));
    convergence.link(Some(1), now);
    take(&mut convergence, Operation::Publish, now);
    take(&mut convergence, Operation::Watch, now);
    assert_eq!(convergence.next(now), None);
}

#[test]
fn a_new_session_makes_everything_due_at_once_and_a_short_cut_nothing() {
    let now = Instant::now();
    let mut convergence = up(1, now);
    publish(&mut convergence, DYNAMIC, now);
    convergence.link(None, now);
    convergence.link(Some(1), now);
    assert_eq!(convergence.next(now), None);
    convergence.link(None, now);
    convergence.link(Some(2), now);
    let step = take(&mut convergence, Operation::Publish, now);
    assert_eq!(step.epoch, 2);
}

#[test]
fn a_failure_is_tried_again_after_a_period_with_jitter() {
    let now = Instant::now();
    let mut convergence = up(1, now);
    convergence.want(DYNAMIC, RETRY, now);
    for (chance, wait) in [(0.0, 4), (0.5, 5), (1.0, 6)] {
        let due = convergence.wake().unwrap();
        let step = take(&mut convergence, Operation::Publish, due);
        let at = due + Duration::from_secs(wait);
        let Verdict::Again { at: told } = convergence.finished(step, Outcome::Failed, due, chance) else {
            panic!("not tried again");
        };
        assert!(told.duration_since(at).max(at.duration_since(told)) < Duration::from_millis(1));
        assert_eq!(convergence.next(told - Duration::from_millis(1)), None);
        assert_eq!(convergence.wake(), Some(told));
    }
}

#[test]
fn a_limited_number_of_retries_ends_until_the_next_session() {
    let now = Instant::now();
    let mut convergence = up(1, now);
    let retry = Retry {
        times: Some(1),
        ..RETRY
    };
    convergence.want(DYNAMIC, retry, now);
    let step = take(&mut convergence, Operation::Publish, now);
    let Verdict::Again { at } = convergence.finished(step, Outcome::Failed, now, 0.0) else {
        panic!("not tried again");
    };
    let step = take(&mut convergence, Operation::Publish, at);
    assert_eq!(convergence.finished(step, Outcome::Failed, at, 0.0), Verdict::GivenUp);
    convergence.link(None, at);
    convergence.link(Some(1), at);
    assert_eq!(convergence.next(at + Duration::from_secs(3600)), None);
    convergence.link(None, at);
    convergence.link(Some(2), at);
    take(&mut convergence, Operation::Publish, at);
}

#[test]
fn what_cannot_succeed_is_not_tried_again() {
    let now = Instant::now();
    let mut convergence = up(1, now);
    convergence.want(DYNAMIC, RETRY, now);
    let step = take(&mut convergence, Operation::Publish, now);
    assert_eq!(
        convergence.finished(step, Outcome::Impossible, now, 0.0),
        Verdict::GivenUp
    );
    assert_eq!(convergence.wake(), None);
}

#[test]
fn what_failed_while_the_link_broke_is_done_as_soon_as_it_is_back() {
    let now = Instant::now();
    let mut convergence = up(1, now);
    convergence.want(DYNAMIC, RETRY, now);
    let step = take(&mut convergence, Operation::Publish, now);
    convergence.link(None, now);
    convergence.finished(step, Outcome::Failed, now, 0.5);
    let soon = now + Duration::from_millis(10);
    convergence.link(Some(1), soon);
    take(&mut convergence, Operation::Publish, soon);
}

#[test]
fn one_step_at_a_time_for_each_item_and_the_last_wish_wins() {
    let now = Instant::now();
    let mut convergence = up(1, now);
    let key = convergence.want(DYNAMIC, RETRY, now);
    let step = take(&mut convergence, Operation::Publish, now);
    assert!(!convergence.unwant(key, now));
    convergence.want_again(key, now);
    assert!(!convergence.unwant(key, now));
    assert_eq!(convergence.next(now), None);
    assert_eq!(
        convergence.finished(step, Outcome::Done, now, 0.5),
        Verdict::Again { at: now }
    );
    let step = take(&mut convergence, Operation::Withdraw, now);
    convergence.want_again(key, now);
    assert_eq!(
        convergence.finished(step, Outcome::Done, now, 0.5),
        Verdict::Again { at: now }
    );
    let step = take(&mut convergence, Operation::Publish, now);
    assert_eq!(convergence.finished(step, Outcome::Done, now, 0.5), Verdict::Settled);
}

#[test]
fn what_may_have_been_published_is_withdrawn() {
    let now = Instant::now();
    let mut convergence = up(1, now);
    let key = convergence.want(DYNAMIC, RETRY, now);
    let step = take(&mut convergence, Operation::Publish, now);
    convergence.finished(step, Outcome::Failed, now, 0.5);
    assert!(!convergence.unwant(key, now));
    let step = take(&mut convergence, Operation::Withdraw, now);
    assert_eq!(convergence.finished(step, Outcome::Done, now, 0.5), Verdict::Removed);
    assert!(convergence.items.is_empty() && convergence.due.is_empty());
}

#[test]
fn a_withdrawal_that_fails_is_tried_again() {
    let now = Instant::now();
    let mut convergence = up(1, now);
    let (key, _) = publish(&mut convergence, DYNAMIC, now);
    convergence.unwant(key, now);
    let step = take(&mut convergence, Operation::Withdraw, now);
    let Verdict::Again { at } = convergence.finished(step, Outcome::Failed, now, 0.5) else {
        panic!("not tried again");
    };
    assert_eq!(convergence.next(now), None);
    take(&mut convergence, Operation::Withdraw, at);
}

#[test]
fn a_new_session_withdraws_only_what_outlives_the_old_one() {
    let now = Instant::now();
    let mut convergence = up(1, now);
    let (dynamic, _) = publish(&mut convergence, DYNAMIC, now);
    let (persistent, _) = publish(&mut convergence, PERSISTENT, now);
    convergence.link(None, now);
    assert!(!convergence.unwant(dynamic, now) && !convergence.unwant(persistent, now));
    convergence.link(Some(2), now);
    let step = take(&mut convergence, Operation::Withdraw, now);
    assert_eq!(step.key, persistent);
    assert_eq!(convergence.next(now), None);
    assert_eq!(convergence.take_removed(), [dynamic]);
    assert_eq!(convergence.items.len(), 1);
}

#[test]
fn a_url_published_by_a_step_of_the_old_session_is_published_again_in_the_new_one() {
    let now = Instant::now();
    let mut convergence = up(1, now);
    convergence.want(DYNAMIC, RETRY, now);
    let step = take(&mut convergence, Operation::Publish, now);
    convergence.link(Some(2), now);
    assert_eq!(convergence.next(now), None);
    assert_eq!(
        convergence.finished(step, Outcome::Done, now, 0.5),
        Verdict::Again { at: now }
    );
    assert_eq!(take(&mut convergence, Operation::Publish, now).epoch, 2);
}

#[test]
fn a_watch_of_the_old_session_is_not_waited_for() {
    let now = Instant::now();
    let mut convergence = up(1, now);
    let key = convergence.want(Kind::Watch, RETRY, now);
    let old = take(&mut convergence, Operation::Watch, now);
    convergence.link(Some(2), now);
    let new = take(&mut convergence, Operation::Watch, now);
    assert_eq!(convergence.finished(old, Outcome::Failed, now, 0.5), Verdict::Stale);
    assert_eq!(convergence.finished(new, Outcome::Done, now, 0.5), Verdict::Settled);
    assert!(convergence.is_settled());
    assert!(convergence.unwant(key, now));
    assert_eq!(convergence.running, 0);
}

#[test]
fn a_stream_that_ends_is_watched_again_and_one_that_was_of_no_use_only_later() {
    let now = Instant::now();
    let mut convergence = up(1, now);
    convergence.want(Kind::Watch, RETRY, now);
    let step = take(&mut convergence, Operation::Watch, now);
    convergence.finished(step, Outcome::Done, now, 0.5);
    assert_eq!(convergence.ended(step, true, now, 0.5), Verdict::Again { at: now });
    assert_eq!(convergence.ended(step, true, now, 0.5), Verdict::Stale);
    let step = take(&mut convergence, Operation::Watch, now);
    convergence.finished(step, Outcome::Done, now, 0.5);
    convergence.ended(step, false, now, 0.5);
    assert_eq!(convergence.next(now + Duration::from_secs(4)), None);
    take(&mut convergence, Operation::Watch, now + Duration::from_secs(6));
}

#[test]
fn a_stream_that_ends_with_its_session_is_watched_again_at_once() {
    let now = Instant::now();
    let mut convergence = Convergence::new(1);
    convergence.link(Some(1), now);
    let mut step = || {
        convergence.want(Kind::Watch, RETRY, now);
        let step = take(&mut convergence, Operation::Watch, now);
        convergence.finished(step, Outcome::Done, now, 0.5);
        step
    };
    let streams = [step(), step()];
    convergence.link(Some(2), now);
    // One may be watched at a time, so the other's old stream ends while it is due.
    let first = take(&mut convergence, Operation::Watch, now);
    for stream in streams {
        convergence.ended(stream, false, now, 0.5);
    }
    convergence.finished(first, Outcome::Done, now, 0.5);
    take(&mut convergence, Operation::Watch, now);
}

#[test]
fn no_more_steps_run_than_the_limit_allows() {
    let now = Instant::now();
    let mut convergence = Convergence::new(2);
    convergence.link(Some(1), now);
    for _ in 0..3 {
        convergence.want(DYNAMIC, RETRY, now);
    }
    let step = take(&mut convergence, Operation::Publish, now);
    take(&mut convergence, Operation::Publish, now);
    assert_eq!((convergence.next(now), convergence.wake()), (None, None));
    convergence.finished(step, Outcome::Done, now, 0.5);
    take(&mut convergence, Operation::Publish, now);
}

/// A registry that fails at random, loses sessions at random, and a program that changes its mind at random: once all
/// that is over, the registry holds exactly what is wanted.
#[test]
fn whatever_happened_it_ends_with_what_is_wanted() {
    for seed in 0..300 {
        let mut chance = fastrand::Rng::with_seed(seed);
        let mut now = Instant::now();
        let mut convergence = Convergence::new(3);
        let mut epoch = 1;
        let mut held: HashMap<Key, bool> = HashMap::new();
        let mut wanted: Vec<(Key, bool, bool)> = Vec::new();
        let mut under_way: Vec<Step> = Vec::new();
        convergence.link(Some(epoch), now);
        for round in 0..400 {
            let calm = round > 300;
            now += Duration::from_millis(chance.u64(0..if calm { 10_000 } else { 2_000 }));
            match chance.u8(0..if calm { 1 } else { 8 }) {
                1 => {
                    let dynamic = chance.bool();
                    let key = convergence.want(Kind::Registration { dynamic }, RETRY, now);
                    wanted.push((key, dynamic, true));
                }
                2 | 3 if !wanted.is_empty() => {
                    let index = chance.usize(0..wanted.len());
                    let (key, _, on) = &mut wanted[index];
                    if *on {
                        *on = false;
                        convergence.unwant(*key, now);
                    } else if convergence.items.contains_key(key) {
                        *on = true;
                        convergence.want_again(*key, now);
                    }
                }
                4 => convergence.link(None, now),
                5 => {
                    // The session is lost, and what was dynamic with it.
                    epoch += 1;
                    for (key, dynamic, _) in &wanted {
                        if *dynamic {
                            held.insert(*key, false);
                        }
                    }
                    convergence.link(Some(epoch), now);
                }
                _ => convergence.link(Some(epoch), now),
            }
            while let Some(step) = convergence.next(now) {
                under_way.push(step);
            }
            while !under_way.is_empty() && (calm || chance.bool()) {
                let step = under_way.swap_remove(chance.usize(0..under_way.len()));
                let works = calm || chance.bool();
                // A step that is said to have failed may have been done, unless its session is over.
                if step.epoch == epoch && (works || chance.bool()) {
                    held.insert(step.key, step.operation == Operation::Publish);
                }
                let works = works && step.epoch == epoch;
                let outcome = if works { Outcome::Done } else { Outcome::Failed };
                convergence.finished(step, outcome, now, chance.f64());
                while let Some(step) = convergence.next(now) {
                    under_way.push(step);
                }
            }
        }
        assert!(convergence.is_settled(), "seed {seed}");
        for (key, _, on) in wanted {
            assert_eq!(held.get(&key).copied().unwrap_or(false), on, "seed {seed}, {key:?}");
        }
    }
}

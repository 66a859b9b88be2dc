//! When a breaker opens, lets probes through, and closes.

use super::*;

const QUICK: Duration = Duration::from_millis(1);

fn settings() -> BreakerSettings {
    BreakerSettings {
        window: Window::Calls(10),
        minimum_calls: 4,
        slow: Duration::from_secs(1),
        probes: 2,
        ..BreakerSettings::default()
    }
}

fn call(breaker: &mut Breaker, verdict: Verdict, took: Duration, now: Instant) {
    let ticket = breaker.begin(now).unwrap();
    breaker.end(ticket, verdict, took, now);
}

/// A breaker that has just opened.
fn opened(now: Instant) -> Breaker {
    let mut breaker = Breaker::new(settings(), now);
    (0..4).for_each(|_| call(&mut breaker, Verdict::Faulty, QUICK, now));
    assert!(matches!(breaker.state(), BreakerState::Open { .. }));
    breaker
}

#[test]
fn it_opens_at_the_rate_and_not_before_the_minimum_of_calls() {
    let now = Instant::now();
    let mut breaker = Breaker::new(settings(), now);
    (0..3).for_each(|_| call(&mut breaker, Verdict::Faulty, QUICK, now));
    assert_eq!(breaker.state(), BreakerState::Closed, "three calls say nothing");
    let mut breaker = Breaker::new(settings(), now);
    for _ in 0..20 {
        call(&mut breaker, Verdict::Healthy, QUICK, now);
        call(&mut breaker, Verdict::Healthy, QUICK, now);
        call(&mut breaker, Verdict::Faulty, QUICK, now);
    }
    assert_eq!(breaker.state(), BreakerState::Closed, "a third is less than half");
    (0..3).for_each(|_| {
        if breaker.admits(now) {
            call(&mut breaker, Verdict::Faulty, QUICK, now);
        }
    });
    let until = now + settings().open_for;
    assert_eq!(breaker.state(), BreakerState::Open { until });
    assert!(!breaker.admits(now) && breaker.begin(now).is_none());
}

#[test]
fn calls_that_are_too_slow_open_it_too() {
    let now = Instant::now();
    let slow_settings = BreakerSettings {
        slow_percent: 50,
        ..settings()
    };
    let mut breaker = Breaker::new(slow_settings, now);
    let slow = Duration::from_secs(1);
    for took in [QUICK, slow, QUICK, slow] {
        call(&mut breaker, Verdict::Healthy, took, now);
    }
    assert!(matches!(breaker.state(), BreakerState::Open { .. }));
}

#[test]
fn after_its_time_exactly_the_probes_pass_and_good_ones_close_it() {
    let now = Instant::now();
    let mut breaker = opened(now);
    let later = now + settings().open_for;
    assert!(!breaker.admits(later - QUICK));
    let (first, second) = (breaker.begin(later).unwrap(), breaker.begin(later).unwrap());
    assert_eq!(breaker.state(), BreakerState::HalfOpen);
    assert!(breaker.begin(later).is_none() && !breaker.admits(later));
    breaker.end(first, Verdict::Healthy, QUICK, later);
    assert!(!breaker.admits(later), "a probe that ended still counts as one");
    breaker.end(second, Verdict::Healthy, QUICK, later);
    assert_eq!(breaker.state(), BreakerState::Closed);
}

#[test]
fn bad_probes_open_it_for_another_time() {
    let now = Instant::now();
    let mut breaker = opened(now);
    let later = now + settings().open_for;
    let (first, second) = (breaker.begin(later).unwrap(), breaker.begin(later).unwrap());
    breaker.end(first, Verdict::Healthy, QUICK, later);
    breaker.end(second, Verdict::Faulty, QUICK, later);
    let until = later + settings().open_for;
    assert_eq!(breaker.state(), BreakerState::Open { until });
}

#[test]
fn a_probe_that_is_given_up_or_says_nothing_frees_its_place() {
    let now = Instant::now();
    let mut breaker = opened(now);
    let later = now + settings().open_for;
    let (first, second) = (breaker.begin(later).unwrap(), breaker.begin(later).unwrap());
    breaker.cancel(first);
    breaker.end(second, Verdict::Neutral, QUICK, later);
    assert!(breaker.begin(later).is_some() && breaker.begin(later).is_some());
    assert!(breaker.begin(later).is_none());
}

#[test]
fn what_comes_of_calls_from_before_does_not_count() {
    let now = Instant::now();
    let mut breaker = Breaker::new(settings(), now);
    let old: Vec<_> = (0..20).map(|_| breaker.begin(now).unwrap()).collect();
    (0..4).for_each(|_| call(&mut breaker, Verdict::Faulty, QUICK, now));
    let later = now + settings().open_for;
    let probe = breaker.begin(later).unwrap();
    old.iter()
        .for_each(|old| breaker.end(*old, Verdict::Faulty, QUICK, later));
    assert_eq!(breaker.state(), BreakerState::HalfOpen);
    breaker.end(probe, Verdict::Healthy, QUICK, later);
    call(&mut breaker, Verdict::Healthy, QUICK, later);
    assert_eq!(breaker.state(), BreakerState::Closed);
    old.iter()
        .for_each(|old| breaker.end(*old, Verdict::Faulty, QUICK, later));
    assert_eq!(breaker.state(), BreakerState::Closed);
}

#[test]
fn a_window_of_time_forgets() {
    let now = Instant::now();
    let timed = BreakerSettings {
        window: Window::Time(Duration::from_secs(10)),
        ..settings()
    };
    let mut breaker = Breaker::new(timed, now);
    (0..3).for_each(|_| call(&mut breaker, Verdict::Faulty, QUICK, now));
    let later = now + Duration::from_secs(11);
    (0..3).for_each(|_| call(&mut breaker, Verdict::Faulty, QUICK, later));
    assert_eq!(breaker.state(), BreakerState::Closed);
    call(&mut breaker, Verdict::Faulty, QUICK, later);
    assert!(matches!(breaker.state(), BreakerState::Open { .. }));
}

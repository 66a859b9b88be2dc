//! Who is ejected, for how long, and how many at most.

use super::super::testing::url;
use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn fleet(size: usize, now: Instant) -> Vec<OutlierRecord> {
    (0..size).map(|_| OutlierRecord::new(now)).collect()
}

fn fail(detector: &OutlierDetector, fleet: &[OutlierRecord], index: usize, times: u32, now: Instant) -> bool {
    (0..times).any(|_| detector.end(&fleet[index], Outcome::Network, now, || fleet))
}

#[test]
fn faulty_calls_in_a_row_eject_and_a_good_one_between_does_not() {
    let now = Instant::now();
    let (detector, fleet) = (OutlierDetector::new(OutlierSettings::default(), now), fleet(4, now));
    assert!(!fail(&detector, &fleet, 0, 4, now));
    detector.end(&fleet[0], Outcome::Business, now, || &fleet);
    assert!(!fail(&detector, &fleet, 0, 4, now));
    detector.end(&fleet[0], Outcome::Limit, now, || &fleet);
    assert!(
        fail(&detector, &fleet, 0, 1, now),
        "one that says nothing does not interrupt the row"
    );
    assert!(fleet[0].is_ejected(now) && fleet[0].is_ejected(now + 29 * SECOND));
    assert!(!fleet[0].is_ejected(now + 30 * SECOND));
}

#[test]
fn never_more_than_the_share_is_out_and_never_the_last_one() {
    let now = Instant::now();
    for (size, percent, expected) in [
        (10, 50, 5),
        (3, 50, 1),
        (1, 100, 0),
        (2, 100, 1),
        (10, 0, 0),
        (9, 10, 0),
    ] {
        let settings = OutlierSettings {
            most_percent: percent,
            ..OutlierSettings::default()
        };
        let (detector, fleet) = (OutlierDetector::new(settings, now), fleet(size, now));
        let ejected = (0..size)
            .filter(|index| fail(&detector, &fleet, *index, 20, now))
            .count();
        assert_eq!(ejected, expected, "{percent} percent of {size}");
    }
}

#[test]
fn eight_threads_together_do_not_eject_more_than_the_share() {
    let now = Instant::now();
    let (detector, fleet) = (OutlierDetector::new(OutlierSettings::default(), now), fleet(8, now));
    std::thread::scope(|scope| {
        for index in 0..8 {
            let (detector, fleet) = (&detector, &fleet);
            scope.spawn(move || fail(detector, fleet, index, 1_000, now));
        }
    });
    assert_eq!(fleet.iter().filter(|record| record.is_ejected(now)).count(), 4);
}

#[test]
fn each_ejection_lasts_twice_as_long_up_to_the_longest_and_good_intervals_forgive() {
    let mut now = Instant::now();
    let (detector, fleet) = (OutlierDetector::new(OutlierSettings::default(), now), fleet(3, now));
    for seconds in [30, 60, 120, 240, 300, 300] {
        assert!(fail(&detector, &fleet, 0, 5, now));
        now += Duration::from_secs(seconds);
        assert!(
            fleet[0].is_ejected(now - SECOND) && !fleet[0].is_ejected(now),
            "{seconds}"
        );
    }
    let all: Vec<_> = fleet.iter().collect();
    (0..6).for_each(|_| assert_eq!(detector.sweep(&all, now), 0));
    assert_eq!(fleet[0].ejections(), 0);
    fail(&detector, &fleet, 0, 5, now);
    assert!(!fleet[0].is_ejected(now + 30 * SECOND));
}

#[test]
fn a_share_of_good_calls_far_below_the_others_ejects() {
    let now = Instant::now();
    let settings = OutlierSettings {
        consecutive: 0,
        ..OutlierSettings::default()
    };
    let (detector, fleet) = (OutlierDetector::new(settings, now), fleet(10, now));
    for (index, record) in fleet.iter().enumerate() {
        for call in 0..200 {
            let bad = index == 7 && call % 2 == 0;
            let outcome = if bad { Outcome::Timeout } else { Outcome::Success };
            detector.end(record, outcome, now, || &fleet);
        }
    }
    let all: Vec<_> = fleet.iter().collect();
    assert!(!detector.sweep_due(now + 9 * SECOND));
    assert!(detector.sweep_due(now + 10 * SECOND) && !detector.sweep_due(now + 10 * SECOND));
    assert_eq!(detector.sweep(&all, now), 1);
    assert!(fleet[7].is_ejected(now));
    assert_eq!(
        detector.sweep(&all, now + 10 * SECOND),
        0,
        "a new interval without calls says nothing"
    );
}

#[test]
fn too_few_endpoints_or_calls_are_not_compared() {
    let now = Instant::now();
    let settings = OutlierSettings {
        consecutive: 0,
        ..OutlierSettings::default()
    };
    for (size, calls) in [(4, 200), (10, 50)] {
        let (detector, fleet) = (OutlierDetector::new(settings.clone(), now), fleet(size, now));
        for (index, record) in fleet.iter().enumerate() {
            let outcome = if index == 0 { Outcome::Network } else { Outcome::Success };
            (0..calls).for_each(|_| {
                detector.end(record, outcome, now, || &fleet);
            });
        }
        assert_eq!(detector.sweep(&fleet.iter().collect::<Vec<_>>(), now), 0);
    }
}

#[test]
fn it_is_asked_for_by_the_url() {
    assert_eq!(OutlierSettings::of(&url("outlier=false")), None);
    let settings = OutlierSettings::of(&url("outlier=true&outlier.percent=250&outlier.ejection=5")).unwrap();
    assert_eq!(
        (settings.most_percent, settings.ejection),
        (100, Duration::from_millis(5))
    );
}

//! Outlier ejection: an endpoint that fails while its neighbours do not is left out for a while.
//!
//! Two signs: so many faulty calls in a row, and a share of good calls far below that of the others. An endpoint that is ejected again
//! stays out longer each time. Never is more than a share of the fleet out, whatever happens: when everybody fails, the fault is
//! elsewhere, and nobody is helped by calling no one. (The words are those of Envoy; Dubbo has nothing like it.)
//!
//! Who counts is the endpoint, each its own [`OutlierRecord`]; who decides is one [`OutlierDetector`] for the list they are in. Time is an argument.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use orana_core::ServiceUrl;
use parking_lot::Mutex;

use super::outcome::{Outcome, Verdict};

/// When endpoints are left out, and how many at most.
#[derive(Clone, Debug, PartialEq)]
pub struct OutlierSettings {
    /// So many faulty calls in a row are too many; 0 for never.
    pub consecutive: u32,
    /// How long the first ejection lasts; each further one twice as long as the one before.
    pub ejection: Duration,
    /// No ejection lasts longer.
    pub longest: Duration,
    /// So many of a hundred endpoints may be out at a time, rounded down.
    pub most_percent: u8,
    /// How often shares of good calls are compared.
    pub interval: Duration,
    /// Fewer endpoints than that, each with enough calls, are not compared.
    pub minimum_hosts: u32,
    /// An endpoint with fewer calls in the interval is not compared.
    pub minimum_calls: u32,
    /// So many standard deviations below the mean is far.
    pub deviations: f64,
}

impl Default for OutlierSettings {
    fn default() -> OutlierSettings {
        OutlierSettings {
            consecutive: 5,
            ejection: Duration::from_secs(30),
            longest: Duration::from_secs(300),
            most_percent: 50,
            interval: Duration::from_secs(10),
            minimum_hosts: 5,
            minimum_calls: 100,
            deviations: 1.9,
        }
    }
}

impl OutlierSettings {
    /// Those that a consumer's URL asks for by `outlier=true`; none if it does not. Times in milliseconds.
    ///
    /// Further keys: `outlier.consecutive`, `outlier.ejection`, `outlier.longest`, `outlier.percent`, `outlier.interval`,
    /// `outlier.hosts`, `outlier.calls`.
    pub fn of(url: &ServiceUrl) -> Option<OutlierSettings> {
        let default = OutlierSettings::default();
        url.flag_or("outlier", false).then(|| OutlierSettings {
            consecutive: url.number_or("outlier.consecutive", default.consecutive),
            ejection: url.millis_or("outlier.ejection", default.ejection),
            longest: url.millis_or("outlier.longest", default.longest),
            most_percent: url.number_or("outlier.percent", default.most_percent).min(100),
            interval: url.millis_or("outlier.interval", default.interval),
            minimum_hosts: url.number_or("outlier.hosts", default.minimum_hosts),
            minimum_calls: url.number_or("outlier.calls", default.minimum_calls),
            deviations: default.deviations,
        })
    }
}

/// What is known of one endpoint; lock-free, and part of the endpoint.
#[derive(Debug)]
pub struct OutlierRecord {
    /// What moments are counted from.
    epoch: Instant,
    faulty_in_a_row: AtomicU32,
    /// Of the current interval.
    healthy: AtomicU32,
    faulty: AtomicU32,
    /// Milliseconds since the epoch; 0 for never.
    ejected_until: AtomicU64,
    /// How often it was ejected, less one for each interval in which it was not.
    ejections: AtomicU32,
}

impl OutlierRecord {
    /// Of an endpoint of which nothing is known.
    pub fn new(now: Instant) -> OutlierRecord {
        OutlierRecord {
            epoch: now,
            faulty_in_a_row: AtomicU32::new(0),
            healthy: AtomicU32::new(0),
            faulty: AtomicU32::new(0),
            ejected_until: AtomicU64::new(0),
            ejections: AtomicU32::new(0),
        }
    }

    /// Whether it is left out at that time: one atomic load.
    pub fn is_ejected(&self, now: Instant) -> bool {
        self.ejected_until.load(Ordering::Relaxed) > self.millis(now)
    }

    /// How often it was ejected lately.
    pub fn ejections(&self) -> u32 {
        self.ejections.load(Ordering::Relaxed)
    }

    fn millis(&self, now: Instant) -> u64 {
        let since = now.saturating_duration_since(self.epoch);
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    /// Counts a call; gives how many faulty ones there were in a row.
    fn count(&self, verdict: Verdict) -> u32 {
        match verdict {
            Verdict::Healthy => {
                self.healthy.fetch_add(1, Ordering::Relaxed);
                // Written only when it changes: the usual call writes nothing that others read.
                if self.faulty_in_a_row.load(Ordering::Relaxed) != 0 {
                    self.faulty_in_a_row.store(0, Ordering::Relaxed);
                }
                0
            }
            Verdict::Faulty => {
                self.faulty.fetch_add(1, Ordering::Relaxed);
                self.faulty_in_a_row.fetch_add(1, Ordering::Relaxed).saturating_add(1)
            }
            Verdict::Neutral => 0,
        }
    }

    /// The share of good calls in the interval that ends, if there were enough; the next interval begins.
    fn success_rate(&self, minimum: u32) -> Option<f64> {
        let healthy = self.healthy.swap(0, Ordering::Relaxed);
        let faulty = self.faulty.swap(0, Ordering::Relaxed);
        let calls = u64::from(healthy) + u64::from(faulty);
        (calls > 0 && calls >= u64::from(minimum)).then(|| f64::from(healthy) / calls as f64)
    }

    fn eject(&self, settings: &OutlierSettings, now: Instant) {
        let before = self.ejections.fetch_add(1, Ordering::Relaxed);
        let long = settings
            .ejection
            .saturating_mul(1_u32 << before.min(16))
            .min(settings.longest);
        let millis = u64::try_from(long.as_millis()).unwrap_or(u64::MAX);
        self.ejected_until
            .store(self.millis(now).saturating_add(millis), Ordering::Relaxed);
        self.faulty_in_a_row.store(0, Ordering::Relaxed);
    }
}

/// Decides for the endpoints of one list.
///
/// Who chooses passes over records that are ejected; who calls tells the end, and now and then compares all:
///
/// ```
/// # use std::time::Instant;
/// # use orana_cluster::filter::{OutlierDetector, OutlierRecord, OutlierSettings, Outcome};
/// let now = Instant::now();
/// let detector = OutlierDetector::new(OutlierSettings::default(), now);
/// let fleet: Vec<OutlierRecord> = (0..3).map(|_| OutlierRecord::new(now)).collect();
/// detector.end(&fleet[0], Outcome::Success, now, || &fleet);
/// if detector.sweep_due(now) {
///     detector.sweep(&fleet.iter().collect::<Vec<_>>(), now);
/// }
/// assert!(!fleet[0].is_ejected(now));
/// ```
#[derive(Debug)]
pub struct OutlierDetector {
    settings: OutlierSettings,
    epoch: Instant,
    /// Milliseconds since the epoch.
    next_sweep: AtomicU64,
    /// Ejections are decided one at a time, or two of them could pass the bound together.
    deciding: Mutex<()>,
}

impl OutlierDetector {
    /// One that has seen nothing.
    pub fn new(settings: OutlierSettings, now: Instant) -> OutlierDetector {
        OutlierDetector {
            next_sweep: AtomicU64::new(u64::try_from(settings.interval.as_millis()).unwrap_or(u64::MAX)),
            settings,
            epoch: now,
            deciding: Mutex::new(()),
        }
    }

    /// Counts a call of the endpoint of `record`, and ejects it if that was one faulty call too many in a row. `fleet` gives the records of all
    /// endpoints of the list; it is asked only then. Says whether it was ejected now.
    pub fn end<'a, F>(&self, record: &OutlierRecord, outcome: Outcome, now: Instant, fleet: impl FnOnce() -> F) -> bool
    where
        F: IntoIterator<Item = &'a OutlierRecord>,
    {
        let in_a_row = record.count(outcome.verdict());
        if self.settings.consecutive == 0 || in_a_row < self.settings.consecutive || record.is_ejected(now) {
            return false;
        }
        let _one_at_a_time = self.deciding.lock();
        self.try_eject(record, now, fleet())
    }

    /// Whether the end of an interval has come; true for one caller only, who then calls [`OutlierDetector::sweep`].
    pub fn sweep_due(&self, now: Instant) -> bool {
        let since = u64::try_from(now.saturating_duration_since(self.epoch).as_millis()).unwrap_or(u64::MAX);
        let due = self.next_sweep.load(Ordering::Relaxed);
        let interval = u64::try_from(self.settings.interval.as_millis()).unwrap_or(u64::MAX);
        let next = since.saturating_add(interval.max(1));
        since >= due
            && self
                .next_sweep
                .compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }

    /// Compares the shares of good calls of an interval, ejects those that are far below the others, and begins the next interval. Gives
    /// how many were ejected.
    pub fn sweep(&self, fleet: &[&OutlierRecord], now: Instant) -> usize {
        let _one_at_a_time = self.deciding.lock();
        let rates: Vec<(&OutlierRecord, f64)> = fleet
            .iter()
            .filter_map(|record| Some((*record, record.success_rate(self.settings.minimum_calls)?)))
            .collect();
        for record in fleet.iter().filter(|record| !record.is_ejected(now)) {
            let less = |ejections: u32| ejections.checked_sub(1);
            // None to take away is as good.
            let _ = record
                .ejections
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        }
        let hosts = u32::try_from(rates.len()).unwrap_or(u32::MAX);
        if hosts < self.settings.minimum_hosts.max(2) {
            return 0;
        }
        let count = f64::from(hosts);
        let mean = rates.iter().map(|(_, rate)| rate).sum::<f64>() / count;
        let variance = rates.iter().map(|(_, rate)| (rate - mean).powi(2)).sum::<f64>() / count;
        let bound = mean - self.settings.deviations * variance.sqrt();
        let mut outliers: Vec<_> = rates.into_iter().filter(|(_, rate)| *rate < bound).collect();
        // The worst ones first: the bound on their number may not leave room for all.
        outliers.sort_by(|(_, a), (_, b)| a.total_cmp(b));
        outliers
            .into_iter()
            .filter(|(record, _)| !record.is_ejected(now) && self.try_eject(record, now, fleet.iter().copied()))
            .count()
    }

    /// Ejects it if that many may be out. The lock is held.
    fn try_eject<'a>(
        &self,
        record: &OutlierRecord,
        now: Instant,
        fleet: impl IntoIterator<Item = &'a OutlierRecord>,
    ) -> bool {
        let (mut all, mut out) = (0_u64, 0_u64);
        for one in fleet {
            all += 1;
            out += u64::from(one.is_ejected(now));
        }
        // The last one is never out, whatever the share.
        let most = (all * u64::from(self.settings.most_percent) / 100).min(all.saturating_sub(1));
        let ejected = out < most && !record.is_ejected(now);
        if ejected {
            record.eject(&self.settings, now);
        }
        ejected
    }
}

#[cfg(test)]
mod tests;

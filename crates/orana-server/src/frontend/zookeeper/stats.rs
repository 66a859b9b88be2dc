//! Counters of the face, as the four-letter words and the metrics show them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Latency from the arrival of a request to the queueing of its reply.
#[derive(Debug)]
pub(super) struct Latency {
    min_us: AtomicU64,
    max_us: AtomicU64,
    sum_us: AtomicU64,
    count: AtomicU64,
}

impl Default for Latency {
    fn default() -> Latency {
        let zero = || AtomicU64::new(0);
        Latency {
            min_us: AtomicU64::new(u64::MAX),
            max_us: zero(),
            sum_us: zero(),
            count: zero(),
        }
    }
}

impl Latency {
    pub(super) fn record(&self, took: Duration, requests: u64) {
        let us = took.as_micros() as u64;
        if us < self.min_us.load(Relaxed) {
            self.min_us.fetch_min(us, Relaxed);
        }
        if us > self.max_us.load(Relaxed) {
            self.max_us.fetch_max(us, Relaxed);
        }
        self.sum_us.fetch_add(us * requests, Relaxed);
        self.count.fetch_add(requests, Relaxed);
    }

    pub(super) fn reset(&self) {
        self.min_us.store(u64::MAX, Relaxed);
        for each in [&self.max_us, &self.sum_us, &self.count] {
            each.store(0, Relaxed);
        }
    }

    /// Minimum, average and maximum in milliseconds.
    pub(super) fn millis(&self) -> (u64, f64, u64) {
        let count = self.count.load(Relaxed);
        let average = if count == 0 {
            0.0
        } else {
            self.sum_us.load(Relaxed) as f64 / count as f64 / 1000.0
        };
        let min = self.min_us.load(Relaxed);
        (
            if min == u64::MAX { 0 } else { min / 1000 },
            average,
            self.max_us.load(Relaxed) / 1000,
        )
    }
}

/// Totals of the face since its start (or since `srst`).
#[derive(Debug, Default)]
pub(super) struct Stats {
    pub(super) received: AtomicU64,
    pub(super) sent: AtomicU64,
    pub(super) latency: Latency,
    pub(super) connections_accepted: AtomicU64,
    pub(super) connections_refused: AtomicU64,
    pub(super) connections_dropped: AtomicU64,
    pub(super) malformed: AtomicU64,
    pub(super) auth_failed: AtomicU64,
    pub(super) events: AtomicU64,
    pub(super) events_joined: AtomicU64,
    pub(super) bytes_received: AtomicU64,
    pub(super) bytes_sent: AtomicU64,
    pub(super) last_response: AtomicU64,
    pub(super) min_response: AtomicU64,
    pub(super) max_response: AtomicU64,
}

impl Stats {
    pub(super) fn add(counter: &AtomicU64, by: u64) {
        counter.fetch_add(by, Relaxed);
    }

    /// What `srst` sets back.
    pub(super) fn reset(&self) {
        self.received.store(0, Relaxed);
        self.sent.store(0, Relaxed);
        self.latency.reset();
        for each in [&self.last_response, &self.min_response, &self.max_response] {
            each.store(0, Relaxed);
        }
    }
}

/// What the face has counted, for the metrics and the status.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Connections now.
    pub connections: u64,
    /// Requests received.
    pub requests: u64,
    /// Replies and events sent.
    pub responses: u64,
    /// Events sent.
    pub events: u64,
    /// Events that were joined with another one of the same directory.
    pub events_joined: u64,
    /// Bytes read from clients.
    pub bytes_received: u64,
    /// Bytes written to clients.
    pub bytes_sent: u64,
    /// Bytes that are in memory only because clients have not read them.
    pub bytes_unread: u64,
    /// Connections accepted.
    pub accepted: u64,
    /// Connections refused because of a limit.
    pub refused: u64,
    /// Connections closed by the server because of what the client did or did not do.
    pub dropped: u64,
    /// Requests that could not be understood.
    pub malformed: u64,
    /// Refused authentications.
    pub auth_failed: u64,
    /// Average latency in milliseconds.
    pub average_latency_ms: f64,
    /// Highest latency in milliseconds.
    pub max_latency_ms: u64,
}

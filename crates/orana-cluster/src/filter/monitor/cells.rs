//! The cells in which calls are summed up: one for each method and other side, without a lock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use orana_core::ServiceUrl;

use super::super::slots::{OTHERS, Slots};

/// So many cells one service has; what would need more shares the cell of the others of its method.
const MOST_CELLS: usize = 4_096;

/// The counts of one reference or export.
pub(super) struct Source {
    url: ServiceUrl,
    provider: bool,
    methods: Slots<MethodCells>,
    cells: AtomicUsize,
}

/// The counts of a method.
pub(super) struct MethodCells {
    name: Box<str>,
    concurrent: AtomicU32,
    peers: Slots<Cell>,
}

/// A call under way, until this is dropped.
pub(super) struct Counting(Arc<MethodCells>);

/// What is counted of one call.
pub(super) struct Sample {
    pub(super) success: bool,
    /// In milliseconds.
    pub(super) elapsed: u64,
    /// In bytes, of the arguments and of the result.
    pub(super) input: u64,
    pub(super) output: u64,
}

/// Sums of an interval. Each is atomic for itself: a call may fall into two intervals, and into each interval once.
#[derive(Debug, Default)]
struct Cell {
    success: AtomicU64,
    failure: AtomicU64,
    elapsed: Sum,
    input: Sum,
    output: Sum,
    /// A running mean, as Dubbo has it: half of it is the latest call's.
    concurrent: AtomicU64,
    most_concurrent: AtomicU64,
}

#[derive(Debug, Default)]
struct Sum {
    sum: AtomicU64,
    most: AtomicU64,
}

impl Sum {
    fn add(&self, value: u64) {
        self.sum.fetch_add(value, Ordering::Relaxed);
        self.most.fetch_max(value, Ordering::Relaxed);
    }

    fn take(&self) -> (u64, u64) {
        (
            self.sum.swap(0, Ordering::Relaxed),
            self.most.swap(0, Ordering::Relaxed),
        )
    }
}

impl Source {
    pub(super) fn new(url: &ServiceUrl, provider: bool) -> Source {
        Source {
            url: url.clone(),
            provider,
            methods: Slots::new(),
            cells: AtomicUsize::new(0),
        }
    }

    /// A call of that method begins.
    pub(super) fn begin(&self, method: &str) -> Counting {
        let cells = self.methods.get(method, |name| MethodCells {
            name: name.into(),
            concurrent: AtomicU32::new(0),
            peers: Slots::new(),
        });
        cells.concurrent.fetch_add(1, Ordering::Relaxed);
        Counting(cells)
    }

    /// A call that has begun came to that.
    pub(super) fn count(&self, method: &MethodCells, peer: &str, sample: &Sample) {
        let make = |_: &str| {
            self.cells.fetch_add(1, Ordering::Relaxed);
            Cell::default()
        };
        let full = self.cells.load(Ordering::Relaxed) >= MOST_CELLS;
        let cell = match method.peers.find(peer) {
            Some(known) => known,
            None if full => method.peers.get(OTHERS, make),
            None => method.peers.get(peer, make),
        };
        let counter = if sample.success { &cell.success } else { &cell.failure };
        counter.fetch_add(1, Ordering::Relaxed);
        cell.elapsed.add(sample.elapsed);
        cell.input.add(sample.input);
        cell.output.add(sample.output);
        let concurrent = u64::from(method.concurrent.load(Ordering::Relaxed));
        let mean = |old: u64| Some(if old == 0 { concurrent } else { (old + concurrent) / 2 });
        let _ = cell.concurrent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, mean);
        cell.most_concurrent.fetch_max(concurrent, Ordering::Relaxed);
    }

    /// Appends what was counted since the last time.
    pub(super) fn collect(&self, timestamp: u64, statistics: &mut Vec<ServiceUrl>) {
        self.methods.for_each(|_, method| {
            method.peers.for_each(|peer, cell| {
                statistics.extend(self.statistic(timestamp, method, peer, cell));
            });
        });
    }

    fn statistic(&self, timestamp: u64, method: &MethodCells, peer: &str, cell: &Cell) -> Option<ServiceUrl> {
        let success = cell.success.swap(0, Ordering::Relaxed);
        let failure = cell.failure.swap(0, Ordering::Relaxed);
        if success + failure == 0 {
            return None;
        }
        let interface = self.url.interface().unwrap_or_default();
        let mut count = ServiceUrl::builder("count", self.url.host().unwrap_or_default())
            .path(&format!("{interface}/{}", method.name))
            .set("application", self.url.parameter("application").unwrap_or_default())
            .set("interface", interface)
            .set("method", &method.name)
            .set("timestamp", timestamp)
            .set("success", success)
            .set("failure", failure);
        for key in ["group", "version"] {
            if let Some(value) = self.url.parameter(key) {
                count = count.set(key, value);
            }
        }
        for (key, most, sum) in [
            ("elapsed", "max.elapsed", &cell.elapsed),
            ("input", "max.input", &cell.input),
            ("output", "max.output", &cell.output),
        ] {
            let (all, highest) = sum.take();
            count = count.set(key, all).set(most, highest);
        }
        count = count
            .set("concurrent", cell.concurrent.swap(0, Ordering::Relaxed))
            .set("max.concurrent", cell.most_concurrent.swap(0, Ordering::Relaxed));
        count = match (self.provider, self.url.port()) {
            (true, Some(port)) => count.port(port).set("consumer", peer),
            (true, None) => count.set("consumer", peer),
            (false, _) => count.set("provider", peer),
        };
        Some(count.build())
    }
}

impl Counting {
    pub(super) fn cells(&self) -> &MethodCells {
        &self.0
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        self.0.concurrent.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::url;
    use super::*;

    const SAMPLE: Sample = Sample {
        success: true,
        elapsed: 1,
        input: 2,
        output: 3,
    };

    #[test]
    fn cells_are_bounded_and_no_call_is_lost() {
        let source = Source::new(&url(""), true);
        for method in 0..10 {
            let counting = source.begin(&format!("m{method}"));
            for peer in 0..1_000 {
                source.count(counting.cells(), &format!("10.0.0.{peer}"), &SAMPLE);
            }
        }
        assert!(source.cells.load(Ordering::Relaxed) <= MOST_CELLS + 10);
        let mut statistics = Vec::new();
        source.collect(1, &mut statistics);
        let calls: u64 = statistics.iter().filter_map(|url| url.number::<u64>("success")).sum();
        assert_eq!(calls, 10_000);
    }

    #[test]
    fn eight_threads_count_every_call_once() {
        let source = Source::new(&url(""), false);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..1_000 {
                        let counting = source.begin("say");
                        source.count(counting.cells(), "p", &SAMPLE);
                    }
                });
            }
        });
        let mut statistics = Vec::new();
        source.collect(1, &mut statistics);
        let [statistic] = &statistics[..] else {
            panic!("{statistics:?}");
        };
        let number = |key| statistic.number::<u64>(key).unwrap();
        assert_eq!(
            (number("success"), number("elapsed"), number("output")),
            (8_000, 8_000, 24_000)
        );
        assert!(number("max.concurrent") <= 8);
    }
}

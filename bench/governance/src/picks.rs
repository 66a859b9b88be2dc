//! What a pick costs: from an invocation to a provider, through directory, rules and load balance, as every strategy for failed calls does it.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use orana_cluster::cluster::Failfast;
use orana_cluster::{Cluster, ClusterInvoker, Picker};
use orana_core::{BoxFuture, Invocation, Invoker, Reply, RpcError};
use tokio::runtime::Handle;

use crate::counting::allocations;

/// Of one load, the best of several rounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picked {
    pub(crate) nanos: f64,
    /// For each pick, once all is warm.
    pub(crate) allocations: f64,
    /// How many providers the rules leave for the first call.
    pub(crate) candidates: usize,
}

/// How long is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) rounds: u32,
    pub(crate) round: Duration,
    pub(crate) threads: usize,
}

/// A strategy that calls nobody: it hands the picker over.
pub(crate) struct Handing<F>(pub(crate) F);

impl<F: Fn(&Picker<'_>) -> Result<(), RpcError> + Send + Sync + 'static> Cluster for Handing<F> {
    fn execute<'a>(&'a self, _: &'a Invocation, picker: Picker<'a>) -> BoxFuture<'a, Result<Reply, RpcError>> {
        let done = (self.0)(&picker);
        Box::pin(async { done.map(|()| Reply::null()) })
    }
}

/// Picks for these calls in turn, in as many threads at the same time as asked for; `invoker` makes one with the strategy that it is given.
pub(crate) fn measured(
    handle: &Handle,
    extent: Extent,
    calls: &Arc<Vec<Invocation>>,
    invoker: impl Fn(Box<dyn Cluster>) -> ClusterInvoker,
) -> Result<Picked> {
    let (sender, results) = std::sync::mpsc::channel();
    let shared = Arc::clone(calls);
    let invoker = Arc::new(invoker(Box::new(Handing(move |picker: &Picker<'_>| {
        let sample = best(picker, &shared, extent)?;
        // Whoever does not wait for it does not want it.
        let _ = sender.send(sample);
        Ok(())
    }))));
    let call = calls.first().context("no call")?.clone();
    let threads: Vec<_> = (0..extent.threads)
        .map(|_| {
            let (handle, invoker, call) = (handle.clone(), Arc::clone(&invoker), call.clone());
            std::thread::spawn(move || handle.block_on(invoker.invoke(&call)).map(|_| ()))
        })
        .collect();
    for thread in threads {
        thread.join().ok().context("a thread panicked")??;
    }
    drop(invoker);
    let samples: Vec<Picked> = results.try_iter().collect();
    ensure!(samples.len() == extent.threads, "a thread measured nothing");
    // The slowest thread speaks for all.
    let slowest = samples
        .into_iter()
        .max_by(|one, other| one.nanos.total_cmp(&other.nanos));
    slowest.context("no thread")
}

fn best(picker: &Picker<'_>, calls: &[Invocation], extent: Extent) -> Result<Picked, RpcError> {
    let candidates = match calls.first() {
        Some(call) => picker.pick(call, &[])?.out_of,
        None => 0,
    };
    round(picker, calls, extent.round / 2)?;
    let mut best = round(picker, calls, extent.round)?;
    for _ in 1..extent.rounds {
        let next = round(picker, calls, extent.round)?;
        best = if next.nanos < best.nanos { next } else { best };
    }
    Ok(Picked { candidates, ..best })
}

fn round(picker: &Picker<'_>, calls: &[Invocation], length: Duration) -> Result<Picked, RpcError> {
    let before = allocations();
    let begun = Instant::now();
    let mut picks = 0_u32;
    loop {
        for call in calls {
            black_box(picker.pick(black_box(call), &[])?);
            picks += 1;
        }
        let spent = begun.elapsed();
        if spent >= length {
            #[allow(clippy::cast_precision_loss, reason = "a rate")]
            return Ok(Picked {
                nanos: spent.as_secs_f64() * 1e9 / f64::from(picks),
                allocations: (allocations() - before) as f64 / f64::from(picks),
                candidates: 0,
            });
        }
    }
}

/// What a whole call costs that is answered at once: nanoseconds and allocations. One of these is the provider's answer.
pub(crate) fn whole_call(
    handle: &Handle,
    extent: Extent,
    calls: &[Invocation],
    invoker: impl Fn(Box<dyn Cluster>) -> ClusterInvoker,
) -> Result<Picked> {
    let invoker = invoker(Box::new(Failfast));
    let calling = async {
        let mut best: Option<Picked> = None;
        for _ in 0..=extent.rounds {
            let before = allocations();
            let begun = Instant::now();
            let mut made = 0_u32;
            while begun.elapsed() < extent.round {
                for call in calls {
                    black_box(invoker.invoke(call).await?);
                    made += 1;
                }
            }
            #[allow(clippy::cast_precision_loss, reason = "a rate")]
            let sample = Picked {
                nanos: begun.elapsed().as_secs_f64() * 1e9 / f64::from(made),
                allocations: (allocations() - before) as f64 / f64::from(made),
                candidates: 0,
            };
            best = best.filter(|best| best.nanos <= sample.nanos).or(Some(sample));
        }
        best.context("no round")
    };
    handle.block_on(calling)
}

//! What one changed provider of many costs: from `notify` until calls see the new list, and the first pick after it.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use orana_cluster::{Directory, Picker};
use orana_core::{Invoker, ServiceUrl, UrlPool};
use tokio::runtime::Handle;

use crate::fleet::{self, Weights};
use crate::picks::Handing;
use crate::rules::Rules;

const PATIENCE: Duration = Duration::from_secs(30);

/// Times in microseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rebuilt {
    pub(crate) published: Spread,
    pub(crate) first_pick: Spread,
    pub(crate) second_pick: Spread,
    /// The very first list.
    pub(crate) first_list: f64,
    /// The same overrides from anew over the same list, if there are any.
    pub(crate) governed: Option<f64>,
}

/// Of some times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) best: f64,
    pub(crate) median: f64,
    pub(crate) worst: f64,
}

/// Changes one provider of `count` again and again.
pub(crate) fn measured(
    handle: &Handle,
    count: usize,
    rules: Rules,
    overridden: bool,
    changes: usize,
) -> Result<Rebuilt> {
    let _entered = handle.enter();
    let pool = UrlPool::new();
    let consumer = fleet::consumer("random")?;
    let mut providers = fleet::providers(count, Weights::Plain, &pool)?;
    let begun = Instant::now();
    let directory = handle.block_on(fleet::directory(
        consumer,
        providers.clone(),
        rules.governance(overridden)?,
    ))?;
    let first_list = micros(begun.elapsed());

    let (sender, picked) = channel();
    let call = fleet::calls().into_iter().next().context("no call")?;
    let picked_for = call.clone();
    let picking = Handing(move |picker: &Picker<'_>| {
        // The same call twice: the second finds what the first worked out.
        let mut times = [0.0; 2];
        for time in &mut times {
            let begun = Instant::now();
            picker.pick(&picked_for, &[])?;
            *time = micros(begun.elapsed());
        }
        // Whoever does not wait for it does not want it.
        let _ = sender.send(times);
        Ok(())
    });
    let invoker = fleet::invoker(Arc::clone(&directory), Box::new(picking));

    let (mut published, mut first, mut second) = (Vec::new(), Vec::new(), Vec::new());
    for nth in 0..changes + WARM {
        // As a registry lists it: who comes back stands at the end.
        let gone = providers.remove(nth * 37 % count);
        let back = gone.edit().set("weight", 101 + nth).build();
        let back = pool.intern(&back);
        providers.push(back.clone());
        let list = providers.clone().into();
        let begun = Instant::now();
        directory.notify(list);
        wait_for(&directory, &back)?;
        let took = micros(begun.elapsed());
        handle.block_on(invoker.invoke(&call))?;
        let [one, two] = picked.try_recv().context("nothing was picked")?;
        if nth >= WARM {
            published.push(took);
            first.push(one);
            second.push(two);
        }
    }
    let governed = match overridden {
        true => Some(reconfigured(&directory, rules)?),
        false => None,
    };
    Ok(Rebuilt {
        published: Spread::of(published)?,
        first_pick: Spread::of(first)?,
        second_pick: Spread::of(second)?,
        first_list,
        governed,
    })
}

/// How long it takes until the same list stands under other overrides.
fn reconfigured(directory: &Directory, rules: Rules) -> Result<f64> {
    let again = rules.governance(true)?;
    let before = directory.list()?.consumer().clone();
    let begun = Instant::now();
    directory.govern(again);
    while directory.list()?.consumer().ptr_eq(&before) {
        ensure!(begun.elapsed() < PATIENCE, "the rules are not there after {PATIENCE:?}");
        std::hint::spin_loop();
    }
    Ok(micros(begun.elapsed()))
}

/// Changes before it counts.
const WARM: usize = 5;

fn wait_for(directory: &Directory, url: &ServiceUrl) -> Result<()> {
    let begun = Instant::now();
    loop {
        let list = directory.list()?;
        if list
            .endpoints()
            .last()
            .is_some_and(|endpoint| endpoint.original().ptr_eq(url))
        {
            return Ok(());
        }
        drop(list);
        ensure!(
            begun.elapsed() < PATIENCE,
            "the new list is not there after {PATIENCE:?}"
        );
        std::hint::spin_loop();
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

impl Spread {
    fn of(mut times: Vec<f64>) -> Result<Spread> {
        times.sort_unstable_by(f64::total_cmp);
        let at = |place: usize| times.get(place).copied().context("no times");
        Ok(Spread {
            best: at(0)?,
            median: at(times.len() / 2)?,
            worst: at(times.len().saturating_sub(1))?,
        })
    }
}

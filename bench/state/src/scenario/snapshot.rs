//! What a snapshot costs those who write meanwhile, at a million nodes: the clone itself, the slowest commands
//! while another thread encodes it, and the end of the clone.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use orana_state::{AclEntry, Command, Lifetime, State};

use super::{Writer, create, delete, scattered, set_data};
use crate::figures::{Spread, milliseconds, thread_time};
use crate::layout::{Kind, Layout, PLAIN, own_list};

const NODES: usize = 1_000_000;
const LEASES: usize = 100_000;

pub(crate) fn flat() -> Result<()> {
    tree(Layout::Flat, PLAIN)
}

pub(crate) fn deep() -> Result<()> {
    tree(Layout::Deep, PLAIN)
}

pub(crate) fn dubbo() -> Result<()> {
    tree(Layout::Dubbo, PLAIN)
}

/// Every node is one that a sweep may remove.
pub(crate) fn containers() -> Result<()> {
    let lifetime = Lifetime::Container;
    let mut writer = Writer::new();
    writer.fill(&Layout::Flat.paths(NODES), Kind { lifetime, ..PLAIN })?;
    let begun = Instant::now();
    let ripe = writer.state.reapable(i64::MAX, 1000);
    println!("sweep   {}, {} found", milliseconds(begun.elapsed()), ripe.len());
    drop(writer);
    tree(Layout::Flat, Kind { lifetime, ..PLAIN })
}

/// Every node has an access control list of its own.
pub(crate) fn lists() -> Result<()> {
    let own_lists = true;
    tree(Layout::Flat, Kind { own_lists, ..PLAIN })
}

/// A hundred thousand leases, ten nodes each.
pub(crate) fn leases() -> Result<()> {
    let mut writer = Writer::new();
    let paths = Layout::Flat.paths(NODES);
    writer.fill(&paths[..1], PLAIN)?;
    let mut leases = Vec::new();
    for _ in 0..LEASES {
        leases.push(writer.grant()?);
    }
    let owned = |at: usize, path: &str| {
        let lease = leases.get(at % LEASES).copied();
        create(path, lease, Lifetime::Ephemeral, vec![AclEntry::open()])
    };
    for (at, path) in paths.iter().enumerate().skip(1) {
        writer.must(&owned(at, path))?;
    }
    measure(writer, |at| {
        let path = format!("/flat/new-{at}");
        [owned(at * 7919, &path), delete(&path)]
    })
}

fn tree(layout: Layout, kind: Kind) -> Result<()> {
    let paths = layout.paths(NODES);
    let mut writer = Writer::new();
    writer.fill(&paths, kind)?;
    let mut numbers = scattered(paths.len());
    measure(writer, move |at| {
        let number = numbers.next().unwrap_or_default();
        let old = &paths[number];
        let home = layout.home(old);
        let list = if kind.own_lists {
            own_list(NODES + at)
        } else {
            vec![AclEntry::open()]
        };
        let new = create(&format!("{home}/new-{at}"), None, kind.lifetime, list);
        [new, set_data(old)]
    })
}

fn measure(mut writer: Writer, mut next: impl FnMut(usize) -> [Command; 2]) -> Result<()> {
    let mut at = 0;
    let mut burst = |writer: &mut Writer, going: &mut dyn FnMut(usize) -> bool| -> Result<Spread> {
        let mut spread = Spread::default();
        let mut steps = 0;
        while going(steps) {
            for command in next(at) {
                spread.time_own(|| writer.step(&command)).result.context("step")?;
            }
            at += 1;
            steps += 1;
        }
        Ok(spread)
    };
    println!("quiet   {}", burst(&mut writer, &mut |steps| steps < 50_000)?);

    let (begun, own) = (Instant::now(), thread_time());
    let clone = writer.state.clone();
    let (taken, own) = (begun.elapsed(), thread_time() - own);
    println!("clone   {} ({} own)", milliseconds(taken), milliseconds(own));
    println!("after   {}", burst(&mut writer, &mut |steps| steps < 50_000)?);
    let (begun, own) = (Instant::now(), thread_time());
    drop(clone);
    let (taken, own) = (begun.elapsed(), thread_time() - own);
    println!(
        "drop    {} ({} own) after these writes",
        milliseconds(taken),
        milliseconds(own)
    );

    let clone = writer.state.clone();
    let encoder = std::thread::spawn(move || encode(clone));
    let beside = burst(&mut writer, &mut |_| !encoder.is_finished())?;
    println!("beside  {beside}");
    let (took, bytes, dropped) = encoder.join().map_err(|_| anyhow::anyhow!("the encoder panicked"))?;
    println!(
        "encode  {} own for {} MB beside the writes; its clone dropped in {} own",
        milliseconds(took),
        bytes / 1_000_000,
        milliseconds(dropped)
    );
    Ok(())
}

fn encode(state: State) -> (Duration, usize, Duration) {
    let begun = thread_time();
    let bytes = state.encode().map(|block| block.len()).sum();
    let took = thread_time() - begun;
    let begun = thread_time();
    drop(state);
    (took, bytes, thread_time() - begun)
}

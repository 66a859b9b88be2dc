//! Time per operation at a million nodes, nothing else going on.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result};

use super::{Writer, create, delete, scattered, set_data};
use crate::figures::{self, Spread, milliseconds};
use crate::layout::{Layout, PLAIN};

const NODES: usize = 1_000_000;
const STEPS: usize = 200_000;

pub(crate) fn flat() -> Result<()> {
    run(Layout::Flat)
}

pub(crate) fn deep() -> Result<()> {
    run(Layout::Deep)
}

pub(crate) fn dubbo() -> Result<()> {
    run(Layout::Dubbo)
}

fn run(layout: Layout) -> Result<()> {
    let paths = layout.paths(NODES);
    let before = figures::resident()?;
    let mut writer = Writer::new();
    let (begun, own) = (Instant::now(), figures::thread_time());
    writer.fill(&paths, PLAIN)?;
    let (taken, own) = (begun.elapsed(), figures::thread_time() - own);
    let bytes = (figures::resident()? - before) / paths.len() as u64;
    println!(
        "fill    {} nodes in {}, {:.0} own ns each, {bytes} bytes each",
        paths.len(),
        milliseconds(taken),
        own.as_nanos() as f64 / paths.len() as f64
    );

    let new: Vec<_> = scattered(paths.len())
        .take(STEPS)
        .enumerate()
        .map(|(at, number)| format!("{}/new-{at}", layout.home(&paths[number])))
        .collect();
    let commands: Vec<_> = new
        .iter()
        .map(|path| {
            create(
                path,
                None,
                orana_state::Lifetime::Persistent,
                vec![orana_state::AclEntry::open()],
            )
        })
        .collect();
    let mut spread = Spread::with_capacity(STEPS);
    for command in &commands {
        let outcome = spread.time(|| writer.step(command));
        outcome.result.context("create")?;
    }
    println!("create  {spread}");

    let mut spread = Spread::with_capacity(STEPS);
    for number in scattered(paths.len()).take(STEPS) {
        let path = &paths[number];
        let length = spread.time(|| writer.state.node(path).and_then(|node| node.data().map(<[u8]>::len)));
        black_box(length.context("get")?);
    }
    println!("get     {spread}");

    let mut spread = Spread::with_capacity(STEPS);
    let commands: Vec<_> = scattered(paths.len())
        .take(STEPS)
        .map(|number| set_data(&paths[number]))
        .collect();
    for command in &commands {
        let outcome = spread.time(|| writer.step(command));
        outcome.result.context("set")?;
    }
    println!("set     {spread}");

    let mut spread = Spread::with_capacity(STEPS);
    let mut children = 0;
    for number in scattered(paths.len()).take(20_000) {
        let node = writer.state.node(layout.home(&paths[number])).context("list")?;
        // The one crowded parent of the flat layout is listed below.
        if node.child_count() < 10_000 {
            let (count, bytes) = spread.time(|| list(node));
            black_box(bytes);
            children += count;
        }
    }
    if children > 0 {
        println!("list    {spread}, {children} children in all");
    } else {
        let begun = Instant::now();
        let (count, bytes) = list(writer.state.node("/flat").context("list")?);
        black_box(bytes);
        println!("list    {count} children in {}", milliseconds(begun.elapsed()));
    }

    let mut spread = Spread::with_capacity(STEPS);
    let commands: Vec<_> = new.iter().map(|path| delete(path)).collect();
    for command in &commands {
        let outcome = spread.time(|| writer.step(command));
        outcome.result.context("delete")?;
    }
    println!("delete  {spread}");
    Ok(())
}

/// Children and the bytes of their names.
fn list(node: orana_state::NodeRef<'_>) -> (usize, usize) {
    node.children()
        .fold((0, 0), |(count, bytes), child| (count + 1, bytes + child.name().len()))
}

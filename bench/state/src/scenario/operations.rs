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
    let begun = Instant::now();
    writer.fill(&paths, PLAIN)?;
    let taken = begun.elapsed();
    let bytes = (figures::resident()? - before) / paths.len() as u64;
    println!(
        "fill    {} nodes in {}, {:.0} ns each, {bytes} bytes each",
        paths.len(),
        milliseconds(taken),
        taken.as_nanos() as f64 / paths.len() as f64
    );

    let new: Vec<_> = scattered(paths.len())
        .take(STEPS)
        .enumerate()
        .map(|(at, number)| {
            let (parent, _) = paths[number].rsplit_once('/').unwrap_or_default();
            let parent = if parent.is_empty() { "/flat" } else { parent };
            let parent = if matches!(layout, Layout::Flat) {
                "/flat"
            } else {
                parent
            };
            format!("{parent}/new-{at}")
        })
        .filter(|path| matches!(layout, Layout::Flat) || !path.starts_with("/flat"))
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
        let path = &paths[number];
        let parent = match path.rsplit_once('/') {
            Some((parent, _)) if !matches!(layout, Layout::Flat) => parent,
            _ => "/zookeeper",
        };
        let node = writer.state.node(parent).context("list")?;
        if node.child_count() > 1000 {
            continue;
        }
        let (count, bytes) = spread.time(|| {
            node.children()
                .fold((0, 0), |(count, bytes), child| (count + 1, bytes + child.name().len()))
        });
        black_box(bytes);
        children += count;
    }
    println!("list    {spread}, {children} children in all");

    let mut spread = Spread::with_capacity(STEPS);
    let commands: Vec<_> = new.iter().map(|path| delete(path)).collect();
    for command in &commands {
        let outcome = spread.time(|| writer.step(command));
        outcome.result.context("delete")?;
    }
    println!("delete  {spread}");
    Ok(())
}

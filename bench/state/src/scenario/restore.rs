//! A million nodes from a snapshot: time and the most memory that it took.

use std::time::Instant;

use anyhow::{Context, Result};
use orana_state::State;

use super::{Writer, child};
use crate::figures::{self, milliseconds};
use crate::layout::{LAYOUTS, PLAIN};

pub(crate) fn run(rest: &[&str]) -> Result<()> {
    match rest {
        [] => LAYOUTS.iter().try_for_each(|(name, _)| of_layout(name)),
        ["write", name, file] => write(name, file),
        ["read", name, file] => read(name, file),
        _ => anyhow::bail!("`restore` takes no arguments from people"),
    }
}

/// Written and read by processes of their own: the highest memory use is that of a process.
fn of_layout(name: &str) -> Result<()> {
    let file = std::env::temp_dir().join(format!("bench-state-{}-{name}", std::process::id()));
    let file = file
        .to_str()
        .context("the temporary directory has no name to pass on")?;
    child(&["restore", "write", name, file])?;
    child(&["restore", "read", name, file])?;
    Ok(std::fs::remove_file(file)?)
}

fn write(name: &str, file: &str) -> Result<()> {
    let (_, layout) = LAYOUTS
        .iter()
        .find(|(known, _)| *known == name)
        .context("no such layout")?;
    let mut writer = Writer::new();
    writer.fill(&layout.paths(1_000_000), PLAIN)?;
    let mut bytes = Vec::new();
    for block in writer.state.encode() {
        bytes.extend_from_slice(&(block.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&block);
    }
    Ok(std::fs::write(file, bytes)?)
}

fn read(name: &str, file: &str) -> Result<()> {
    let before = figures::resident()?;
    let mut reader = std::io::BufReader::new(std::fs::File::open(file)?);
    let (begun, own) = (Instant::now(), figures::thread_time());
    let state = State::decode(std::iter::from_fn(|| block(&mut reader)))?;
    let (taken, own) = (begun.elapsed(), figures::thread_time() - own);
    let (kept, peak) = (figures::resident()? - before, figures::peak()? - before);
    println!(
        "{name:<6} {} nodes in {} ({} own), {} MB kept, {} MB at most",
        state.census().nodes,
        milliseconds(taken),
        milliseconds(own),
        kept / 1_000_000,
        peak / 1_000_000
    );
    let begun = Instant::now();
    drop(state);
    println!("{name:<6} dropped in {}", milliseconds(begun.elapsed()));
    Ok(())
}

fn block(reader: &mut impl std::io::Read) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    reader.read_exact(&mut length).ok()?;
    let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
    reader.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

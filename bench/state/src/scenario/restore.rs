//! A million nodes from a snapshot: time and the most memory that it took.

use std::time::Instant;

use anyhow::Result;
use orana_state::State;

use super::Writer;
use crate::figures::{self, milliseconds};
use crate::layout::{LAYOUTS, PLAIN};

pub(crate) fn run() -> Result<()> {
    // One process for each layout: the highest memory use is that of a process.
    if let Ok(name) = std::env::var(LAYOUT) {
        return one(&name);
    }
    for (name, _) in LAYOUTS {
        let status = std::process::Command::new(std::env::current_exe()?)
            .args([crate::ONE, "restore"])
            .env(LAYOUT, name)
            .status()?;
        anyhow::ensure!(status.success(), "restoring `{name}` ended with {status}");
    }
    Ok(())
}

const LAYOUT: &str = "BENCH_STATE_LAYOUT";

fn one(name: &str) -> Result<()> {
    let file = std::env::temp_dir().join(format!("bench-state-{}-{name}", std::process::id()));
    // The snapshot is made by a child, so that building the tree does not count as memory used here.
    let making = std::env::var_os(MAKE);
    if let Some(file) = making {
        let Some((_, layout)) = LAYOUTS.iter().find(|(known, _)| *known == name) else {
            anyhow::bail!("no layout `{name}`");
        };
        let mut writer = Writer::new();
        writer.fill(&layout.paths(1_000_000), PLAIN)?;
        let mut bytes = Vec::new();
        for block in writer.state.encode() {
            bytes.extend_from_slice(&(block.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&block);
        }
        std::fs::write(file, bytes)?;
        return Ok(());
    }
    let status = std::process::Command::new(std::env::current_exe()?)
        .args([crate::ONE, "restore"])
        .env(LAYOUT, name)
        .env(MAKE, &file)
        .status()?;
    anyhow::ensure!(status.success(), "making the snapshot ended with {status}");
    let before = figures::resident()?;
    let mut reader = std::io::BufReader::new(std::fs::File::open(&file)?);
    let begun = Instant::now();
    let state = State::decode(std::iter::from_fn(|| block(&mut reader)))?;
    let taken = begun.elapsed();
    std::fs::remove_file(&file)?;
    let (kept, peak) = (figures::resident()? - before, figures::peak()? - before);
    println!(
        "{name:<6} {} nodes in {}, {} MB kept, {} MB at most",
        state.census().nodes,
        milliseconds(taken),
        kept / 1_000_000,
        peak / 1_000_000
    );
    let begun = Instant::now();
    drop(state);
    println!("{name:<6} dropped in {}", milliseconds(begun.elapsed()));
    Ok(())
}

const MAKE: &str = "BENCH_STATE_MAKE";

fn block(reader: &mut impl std::io::Read) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    reader.read_exact(&mut length).ok()?;
    let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
    reader.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

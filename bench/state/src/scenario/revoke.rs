//! The end of a lease that owns 20,000 nodes with names of 200 bytes, alone and right after a snapshot was begun.

use std::time::Instant;

use anyhow::Result;
use orana_state::{AclEntry, Action, Lifetime};

use super::{Writer, command, create};
use crate::figures::{milliseconds, thread_time};
use crate::layout::{PLAIN, provider};

const OWNED: usize = 20_000;

pub(crate) fn run() -> Result<()> {
    for (what, parents, cloned) in [
        ("one parent", 1, false),
        ("400 parents", 400, false),
        ("400 parents, after a clone", 400, true),
    ] {
        let mut writer = Writer::new();
        let tops: Vec<_> = (0..parents).map(|at| format!("/dubbo-service-{at}")).collect();
        writer.fill(&tops, PLAIN)?;
        let lease = writer.grant()?;
        for at in 0..OWNED {
            let path = format!("{}/{}", tops[at % parents], provider(7, at, 200));
            writer.must(&create(&path, Some(lease), Lifetime::Ephemeral, vec![AclEntry::open()]))?;
        }
        let clone = cloned.then(|| writer.state.clone());
        let (begun, own) = (Instant::now(), thread_time());
        writer.must(&command(None, Action::Revoke(lease)))?;
        let (taken, own) = (begun.elapsed(), thread_time() - own);
        println!(
            "{what}: {} ({} own) for {OWNED} nodes",
            milliseconds(taken),
            milliseconds(own)
        );
        drop(clone);
    }
    Ok(())
}

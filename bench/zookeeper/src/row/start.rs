//! How long a start takes, without data and with the little that a first start leaves, and what a server needs that does
//! nothing.

use std::{thread, time::Duration};

use anyhow::Result;

use super::Round;
use crate::{
    contestant::Contestant,
    cost::{Stopwatch, resident},
};

/// When memory is looked at.
const IDLE: Duration = Duration::from_secs(5);

pub(super) fn run(contestant: &mut Contestant) -> Result<Round> {
    let server = contestant.fresh()?;
    let first = server.ready;
    let watch = Stopwatch::start(server.process())?;
    thread::sleep(IDLE);
    let others = watch.stop()?.others;
    let memory = resident(server.process())?;
    let second = contestant.again()?.ready;
    Ok(Round {
        figures: vec![
            first.as_secs_f64() * 1e3,
            second.as_secs_f64() * 1e3,
            memory as f64 / 1e6,
        ],
        others,
    })
}

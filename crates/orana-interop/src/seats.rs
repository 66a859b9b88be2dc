//! How many Java machines may run at once on this computer: a scenario takes all its seats before it starts any, so that
//! two half-started scenarios never wait for each other.

use std::{env, fs::File, thread, time::Duration};

use anyhow::{Result, ensure};

use crate::place;

/// Seats when `INTEROP_SEATS` does not say otherwise.
const DEFAULT: usize = 6;

/// Seats held until this is dropped.
#[derive(Debug)]
pub struct Seats {
    _taken: Vec<File>,
}

/// Waits until `wanted` seats are free at the same time, and takes them. First come, first served.
pub fn take(wanted: usize) -> Result<Seats> {
    let all = env::var("INTEROP_SEATS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(DEFAULT);
    ensure!(wanted <= all, "{wanted} seats wanted, but there are only {all}");
    let dir = place::written("seats")?;
    let door = File::create(dir.join("door"))?;
    door.lock()?;
    loop {
        let mut taken = Vec::new();
        for seat in 0..all {
            if taken.len() == wanted {
                break;
            }
            let file = File::create(dir.join(seat.to_string()))?;
            if file.try_lock().is_ok() {
                taken.push(file);
            }
        }
        if taken.len() == wanted {
            return Ok(Seats { _taken: taken });
        }
        drop(taken);
        thread::sleep(Duration::from_millis(100));
    }
}

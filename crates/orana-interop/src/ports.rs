//! Loopback ports that no other test has: below the range that the kernel hands to outgoing connections, and locked for
//! as long as the claim lives, so that a server may be stopped and started again on its port.

use std::{
    fs::File,
    net::{Ipv4Addr, TcpListener},
    process,
    sync::atomic::{AtomicU16, Ordering},
};

use anyhow::{Result, bail};

use crate::place;

const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// A port that is ours until this is dropped.
#[derive(Debug)]
pub struct Port {
    number: u16,
    _lock: File,
}

impl Port {
    /// The port's number.
    pub fn number(&self) -> u16 {
        self.number
    }
}

/// Claims a port on 127.0.0.1 that nobody listens on.
pub fn claim() -> Result<Port> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let dir = place::written("ports")?;
    // Processes begin at different places, so that they seldom try the same ports.
    let start = (process::id().wrapping_mul(97) % u32::from(COUNT)) as u16;
    for _ in 0..COUNT {
        let step = NEXT.fetch_add(1, Ordering::Relaxed) % COUNT;
        let number = FIRST + (start + step) % COUNT;
        let lock = File::create(dir.join(number.to_string()))?;
        if lock.try_lock().is_ok() && TcpListener::bind((Ipv4Addr::LOCALHOST, number)).is_ok() {
            return Ok(Port { number, _lock: lock });
        }
    }
    bail!("no free port between {FIRST} and {}", FIRST + COUNT)
}

//! What a process holds in memory, before and after.

use std::fs;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::counting;

/// At one moment.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Held {
    /// `VmRSS`, in bytes.
    pub(crate) resident: u64,
    /// `VmHWM`, in bytes: the most that was ever resident.
    pub(crate) peak: u64,
    /// Bytes of the blocks in use.
    pub(crate) counted: u64,
}

impl Held {
    /// Of this process, now.
    pub(crate) fn now() -> Result<Held> {
        let status = fs::read_to_string("/proc/self/status")?;
        let bytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let line = line.with_context(|| format!("no `{name}` in /proc/self/status"))?;
            let kib: u64 = line.trim_end_matches("kB").trim().parse()?;
            Ok::<_, anyhow::Error>(kib * 1024)
        };
        Ok(Held {
            resident: bytes("VmRSS:")?,
            peak: bytes("VmHWM:")?,
            counted: counting::held() as u64,
        })
    }
}

//! One line per address and while, however often a client misbehaves: a flood of bad input must not become a
//! flood of log lines.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// A line at most so often for one address.
const INTERVAL: Duration = Duration::from_secs(10);
/// Addresses remembered at most; beyond it all are forgotten, at the price of a few lines more.
const ADDRESSES: usize = 1024;

/// Says whether a line may be written now.
pub(crate) struct RateLimit(Mutex<HashMap<IpAddr, Said>>);

struct Said {
    at: Instant,
    withheld: u64,
}

impl RateLimit {
    /// Nothing was said yet.
    pub(crate) fn new() -> RateLimit {
        RateLimit(Mutex::default())
    }

    /// `Some(n)` if a line may be written, `n` being the lines that were withheld since the last one.
    pub(crate) fn allow(&self, address: IpAddr, now: Instant) -> Option<u64> {
        let mut said = self.0.lock();
        if said.len() >= ADDRESSES && !said.contains_key(&address) {
            said.clear();
        }
        match said.get_mut(&address) {
            Some(said) if now.saturating_duration_since(said.at) < INTERVAL => {
                said.withheld += 1;
                None
            }
            Some(said) => {
                said.at = now;
                Some(std::mem::take(&mut said.withheld))
            }
            None => {
                said.insert(address, Said { at: now, withheld: 0 });
                Some(0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_named_once_per_interval() {
        let limit = RateLimit::new();
        let (t0, a, b) = (
            Instant::now(),
            IpAddr::from([127, 0, 0, 1]),
            IpAddr::from([127, 0, 0, 2]),
        );
        assert_eq!(limit.allow(a, t0), Some(0));
        assert_eq!(limit.allow(a, t0), None);
        assert_eq!(limit.allow(b, t0), Some(0));
        assert_eq!(limit.allow(a, t0 + INTERVAL), Some(1));
    }
}

//! Connections as the kernel has them: who is connected with a port of this machine.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result};

/// The state of a connection that is open on both sides.
const ESTABLISHED: &str = "01";

/// The ports of those who are connected with one of `ports`, each as *theirs, ours*. Who connects again has another port.
pub fn with(ports: &[u16]) -> Result<BTreeSet<(u16, u16)>> {
    Ok(of(
        &fs::read_to_string("/proc/net/tcp").context("the kernel's list of connections")?,
        ports,
    ))
}

fn of(table: &str, ports: &[u16]) -> BTreeSet<(u16, u16)> {
    let connection = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        let (local, remote, state) = (words.next()?, words.next()?, words.next()?);
        let port = |address: &str| u16::from_str_radix(address.rsplit_once(':')?.1, 16).ok();
        let (local, remote) = (port(local)?, port(remote)?);
        (state == ESTABLISHED && ports.contains(&local)).then_some((remote, local))
    };
    table.lines().filter_map(connection).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_open_connections_with_these_ports_count() {
        let table = "  sl  local_address rem_address   st tx_queue\n   0: 0100007F:5191 0100007F:C000 01 00000000:00000000\n   \
                     1: 0100007F:5191 00000000:0000 0A 0:0\n   2: 0100007F:C000 0100007F:5191 01 0:0\n   \
                     3: 0100007F:5191 0100007F:C002 06 0:0\n";
        assert_eq!(of(table, &[0x5191]), BTreeSet::from([(0xC000, 0x5191)]));
    }
}

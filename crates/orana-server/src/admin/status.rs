//! `/v1/status`: how a centre is, in one document.

use orana_node::Centre;
use serde::Serialize;

use crate::frontend::zookeeper::Face;

/// The document. Fields are only ever added.
#[derive(Serialize)]
pub(super) struct Status {
    version: &'static str,
    role: &'static str,
    term: u64,
    uptime_ms: u64,
    zxid: String,
    index: Index,
    leases: usize,
    nodes: usize,
    ephemerals: usize,
    watches: Watches,
    connections: u64,
    bytes: Bytes,
    disk: Disk,
}

#[derive(Serialize)]
struct Index {
    log: u64,
    applied: u64,
    snapshot: u64,
}

#[derive(Serialize)]
struct Watches {
    observers: usize,
    paths: usize,
    watches: usize,
}

#[derive(Serialize)]
struct Bytes {
    /// Paths and data of the tree.
    tree: u64,
    /// Commands that are not applied yet.
    outstanding: usize,
}

#[derive(Serialize)]
struct Disk {
    log: u64,
    snapshot: u64,
    files: Option<u64>,
    free: Option<u64>,
    writes_refused: bool,
}

pub(super) fn of(centre: &Centre, face: &Face) -> Status {
    let (status, census, watches) = (centre.status(), centre.census(), centre.watch_census());
    Status {
        version: env!("CARGO_PKG_VERSION"),
        role: status.role,
        term: status.term,
        uptime_ms: status.uptime.as_millis() as u64,
        zxid: census.zxid.to_string(),
        index: Index {
            log: status.last_log,
            applied: status.last_applied,
            snapshot: status.last_snapshot,
        },
        leases: census.leases,
        nodes: census.nodes,
        ephemerals: census.ephemerals,
        watches: Watches {
            observers: watches.observers,
            paths: watches.paths,
            watches: watches.watches,
        },
        connections: face.counts().connections,
        bytes: Bytes {
            tree: census.bytes,
            outstanding: centre.outstanding_bytes(),
        },
        disk: Disk {
            log: status.disk.log_bytes,
            snapshot: status.disk.snapshot_bytes,
            files: status.disk.file_bytes,
            free: status.disk.free_bytes,
            writes_refused: status.disk_short,
        },
    }
}

//! `/metrics`: what a monitor scrapes, in the Prometheus text form. Names are documented in `docs/metrics.md`; no
//! label depends on what clients send, so their number is bounded.

use orana_node::Centre;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Metric, Registry, Unit};

use crate::frontend::zookeeper::Face;

pub(super) fn text(centre: &Centre, face: &Face) -> String {
    let (status, census, watches, counts) = (centre.status(), centre.census(), centre.watch_census(), face.counts());
    let mut page = Page(Registry::with_prefix("orana"));
    page.gauge(
        "up",
        "1 while this member leads and serves",
        u64::from(status.role == "leader"),
    );
    page.gauge("uptime_seconds", "Seconds since the start", status.uptime.as_secs());
    page.gauge("raft_term", "Term of the leader", status.term);
    page.gauge("raft_log_index", "Latest entry in the log", status.last_log);
    page.gauge("raft_applied_index", "Latest entry applied", status.last_applied);
    page.gauge(
        "raft_snapshot_index",
        "Latest entry in a snapshot",
        status.last_snapshot,
    );
    page.gauge("tree_nodes", "Nodes of the tree", census.nodes as u64);
    page.gauge("tree_ephemerals", "Nodes that a lease owns", census.ephemerals as u64);
    page.gauge("tree_bytes", "Bytes of paths and data", census.bytes);
    page.gauge("leases", "Leases (ZooKeeper sessions are leases)", census.leases as u64);
    page.gauge("watches", "Single watches", watches.watches as u64);
    page.gauge("watched_paths", "Paths that are watched", watches.paths as u64);
    page.gauge(
        "outstanding_bytes",
        "Bytes of commands that are not applied yet",
        centre.outstanding_bytes() as u64,
    );
    page.gauge("disk_log_bytes", "Bytes of log entries", status.disk.log_bytes);
    page.gauge(
        "disk_snapshot_bytes",
        "Bytes of the current snapshot",
        status.disk.snapshot_bytes,
    );
    page.gauge(
        "disk_free_bytes",
        "Free bytes where the data lies",
        status.disk.free_bytes.unwrap_or(0),
    );
    page.gauge(
        "disk_writes_refused",
        "1 while writes are refused for want of space",
        u64::from(status.disk_short),
    );
    page.gauge("zookeeper_connections", "Connections now", counts.connections);
    page.counter(
        "zookeeper_connections_accepted",
        "Connections accepted",
        counts.accepted,
    );
    page.counter(
        "zookeeper_connections_refused",
        "Connections refused because of a limit",
        counts.refused,
    );
    page.counter(
        "zookeeper_connections_dropped",
        "Connections closed because of what the client did",
        counts.dropped,
    );
    page.counter("zookeeper_requests", "Requests received", counts.requests);
    page.counter(
        "zookeeper_requests_malformed",
        "Requests that could not be understood",
        counts.malformed,
    );
    page.counter("zookeeper_responses", "Replies and events sent", counts.responses);
    page.counter("zookeeper_events", "Watch events", counts.events);
    page.counter(
        "zookeeper_events_held",
        "Watch events held to be joined with the next",
        counts.events_joined,
    );
    page.counter("zookeeper_auth_failed", "Refused authentications", counts.auth_failed);
    page.counter(
        "zookeeper_received_bytes",
        "Bytes read from clients",
        counts.bytes_received,
    );
    page.gauge(
        "zookeeper_unread_bytes",
        "Bytes in memory only because clients have not read them",
        counts.bytes_unread,
    );
    page.counter("zookeeper_sent_bytes", "Bytes written to clients", counts.bytes_sent);
    let average = ConstGauge::new(counts.average_latency_ms / 1000.0);
    page.add(
        "zookeeper_latency_average",
        "Average time from request to reply",
        Some(Unit::Seconds),
        average,
    );
    let highest = ConstGauge::new(counts.max_latency_ms as f64 / 1000.0);
    page.add(
        "zookeeper_latency_highest",
        "Highest time from request to reply",
        Some(Unit::Seconds),
        highest,
    );
    if let Some(bytes) = resident_bytes() {
        page.gauge("process_resident_bytes", "Memory of the process", bytes);
    }
    let mut text = String::new();
    // Writing to a string fails only if a metric does not know its own value.
    let _ = encode(&mut text, &page.0);
    text
}

struct Page(Registry);

impl Page {
    fn add(&mut self, name: &str, help: &str, unit: Option<Unit>, metric: impl Metric) {
        match unit {
            Some(unit) => self.0.register_with_unit(name, help, unit, metric),
            None => self.0.register(name, help, metric),
        }
    }

    fn gauge(&mut self, name: &str, help: &str, value: u64) {
        self.add(name, help, None, ConstGauge::new(value));
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.add(name, help, None, ConstCounter::new(value));
    }
}

fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

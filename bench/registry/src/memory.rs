//! What the lists of a large fleet cost a consumer: a process that subscribes to every interface of it, weighed before and
//! after. Which server keeps the fleet makes no difference to that; it is Orana's own.

use std::env;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use orana_interop::peer::Peer;
use orana_interop::ports;
use orana_interop::process::Log;
use orana_interop::subject::{Product, Setup, Subject};
use serde_json::json;

use crate::cost::Held;

/// Counted bytes for each URL; a missed goal is printed, it is not a failure.
const GOAL: f64 = 300.0;

const PATIENCE: Duration = Duration::from_secs(300);

/// How much is measured.
pub(crate) struct Extent {
    pub(crate) interfaces: usize,
    pub(crate) addresses: usize,
    pub(crate) threads: usize,
}

/// Measures and prints.
pub(crate) fn run(extent: &Extent) -> Result<()> {
    let home = tempfile::tempdir()?;
    let port = ports::claim()?;
    let admin = ports::claim()?;
    let setup = Setup::new(Product::Orana).port(port.number());
    let server = Subject::start(setup, admin.number(), home.path())?;
    // A machine under load is no reason to lose the session.
    let registry = format!("zookeeper://{}?timeout=60000&session=60000", server.address());
    let start = |role: &str| {
        let mut command = Command::new(env::current_exe()?);
        command.args(["--threads", &extent.threads.to_string(), role, "--registry", &registry]);
        command.args(["--interfaces", &extent.interfaces.to_string()]);
        command.args(["--addresses", &extent.addresses.to_string()]);
        Peer::start(command, role, Log::at(home.path().join(format!("{role}.log"))))
    };
    let mut fleet = start("fleet")?;
    let (fleet_before, fleet_after): (Held, Held) = serde_json::from_str(&fleet.expect("HELD", PATIENCE)?)?;
    let mut holder = start("holder")?;
    let (before, after, rested, seconds): (Held, Held, Held, f64) =
        serde_json::from_str(&holder.expect("HELD", PATIENCE)?)?;

    #[allow(clippy::cast_precision_loss, reason = "bytes for each")]
    let each = |less: u64, more: u64| (more as f64 - less as f64) / (extent.interfaces * extent.addresses) as f64;
    let counted = each(before.counted, rested.counted);
    println!(
        "{} provider URLs in the lists of a consumer: {} interfaces × {} addresses, listed in {seconds:.1} s",
        extent.interfaces * extent.addresses,
        extent.interfaces,
        extent.addresses
    );
    println!(
        "  counted bytes each        {counted:>8.0}   goal ≤ {GOAL}: {}",
        if counted <= GOAL { "reached" } else { "MISSED" }
    );
    println!(
        "  resident bytes each       {:>8.0}",
        each(before.resident, rested.resident)
    );
    println!(
        "  resident, at once, each   {:>8.0}",
        each(before.resident, after.resident)
    );
    println!(
        "  resident, most ever, each {:>8.0}",
        each(before.resident, rested.peak)
    );
    println!("the same registered by one process");
    println!(
        "  counted bytes each        {:>8.0}",
        each(fleet_before.counted, fleet_after.counted)
    );
    println!(
        "  resident, at once, each   {:>8.0}",
        each(fleet_before.resident, fleet_after.resident)
    );
    println!(
        "{}",
        json!({ "memory": {
            "interfaces": extent.interfaces, "addresses": extent.addresses, "seconds": seconds, "before": before,
            "after": after, "rested": rested, "registered_before": fleet_before, "registered_after": fleet_after,
        } })
    );
    Ok(())
}

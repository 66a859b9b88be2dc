//! A network of the test's own: rules tell hosts apart, and Dubbo Java neither takes several loopback addresses for several
//! hosts nor matches patterns against them. In a network namespace that holds nothing but its loopback device any address can
//! be ours, and nothing leaves it. That needs root, as the disks of other scenarios do.

use std::env;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{fleet, identity};

/// Says to a test that it is inside.
const INSIDE: &str = "INTEROP_INSIDE";

/// Whether this process is in a network of its own.
pub fn is_own() -> bool {
    env::var_os(INSIDE).is_some()
}

/// Runs the test of that name once more, in a network of its own where providers and consumers have their addresses.
pub fn enter(test: &str) -> Result<()> {
    let addresses = fleet::hosts().chain(identity::IDENTITIES.iter().map(|identity| identity.host));
    let mut script = "set -e; ip link set lo up".to_owned();
    for address in addresses {
        script.push_str(&format!("; ip addr add {address}/32 dev lo"));
    }
    script.push_str("; exec \"$@\"");
    let status = Command::new("unshare")
        .args(["--net", "sh", "-c", &script, "sh"])
        .arg(env::current_exe()?)
        .args([test, "--exact", "--nocapture"])
        .env(INSIDE, "1")
        .status()
        .context("cannot start `unshare`")?;
    ensure!(
        status.success(),
        "inside a network of its own, which needs root and `ip`: {status}"
    );
    Ok(())
}

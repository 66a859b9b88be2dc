//! What a leading member does by itself, now and then: it ends leases that have run out, reaps nodes that
//! nobody needs, measures the disk and has snapshots written. One task, ended with its member.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use orana_state::{Action, Command, LeaseId, Outcome, State};
use tokio::sync::watch;

use crate::error::NodeError;
use crate::member::{Member, MemberConfig};
use crate::replica::Completion;
use crate::store::DiskUse;
use crate::wakes::Wakes;

/// No sweep proposes more than this, so that a sweep never fills the queue of its own.
const REAP_LIMIT: usize = 10_000;

pub(crate) async fn run(member: Weak<Member>, config: MemberConfig, broken: watch::Sender<Option<String>>) {
    // A lease lives between its period and one tick more; looking four times per tick leaves room for delays.
    let interval = (config.tick / 4).clamp(Duration::from_millis(20), Duration::from_millis(500));
    let mut timer = tokio::time::interval(interval);
    timer.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let (mut last, mut reaped) = (Instant::now(), Instant::now());
    let mut cramped = false;
    loop {
        timer.tick().await;
        let Some(member) = member.upgrade() else { return };
        let now = Instant::now();
        forgive_pause(&member, now.duration_since(last), interval, now);
        last = now;
        measure(&member, &broken);
        end_leases(&member, now);
        member.replica.watches.tidy(now);
        if now.duration_since(reaped) >= config.reap_interval {
            reaped = now;
            reap(&member);
        }
        snapshot(&member, &config, &mut cramped).await;
    }
}

/// If this task was not run for much longer than it asked for, neither was the rest of the process: nobody
/// could have been heard, so nobody is late.
fn forgive_pause(member: &Member, gap: Duration, interval: Duration, now: Instant) {
    let pause = gap.saturating_sub(interval);
    if pause > interval {
        if pause > Duration::from_secs(1) {
            tracing::warn!(
                ms = pause.as_millis() as u64,
                "this process was not running: all leases are extended"
            );
        }
        member.replica.clocks.forgive(pause, now);
    }
}

fn measure(member: &Member, broken: &watch::Sender<Option<String>>) {
    match member.store.free_bytes() {
        Ok(free) => member.disk.measured(free),
        Err(error) => tracing::warn!(%error, "free space cannot be measured"),
    }
    let metrics = member.raft.metrics();
    let state = metrics.borrow().running_state.clone();
    if let Err(error) = state {
        broken.send_if_modified(|reason| {
            let first = reason.is_none();
            reason.get_or_insert_with(|| error.to_string());
            first
        });
    }
}

fn end_leases(member: &Arc<Member>, now: Instant) {
    for lease in member.replica.clocks.run_out(now) {
        tracing::debug!(%lease, "lease has run out");
        let ending = Arc::new(Ending {
            member: Arc::downgrade(member),
            lease,
        });
        submit(member, Action::Revoke(lease), ending);
    }
}

fn reap(member: &Arc<Member>) {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as i64);
    // A copy: a million containers take a while to look through, and nobody is to wait for that.
    let frozen = member.replica.state.read().clone();
    let ripe = frozen.reapable(now, REAP_LIMIT);
    let quiet: Arc<dyn Completion> = Arc::new(Quiet);
    for path in ripe {
        submit(member, Action::Reap(path), quiet.clone());
    }
}

fn submit(member: &Member, action: Action, completion: Arc<dyn Completion>) {
    let command = Command {
        issuer: None,
        identities: Arc::from([]),
        action,
    };
    member.proposer.submit(command, 256, completion, 0);
}

/// The log is bounded by bytes and by entries; a large state is not written out more often than its own size
/// of log has come in, nor where it would fill the disk. `cramped` remembers that this was told.
async fn snapshot(member: &Member, config: &MemberConfig, cramped: &mut bool) {
    let status = member.status();
    let entries = status.last_applied.saturating_sub(status.last_snapshot);
    let bytes = config.snapshot_log_bytes.max(status.disk.snapshot_bytes);
    if (status.disk.log_bytes < bytes && entries < config.snapshot_log_entries) || entries == 0 {
        return;
    }
    let (needed, free) = (room_for_snapshot(member, config, &status.disk), status.disk.free_bytes);
    let fits = free.is_none_or(|free| free >= needed);
    if fits == *cramped {
        *cramped = !fits;
        if !fits {
            tracing::warn!(
                free,
                needed,
                "a snapshot is due, but the disk has no room for it: the log is not cut"
            );
        }
    }
    if !fits {
        return;
    }
    if let Err(error) = member.raft.trigger().snapshot().await {
        tracing::warn!(%error, "a snapshot could not be asked for");
    }
}

/// Bytes that should be free for a snapshot. It is at most as large as the one before and all that came in since. As much
/// again may come in while it is written, unless writes are refused anyway.
fn room_for_snapshot(member: &Member, config: &MemberConfig, disk: &DiskUse) -> u64 {
    let bytes = disk.snapshot_bytes.saturating_add(disk.log_bytes);
    if member.disk.is_short() {
        bytes.saturating_add(config.disk_reserve / 4)
    } else {
        bytes.saturating_mul(2).saturating_add(config.disk_reserve)
    }
}

/// Gives a lease another chance to be ended if its end could not be written.
struct Ending {
    member: Weak<Member>,
    lease: LeaseId,
}

impl Completion for Ending {
    fn applied(&self, _tag: u64, _state: &State, _outcome: Outcome, _wakes: &mut Wakes) {}

    fn failed(&self, _tag: u64, _error: &NodeError, _wakes: &mut Wakes) {
        if let Some(member) = self.member.upgrade() {
            member.replica.clocks.reprieve(self.lease);
        }
    }
}

/// A sweep that failed is repeated by the next one.
struct Quiet;

impl Completion for Quiet {
    fn applied(&self, _tag: u64, _state: &State, _outcome: Outcome, _wakes: &mut Wakes) {}
    fn failed(&self, _tag: u64, _error: &NodeError, _wakes: &mut Wakes) {}
}

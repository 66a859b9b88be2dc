//! The thin part of a directory: carries lists to the roster, opens what it asks for, publishes what it says.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::openings::Openings;
use super::pace::Pace;
use super::passed_over::{PassedOver, Skipped};
use super::published::{Published, Version};
use super::roster::Roster;
use super::{Progress, Update};
use crate::routing::Routing;

/// Runs until the directory goes; connections that are being opened then are given up with it.
pub(super) async fn run(
    mut roster: Roster,
    mut openings: Openings,
    mut told: watch::Receiver<Update>,
    published: Arc<Published>,
    reached: watch::Sender<Progress>,
) {
    let mut passed_over = PassedOver::default();
    let mut pace = Pace::new(Instant::now());
    let mut list = Arc::new(roster.list());
    loop {
        let (again, owed) = (roster.next_due(), pace.due());
        // Other rules for the same list.
        let mut ruled = false;
        tokio::select! {
            update = told.changed() => {
                if update.is_err() {
                    return;
                }
                let update = told.borrow_and_update().clone();
                let reconfigured = roster.govern(update.governance);
                let Some(providers) = update.providers else { continue };
                let is_new = roster.told().is_none_or(|known| !Arc::ptr_eq(known, &providers));
                if is_new || reconfigured {
                    let (open, skipped) = roster.accept(&providers);
                    report(&skipped, passed_over.is_news(&skipped, Instant::now()), providers.len());
                    openings.retain(|url| roster.is_opening(url));
                    openings.open(open);
                    pace.changed(true, Instant::now());
                } else {
                    ruled = true;
                }
            }
            Some((url, outcome)) = openings.next() => {
                let now = Instant::now();
                let mut changed = roster.opened(&url, outcome, now, fastrand::u64(..));
                for _ in 0..MOST_AT_ONCE {
                    let Some((url, outcome)) = openings.ready() else { break };
                    changed |= roster.opened(&url, outcome, now, fastrand::u64(..));
                }
                if changed {
                    // Somebody may be waiting for the first one.
                    pace.changed(!reached.borrow().settled, now);
                }
            }
            () = sleep_until(again.unwrap_or_else(Instant::now)), if again.is_some() => {
                openings.open_again(roster.due(Instant::now()));
            }
            () = sleep_until(owed.unwrap_or_else(Instant::now)), if owed.is_some() => {}
        }
        let now = Instant::now();
        let changed = pace.due().is_some_and(|due| due <= now);
        if changed {
            list = Arc::new(roster.list());
            pace.published(list.endpoints().len(), now);
        }
        if changed || ruled {
            published.publish(Version {
                state: roster.state(),
                consumer: roster.consumer(),
                list: Arc::clone(&list),
                routing: Routing::new(Arc::clone(&roster.governance().routers)),
            });
        }
        reached.send_if_modified(|progress| {
            let now = Progress {
                settled: roster.is_settled(),
            };
            std::mem::replace(progress, now) != now
        });
    }
}

/// After so many connections came up the task looks whether something else happened.
const MOST_AT_ONCE: usize = 1_024;

/// Warns of what cannot be used, if that is news; with it, of how many lists nothing was said since the last warning.
fn report(skipped: &Skipped, news: Option<u64>, of: usize) {
    let Some((url, why)) = &skipped.first else { return };
    let skipped = skipped.count;
    let what = "providers of a list are passed over";
    match news {
        Some(unsaid) => tracing::warn!(skipped, of, first = url, why, unsaid, "{what}"),
        None => tracing::debug!(skipped, of, first = url, why, "{what}"),
    }
}

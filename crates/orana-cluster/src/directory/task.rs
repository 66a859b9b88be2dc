//! The thin part of a directory: carries lists to the roster, opens what it asks for, publishes what it says.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::openings::Openings;
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
    let mut list = Arc::new(roster.list());
    loop {
        let due = roster.next_due();
        let change = tokio::select! {
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
                    Change::List
                } else {
                    Change::Rules
                }
            }
            Some((url, outcome)) = openings.next() => {
                match roster.opened(&url, outcome, Instant::now(), fastrand::u64(..)) {
                    true => Change::List,
                    false => Change::Nothing,
                }
            }
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                openings.open_again(roster.due(Instant::now()));
                Change::Nothing
            }
        };
        if change == Change::List {
            list = Arc::new(roster.list());
        }
        if change != Change::Nothing {
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

/// What has to be published.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Nothing,
    /// The same list under other rules.
    Rules,
    List,
}

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

//! The thin part of a directory: carries lists to the roster, opens what it asks for, publishes what it says.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::openings::Openings;
use super::passed_over::{PassedOver, Skipped};
use super::published::{Published, Version};
use super::roster::Roster;
use super::{Progress, Update};

/// Runs until the directory goes; connections that are being opened then are given up with it.
pub(super) async fn run(
    mut roster: Roster,
    mut openings: Openings,
    mut told: watch::Receiver<Update>,
    published: Arc<Published>,
    reached: watch::Sender<Progress>,
) {
    let mut passed_over = PassedOver::default();
    loop {
        let due = roster.next_due();
        let changed = tokio::select! {
            update = told.changed() => {
                if update.is_err() {
                    return;
                }
                let providers = told.borrow_and_update().clone();
                let Some(providers) = providers else { continue };
                let (open, skipped) = roster.accept(&providers);
                report(&skipped, passed_over.is_news(&skipped, Instant::now()), providers.len());
                openings.retain(|url| roster.is_opening(url));
                openings.open(open);
                true
            }
            Some((url, outcome)) = openings.next() => roster.opened(&url, outcome, Instant::now(), fastrand::u64(..)),
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                openings.open_again(roster.due(Instant::now()));
                false
            }
        };
        if changed {
            published.publish(Version {
                state: roster.state(),
                list: roster.list(),
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

//! The thin part of a directory: carries lists to the roster, opens what it asks for, publishes what it says.

use std::collections::VecDeque;
use std::sync::Arc;

use arc_swap::ArcSwap;
use orana_core::{Connector, Invoker, RpcError, ServiceUrl};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::roster::{Roster, Skipped};
use super::{Progress, Update, Version};

type Opened = (ServiceUrl, Result<Arc<dyn Invoker>, RpcError>);

/// Runs until the directory goes; connections that are being opened then are given up with it.
pub(super) async fn run(
    mut roster: Roster,
    connector: Arc<dyn Connector>,
    at_once: usize,
    mut told: watch::Receiver<Update>,
    published: Arc<ArcSwap<Version>>,
    reached: watch::Sender<Progress>,
) {
    let mut opening: JoinSet<Opened> = JoinSet::new();
    let mut waiting: VecDeque<ServiceUrl> = VecDeque::new();
    loop {
        while opening.len() < at_once
            && let Some(url) = waiting.pop_front()
        {
            let connector = Arc::clone(&connector);
            opening.spawn(async move {
                let outcome = connector.connect(&url).await;
                (url, outcome)
            });
        }
        let due = roster.next_due();
        let changed = tokio::select! {
            update = told.changed() => {
                if update.is_err() {
                    return;
                }
                let providers = told.borrow_and_update().clone();
                let Some(providers) = providers else { continue };
                let (open, skipped) = roster.accept(&providers);
                report(&skipped, &providers);
                waiting.extend(open);
                true
            }
            Some(opened) = opening.join_next(), if !opening.is_empty() => match opened {
                Ok((url, outcome)) => roster.opened(&url, outcome, Instant::now(), fastrand::u64(..)),
                Err(error) => {
                    tracing::error!(%error, "opening a connection ended unexpectedly");
                    false
                }
            },
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                waiting.extend(roster.due(Instant::now()));
                false
            }
        };
        if changed {
            published.store(Arc::new(Version {
                state: roster.state(),
                list: roster.list(),
            }));
        }
        reached.send_if_modified(|progress| {
            let now = Progress {
                settled: roster.is_settled(),
            };
            std::mem::replace(progress, now) != now
        });
    }
}

fn report(skipped: &Skipped, providers: &[ServiceUrl]) {
    if let Some((url, why)) = &skipped.first {
        tracing::warn!(
            skipped = skipped.count,
            of = providers.len(),
            first = url,
            why,
            "providers of a list are passed over"
        );
    }
}

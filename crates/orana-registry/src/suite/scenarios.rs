//! The scenarios: each uses interfaces of its own, so that one registry serves all of them.

mod lists;
mod trouble;

use std::time::Duration;

use orana_core::{BoxFuture, Category, ServiceUrl};
use tokio::time::{Instant, sleep};

use super::asking::{LATER, Party, Reader, SOON, Told, question};
use super::{Login, Notion, Product, Scenario};

/// Every scenario, from the plain ones to those that disturb.
pub const SCENARIOS: &[Scenario] = &[
    scenario("what is registered is seen within a second", &[], |p| {
        Box::pin(lists::seen(p))
    }),
    scenario(
        "the first lists are there before a watch begins, empty ones too",
        &[],
        |p| Box::pin(lists::first_lists(p)),
    ),
    scenario("a list is complete whatever changed", &[], |p| {
        Box::pin(lists::complete(p))
    }),
    scenario("changes are seen in their order", &[], |p| Box::pin(lists::order(p))),
    scenario("a url is listed once, and each of its variants for itself", &[], |p| {
        Box::pin(lists::duplicates(p))
    }),
    scenario("what is dynamic goes with its owner, what is not stays", &[], |p| {
        Box::pin(lists::persistent(p))
    }),
    scenario("a question without a watch gets the same answer", &[], |p| {
        Box::pin(lists::lookup(p))
    }),
    scenario("whoever asks for every interface learns of new ones", &[], |p| {
        Box::pin(lists::every_interface(p))
    }),
    scenario("group, version and classifier choose among the urls", &[], |p| {
        Box::pin(lists::choice(p))
    }),
    scenario("odd characters come back as they went", &[], |p| {
        Box::pin(lists::odd(p))
    }),
    scenario("a thousand providers are one list", &[], |p| {
        Box::pin(lists::thousand(p))
    }),
    scenario("a url that belongs nowhere is refused as invalid", &[], |p| {
        Box::pin(trouble::invalid(p))
    }),
    scenario("a closed registry says so", &[], |p| Box::pin(trouble::closed(p))),
    scenario(
        "wrong credentials are a clear error and no endless loop",
        &[Notion::Credentials],
        |p| Box::pin(trouble::credentials(p)),
    ),
    scenario(
        "a cut connection costs nothing that was registered or watched",
        &[Notion::Connection],
        |p| Box::pin(trouble::cut(p)),
    ),
    scenario(
        "without a connection a request fails at once and as unreachable",
        &[Notion::Connection],
        |p| Box::pin(trouble::unreachable(p)),
    ),
    scenario(
        "an expired session is a new epoch in which all can be said again",
        &[Notion::Session],
        |p| Box::pin(trouble::expired(p)),
    ),
    scenario(
        "a registrant that dies is gone when its session is",
        &[Notion::Death],
        |p| Box::pin(trouble::death(p)),
    ),
    scenario("a server that restarts is as good as before", &[Notion::Server], |p| {
        Box::pin(trouble::restart(p))
    }),
];

const fn scenario(
    name: &'static str,
    needs: &'static [Notion],
    play: for<'p> fn(&'p dyn Product) -> BoxFuture<'p, Told>,
) -> Scenario {
    Scenario { name, needs, play }
}

async fn both(product: &dyn Product) -> Result<(Party, Party), String> {
    Ok((
        Party::join(product, Login::Open).await?,
        Party::join(product, Login::Open).await?,
    ))
}

/// Registers as often as it takes while connections are being made.
async fn publish_patiently(party: &Party, url: &ServiceUrl) -> Told {
    let deadline = Instant::now() + LATER;
    loop {
        match party.publish(url).await {
            Ok(()) => return Ok(()),
            Err(why) if Instant::now() > deadline => return Err(why),
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

/// A watch, begun as often as it takes while connections are being made.
async fn watch_patiently(party: &Party, interface: &str) -> Result<Reader, String> {
    let query = question(interface)?;
    let deadline = Instant::now() + LATER;
    loop {
        match party.watch(&query).await {
            Ok(reader) => return Ok(reader),
            Err(why) if Instant::now() > deadline => return Err(why),
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Waits until a list has this length.
async fn until_list(reader: &mut Reader, interface: &str, category: Category, length: usize) -> Told {
    let deadline = Instant::now() + SOON;
    loop {
        reader.catch_up();
        let there = reader
            .known
            .get(interface)
            .and_then(|known| known.get(category))
            .map(|list| list.len());
        if there == Some(length) {
            return Ok(());
        }
        let left = deadline.saturating_duration_since(Instant::now());
        match reader.next(left).await {
            Ok(Some(_)) => {}
            Ok(None) => return Err("the watch ended".into()),
            Err(_) => return Err(format!("{category}: {there:?} instead of {length} after {SOON:?}")),
        }
    }
}

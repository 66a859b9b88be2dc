//! What goes wrong is said, and passes.

use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::Product;
use super::asking::{GROUP, Party, end, key, subscribe, until, words};
use crate::backend::Link;
use crate::error::RegistryErrorKind;
use crate::notification::Freshness;
use crate::suite::Login;
use crate::suite::asking::{LATER, SOON, Told, ensure};

pub(super) async fn invalid(product: &dyn Product) -> Told {
    let centre = Party::join(product, Login::Open).await?.centre()?;
    for (group, key) in [
        ("", "a"),
        (GROUP, ""),
        (GROUP, "../../../zookeeper/quota"),
        (GROUP, "a\0b"),
    ] {
        for outcome in [
            centre.subscribe(group, key).await.map(drop),
            centre.get(group, key).await.map(drop),
            centre.publish(group, key, "text").await,
            centre.remove(group, key).await,
        ] {
            match outcome {
                Err(error) if error.kind() == RegistryErrorKind::Invalid => {}
                other => return Err(format!("`{group}` `{key}`: {other:?}")),
            }
        }
    }
    Ok(())
}

pub(super) async fn closed(product: &dyn Product) -> Told {
    let party = Party::join(product, Login::Open).await?;
    let centre = party.centre()?;
    let mut watching = party.backend.watch(&key("closed")?).await.map_err(words)?;
    let mut subscription = subscribe(&centre, "closed").await?;
    centre.close().await;
    centre.close().await;
    end(&mut watching, LATER).await?;
    let told = timeout(SOON, subscription.changed())
        .await
        .map_err(|_| "the subscription goes on")?;
    ensure(told.is_none(), || format!("{told:?}"))?;
    for outcome in [
        centre.get(GROUP, "closed").await.map(drop),
        centre.subscribe(GROUP, "closed").await.map(drop),
        party.backend.publish(&key("closed")?, "text").await,
    ] {
        match outcome {
            Err(error) if error.kind() == RegistryErrorKind::Closed && !error.retryable() => {}
            other => return Err(format!("after it was closed: {other:?}")),
        }
    }
    Ok(())
}

pub(super) async fn credentials(product: &dyn Product) -> Told {
    const K: &str = "owned.configurators";
    let owner = Party::join(product, Login::Owner).await?;
    owner.publish(K, "mine").await?;
    ensure(owner.get(K).await?.as_deref() == Some("mine"), || {
        "the owner does not see its own".into()
    })?;

    let client = product.connect(Login::Stranger).map_err(words)?;
    let stranger = Party {
        backend: client.backend(),
        client,
    };
    let start = Instant::now();
    let centre = stranger.centre()?;
    for (what, error) in [
        ("publishing", stranger.backend.publish(&key(K)?, "theirs").await.err()),
        ("watching", stranger.backend.watch(&key(K)?).await.err()),
        ("reading", stranger.backend.get(&key(K)?).await.err()),
        ("removing", stranger.backend.remove(&key(K)?).await.err()),
        ("subscribing", centre.subscribe(GROUP, K).await.err()),
    ] {
        let error = error.ok_or_else(|| format!("{what} was allowed"))?;
        ensure(error.kind() == RegistryErrorKind::Refused && !error.retryable(), || {
            format!("{what}: {error} ({:?})", error.kind())
        })?;
    }
    ensure(start.elapsed() < LATER / 2, || {
        format!("it took {:?} to be refused", start.elapsed())
    })?;
    // One that goes on in the background neither knows anything nor makes the link flap.
    let unchecked = stranger.centre_with(|settings| settings.check = false)?;
    let waiting = subscribe(&unchecked, K).await?;
    let mut link = stranger.backend.link();
    let mut changes = 0;
    while let Ok(Ok(())) = timeout(SOON * 2, link.changed()).await {
        changes += 1;
        ensure(changes < 5, || format!("the link keeps changing: {:?}", *link.borrow()))?;
    }
    ensure(!waiting.current().is_known(), || format!("{:?}", waiting.current()))?;
    let link = stranger.backend.link().borrow().clone();
    ensure(matches!(link, Link::Up { .. } | Link::Refused { .. }), || {
        format!("the link is {link:?}")
    })
}

pub(super) async fn unreachable(product: &dyn Product) -> Told {
    let party = Party::join(product, Login::Open).await?;
    party.client.cut();
    party.down().await?;
    let name = key("unreachable")?;
    let start = Instant::now();
    let outcomes = [
        party.backend.publish(&name, "text").await,
        party.backend.watch(&name).await.map(drop),
        party.backend.get(&name).await.map(drop),
        party.backend.remove(&name).await,
    ];
    let took = start.elapsed();
    party.client.mend();
    for outcome in outcomes {
        match outcome {
            Err(error) if error.kind() == RegistryErrorKind::Unreachable && error.retryable() => {}
            other => return Err(format!("while the connection is cut: {other:?}")),
        }
    }
    ensure(took < SOON, || format!("it took {took:?} to say so"))?;
    party.epoch().await?;
    party.publish("unreachable", "text").await?;
    party.remove("unreachable").await
}

pub(super) async fn cut(product: &dyn Product) -> Told {
    let writer = Party::join(product, Login::Open).await?;
    let reader = Party::join(product, Login::Open).await?;
    let centre = reader.centre()?;
    for (name, text) in [
        ("cut.changed", "before"),
        ("cut.gone", "before"),
        ("cut.same", "before"),
    ] {
        writer.publish(name, text).await?;
    }
    writer.remove("cut.made").await?;
    let mut changed = subscribe(&centre, "cut.changed").await?;
    let mut gone = subscribe(&centre, "cut.gone").await?;
    let mut made = subscribe(&centre, "cut.made").await?;
    let mut same = subscribe(&centre, "cut.same").await?;
    let before = reader.epoch().await?;

    reader.client.cut();
    reader.down().await?;
    let stale = async {
        while !matches!(changed.current().freshness, Freshness::Stale { .. }) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(SOON, stale).await.map_err(|_| "what is known is not stale")?;
    ensure(changed.current().text.as_deref() == Some("before"), || {
        format!("{:?}", changed.current())
    })?;
    // While it cannot hear of it, if the cut is not everybody's.
    let meanwhile = [
        writer.publish("cut.changed", "after").await,
        writer.remove("cut.gone").await,
        writer.publish("cut.made", "after").await,
    ];
    reader.client.mend();
    let after = reader.epoch().await?;
    ensure(after == before, || {
        format!("a short cut made epoch {after} of epoch {before}")
    })?;
    if meanwhile.iter().any(Result::is_err) {
        writer.epoch().await?;
        writer.publish("cut.changed", "after").await?;
        writer.remove("cut.gone").await?;
        writer.publish("cut.made", "after").await?;
    }
    until(&mut changed, Some("after"), LATER).await?;
    until(&mut gone, None, LATER).await?;
    until(&mut made, Some("after"), LATER).await?;
    let quiet = timeout(Duration::from_millis(50), same.changed()).await;
    ensure(quiet.is_err(), || "told of what has not changed".into())?;
    ensure(same.current().freshness == Freshness::Fresh, || {
        format!("{:?}", same.current())
    })?;
    // And the watches are alive.
    for (subscription, name) in [(&mut changed, "cut.changed"), (&mut gone, "cut.gone")] {
        writer.publish(name, "later").await?;
        until(subscription, Some("later"), SOON).await?;
    }
    for name in ["cut.changed", "cut.gone", "cut.made", "cut.same"] {
        writer.remove(name).await?;
    }
    Ok(())
}

pub(super) async fn expired(product: &dyn Product) -> Told {
    let writer = Party::join(product, Login::Open).await?;
    let reader = Party::join(product, Login::Open).await?;
    let centre = reader.centre()?;
    writer.publish("expired", "before").await?;
    let mut watching = reader.backend.watch(&key("expired")?).await.map_err(words)?;
    let mut subscription = subscribe(&centre, "expired").await?;
    let mut absent = subscribe(&centre, "expired.absent").await?;
    let before = reader.epoch().await?;
    let (expired, written) = tokio::join!(reader.client.expire(), writer.publish_patiently("expired", "after"));
    expired.and(written)?;
    end(&mut watching, LATER).await?;
    reader.epoch_after(before).await?;
    until(&mut subscription, Some("after"), LATER).await?;
    // And the new watches are alive.
    let settled = async {
        while !centre.is_settled() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(LATER, settled)
        .await
        .map_err(|_| "not everything is watched again")?;
    writer.publish_patiently("expired.absent", "made").await?;
    until(&mut absent, Some("made"), SOON).await?;
    writer.remove("expired").await?;
    writer.remove("expired.absent").await?;
    until(&mut subscription, None, SOON).await?;
    until(&mut absent, None, SOON).await.map(drop)
}

pub(super) async fn restart(product: &dyn Product) -> Told {
    let writer = Party::join(product, Login::Open).await?;
    let reader = Party::join(product, Login::Open).await?;
    let centre = reader.centre()?;
    writer.publish("restart", "before").await?;
    let mut subscription = subscribe(&centre, "restart").await?;
    let mut absent = subscribe(&centre, "restart.absent").await?;
    product.restart().await?;
    ensure(subscription.current().text.as_deref() == Some("before"), || {
        format!("the restart cost the text: {:?}", subscription.current())
    })?;
    writer.publish_patiently("restart", "after").await?;
    until(&mut subscription, Some("after"), LATER).await?;
    writer.publish_patiently("restart.absent", "made").await?;
    until(&mut absent, Some("made"), LATER).await?;
    writer.publish("restart", "later").await?;
    until(&mut subscription, Some("later"), SOON).await?;
    writer.remove("restart").await?;
    writer.remove("restart.absent").await?;
    until(&mut subscription, None, SOON).await.map(drop)
}

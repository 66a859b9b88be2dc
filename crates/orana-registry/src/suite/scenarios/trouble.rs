//! What goes wrong is said, and passes.

use tokio::time::{Instant, timeout};

use super::super::asking::{LATER, Party, SOON, Told, ensure, provider, question, url};
use super::super::{Login, Product};
use super::{both, publish_patiently, watch_patiently};
use crate::backend::Link;
use crate::error::RegistryErrorKind;

pub(super) async fn invalid(product: &dyn Product) -> Told {
    let party = Party::join(product, Login::Open).await?;
    for text in [
        "dubbo://127.0.0.1:1",
        "dubbo://127.0.0.1:1/com.example.suite.I?category=mine",
    ] {
        match party.backend.publish(&url(text)?).await {
            Err(error) if error.kind() == RegistryErrorKind::Invalid => {}
            other => return Err(format!("`{text}`: {other:?}")),
        }
    }
    Ok(())
}

pub(super) async fn closed(product: &dyn Product) -> Told {
    let party = Party::join(product, Login::Open).await?;
    let mut reader = party.watch(&question("com.example.suite.Closed")?).await?;
    party.backend.close().await;
    party.backend.close().await;
    reader.end(LATER).await?;
    match party.backend.publish(&provider("com.example.suite.Closed", 1)?).await {
        Err(error) if error.kind() == RegistryErrorKind::Closed && !error.retryable() => Ok(()),
        other => Err(format!("after it was closed: {other:?}")),
    }
}

pub(super) async fn credentials(product: &dyn Product) -> Told {
    const I: &str = "com.example.suite.Credentials";
    let owner = Party::join(product, Login::Owner).await?;
    owner.publish(&provider(I, 1)?).await?;
    ensure(owner.watch(&question(I)?).await?.ports(I) == Some(vec![1]), || {
        "the owner does not see its own".into()
    })?;

    let stranger = product.connect(Login::Stranger).map_err(|error| error.to_string())?;
    let backend = stranger.backend();
    let start = Instant::now();
    for (what, error) in [
        ("registering", backend.publish(&provider(I, 2)?).await.err()),
        ("subscribing", backend.watch(&question(I)?).await.err()),
        ("looking up", backend.lookup(&question(I)?).await.err()),
    ] {
        let error = error.ok_or_else(|| format!("{what} was allowed"))?;
        ensure(error.kind() == RegistryErrorKind::Refused && !error.retryable(), || {
            format!("{what}: {error} ({:?})", error.kind())
        })?;
    }
    ensure(start.elapsed() < LATER / 2, || {
        format!("it took {:?} to be refused", start.elapsed())
    })?;
    let mut link = backend.link();
    let mut changes = 0;
    while let Ok(Ok(())) = timeout(SOON * 2, link.changed()).await {
        changes += 1;
        ensure(changes < 5, || format!("the link keeps changing: {:?}", *link.borrow()))?;
    }
    let link = backend.link().borrow().clone();
    ensure(matches!(link, Link::Up { .. } | Link::Refused { .. }), || {
        format!("the link is {link:?}")
    })
}

pub(super) async fn cut(product: &dyn Product) -> Told {
    const I: &str = "com.example.suite.Cut";
    let (registrant, subscriber) = both(product).await?;
    let mut reader = subscriber.watch(&question(I)?).await?;
    registrant.publish(&provider(I, 1)?).await?;
    subscriber.publish(&provider(I, 2)?).await?;
    reader.until(I, &[1, 2], SOON).await?;
    let before = subscriber.epoch().await?;

    subscriber.client.cut();
    subscriber.down().await?;
    // While it cannot hear of it, if the cut is not everybody's.
    let meanwhile = registrant.backend.publish(&provider(I, 3)?).await;
    let gone = registrant.backend.withdraw(&provider(I, 1)?).await;
    subscriber.client.mend();
    let after = subscriber.epoch().await?;
    ensure(after == before, || {
        format!("a short cut made epoch {after} of epoch {before}")
    })?;
    registrant.epoch().await?;
    if meanwhile.is_err() {
        registrant.publish(&provider(I, 3)?).await?;
    }
    if gone.is_err() {
        registrant.withdraw(&provider(I, 1)?).await?;
    }
    reader.until(I, &[2, 3], LATER).await?;
    // And the watch is alive.
    registrant.publish(&provider(I, 4)?).await?;
    reader.until(I, &[2, 3, 4], SOON).await
}

pub(super) async fn unreachable(product: &dyn Product) -> Told {
    const I: &str = "com.example.suite.Unreachable";
    let party = Party::join(product, Login::Open).await?;
    party.client.cut();
    party.down().await?;
    let start = Instant::now();
    let refused = party.backend.publish(&provider(I, 1)?).await;
    let unseen = party.backend.watch(&question(I)?).await.map(drop);
    let took = start.elapsed();
    party.client.mend();
    for outcome in [refused, unseen] {
        match outcome {
            Err(error) if error.kind() == RegistryErrorKind::Unreachable && error.retryable() => {}
            other => return Err(format!("while the connection is cut: {other:?}")),
        }
    }
    ensure(took < SOON, || format!("it took {took:?} to say so"))?;
    party.epoch().await?;
    party.publish(&provider(I, 1)?).await
}

pub(super) async fn expired(product: &dyn Product) -> Told {
    const I: &str = "com.example.suite.Expired";
    let (registrant, subscriber) = both(product).await?;
    registrant.publish(&provider(I, 1)?).await?;
    let mut reader = registrant.watch(&question(I)?).await?;
    let before = registrant.epoch().await?;
    registrant.client.expire().await?;
    reader.end(LATER).await?;
    let mut link = registrant.backend.link();
    let again = timeout(
        LATER,
        link.wait_for(|link| link.epoch().is_some_and(|epoch| epoch > before)),
    )
    .await;
    again
        .map_err(|_| format!("no new epoch after {before}: {:?}", *registrant.backend.link().borrow()))?
        .map_err(|_| "the link ended")?;

    subscriber.epoch().await?;
    let mut other = watch_patiently(&subscriber, I).await?;
    other.until(I, &[], product.mourning() + SOON).await?;
    registrant.publish(&provider(I, 1)?).await?;
    let mut reader = registrant.watch(&question(I)?).await?;
    reader.until(I, &[1], SOON).await?;
    other.until(I, &[1], SOON).await
}

pub(super) async fn death(product: &dyn Product) -> Told {
    const I: &str = "com.example.suite.Death";
    let (registrant, subscriber) = both(product).await?;
    let mut reader = subscriber.watch(&question(I)?).await?;
    registrant.publish(&provider(I, 1)?).await?;
    subscriber.publish(&provider(I, 2)?).await?;
    reader.until(I, &[1, 2], SOON).await?;
    let Party { client, backend } = registrant;
    drop(backend);
    client.die();
    reader.until(I, &[2], product.mourning() + SOON).await
}

pub(super) async fn restart(product: &dyn Product) -> Told {
    const I: &str = "com.example.suite.Restart";
    let (registrant, subscriber) = both(product).await?;
    let stays = url(&format!("dubbo://127.0.0.1:9/{I}?dynamic=false&interface={I}"))?;
    registrant.publish(&stays).await?;
    registrant.publish(&provider(I, 1)?).await?;
    let mut reader = subscriber.watch(&question(I)?).await?;
    reader.until(I, &[1, 9], SOON).await?;
    let before = (registrant.epoch().await?, subscriber.epoch().await?);

    product.restart().await?;
    // A session may have outlived it or not; with a new one everything is said again, as the policy above would do.
    publish_patiently(&registrant, &stays).await?;
    if registrant.epoch().await? != before.0 {
        registrant.publish(&provider(I, 1)?).await?;
    }
    let other = watch_patiently(&subscriber, I).await?;
    if subscriber.epoch().await? != before.1 {
        reader.end(LATER).await?;
        reader = other;
    }
    reader.until(I, &[1, 9], LATER).await?;
    registrant.publish(&provider(I, 2)?).await?;
    let told = reader.until(I, &[1, 2, 9], SOON).await;
    registrant.withdraw(&stays).await?;
    told
}

//! What is published is what is seen.

use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::Product;
use super::asking::{GROUP, Party, key, subscribe, until, words};
use crate::notification::Freshness;
use crate::suite::Login;
use crate::suite::asking::{LATER, SOON, Told, ensure};

pub(super) async fn seen(product: &dyn Product) -> Told {
    const K: &str = "seen.tag-router";
    let (writer, reader) = both(product).await?;
    let centre = reader.centre()?;
    let mut subscription = subscribe(&centre, K).await?;
    let first = subscription.current();
    ensure(first.text.is_none() && first.freshness == Freshness::Fresh, || {
        format!("before anything was published: {first:?}")
    })?;
    for text in ["one", "two"] {
        writer.publish(K, text).await?;
        until(&mut subscription, Some(text), SOON).await?;
    }
    writer.remove(K).await?;
    until(&mut subscription, None, SOON).await?;
    writer.remove(K).await?;
    writer.publish(K, "three").await?;
    until(&mut subscription, Some("three"), SOON).await?;
    // Whoever comes later shares what is known.
    let other = subscribe(&centre, K).await?;
    ensure(other.current().text.as_deref() == Some("three"), || {
        format!("a second subscriber: {:?}", other.current())
    })?;
    writer.remove(K).await
}

pub(super) async fn first_word(product: &dyn Product) -> Told {
    let (writer, reader) = both(product).await?;
    writer.publish("first.there", "text").await?;
    for (name, expected) in [("first.there", Some("text")), ("first.absent", None)] {
        let mut watching = reader.backend.watch(&key(name)?).await.map_err(words)?;
        let word = watching.try_next().ok_or("nothing was said")?.map_err(words)?;
        ensure(word.as_deref() == expected, || format!("{name}: {word:?}"))?;
        ensure(watching.try_next().is_none(), || format!("{name}: said twice"))?;
    }
    writer.remove("first.there").await
}

pub(super) async fn asked(product: &dyn Product) -> Told {
    let (writer, reader) = both(product).await?;
    let centre = reader.centre()?;
    let get = async |name: &str| centre.get(GROUP, name).await.map_err(words);
    ensure(get("asked").await?.is_none(), || "before it was published".into())?;
    writer.publish("asked", "a=b\n").await?;
    ensure(get("asked").await?.as_deref() == Some("a=b\n"), || {
        "after it was published".into()
    })?;
    centre.publish(GROUP, "asked", "c=d").await.map_err(words)?;
    ensure(writer.get("asked").await?.as_deref() == Some("c=d"), || {
        "after it was changed".into()
    })?;
    centre.remove(GROUP, "asked").await.map_err(words)?;
    ensure(writer.get("asked").await?.is_none(), || "after it was removed".into())
}

pub(super) async fn empty(product: &dyn Product) -> Told {
    const K: &str = "empty.condition-router";
    let (writer, reader) = both(product).await?;
    writer.publish(K, "text").await?;
    let mut subscription = subscribe(&reader.centre()?, K).await?;
    writer.publish(K, "").await?;
    until(&mut subscription, None, SOON).await?;
    ensure(writer.get(K).await?.is_none(), || "it can still be read".into())?;
    writer.remove(K).await
}

pub(super) async fn many(product: &dyn Product) -> Told {
    const KEYS: usize = 200;
    let name = |nth: usize| format!("com.example.many.Service{nth}::.configurators");
    let (writer, reader) = both(product).await?;
    let centre = reader.centre()?;
    let mut subscriptions = Vec::new();
    for nth in 0..KEYS {
        subscriptions.push(subscribe(&centre, &name(nth)).await?);
    }
    for nth in 0..KEYS {
        writer.publish(&name(nth), &nth.to_string()).await?;
    }
    let deadline = Instant::now() + SOON;
    for (nth, subscription) in subscriptions.iter_mut().enumerate() {
        let left = deadline.saturating_duration_since(Instant::now());
        until(subscription, Some(&nth.to_string()), left).await?;
    }
    writer.publish(&name(77), "changed").await?;
    let [subscription, other] = subscriptions.get_disjoint_mut([77, 78]).map_err(words)?;
    until(subscription, Some("changed"), SOON).await?;
    ensure(
        timeout(Duration::from_millis(50), other.changed()).await.is_err(),
        || "another key was told as well".into(),
    )?;
    for nth in 0..KEYS {
        writer.remove(&name(nth)).await?;
    }
    for subscription in &mut subscriptions {
        until(subscription, None, LATER).await?;
    }
    Ok(())
}

pub(super) async fn storm(product: &dyn Product) -> Told {
    const K: &str = "storm.configurators";
    const CHANGES: u32 = 300;
    let (writer, reader) = both(product).await?;
    let mut subscription = subscribe(&reader.centre()?, K).await?;
    let written = async {
        for change in 1..=CHANGES {
            writer.publish(K, &change.to_string()).await?;
        }
        Ok::<_, String>(())
    };
    let read = async {
        let mut last = 0;
        while last < CHANGES {
            let told = timeout(LATER, subscription.changed()).await;
            let value = told.map_err(|_| format!("nothing after {last}"))?.ok_or("closed")?;
            let change = value.text.as_deref().unwrap_or("0").parse().map_err(words)?;
            ensure(change > last, || format!("{change} after {last}"))?;
            last = change;
        }
        Ok::<_, String>(())
    };
    let (written, read) = tokio::join!(written, read);
    written.and(read)?;
    writer.remove(K).await
}

pub(super) async fn long(product: &dyn Product) -> Told {
    const K: &str = "long.condition-router";
    let (writer, reader) = both(product).await?;
    let mut subscription = subscribe(&reader.centre()?, K).await?;
    // Just below what a ZooKeeper takes.
    let text: String = ('a'..='z').cycle().take(1_000_000).collect();
    writer.publish(K, &text).await?;
    until(&mut subscription, Some(&text), LATER).await?;
    writer.remove(K).await
}

pub(super) async fn over_the_limit(product: &dyn Product) -> Told {
    const K: &str = "limit.tag-router";
    let (writer, reader) = both(product).await?;
    let centre = reader.centre_with(|settings| settings.limit = 1000)?;
    writer.publish(K, "short").await?;
    let mut subscription = subscribe(&centre, K).await?;
    let over = "x".repeat(1001);
    writer.publish(K, &over).await?;
    let told = timeout(SOON, subscription.changed()).await;
    let value = told.map_err(|_| "it was not reported")?.ok_or("closed")?;
    ensure(
        value.text.as_deref() == Some("short") && value.problem.is_some(),
        || format!("{value:?}"),
    )?;
    for outcome in [
        centre.get(GROUP, K).await.map(drop),
        centre.publish(GROUP, K, &over).await,
    ] {
        let error = outcome.err().ok_or("it was let through")?;
        ensure(error.to_string().contains("1001 bytes"), || words(error))?;
    }
    writer.publish(K, &"y".repeat(1000)).await?;
    let value = until(&mut subscription, Some(&"y".repeat(1000)), SOON).await?;
    ensure(value.problem.is_none(), || format!("{:?}", value.problem))?;
    writer.remove(K).await
}

pub(super) async fn odd(product: &dyn Product) -> Told {
    const TEXT: &str = "\u{feff}größe: 100%\r\n\t# 測試 \u{1f600} \\ \" ' : {} \u{7f}\n\n";
    let (writer, reader) = both(product).await?;
    let centre = reader.centre()?;
    for name in [
        "com.example.odd.I:1.0.0:g1.condition-router",
        "com.example.odd.I$Inner::.tag-router",
        "a b  c",
        "50% + 50%2F?&=#;,@",
        "größe-測試",
        "shop/dubbo.properties",
        "-",
        "...",
    ] {
        let mut subscription = subscribe(&centre, name).await?;
        writer.publish(name, TEXT).await?;
        until(&mut subscription, Some(TEXT), SOON).await?;
        writer.remove(name).await?;
        until(&mut subscription, None, SOON).await?;
    }
    Ok(())
}

pub(super) async fn below(product: &dyn Product) -> Told {
    let (writer, reader) = both(product).await?;
    let centre = reader.centre()?;
    let mut above = subscribe(&centre, "above").await?;
    let mut below = subscribe(&centre, "above/below").await?;
    writer.publish("above/below", "two").await?;
    until(&mut below, Some("two"), SOON).await?;
    until(&mut above, None, SOON).await?;
    writer.publish("above", "one").await?;
    until(&mut above, Some("one"), SOON).await?;
    writer.remove("above").await?;
    until(&mut above, None, SOON).await?;
    ensure(below.current().text.as_deref() == Some("two"), || {
        "the other went as well".into()
    })?;
    writer.remove("above/below").await
}

pub(super) async fn unsubscribed(product: &dyn Product) -> Told {
    const K: &str = "unsubscribed.migration";
    let (writer, reader) = both(product).await?;
    let centre = reader.centre()?;
    for round in 0..20 {
        let text = round.to_string();
        let mut subscription = subscribe(&centre, K).await?;
        writer.publish(K, &text).await?;
        until(&mut subscription, Some(&text), SOON).await?;
        drop(subscription);
        ensure(centre.is_settled(), || "something is still to be done".into())?;
    }
    writer.remove(K).await
}

/// Who writes and who reads.
async fn both(product: &dyn Product) -> Result<(Party, Party), String> {
    Ok((
        Party::join(product, Login::Open).await?,
        Party::join(product, Login::Open).await?,
    ))
}

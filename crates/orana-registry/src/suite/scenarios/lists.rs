//! What is registered is seen: completely, in order, by whoever asks for it.

use orana_core::{Category, ServiceUrl};
use tokio::time::sleep;

use super::super::Product;
use super::super::asking::{LATER, SOON, Told, ask, ensure, provider, question, url};
use super::{both, until_list};

pub(super) async fn seen(product: &dyn Product) -> Told {
    const I: &str = "com.example.suite.Seen";
    let (registrant, subscriber) = both(product).await?;
    let mut reader = subscriber.watch(&question(I)?).await?;
    let url = provider(I, 1)?;
    registrant.publish(&url).await?;
    reader.until(I, &[1], SOON).await?;
    registrant.withdraw(&url).await?;
    reader.until(I, &[], SOON).await?;
    // Withdrawn again, it is still fine.
    registrant.withdraw(&url).await
}

pub(super) async fn first_lists(product: &dyn Product) -> Told {
    const I: &str = "com.example.suite.First";
    let (registrant, subscriber) = both(product).await?;
    let reader = subscriber.watch(&question(I)?).await?;
    let known = reader
        .known
        .get(I)
        .ok_or("nothing was told about an interface that nobody registered")?;
    for category in Category::ALL {
        let list = known
            .get(category)
            .ok_or_else(|| format!("nothing is known of {category}"))?;
        ensure(list.is_empty(), || format!("{category} of nobody: {list:?}"))?;
    }
    registrant.publish(&provider(I, 1)?).await?;
    let consumer = url(&format!("consumer://127.0.0.1/{I}?category=consumers&check=false"))?;
    registrant.publish(&consumer).await?;
    // Some registries tell other clients a little later.
    sleep(SOON / 4).await;
    let reader = subscriber
        .watch(&ask(&format!("consumer://h/{I}?category=providers,routers"))?)
        .await?;
    let known = reader.known.get(I).ok_or("nothing was told before the watch began")?;
    ensure(reader.ports(I) == Some(vec![1]), || {
        format!("before the watch began: {known:?}")
    })?;
    ensure(known.get(Category::Routers).is_some_and(|list| list.is_empty()), || {
        format!("the empty category is not known as empty: {known:?}")
    })?;
    ensure(known.get(Category::Consumers).is_none(), || {
        format!("nobody asked for consumers: {known:?}")
    })
}

pub(super) async fn complete(product: &dyn Product) -> Told {
    const I: &str = "com.example.suite.Complete";
    let (registrant, subscriber) = both(product).await?;
    let mut reader = subscriber.watch(&question(I)?).await?;
    let mut wanted = Vec::new();
    for port in 1..=20 {
        registrant.publish(&provider(I, port)?).await?;
        wanted.push(u16::try_from(port).map_err(|error| error.to_string())?);
        reader.until(I, &wanted, SOON).await?;
    }
    for port in (1..=20).step_by(3) {
        registrant.withdraw(&provider(I, port)?).await?;
        wanted.retain(|there| usize::from(*there) != port);
        reader.until(I, &wanted, SOON).await?;
    }
    let rule = url(&format!(
        "override://0.0.0.0/{I}?category=configurators&dynamic=false&timeout=7"
    ))?;
    registrant.publish(&rule).await?;
    let told = until_list(&mut reader, I, Category::Configurators, 1).await;
    registrant.withdraw(&rule).await?;
    told?;
    until_list(&mut reader, I, Category::Configurators, 0).await?;
    reader.until(I, &wanted, SOON).await
}

/// One writer adds in order and removes in order, all but the last: whoever reads sees only states that existed, and goes
/// from each to a later one.
pub(super) async fn order(product: &dyn Product) -> Told {
    const I: &str = "com.example.suite.Order";
    const COUNT: usize = 200;
    const STEPS: usize = 2 * COUNT - 1;
    let (registrant, subscriber) = both(product).await?;
    let mut reader = subscriber.watch(&question(I)?).await?;
    let writer = async {
        for port in 1..=COUNT {
            registrant.publish(&provider(I, port)?).await?;
            tokio::task::yield_now().await;
        }
        for port in 1..COUNT {
            registrant.withdraw(&provider(I, port)?).await?;
            tokio::task::yield_now().await;
        }
        Ok(())
    };
    let listener = async {
        let mut step = 0;
        while step < STEPS {
            reader.next(LATER).await?.ok_or("the watch ended")?;
            let mut ports: Vec<usize> = reader
                .ports(I)
                .unwrap_or_default()
                .into_iter()
                .map(usize::from)
                .collect();
            ports.sort_unstable();
            // After n steps forth it is 1..=n, after n steps back it is n+1..=COUNT.
            let first = ports.first().copied().unwrap_or(1);
            let end = first + ports.len();
            let existed = ports.iter().copied().eq(first..end) && (first == 1 || end == COUNT + 1);
            ensure(existed, || format!("no state that ever was: {ports:?}"))?;
            let now = if first == 1 { ports.len() } else { COUNT + first - 1 };
            ensure(now >= step, || format!("step {now} was told after step {step}"))?;
            step = now;
        }
        Ok(())
    };
    let (written, listened): (Told, Told) = tokio::join!(writer, listener);
    written.and(listened)
}

pub(super) async fn duplicates(product: &dyn Product) -> Told {
    const I: &str = "com.example.suite.Duplicates";
    let (one, other) = both(product).await?;
    let same = provider(I, 1)?;
    let variant = url(&format!(
        "dubbo://127.0.0.1:1/{I}?interface={I}&side=provider&timestamp=2"
    ))?;
    for _ in 0..3 {
        one.publish(&same).await?;
    }
    one.publish(&variant).await?;
    let mut reader = other.watch(&question(I)?).await?;
    until_list(&mut reader, I, Category::Providers, 2).await?;
    one.withdraw(&variant).await?;
    until_list(&mut reader, I, Category::Providers, 1).await?;
    // Another registrant takes the same text over: it is there without a gap, and from then on it is its own.
    other.publish(&same).await?;
    one.backend.close().await;
    sleep(SOON / 2).await;
    reader.until(I, &[1], SOON).await
}

pub(super) async fn persistent(product: &dyn Product) -> Told {
    const I: &str = "com.example.suite.Persistent";
    let (registrant, subscriber) = both(product).await?;
    let mut reader = subscriber.watch(&question(I)?).await?;
    let stays = url(&format!("dubbo://127.0.0.1:1/{I}?dynamic=false&interface={I}"))?;
    registrant.publish(&stays).await?;
    registrant.publish(&provider(I, 2)?).await?;
    reader.until(I, &[1, 2], SOON).await?;
    registrant.backend.close().await;
    let told = reader.until(I, &[1], SOON).await;
    subscriber.withdraw(&stays).await?;
    told?;
    reader.until(I, &[], SOON).await
}

pub(super) async fn lookup(product: &dyn Product) -> Told {
    const I: &str = "com.example.suite.Lookup";
    let (registrant, subscriber) = both(product).await?;
    let snapshots = |query| async {
        let query = query?;
        subscriber
            .backend
            .lookup(&query)
            .await
            .map_err(|error| error.to_string())
    };
    let nobody = snapshots(question(I)).await?;
    let empty = nobody.first().and_then(|snapshot| snapshot.get(Category::Providers));
    ensure(empty.is_some_and(|list| list.is_empty()), || {
        format!("of nobody: {nobody:?}")
    })?;
    for port in 1..=3 {
        registrant.publish(&provider(I, port)?).await?;
    }
    sleep(SOON / 4).await;
    let three = snapshots(question(I)).await?;
    let ports = three
        .first()
        .and_then(|snapshot| snapshot.get(Category::Providers))
        .map(|list| list.len());
    ensure(ports == Some(3), || format!("of three: {three:?}"))?;
    let every = snapshots(ask("admin://h/*?category=*&group=*&version=*&classifier=*")).await?;
    ensure(
        every.iter().filter(|snapshot| &*snapshot.interface == I).count() == 1,
        || {
            format!(
                "of every interface: {:?}",
                every.iter().map(|snapshot| &snapshot.interface).collect::<Vec<_>>()
            )
        },
    )
}

pub(super) async fn every_interface(product: &dyn Product) -> Told {
    const OLD: &str = "com.example.suite.every.Old";
    const NEW: &str = "com.example.suite.every.New";
    let (registrant, subscriber) = both(product).await?;
    registrant.publish(&provider(OLD, 1)?).await?;
    sleep(SOON / 4).await;
    let query = ask("admin://h/*?interface=*&group=*&version=*&classifier=*&enabled=*&category=*")?;
    let mut reader = subscriber.watch(&query).await?;
    ensure(reader.ports(OLD) == Some(vec![1]), || {
        format!("before the watch began: {:?}", reader.ports(OLD))
    })?;
    let grouped = url(&format!(
        "dubbo://127.0.0.1:2/{NEW}?group=g&interface={NEW}&version=2.0"
    ))?;
    registrant.publish(&grouped).await?;
    reader.until(NEW, &[2], SOON).await?;
    registrant.publish(&provider(OLD, 3)?).await?;
    reader.until(OLD, &[1, 3], SOON).await?;
    registrant.withdraw(&grouped).await?;
    reader.until(NEW, &[], SOON).await
}

pub(super) async fn choice(product: &dyn Product) -> Told {
    const I: &str = "com.example.suite.Choice";
    let (registrant, subscriber) = both(product).await?;
    for (port, more) in [
        (1, ""),
        (2, "&group=a"),
        (3, "&group=b&version=1.0"),
        (4, "&enabled=false"),
        (5, "&classifier=x"),
    ] {
        registrant
            .publish(&url(&format!("dubbo://127.0.0.1:{port}/{I}?interface={I}{more}"))?)
            .await?;
    }
    sleep(SOON / 4).await;
    for (wanted, ports) in [
        ("", &[1, 5][..]),
        ("&group=a", &[2]),
        ("&group=a,b&version=1.0", &[3]),
        ("&group=*&version=*", &[1, 2, 3, 5]),
        ("&classifier=x", &[5]),
        ("&group=*&version=*&enabled=*&classifier=*", &[1, 2, 3, 4, 5]),
    ] {
        let query = ask(&format!("consumer://h/{I}?category=providers{wanted}"))?;
        let reader = subscriber.watch(&query).await?;
        // A back-end may leave the choice to whoever reads; the two together count.
        let list = reader
            .known
            .get(I)
            .and_then(|known| known.get(Category::Providers))
            .ok_or("no list")?;
        let mut there: Vec<u16> = list
            .iter()
            .filter(|url| query.admits(url))
            .filter_map(ServiceUrl::port)
            .collect();
        there.sort_unstable();
        ensure(there == ports, || {
            format!("`{wanted}` chooses {there:?} instead of {ports:?}")
        })?;
    }
    Ok(())
}

pub(super) async fn odd(product: &dyn Product) -> Told {
    let (registrant, subscriber) = both(product).await?;
    for (nth, text) in [
        "dubbo://127.0.0.1:1/com.example.suite.Odd$Inner?interface=com.example.suite.Odd$Inner&methods=a,b",
        "dubbo://[fe80::1%25eth0]:2/com.example.suite.OddHost?interface=com.example.suite.OddHost",
        "dubbo://127.0.0.1:3/com.example.suite.OddSpace?application=a shop&interface=com.example.suite.OddSpace",
        "dubbo://127.0.0.1:4/com.example.suite.OddHan?application=\u{5546}\u{5e97}\u{1f600}&interface=com.example.suite.OddHan",
        "dubbo://127.0.0.1:5/com.example.suite.OddPercent?k=100%25&interface=com.example.suite.OddPercent&z=%26%3D",
        "dubbo://127.0.0.1:6/com.example.suite.OddMarks?a=x:y/z?w#v=u&interface=com.example.suite.OddMarks&p=~*'()!,@[]",
        "dubbo://ann:pa:ss@127.0.0.1:7/com.example.suite.OddUser?interface=com.example.suite.OddUser",
        "dubbo://127.0.0.1:8/com.example.suite.OddPlus?interface=com.example.suite.OddPlus&k=1+2",
        "dubbo://127.0.0.1:9/some/path?interface=com.example.suite.OddPath&empty=",
        "dubbo://127.0.0.1:10/com.example.suite.Odd\u{4e2d}\u{6587}?interface=com.example.suite.Odd\u{4e2d}\u{6587}",
    ]
    .into_iter()
    .enumerate()
    {
        let url = url(text)?;
        let interface = url.interface().unwrap_or_default().to_owned();
        let mut reader = subscriber.watch(&question(&interface)?).await.map_err(|why| format!("{nth}: {why}"))?;
        registrant.publish(&url).await.map_err(|why| format!("{nth}: {why}"))?;
        let told = until_list(&mut reader, &interface, Category::Providers, 1).await;
        told.map_err(|why| format!("`{text}`: {why}"))?;
        let there = reader.known.get(&*interface).and_then(|known| known.get(Category::Providers)?.first().cloned());
        ensure(there.as_ref() == Some(&url), || format!("`{text}` came back as {there:?}"))?;
        registrant.withdraw(&url).await?;
        until_list(&mut reader, &interface, Category::Providers, 0).await.map_err(|why| format!("`{text}`: {why}"))?;
    }
    Ok(())
}

pub(super) async fn thousand(product: &dyn Product) -> Told {
    const I: &str = "com.example.suite.Thousand";
    let (registrant, subscriber) = both(product).await?;
    let mut reader = subscriber.watch(&question(I)?).await?;
    let mut all = Vec::new();
    let mut publishing = Vec::new();
    for port in 1..=1000 {
        all.push(provider(I, port)?);
    }
    for url in &all {
        publishing.push(registrant.publish(url));
    }
    for published in futures_util::future::join_all(publishing).await {
        published?;
    }
    let mut ports: Vec<u16> = (1..=1000).collect();
    reader.until(I, &ports, LATER).await?;
    let late = subscriber.watch(&question(I)?).await?;
    ensure(late.ports(I).map(|ports| ports.len()) == Some(1000), || {
        "a later watch begins without them".into()
    })?;
    if let Some(gone) = all.get(499) {
        registrant.withdraw(gone).await?;
    }
    ports.retain(|port| *port != 500);
    reader.until(I, &ports, SOON).await
}

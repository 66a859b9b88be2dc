//! What only a tree has to offer to a registry: nodes that are none of its business, nodes that somebody left behind, nodes
//! that we may not see, thousands of directories; and how long a registration takes to be seen.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use orana_core::{Category, ServiceUrl};
use orana_interop::{Product, Setup, Subject, Tree, drill, wire::Wire};
use orana_registry::{
    Query, Snapshot,
    backend::{BACKENDS, Link, RegistryBackend, Watching},
};
use tokio::time::timeout;

const SOON: Duration = Duration::from_secs(5);
const SERVICE: &str = "com.example.nodes.Greeter";

#[test]
fn nodes_that_are_no_urls_are_left_out_and_hinder_nothing() {
    drill("registry-junk", 0, |drill| {
        let subject = drill.subject()?;
        let tree = Tree::at(subject.address())?;
        let directory = format!("/dubbo/{SERVICE}/providers");
        let long = "x".repeat(900_000);
        for junk in [
            "config",
            "dubbo%3A%2F%2Fh%zz",
            "%FF",
            "empty%3A%2F%2F0.0.0.0%2Fi",
            &long,
        ] {
            tree.put(&format!("{directory}/{junk}"), "")?;
        }
        tree.put("/dubbo/config/dubbo", "none of ours")?;
        run(async {
            let (registrant, subscriber) = (open(&subject, "").await?, open(&subject, "").await?);
            registrant
                .publish(&url(&format!("foo://127.0.0.1:1/{SERVICE}"))?)
                .await?;
            let mut watching = watch(&subscriber, SERVICE).await?;
            let first = watching.try_next().context("nothing was told")?;
            ensure!(ports(&first) == [1], "{:?}", first.categories);
            ensure!(first.skipped.count == 5, "{:?}", first.skipped.count);
            let reason = first.skipped.first.context("no reason")?;
            ensure!(reason.starts_with(&directory) && reason.len() < 1000, "{reason}");
            // And one that comes later.
            let client = subject.address();
            thread::scope(|scope| {
                scope
                    .spawn(|| Tree::at(client)?.put(&format!("{directory}/later"), ""))
                    .join()
            })
            .map_err(|_| anyhow::anyhow!("it panicked"))??;
            registrant.publish(&provider(2)?).await?;
            let told = until(&mut watching, &[1, 2]).await?;
            ensure!(told.skipped.count == 6, "{:?}", told.skipped.count);

            let query = query("admin://h/*?category=*&group=*")?;
            let names: Vec<_> = subscriber
                .lookup(&query)
                .await?
                .into_iter()
                .map(|s| s.interface.to_string())
                .collect();
            ensure!(names == [SERVICE], "interfaces: {names:?}");
            Ok(())
        })
    });
}

/// An ephemeral that a dead session left behind is taken over in one step: it is never missing, and it stays.
#[test]
fn what_a_dead_session_left_behind_is_taken_over_without_a_gap() {
    drill("registry-leftover", 0, |drill| {
        let subject = drill.server(Setup::new(Product::chosen()?).tick(Duration::from_secs(1)))?;
        let wire = Wire::to(subject.port())?;
        let tree = Tree::at(subject.address())?;
        let path = format!("/dubbo/{SERVICE}/providers/{}", provider(1)?.to_node_name());
        let (watching, again) = run(async {
            let dead = open_at(&format!("zookeeper://{}?session=4000", wire.address())).await?;
            dead.publish(&provider(1)?).await?;
            let subscriber = open(&subject, "").await?;
            let mut watching = watch(&subscriber, SERVICE).await?;
            until(&mut watching, &[1]).await?;
            wire.cut();
            let again = open(&subject, "").await?;
            again.publish(&provider(1)?).await?;
            again.publish(&provider(1)?).await?;
            // Longer than the dead session lives.
            let deadline = Instant::now() + Duration::from_secs(7);
            while let Ok(told) = timeout(deadline.saturating_duration_since(Instant::now()), watching.next()).await {
                let told = told.context("the watch ended")?;
                ensure!(ports(&told) == [1], "it was missing: {:?}", told.categories);
            }
            Ok((watching, again))
        })?;
        let owner = tree.owner(&path)?.context("it is gone")?;
        ensure!(owner != 0, "nobody owns it");
        drop((watching, again));
        Ok(())
    });
}

#[test]
fn a_chroot_and_a_dead_member_are_no_hindrance() {
    drill("registry-members", 0, |drill| {
        let subject = drill.subject()?;
        let dead = drill.port()?;
        let tree = Tree::at(subject.address())?;
        run(async {
            let address = subject.address();
            let backend = open_at(&format!(
                "zookeeper://127.0.0.1:{dead}?backup={address}/apps/one&group=shop"
            ))
            .await?;
            backend.publish(&provider(1)?).await?;
            let mut watching = watch(&backend, SERVICE).await?;
            until(&mut watching, &[1]).await?;
            backend.publish(&provider(2)?).await?;
            until(&mut watching, &[1, 2]).await?;
            let directory = format!("/apps/one/shop/{SERVICE}/providers");
            ensure!(tree_children(&tree, &directory)?.len() == 2);
            // Orderly: what it owns goes at once.
            backend.close().await;
            ensure!(
                tree_children(&tree, &directory)?.is_empty(),
                "the session outlived its close"
            );
            Ok(())
        })
    });
}

/// Somebody with credentials registers in directories that are open to all: the node is in the list, but newer servers tell
/// a persistent watch of it only if the watcher may read it.
#[test]
fn nodes_that_we_may_not_read_are_noticed_all_the_same() {
    drill("registry-hidden", 0, |drill| {
        let subject = drill.subject()?;
        run(async {
            let (everybody, owner) = (open(&subject, "").await?, open(&subject, "ann:secret@").await?);
            everybody.publish(&provider(1)?).await?;
            let mut watching = watch(&everybody, SERVICE).await?;
            until(&mut watching, &[1]).await?;
            owner.publish(&provider(2)?).await?;
            let told = timeout(Duration::from_secs(20), until_within(&mut watching, &[1, 2])).await;
            told.context("the first hidden node was not noticed")??;
            // From then on as soon as all others.
            owner.publish(&provider(3)?).await?;
            until(&mut watching, &[1, 2, 3]).await?;
            owner.withdraw(&provider(2)?).await?;
            until(&mut watching, &[1, 3]).await?;
            Ok(())
        })
    });
}

#[test]
fn an_operator_who_deletes_directories_stops_nobody() {
    drill("registry-operator", 0, |drill| {
        let subject = drill.subject()?;
        let tree = Tree::at(subject.address())?;
        run(async {
            let backend = open(&subject, "").await?;
            backend.publish(&provider(1)?).await?;
            let mut watching = watch(&backend, SERVICE).await?;
            until(&mut watching, &[1]).await?;
            backend.withdraw(&provider(1)?).await?;
            until(&mut watching, &[]).await?;
            for path in [format!("/dubbo/{SERVICE}/providers"), format!("/dubbo/{SERVICE}")] {
                thread::scope(|scope| scope.spawn(|| tree.delete(&path)).join())
                    .map_err(|_| anyhow::anyhow!("it panicked"))??;
            }
            backend.publish(&provider(2)?).await?;
            until(&mut watching, &[2]).await?;
            Ok(())
        })
    });
}

/// More than the client can name to the server in one request: its session cannot be kept over a cut, and a new one has to
/// bring everything back as well.
#[test]
fn a_thousand_interfaces_need_no_task_each_and_come_back_after_a_cut() {
    drill("registry-thousand-interfaces", 0, |drill| {
        let subject = drill.subject()?;
        let wire = Wire::to(subject.port())?;
        run(async {
            let subscriber = open_at(&format!("zookeeper://{}", wire.address())).await?;
            let registrant = open(&subject, "").await?;
            let interface = |nth: usize| format!("com.example.many.Service{nth}");
            let mut queries = Vec::new();
            for nth in 0..1000 {
                let text = format!(
                    "consumer://h/{}?category=providers,configurators,routers",
                    interface(nth)
                );
                queries.push(query(&text)?);
            }
            let own = url(&format!("consumer://127.0.0.1/{}?category=consumers", interface(0)))?;
            subscriber.publish(&own).await?;
            let before = tokio::runtime::Handle::current().metrics().num_alive_tasks();
            let watches = watch_all(&subscriber, &queries).await?;
            let tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
            ensure!(tasks <= before, "{tasks} tasks instead of {before}");

            wire.cut();
            down(&subscriber).await?;
            let text = format!("dubbo://127.0.0.1:1/{}?side=provider", interface(500));
            registrant.publish(&url(&text)?).await?;
            let start = Instant::now();
            wire.mend();
            let mut link = subscriber.link();
            timeout(SOON, link.wait_for(Link::is_up))
                .await
                .context("not connected again")??;
            eprintln!("    connected again in {:?}", start.elapsed());
            for mut watching in watches {
                timeout(SOON, async { while watching.next().await.is_some() {} })
                    .await
                    .context("a watch of the abandoned session goes on")?;
            }
            let mut watches = watch_all(&subscriber, &queries).await?;
            until(watches.get_mut(500).context("a watch")?, &[1]).await?;
            // What the old session registered is taken over, and outlives it.
            subscriber.publish(&own).await?;
            let listed = registrant
                .lookup(&query(&format!("admin://h/{}?category=consumers", interface(0)))?)
                .await?;
            ensure!(
                listed
                    .iter()
                    .filter_map(|told| told.get(Category::Consumers))
                    .any(|list| list.contains(&own))
            );
            Ok(())
        })
    });
}

/// From the call that registers to the list at the subscriber.
#[test]
fn a_registration_is_seen_in_milliseconds() {
    drill("registry-latency", 0, |drill| {
        let subject = drill.subject()?;
        run(async {
            let (registrant, subscriber) = (open(&subject, "").await?, open(&subject, "").await?);
            for port in 1..=100 {
                registrant.publish(&provider(port)?).await?;
            }
            let mut watching = watch(&subscriber, SERVICE).await?;
            let mut known = watching.try_next().context("nothing was told")?;
            let mut took = Vec::new();
            for port in 101..=600 {
                let url = provider(port)?;
                let start = Instant::now();
                let published = registrant.publish(&url);
                let seen = async {
                    while known.get(Category::Providers).is_none_or(|list| !list.contains(&url)) {
                        let told = timeout(SOON, watching.next()).await.context("not seen")?;
                        known.overlay(told.context("the watch ended")?);
                    }
                    Ok::<_, anyhow::Error>(start.elapsed())
                };
                let (published, seen) = tokio::join!(published, seen);
                published?;
                took.push(seen?);
            }
            took.sort_unstable();
            let (p50, p99) = (took[took.len() / 2], took[took.len() * 99 / 100]);
            eprintln!(
                "    registration to list at the subscriber, {} times: p50 {p50:?}, p99 {p99:?}",
                took.len()
            );
            // Far above what is expected, and far below what a second look or a pause of any kind would cost.
            ensure!(p50 < Duration::from_millis(30), "p50 is {p50:?}");
            Ok(())
        })
    });
}

async fn open(subject: &Subject, user: &str) -> Result<Arc<dyn RegistryBackend>> {
    open_at(&format!("zookeeper://{user}{}", subject.address())).await
}

async fn open_at(text: &str) -> Result<Arc<dyn RegistryBackend>> {
    let row = BACKENDS
        .iter()
        .find(|row| row.scheme == "zookeeper")
        .context("no such row")?;
    let backend = (row.connect)(&url(text)?)?;
    let mut link = backend.link();
    timeout(SOON * 4, link.wait_for(Link::is_up))
        .await
        .context("not connected")??;
    Ok(backend)
}

async fn down(backend: &Arc<dyn RegistryBackend>) -> Result<()> {
    let mut link = backend.link();
    timeout(SOON, link.wait_for(|link| !link.is_up()))
        .await
        .context("still up")??;
    Ok(())
}

async fn watch_all(backend: &Arc<dyn RegistryBackend>, queries: &[Query]) -> Result<Vec<Watching>> {
    let start = Instant::now();
    let mut watches = Vec::new();
    for query in queries {
        watches.push(backend.watch(query).await?);
    }
    eprintln!("    {} watches began in {:?}", queries.len(), start.elapsed());
    Ok(watches)
}

async fn watch(backend: &Arc<dyn RegistryBackend>, interface: &str) -> Result<Watching> {
    Ok(backend
        .watch(&query(&format!("consumer://h/{interface}?category=*"))?)
        .await?)
}

/// Waits until the providers are those at exactly these ports.
async fn until(watching: &mut Watching, wanted: &[u16]) -> Result<Snapshot> {
    timeout(SOON, until_within(watching, wanted))
        .await
        .with_context(|| format!("{wanted:?} were not told"))?
}

async fn until_within(watching: &mut Watching, wanted: &[u16]) -> Result<Snapshot> {
    loop {
        let told = watching.next().await.context("the watch ended")?;
        if told.get(Category::Providers).is_some() && ports(&told) == wanted {
            return Ok(told);
        }
    }
}

fn ports(snapshot: &Snapshot) -> Vec<u16> {
    let providers = snapshot
        .get(Category::Providers)
        .into_iter()
        .flat_map(|list| list.iter());
    let mut ports: Vec<_> = providers.filter_map(ServiceUrl::port).collect();
    ports.sort_unstable();
    ports
}

fn provider(port: u16) -> Result<ServiceUrl> {
    url(&format!(
        "dubbo://127.0.0.1:{port}/{SERVICE}?interface={SERVICE}&side=provider"
    ))
}

fn query(text: &str) -> Result<Query> {
    Ok(Query::from_url(&url(text)?)?)
}

fn url(text: &str) -> Result<ServiceUrl> {
    Ok(ServiceUrl::parse(text)?)
}

/// A tree blocks, and must not do so on a thread of the runtime that serves us.
fn tree_children(tree: &Tree, path: &str) -> Result<Vec<String>> {
    thread::scope(|scope| scope.spawn(|| tree.children(path)).join()).map_err(|_| anyhow::anyhow!("it panicked"))?
}

fn run<T>(scenario: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        timeout(Duration::from_secs(120), scenario)
            .await
            .context("the scenario is stuck")?
    })
}

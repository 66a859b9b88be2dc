//! The crate `zookeeper-client`, unmodified: it sends identities and watches behind its connect request without waiting,
//! and takes several error codes as the end of its session.

use std::{future::Future, time::Duration};

use anyhow::{Context, Result, bail, ensure};
use orana_interop::{Drill, Product, Subject, drill, wire::Wire};
use tokio::time::timeout;
use zookeeper_client::{
    Acl, Acls, AddWatchMode, AuthUser, CheckWriteError, Client, CreateMode, CreateOptions, Error, EventType,
    LockPrefix, MultiReadResult, MultiWriteError, MultiWriteResult, OneshotWatcher, Permission, PersistentWatcher,
    SessionState,
};

const PATIENCE: Duration = Duration::from_secs(15);
const OPEN: CreateOptions<'static> = CreateMode::Persistent.with_acls(Acls::anyone_all());
const EPHEMERAL: CreateOptions<'static> = CreateMode::Ephemeral.with_acls(Acls::anyone_all());

#[test]
fn every_call_of_the_rust_client_is_answered_as_it_expects() {
    drill("rust-calls", 0, |drill| {
        let subject = drill.subject()?;
        run(calls(&subject))
    });
}

#[test]
fn transactions_of_the_rust_client_are_all_or_nothing() {
    drill("rust-multi", 0, |drill| {
        let subject = drill.subject()?;
        run(transactions(&subject))
    });
}

#[test]
fn watchers_of_the_rust_client_are_told_before_the_answer() {
    drill("rust-watchers", 0, |drill| {
        let subject = drill.subject()?;
        run(watchers(&subject))
    });
}

#[test]
fn a_lost_connection_leaves_the_rust_client_its_session_identity_and_watchers() {
    drill("rust-reconnect", 0, |drill| {
        let subject = drill.subject()?;
        let wire = Wire::to(subject.port())?;
        run(reconnect(&subject, &wire))
    });
}

#[test]
fn locks_of_the_rust_client_pass_on() {
    drill("rust-locks", 0, |drill| {
        let subject = drill.subject()?;
        run(locks(&subject))
    });
}

#[test]
fn a_thousand_requests_of_the_rust_client_in_flight_keep_their_order() {
    drill("rust-flight", 0, |drill| {
        let subject = drill.subject()?;
        run(in_flight(&subject))
    });
}

#[test]
fn a_session_of_the_rust_client_outlives_its_client_and_its_server() {
    drill("rust-sessions", 0, sessions);
}

fn run(scenario: impl Future<Output = Result<()>>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        timeout(Duration::from_secs(60), scenario)
            .await
            .context("the scenario is stuck")?
    })
}

async fn connect(address: &str) -> Result<Client> {
    Ok(Client::connector()
        .with_session_timeout(Duration::from_secs(20))
        .connect(address)
        .await?)
}

async fn told(watcher: OneshotWatcher) -> Result<(EventType, String)> {
    let event = timeout(PATIENCE, watcher.changed())
        .await
        .context("the watcher was told nothing")?;
    Ok((event.event_type, event.path))
}

async fn next(watcher: &mut PersistentWatcher) -> Result<(EventType, String)> {
    let event = timeout(PATIENCE, watcher.changed())
        .await
        .context("the watcher was told nothing")?;
    Ok((event.event_type, event.path))
}

async fn becomes(client: &Client, wanted: SessionState) -> Result<()> {
    let mut states = client.state_watcher();
    let reached = async {
        while states.peek_state() != wanted {
            states.changed().await;
        }
    };
    timeout(PATIENCE, reached)
        .await
        .with_context(|| format!("not {wanted}, but {}", client.state()))
}

async fn calls(subject: &Subject) -> Result<()> {
    let client = connect(&subject.address()).await?;
    ensure!(client.session_timeout() == Duration::from_secs(20));
    client.mkdir("/calls/deep", &OPEN).await?;
    let (created, sequence) = client.create("/calls/a", b"one", &OPEN).await?;
    ensure!(sequence.into_i64() == -1);
    ensure!(client.check_stat("/calls/a").await? == Some(created));
    let sequential = CreateMode::EphemeralSequential.with_acls(Acls::anyone_all());
    let (stat, sequence) = client.create("/calls/s-", b"", &sequential).await?;
    ensure!(sequence.to_string() == "0000000002" && stat.ephemeral_owner == client.session_id().0);
    let container = CreateMode::Container.with_acls(Acls::anyone_all());
    client.create("/calls/c", b"", &container).await?;
    client
        .create("/calls/t", b"", &OPEN.with_ttl(Duration::from_secs(60)))
        .await?;
    let changed = client.set_data("/calls/a", b"two", Some(0)).await?;
    ensure!(client.get_data("/calls/a").await? == (b"two".to_vec(), changed));
    ensure!(client.set_data("/calls/a", b"", Some(0)).await == Err(Error::BadVersion));
    ensure!(client.create("/calls", b"", &OPEN).await.err() == Some(Error::NodeExists));
    ensure!(client.create("/none/x", b"", &OPEN).await.err() == Some(Error::NoNode));
    ensure!(client.create("/calls/s-0000000002/x", b"", &OPEN).await.err() == Some(Error::NoChildrenForEphemerals));
    ensure!(client.delete("/calls", None).await == Err(Error::NotEmpty));
    let (mut names, parent) = client.get_children("/calls").await?;
    names.sort();
    ensure!(names == ["a", "c", "deep", "s-0000000002", "t"] && parent.num_children == 5);
    ensure!(client.count_descendants_number("/calls").await? == 5);
    ensure!(client.list_ephemerals("/calls").await? == ["/calls/s-0000000002"]);
    client.sync("/calls").await?;
    ensure!(client.get_config().await?.0.is_empty());
    let one = [Acl::new_const(Permission::READ, "world", "anyone")];
    let version = client.set_acl("/calls/deep", &one, Some(0)).await?.aversion;
    ensure!(version == 1 && client.get_acl("/calls/deep").await?.0 == one);
    ensure!(client.set_data("/calls/deep", b"", None).await == Err(Error::NoAuth));
    client.auth("digest", b"ann:secret").await?;
    ensure!(
        client
            .list_auth_users()
            .await?
            .contains(&AuthUser::new("digest", "ann"))
    );
    let inside = connect(&subject.address()).await?;
    let Ok(inside) = inside.chroot("/calls") else {
        bail!("a chroot was refused")
    };
    ensure!(inside.get_data("/a").await?.1 == changed);
    Ok(())
}

async fn transactions(subject: &Subject) -> Result<()> {
    let client = connect(&subject.address()).await?;
    client.create("/multi", b"", &OPEN).await?;
    let mut writer = client.new_multi_writer();
    writer.add_check_version("/multi", 0)?;
    writer.add_create("/multi/a", b"a", &OPEN)?;
    writer.add_set_data("/multi", b"new", Some(0))?;
    writer.add_create("/multi/b", b"", &EPHEMERAL)?;
    writer.add_delete("/multi/b", None)?;
    let results = writer.commit().await?;
    let Some(MultiWriteResult::Create { path, stat }) = results.get(1) else {
        bail!("unexpected results: {results:?}")
    };
    ensure!(results.len() == 5 && path == "/multi/a");
    // Up to 3.8.1 a server leaves the stat of a create in a transaction out.
    match subject.product() {
        Product::Orana => ensure!(client.check_stat(path).await? == Some(*stat)),
        Product::Zookeeper => ensure!(stat.is_invalid()),
    }
    writer.add_delete("/multi/a", None)?;
    writer.add_set_data("/multi", b"", Some(0))?;
    writer.add_create("/multi/c", b"", &OPEN)?;
    let refused = MultiWriteError::OperationFailed {
        index: 1,
        source: Error::BadVersion,
    };
    ensure!(writer.commit().await == Err(refused));
    ensure!(client.list_children("/multi").await? == ["a"]);

    let mut guarded = client.new_check_writer("/multi", Some(7))?;
    guarded.add_delete("/multi/a", None)?;
    ensure!(
        guarded.commit().await
            == Err(CheckWriteError::CheckFailed {
                source: Error::BadVersion
            })
    );

    let mut reader = client.new_multi_reader();
    reader.add_get_data("/multi")?;
    reader.add_get_data("/multi/none")?;
    reader.add_get_children("/multi")?;
    let results = reader.commit().await?;
    let [
        MultiReadResult::Data { data, .. },
        MultiReadResult::Error { err: Error::NoNode },
        MultiReadResult::Children { children },
    ] = results.as_slice()
    else {
        bail!("unexpected results: {results:?}")
    };
    ensure!(data == b"new" && *children == ["a"]);
    Ok(())
}

async fn watchers(subject: &Subject) -> Result<()> {
    let client = connect(&subject.address()).await?;
    let other = connect(&subject.address()).await?;
    client.create("/watch", b"", &OPEN).await?;
    let (_, _, data) = client.get_and_watch_data("/watch").await?;
    let (_, children) = client.list_and_watch_children("/watch").await?;
    let (stat, created) = client.check_and_watch_stat("/watch/a").await?;
    ensure!(stat.is_none());
    client.create("/deep", b"", &OPEN).await?;
    let mut deep = client.watch("/deep", AddWatchMode::PersistentRecursive).await?;
    other.set_data("/watch", b"x", None).await?;
    other.create("/watch/a", b"", &OPEN).await?;
    other.delete("/watch/a", None).await?;
    ensure!(told(data).await? == (EventType::NodeDataChanged, "/watch".into()));
    ensure!(told(children).await? == (EventType::NodeChildrenChanged, "/watch".into()));
    ensure!(told(created).await? == (EventType::NodeCreated, "/watch/a".into()));
    other.set_data("/deep", b"x", None).await?;
    other.create("/deep/a", b"", &OPEN).await?;
    other.delete("/deep/a", None).await?;
    for expected in [
        (EventType::NodeDataChanged, "/deep"),
        (EventType::NodeCreated, "/deep/a"),
        (EventType::NodeDeleted, "/deep/a"),
    ] {
        let (kind, path) = next(&mut deep).await?;
        ensure!(
            (kind, path.as_str()) == expected,
            "expected {expected:?}, was told {kind} {path}"
        );
    }
    drop(deep);
    let mut lone = client.watch("/watch/b", AddWatchMode::Persistent).await?;
    for _ in 0..2 {
        other.create("/watch/b", b"", &OPEN).await?;
        ensure!(next(&mut lone).await?.0 == EventType::NodeCreated);
        other.delete("/watch/b", None).await?;
        ensure!(next(&mut lone).await?.0 == EventType::NodeDeleted);
    }
    for round in 0..50 {
        let (_, _, watcher) = client.get_and_watch_data("/watch").await?;
        client.set_data("/watch", b"y", None).await?;
        // Already there: the event was read from the wire before the answer.
        let event = timeout(Duration::from_millis(1), watcher.changed()).await;
        ensure!(event.is_ok(), "round {round}: the answer came before the event");
    }
    Ok(())
}

async fn reconnect(subject: &Subject, wire: &Wire) -> Result<()> {
    let client = Client::connector()
        .with_session_timeout(Duration::from_secs(20))
        .with_auth("digest", b"ann:secret")
        .connect(&wire.address().to_string())
        .await?;
    let other = connect(&subject.address()).await?;
    client.create("/again", b"", &OPEN).await?;
    let mine = CreateMode::Ephemeral.with_acls(Acls::creator_all());
    client.create("/again/mine", b"secret", &mine).await?;
    ensure!(other.get_data("/again/mine").await.err() == Some(Error::NoAuth));
    let (_, _, missed) = client.get_and_watch_data("/again").await?;
    let (_, quiet) = client.list_and_watch_children("/again").await?;
    wire.cut();
    becomes(&client, SessionState::Disconnected).await?;
    other.set_data("/again", b"x", None).await?;
    wire.mend();
    becomes(&client, SessionState::SyncConnected).await?;
    ensure!(told(missed).await.context("what it missed")? == (EventType::NodeDataChanged, "/again".into()));
    ensure!(client.get_data("/again/mine").await?.0 == b"secret");
    other.create("/again/b", b"", &OPEN).await?;
    ensure!(told(quiet).await.context("what was quiet")? == (EventType::NodeChildrenChanged, "/again".into()));
    // Persistent watchers are no part of this: version 0.11 does not arm them again at any server (its SetWatches leaves
    // them out).
    Ok(())
}

async fn locks(subject: &Subject) -> Result<()> {
    let holder = connect(&subject.address()).await?;
    let waiter = connect(&subject.address()).await?;
    holder.create("/locks", b"", &OPEN).await?;
    let held = holder
        .lock(LockPrefix::new_curator("/locks", "latch-")?, b"", Acls::anyone_all())
        .await?;
    held.create("/locks-by-holder", b"", &OPEN).await?;
    let waits = waiter.lock(LockPrefix::new_curator("/locks", "latch-")?, b"", Acls::anyone_all());
    tokio::pin!(waits);
    ensure!(
        timeout(Duration::from_millis(500), &mut waits).await.is_err(),
        "two hold the lock"
    );
    drop(held);
    let lock = timeout(PATIENCE, waits).await.context("the lock was not passed on")??;
    ensure!(lock.lock_path().starts_with("/locks/"));
    ensure!(
        holder.list_children("/locks").await?.len() == 1,
        "a lock that was let go is still there"
    );
    Ok(())
}

async fn in_flight(subject: &Subject) -> Result<()> {
    let client = connect(&subject.address()).await?;
    client.create("/flight", b"", &OPEN).await?;
    let sequential = CreateMode::EphemeralSequential.with_acls(Acls::anyone_all());
    // A request is sent when its future is made; the futures only wait.
    let creates: Vec<_> = (0..1000)
        .map(|_| client.create("/flight/n-", b"", &sequential))
        .collect();
    let sets: Vec<_> = (0..1000)
        .map(|version| client.set_data("/flight", b"x", Some(version)))
        .collect();
    let seen = client.get_data("/flight");
    for (number, create) in creates.into_iter().enumerate() {
        ensure!(create.await?.1.into_i64() == i64::try_from(number)?);
    }
    for (number, set) in sets.into_iter().enumerate() {
        ensure!(set.await?.version == i32::try_from(number)? + 1);
    }
    ensure!(
        seen.await?.1.version == 1000,
        "a read does not see the writes before it"
    );
    ensure!(client.list_children("/flight").await?.len() == 1000);
    Ok(())
}

fn sessions(drill: &Drill) -> Result<()> {
    let mut subject = drill.subject()?;
    let address = subject.address();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let (first, watcher) = runtime.block_on(async {
        let client = Client::connector()
            .with_session_timeout(Duration::from_secs(20))
            .with_detached()
            .connect(&address)
            .await?;
        client.create("/kept", b"kept", &EPHEMERAL).await?;
        let mut states = client.state_watcher();
        let session = client.into_session();
        // Until the client's task has seen that it was let go, it answers the loss of its connection, which the new one
        // causes, by taking the session back.
        tokio::time::timeout(PATIENCE, async { while !states.changed().await.is_terminated() {} }).await?;
        let again = Client::connector()
            .with_session(session.clone())
            .with_session_timeout(Duration::from_secs(20))
            .connect(&address)
            .await?;
        ensure!(again.session_id() == session.id());
        ensure!(again.list_ephemerals("/kept").await? == ["/kept"]);
        let (_, _, watcher) = again.get_and_watch_data("/kept").await?;
        Ok((again, watcher))
    })?;
    subject.kill()?;
    runtime.block_on(becomes(&first, SessionState::Disconnected))?;
    subject.restart()?;
    runtime.block_on(async {
        becomes(&first, SessionState::SyncConnected).await?;
        let owner = first.check_stat("/kept").await?.map(|stat| stat.ephemeral_owner);
        ensure!(owner == Some(first.session_id().0), "its ephemeral is {owner:?}");
        first.set_data("/kept", b"", Some(0)).await?;
        ensure!(told(watcher).await? == (EventType::NodeDataChanged, "/kept".into()));
        let other = connect(&address).await?;
        let (_, gone) = other.check_and_watch_stat("/kept").await?;
        drop(first);
        ensure!(told(gone).await? == (EventType::NodeDeleted, "/kept".into()));
        Ok(())
    })
}

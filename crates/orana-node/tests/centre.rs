//! The door of a member, with a real store and the real engine behind it.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use orana_node::{Centre, Completion, Consistency, Event, MemberConfig, NodeError, Observer, Wakes, WatchKind};
use orana_state::{AclEntry, Action, Command, Effect, LeaseId, Lifetime, Outcome, State, Write, Zxid};
use parking_lot::Mutex;

fn config(dir: &Path) -> MemberConfig {
    MemberConfig {
        dir: dir.to_owned(),
        tick: Duration::from_millis(200),
        event_window: Duration::ZERO,
        max_outstanding_bytes: 1 << 20,
        disk_reserve: 0,
        snapshot_log_bytes: 1 << 30,
        snapshot_log_entries: 1 << 30,
        reap_interval: Duration::from_millis(50),
    }
}

fn create(issuer: Option<LeaseId>, path: &str, lifetime: Lifetime) -> Command {
    let write = Write::Create {
        path: path.into(),
        data: Some(b"data".to_vec()),
        acl: vec![AclEntry::open()],
        lifetime,
        sequential: false,
    };
    Command {
        issuer,
        identities: Arc::from([]),
        action: Action::Write(write),
    }
}

async fn lease(centre: &Centre, period_ms: u32) -> LeaseId {
    let action = Action::Grant {
        period_ms,
        secret: [1; 16],
    };
    let outcome = centre
        .propose(Command {
            issuer: None,
            identities: Arc::from([]),
            action,
        })
        .await
        .expect("propose");
    match outcome.result {
        Ok(Effect::Granted(id)) => id,
        other => panic!("{other:?}"),
    }
}

/// A member that goes on with what another one of this process has just left; its last tasks may still be on
/// their way out of the directory.
async fn start_again(config: MemberConfig) -> Centre {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        match Centre::start(config.clone()).await {
            Ok(centre) => return centre,
            Err(error) => assert!(Instant::now() < deadline, "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn eventually(what: &str, mut check: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !check() {
        assert!(Instant::now() < deadline, "did not happen: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_is_there_after_a_restart() {
    let dir = tempfile::tempdir().expect("dir");
    let centre = Centre::start(config(dir.path())).await.expect("start");
    let session = lease(&centre, 60_000).await;
    let first = centre
        .propose(create(None, "/a", Lifetime::Persistent))
        .await
        .expect("propose");
    centre
        .propose(create(Some(session), "/a/e", Lifetime::Ephemeral))
        .await
        .expect("propose");
    assert!(first.zxid > Zxid::ORIGIN, "numbers of a new directory start high");
    let (digest, zxid) = centre.read(|state| (state.digest(), state.zxid()));
    centre.stop(Duration::from_secs(1)).await;
    drop(centre);

    let centre = start_again(config(dir.path())).await;
    assert_eq!(
        centre.read(State::digest),
        digest,
        "the log alone makes the same state again"
    );
    assert!(centre.lease(session).is_some(), "a lease outlives the process");
    let next = centre
        .propose(create(None, "/b", Lifetime::Persistent))
        .await
        .expect("propose");
    assert!(next.zxid > zxid);
    centre.stop(Duration::from_secs(1)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_and_the_tail_make_the_same_state_again() {
    let dir = tempfile::tempdir().expect("dir");
    let config = MemberConfig {
        snapshot_log_entries: 20,
        ..config(dir.path())
    };
    let centre = Centre::start(config.clone()).await.expect("start");
    centre
        .propose(create(None, "/n", Lifetime::Persistent))
        .await
        .expect("propose");
    for at in 0..100 {
        centre
            .propose(create(None, &format!("/n/{at}"), Lifetime::Persistent))
            .await
            .expect("propose");
    }
    eventually("a snapshot is written", || centre.status().last_snapshot > 0).await;
    for at in 100..110 {
        centre
            .propose(create(None, &format!("/n/{at}"), Lifetime::Persistent))
            .await
            .expect("propose");
    }
    let digest = centre.read(State::digest);
    centre.stop(Duration::from_secs(1)).await;
    drop(centre);
    let centre = start_again(config).await;
    assert_eq!(centre.read(State::digest), digest);
    assert!(centre.status().last_snapshot > 0);
    centre.stop(Duration::from_secs(1)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_lease_runs_out_and_a_touched_one_does_not() {
    let dir = tempfile::tempdir().expect("dir");
    let centre = Centre::start(config(dir.path())).await.expect("start");
    let (silent, alive) = (lease(&centre, 400).await, lease(&centre, 400).await);
    let granted = Instant::now();
    for (id, path) in [(silent, "/silent"), (alive, "/alive")] {
        centre
            .propose(create(Some(id), path, Lifetime::Ephemeral))
            .await
            .expect("propose");
    }
    eventually("the silent one is gone", || {
        centre.renew(alive, Instant::now());
        centre.read(|state| state.node("/silent").is_none())
    })
    .await;
    assert!(
        granted.elapsed() >= Duration::from_millis(390),
        "not before its period: {:?}",
        granted.elapsed()
    );
    assert!(centre.read(|state| state.node("/alive").is_some() && state.lease(alive).is_some()));
    assert!(centre.lease(silent).is_none());
    centre.stop(Duration::from_secs(1)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_used_and_empty_container_is_reaped() {
    let dir = tempfile::tempdir().expect("dir");
    let centre = Centre::start(config(dir.path())).await.expect("start");
    centre
        .propose(create(None, "/c", Lifetime::Container))
        .await
        .expect("propose");
    centre
        .propose(create(None, "/c/x", Lifetime::Ttl(1)))
        .await
        .expect("propose");
    eventually("both are gone", || centre.read(|state| state.node("/c").is_none())).await;
    centre.stop(Duration::from_secs(1)).await;
}

/// Writes down, in order, what it is told.
#[derive(Default)]
struct Diary(Mutex<Vec<String>>);

impl Observer for Diary {
    fn notify(&self, event: &Event<'_>, _wakes: &mut Wakes) {
        self.0.lock().push(format!("event {} {:?}", event.path, event.kind));
    }
}

impl Completion for Diary {
    fn applied(&self, tag: u64, state: &State, outcome: Outcome, _wakes: &mut Wakes) {
        let nodes = state.census().nodes;
        self.0.lock().push(format!(
            "{tag} {} at {nodes} nodes",
            if outcome.result.is_ok() { "done" } else { "refused" }
        ));
    }

    fn failed(&self, tag: u64, error: &NodeError, _wakes: &mut Wakes) {
        self.0.lock().push(format!("{tag} failed: {error}"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_comes_before_the_answer_and_each_answer_sees_its_own_moment() {
    let dir = tempfile::tempdir().expect("dir");
    let centre = Centre::start(config(dir.path())).await.expect("start");
    let diary = Arc::new(Diary::default());
    let watcher = centre.watch(diary.clone());
    watcher.arm("/", WatchKind::Persistent);
    for (tag, path) in [(1, "/a"), (2, "/a"), (3, "/b")] {
        centre.submit(create(None, path, Lifetime::Persistent), 100, diary.clone(), tag);
    }
    eventually("all are told", || diary.0.lock().len() == 5).await;
    let expected = [
        "event / ChildrenChanged",
        "1 done at 5 nodes",
        "2 refused at 5 nodes",
        "event / ChildrenChanged",
        "3 done at 6 nodes",
    ];
    assert_eq!(*diary.0.lock(), expected);
    centre.stop(Duration::from_secs(1)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_are_refused_below_the_reserve_while_reads_go_on() {
    let dir = tempfile::tempdir().expect("dir");
    let centre = Centre::start(MemberConfig {
        disk_reserve: u64::MAX,
        ..config(dir.path())
    })
    .await
    .expect("start");
    eventually("the disk is measured", || centre.status().disk_short).await;
    let refused = centre.propose(create(None, "/a", Lifetime::Persistent)).await;
    assert!(matches!(refused, Err(NodeError::DiskReserve { .. })), "{refused:?}");
    let nodes = centre
        .query(Consistency::Linearizable, |state| state.census().nodes)
        .await
        .expect("read");
    assert_eq!(nodes, 4);
    centre.stop(Duration::from_secs(1)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_belongs_to_one_member() {
    let dir = tempfile::tempdir().expect("dir");
    let centre = Centre::start(config(dir.path())).await.expect("start");
    let second = Centre::start(config(dir.path()))
        .await
        .err()
        .expect("refused")
        .to_string();
    assert!(second.contains(&dir.path().display().to_string()), "{second}");
    centre.stop(Duration::from_secs(1)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_member_takes_nothing_more() {
    let dir = tempfile::tempdir().expect("dir");
    let centre = Centre::start(config(dir.path())).await.expect("start");
    centre.stop(Duration::from_secs(1)).await;
    let refused = centre.propose(create(None, "/a", Lifetime::Persistent)).await;
    assert!(matches!(refused, Err(NodeError::Stopping)), "{refused:?}");
}

//! Who is told of what, in which order, how often.

use orana_state::ChangeKind;

use super::*;

#[derive(Default)]
struct Ears(Mutex<Vec<(EventKind, String, Option<Instant>)>>);

impl Observer for Ears {
    fn notify(&self, event: &Event<'_>, _wakes: &mut Wakes) {
        self.0
            .lock()
            .push((event.kind, event.path.to_owned(), event.hold_until));
    }
}

impl Ears {
    fn heard(&self) -> Vec<(EventKind, String)> {
        std::mem::take(&mut *self.0.lock())
            .into_iter()
            .map(|(kind, path, _)| (kind, path))
            .collect()
    }
}

struct World {
    watches: Arc<Watches>,
    now: Instant,
}

impl World {
    fn new(window_ms: u64) -> World {
        World {
            watches: Arc::new(Watches::new(Duration::from_millis(window_ms))),
            now: Instant::now(),
        }
    }

    fn someone(&self) -> (Arc<Ears>, Watcher) {
        let ears = Arc::new(Ears::default());
        let watcher = self.watches.register(ears.clone());
        (ears, watcher)
    }

    fn change(&self, kind: ChangeKind, path: &str) {
        let change = Change {
            zxid: Zxid(1),
            kind,
            path: path.into(),
            acl: None,
            parent_acl: None,
        };
        self.watches.dispatch(&[change], self.now, &mut Wakes::default());
    }
}

fn event(kind: EventKind, path: &str) -> (EventKind, String) {
    (kind, path.to_owned())
}

#[test]
fn a_one_shot_watch_tells_once() {
    let world = World::new(0);
    let (ears, watcher) = world.someone();
    watcher.arm("/a", WatchKind::Data);
    watcher.arm("/a", WatchKind::Data);
    world.change(ChangeKind::DataSet, "/a");
    world.change(ChangeKind::DataSet, "/a");
    assert_eq!(ears.heard(), [event(EventKind::DataChanged, "/a")]);
    assert_eq!(world.watches.census(), WatchCensus::default());
}

#[test]
fn a_deletion_is_told_once_although_data_and_children_are_watched() {
    let world = World::new(0);
    let (ears, watcher) = world.someone();
    for (path, kind) in [
        ("/a/b", WatchKind::Data),
        ("/a/b", WatchKind::Child),
        ("/a", WatchKind::Child),
    ] {
        watcher.arm(path, kind);
    }
    world.change(ChangeKind::Deleted, "/a/b");
    assert_eq!(
        ears.heard(),
        [
            event(EventKind::Deleted, "/a/b"),
            event(EventKind::ChildrenChanged, "/a")
        ]
    );
}

#[test]
fn a_persistent_watch_stays_and_a_recursive_one_never_tells_of_children() {
    let world = World::new(0);
    let ((steady, a), (deep, b)) = (world.someone(), world.someone());
    a.arm("/a", WatchKind::Persistent);
    b.arm("/a", WatchKind::Recursive);
    for _ in 0..2 {
        world.change(ChangeKind::Created, "/a/b");
        world.change(ChangeKind::Deleted, "/a/b");
    }
    assert_eq!(steady.heard(), vec![event(EventKind::ChildrenChanged, "/a"); 4]);
    let pair = [event(EventKind::Created, "/a/b"), event(EventKind::Deleted, "/a/b")];
    assert_eq!(deep.heard(), [pair.clone(), pair].concat());
    world.change(ChangeKind::Created, "/ab");
    assert!(
        deep.heard().is_empty(),
        "a sibling with the same beginning is not below"
    );
}

#[test]
fn one_connection_hears_of_one_change_once_however_it_watches() {
    let world = World::new(0);
    let (ears, watcher) = world.someone();
    for kind in [WatchKind::Data, WatchKind::Persistent, WatchKind::Recursive] {
        watcher.arm("/a", kind);
    }
    world.change(ChangeKind::DataSet, "/a");
    assert_eq!(ears.heard(), [event(EventKind::DataChanged, "/a")]);
    assert!(watcher.is_armed("/a", Some(WatchKind::Persistent)) && !watcher.is_armed("/a", Some(WatchKind::Data)));
}

#[test]
fn removing_says_whether_there_was_something_to_remove() {
    let world = World::new(0);
    let (_, watcher) = world.someone();
    watcher.arm("/a", WatchKind::Data);
    assert!(!watcher.disarm("/a", Some(WatchKind::Child)));
    assert!(watcher.disarm("/a", None) && !watcher.disarm("/a", None));
    assert!(watcher.is_empty());
}

#[test]
fn whoever_goes_leaves_no_watch_behind() {
    let world = World::new(0);
    let ((_, a), (_, b)) = (world.someone(), world.someone());
    a.arm("/a", WatchKind::Data);
    b.arm("/a", WatchKind::Recursive);
    drop(a);
    assert_eq!(
        world.watches.census(),
        WatchCensus {
            observers: 1,
            paths: 1,
            watches: 1
        }
    );
    drop(b);
    assert_eq!(world.watches.census(), WatchCensus::default());
}

#[test]
fn a_lone_change_is_told_at_once_and_a_storm_is_held() {
    let mut world = World::new(50);
    let (ears, watcher) = world.someone();
    let tell = |world: &World| {
        watcher.arm("/a", WatchKind::Child);
        world.change(ChangeKind::Created, "/a/x");
        ears.0.lock().pop().expect("told").2.is_some()
    };
    assert!(!tell(&world), "the first one is alone");
    world.now += Duration::from_millis(10);
    assert!(tell(&world), "the second one comes quickly");
    world.now += Duration::from_millis(51);
    assert!(!tell(&world), "it was quiet for longer than the window");
}

#[test]
fn storms_in_several_directories_are_told_together() {
    let mut world = World::new(50);
    let (ears, watcher) = world.someone();
    let directories = ["/a", "/b", "/c"];
    for directory in directories {
        watcher.arm(directory, WatchKind::Child);
        world.change(ChangeKind::Created, &format!("{directory}/x"));
        world.now += Duration::from_millis(7);
    }
    ears.heard();
    for directory in directories {
        watcher.arm(directory, WatchKind::Child);
        world.change(ChangeKind::Created, &format!("{directory}/y"));
        world.now += Duration::from_millis(7);
    }
    let until: Vec<_> = ears.0.lock().iter().map(|(_, _, until)| *until).collect();
    let begun = world.now - Duration::from_millis(6 * 7);
    assert_eq!(until, [Some(begun + Duration::from_millis(50)); 3]);
}

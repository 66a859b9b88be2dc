//! Known empty, unknown, not ready; and who is kept for how long.

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn urls(texts: &[&str]) -> Arc<[ServiceUrl]> {
    texts.iter().map(|text| ServiceUrl::parse(text).unwrap()).collect()
}

fn providers(ports: &[u16]) -> Arc<[ServiceUrl]> {
    ports
        .iter()
        .map(|port| ServiceUrl::parse(&format!("dubbo://h:{port}/com.a.B")).unwrap())
        .collect()
}

fn snapshot(ports: &[u16]) -> Snapshot {
    Snapshot::new("com.a.B").with(Category::Providers, providers(ports))
}

fn lists(on_empty: OnEmpty, grace: Duration) -> Lists {
    let url = ServiceUrl::parse("consumer://h/com.a.B?category=providers,configurators,routers").unwrap();
    Lists::new(Query::from_url(&url).unwrap(), Trust { on_empty, grace })
}

fn ports(lists: &Lists) -> Vec<u16> {
    let notification = lists.notification();
    let known = notification.providers().expect("a known list");
    known.iter().map(|url| url.port().unwrap()).collect()
}

fn standing(lists: &Lists) -> Standing {
    lists.notification().list(Category::Providers).unwrap().standing
}

#[test]
fn not_ready_unknown_and_known_empty_are_three_things() {
    let now = Instant::now();
    let mut lists = lists(OnEmpty::Trust, Duration::ZERO);
    assert_eq!(lists.notification(), Notification::not_ready());
    assert!(lists.take(
        Snapshot::new("com.a.B").with(Category::Routers, urls(&[])),
        Some(1),
        now
    ));
    let notification = lists.notification();
    assert_eq!(notification.freshness, Freshness::Fresh);
    assert_eq!(notification.providers(), None);
    assert!(lists.take(snapshot(&[]), Some(1), now));
    assert_eq!(ports(&lists), [0; 0]);
    assert_eq!(standing(&lists), Standing::Listed);
}

#[test]
fn subscribers_are_told_only_of_what_changes() {
    let now = Instant::now();
    let mut lists = lists(OnEmpty::Trust, Duration::ZERO);
    assert!(lists.take(snapshot(&[1, 2]), Some(1), now));
    assert!(!lists.take(snapshot(&[1, 2]), Some(1), now));
    assert!(!lists.take(snapshot(&[1, 2]), Some(2), now));
    assert!(lists.take(snapshot(&[1]), Some(2), now));
}

#[test]
fn an_empty_list_is_believed_at_once_if_so_told() {
    let now = Instant::now();
    let mut lists = lists(OnEmpty::Trust, 15 * SECOND);
    lists.take(snapshot(&[1, 2]), Some(1), now);
    lists.take(snapshot(&[]), Some(1), now);
    assert_eq!(ports(&lists), [0; 0]);
}

#[test]
fn an_empty_list_is_believed_after_a_while_if_so_told() {
    let now = Instant::now();
    let mut lists = lists(OnEmpty::Keep(Some(30 * SECOND)), Duration::ZERO);
    lists.take(snapshot(&[1, 2]), Some(1), now);
    assert!(lists.take(snapshot(&[]), Some(1), now));
    let until = Some(now + 30 * SECOND);
    let kept = Standing::Kept {
        why: Kept::Empty,
        listed: 0,
        until,
    };
    assert_eq!((ports(&lists), standing(&lists)), (vec![1, 2], kept));
    assert_eq!(lists.deadline(), until);
    // Said again, it is not kept any longer than from the first time on.
    assert!(!lists.take(snapshot(&[]), Some(1), now + 20 * SECOND));
    assert!(!lists.expire(now + 29 * SECOND));
    assert!(lists.expire(now + 30 * SECOND));
    assert_eq!((ports(&lists), standing(&lists)), (vec![], Standing::Listed));
}

#[test]
fn a_list_that_is_not_empty_ends_the_doubt() {
    let now = Instant::now();
    let mut lists = lists(OnEmpty::Keep(None), Duration::ZERO);
    lists.take(snapshot(&[1, 2]), Some(1), now);
    lists.take(snapshot(&[]), Some(1), now);
    assert_eq!(lists.deadline(), None);
    lists.take(snapshot(&[3]), Some(1), now);
    assert_eq!((ports(&lists), standing(&lists)), (vec![3], Standing::Listed));
}

#[test]
fn providers_that_a_new_session_lacks_are_kept_until_they_register_again_or_the_grace_ends() {
    let now = Instant::now();
    let mut lists = lists(OnEmpty::Trust, 15 * SECOND);
    lists.take(snapshot(&[1, 2, 3]), Some(1), now);
    lists.take(snapshot(&[]), Some(2), now);
    assert_eq!(ports(&lists), [1, 2, 3]);
    // One comes back with a new timestamp, and is not listed twice.
    let back = Snapshot::new("com.a.B").with(Category::Providers, urls(&["dubbo://h:2/com.a.B?timestamp=9"]));
    lists.take(back, Some(2), now + SECOND);
    assert_eq!(ports(&lists), [2, 1, 3]);
    let kept = Standing::Kept {
        why: Kept::NewSession,
        listed: 1,
        until: Some(now + 15 * SECOND),
    };
    assert_eq!(standing(&lists), kept);
    // It goes again, and this time nobody doubts it.
    lists.take(snapshot(&[]), Some(2), now + 2 * SECOND);
    assert_eq!(ports(&lists), [1, 3]);
    lists.take(snapshot(&[3]), Some(2), now + 3 * SECOND);
    assert!(lists.expire(now + 15 * SECOND));
    assert_eq!((ports(&lists), standing(&lists)), (vec![3], Standing::Listed));
}

#[test]
fn providers_that_go_just_after_the_link_came_back_are_kept_until_they_register_again_or_the_grace_ends() {
    let now = Instant::now();
    let mut lists = lists(OnEmpty::Trust, 15 * SECOND);
    lists.take(snapshot(&[1, 2, 3]), Some(1), now);
    lists.link_lost();
    // The list may be there before the link is known to be back.
    lists.take(snapshot(&[1, 2]), Some(1), now + SECOND);
    lists.link_back(true, now + SECOND);
    lists.take(snapshot(&[]), Some(1), now + 5 * SECOND);
    assert_eq!(ports(&lists), [1, 2, 3]);
    let kept = Standing::Kept {
        why: Kept::LinkBack,
        listed: 0,
        until: Some(now + 16 * SECOND),
    };
    assert_eq!(standing(&lists), kept);
    lists.take(snapshot(&[2]), Some(1), now + 6 * SECOND);
    assert_eq!(ports(&lists), [2, 1, 3]);
    assert!(lists.expire(now + 16 * SECOND));
    assert_eq!((ports(&lists), standing(&lists)), (vec![2], Standing::Listed));
    // From then on it is believed at once.
    lists.take(snapshot(&[]), Some(1), now + 16 * SECOND);
    assert_eq!(ports(&lists), [0; 0]);
}

#[test]
fn a_link_that_comes_and_goes_keeps_nobody_for_ever() {
    let now = Instant::now();
    let mut lists = lists(OnEmpty::Trust, 15 * SECOND);
    lists.take(snapshot(&[1, 2]), Some(1), now);
    for second in 1..=15 {
        lists.link_lost();
        lists.link_back(true, now + second * SECOND);
        lists.take(snapshot(&[1]), Some(1), now + second * SECOND);
        assert_eq!(ports(&lists), [1, 2], "{second}");
    }
    lists.link_lost();
    lists.link_back(true, now + 16 * SECOND);
    lists.take(snapshot(&[1]), Some(1), now + 16 * SECOND);
    assert_eq!(ports(&lists), [1]);
}

#[test]
fn without_a_grace_a_link_that_came_back_is_believed_at_once() {
    let now = Instant::now();
    let mut lists = lists(OnEmpty::Trust, Duration::ZERO);
    lists.take(snapshot(&[1, 2]), Some(1), now);
    lists.link_lost();
    lists.link_back(true, now);
    lists.take(snapshot(&[1]), Some(1), now);
    assert_eq!(ports(&lists), [1]);
}

#[test]
fn rules_are_believed_at_once() {
    let now = Instant::now();
    let mut lists = lists(OnEmpty::Keep(None), 15 * SECOND);
    let rules = |texts: &[&str]| Snapshot::new("com.a.B").with(Category::Configurators, urls(texts));
    lists.take(
        rules(&["override://0.0.0.0/com.a.B?category=configurators"]),
        Some(1),
        now,
    );
    lists.take(rules(&[]), Some(2), now);
    let notification = lists.notification();
    assert!(notification.list(Category::Configurators).unwrap().urls.is_empty());
}

#[test]
fn what_came_from_disk_is_replaced_without_grace() {
    let now = Instant::now();
    let mut lists = lists(OnEmpty::Trust, 15 * SECOND);
    let mut disk = snapshot(&[1, 2]);
    disk.origin = Origin::Disk;
    assert!(lists.take(disk, None, now));
    assert_eq!(lists.notification().freshness, Freshness::FromDisk);
    assert!(lists.take(snapshot(&[2]), Some(1), now));
    assert_eq!(ports(&lists), [2]);
    assert_eq!(lists.notification().freshness, Freshness::Fresh);
}

#[test]
fn the_same_list_from_the_registry_after_the_disk_is_told_because_it_is_fresh_now() {
    let now = Instant::now();
    let mut lists = lists(OnEmpty::Trust, Duration::ZERO);
    let mut disk = snapshot(&[1]);
    disk.origin = Origin::Disk;
    lists.take(disk, None, now);
    assert!(lists.take(snapshot(&[1]), Some(1), now));
}

#[test]
fn only_answers_to_the_query_are_listed() {
    let now = Instant::now();
    let mut lists = lists(OnEmpty::Trust, Duration::ZERO);
    let mixed = urls(&[
        "dubbo://h:1/com.a.B?group=g",
        "dubbo://h:2/com.a.B",
        "dubbo://h:3/com.a.B?enabled=false",
    ]);
    let snapshot = Snapshot::new("com.a.B")
        .with(Category::Providers, mixed)
        .with(Category::Consumers, urls(&["consumer://h/com.a.B"]));
    lists.take(snapshot, Some(1), now);
    assert_eq!(ports(&lists), [2]);
    assert_eq!(lists.notification().list(Category::Consumers), None);
}

#[test]
fn of_registrations_that_differ_in_timestamp_and_process_only_the_newest_counts() {
    let now = Instant::now();
    let mut lists = lists(OnEmpty::Trust, Duration::ZERO);
    let list = urls(&[
        "dubbo://h:1/com.a.B?pid=7&timestamp=100&weight=1",
        "dubbo://h:1/com.a.B?pid=8&timestamp=200&weight=1",
        "dubbo://h:1/com.a.B?pid=8&timestamp=200&weight=2",
        "dubbo://h:1/com.a.B?pid=6&timestamp=90&weight=1",
    ]);
    lists.take(
        Snapshot::new("com.a.B").with(Category::Providers, list.clone()),
        Some(1),
        now,
    );
    assert_eq!(**lists.notification().providers().unwrap(), list[1..3]);
}

#[test]
fn an_interface_that_a_new_watch_does_not_mention_has_nothing_any_more() {
    let now = Instant::now();
    let any = Query::from_url(&ServiceUrl::parse("admin://h/*?category=*").unwrap()).unwrap();
    let trust = Trust {
        on_empty: OnEmpty::Trust,
        grace: Duration::ZERO,
    };
    let mut lists = Lists::new(any, trust);
    assert!(lists.complete(1, now));
    assert_eq!(lists.notification().freshness, Freshness::Fresh);
    for interface in ["com.a.A", "com.a.B"] {
        let url = urls(&[&format!("dubbo://h:1/{interface}")]);
        lists.take(Snapshot::new(interface).with(Category::Providers, url), Some(1), now);
    }
    lists.take(snapshot(&[1]), Some(2), now);
    assert!(lists.complete(2, now));
    let notification = lists.notification();
    assert_eq!(notification.services.len(), 2);
    assert!(notification.providers().unwrap().is_empty());
    assert_eq!(notification.urls().count(), 1);
}

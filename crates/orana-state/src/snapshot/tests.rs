//! Snapshots whose bytes are in order but whose records lie: whatever is believed must be a state that works.

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;

use super::*;
use crate::command::{Action, Command, Lifetime, Write};
use crate::id::{LeaseId, Zxid};
use crate::state::RESERVED;
use crate::{AclEntry, Identity, Outcome, Refusal};

fn step(state: &mut State, issuer: Option<LeaseId>, action: Action) -> Outcome {
    let everything = Identity {
        scheme: "super".into(),
        id: "".into(),
    };
    let command = Command {
        issuer,
        identities: Arc::from([everything]),
        action,
    };
    state.step(&command, &mut Vec::new())
}

fn create(path: &str, lifetime: Lifetime, list: i32) -> Action {
    Action::Write(Write::Create {
        path: path.into(),
        data: Some(vec![1; list as usize]),
        acl: vec![AclEntry {
            permissions: list,
            ..AclEntry::open()
        }],
        lifetime,
        sequential: false,
    })
}

fn delete(path: &str) -> Action {
    Action::Write(Write::Delete {
        path: path.into(),
        version: -1,
    })
}

/// Three levels, three leases, lists of lists, holes: 131 nodes.
fn rich() -> State {
    let mut state = State::new();
    state.begin(1, 1_000);
    for _ in 0..3 {
        let grant = Action::Grant {
            period_ms: 4_000,
            secret: [9; 16],
        };
        step(&mut state, None, grant);
    }
    let leases: Vec<_> = state.leases().map(|(id, _)| id).collect();
    for top in 0..4 {
        step(&mut state, None, create(&format!("/t{top}"), Lifetime::Persistent, 31));
        for below in 0..8 {
            let lifetime = [Lifetime::Persistent, Lifetime::Container, Lifetime::Ttl(50)][below % 3];
            let path = format!("/t{top}/b{below}");
            step(&mut state, None, create(&path, lifetime, 28 + below as i32 % 4));
            for leaf in 0..4 {
                let path = format!("{path}/e{leaf}");
                step(
                    &mut state,
                    leases.get(leaf % 3).copied(),
                    create(&path, Lifetime::Ephemeral, 31),
                );
            }
        }
    }
    for gone in [
        "/t1/b3/e0",
        "/t1/b3/e1",
        "/t1/b3/e2",
        "/t1/b3/e3",
        "/t1/b3",
        "/t2/b0/e1",
        "/t3/b7/e0",
    ] {
        assert!(step(&mut state, None, delete(gone)).result.is_ok());
    }
    state
}

static WRITTEN: LazyLock<Vec<u8>> = LazyLock::new(|| rich().encode().flatten().collect());

/// All records but the end.
fn records(mut bytes: &[u8]) -> Vec<Record<'_>> {
    bytes = &bytes[MAGIC.len() + 4..];
    let mut records = Vec::new();
    loop {
        let (record, rest) = postcard::take_from_bytes(bytes).expect("written a moment ago");
        if matches!(record, Record::End { .. }) {
            return records;
        }
        records.push(record);
        bytes = rest;
    }
}

fn decode(records: Vec<Record<'_>>) -> Result<State, DecodeError> {
    State::decode(seal(records.into_iter()))
}

/// Every node is found where it says it is, and everything can be removed again.
fn works(mut state: State) {
    let mut paths = Vec::new();
    let mut open = vec![(String::new(), state.node("/").expect("the root"))];
    while let Some((path, node)) = open.pop() {
        assert!(node.children().count() == node.child_count() && node.child_count() <= 200);
        for child in node.children() {
            let path = format!("{path}/{}", child.name());
            assert_eq!(state.node(&path).expect("found by its path").stat(), child.stat());
            paths.push(path.clone());
            open.push((path, child));
        }
    }
    assert_eq!(paths.len() + 1, state.census().nodes);
    assert_eq!(state.node("/").expect("the root").descendants(), paths.len());
    state.reapable(i64::MAX, usize::MAX);
    for (id, lease) in state.leases() {
        assert_eq!(state.owned(id).count(), lease.owned as usize);
    }
    for parent in std::iter::once(String::new()).chain(paths.clone()) {
        let path = format!("{parent}/new");
        if step(&mut state, None, create(&path, Lifetime::Container, 5))
            .result
            .is_ok()
        {
            let parent = state.node(&parent).expect("it has a child now");
            assert_eq!(parent.children().count(), parent.child_count());
            assert!(parent.children().last().is_some_and(|child| child.name() == "new"));
            paths.push(path);
        }
    }
    let leases: Vec<_> = state.leases().map(|(id, _)| id).collect();
    for id in leases {
        assert!(step(&mut state, None, Action::Revoke(id)).result.is_ok());
    }
    // The deepest first.
    paths.sort_by_key(|path| std::cmp::Reverse(path.matches('/').count()));
    for path in paths.iter().filter(|path| !RESERVED.contains(&path.as_str())) {
        let result = step(&mut state, None, delete(path)).result;
        assert!(matches!(result, Ok(_) | Err(Refusal::NoNode)), "{path}: {result:?}");
    }
    let census = state.census();
    assert_eq!((census.nodes, census.ephemerals, census.leases), (4, 0, 0));
    assert_eq!(
        state.acls.iter().count(),
        2,
        "the open list and that of /zookeeper/config"
    );
    let again = State::decode(state.encode()).expect("its own snapshot");
    assert_eq!(again.digest(), state.digest());
}

/// A number as a lie would have it: often one that is a slot.
fn number() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 0..192u32, 2 => Just(u32::MAX), 1 => any::<u32>()]
}

fn lie(record: &mut Record<'_>, field: usize, number: u32) {
    let wide = i64::from(number);
    match record {
        Record::Header(header) => match field % 7 {
            0 => header.vacant = number,
            1 => header.ephemerals = u64::from(number),
            2 => header.bytes ^= u64::from(number),
            3 => header.zxid = Zxid(wide),
            4 => header.at = -wide,
            other => header.mortal[other % 2] = number,
        },
        Record::Lease(lease) => match field % 4 {
            0 => lease.id = LeaseId(wide),
            1 => lease.owned = number,
            other => lease.ends[other % 2] = number,
        },
        Record::Acl(list) => match field % 3 {
            0 => list.id = number,
            1 => list.uses = u64::from(number),
            _ => list.entries.truncate(number as usize % 2),
        },
        Record::Vacant(next) => *next = number,
        Record::Node(node) => match field % 16 {
            0 => node.children = number,
            1 => node.acl = number,
            2 => node.name = ["", ".", "a/b", "b1", "e0", "\u{1}"][number as usize % 6],
            3 => node.data = None,
            4 => node.owner = record::OwnerRecord::Lease(LeaseId((1 << 52) + wide % 6)),
            5 => node.owner = record::OwnerRecord::Container,
            6 => node.owner = record::OwnerRecord::Nobody,
            7 => node.owner = record::OwnerRecord::Ttl(u64::from(number) << 10),
            8 => node.zxids[number as usize % 3] = wide << 40,
            link => node.links[link - 9] = number,
        },
        Record::End { .. } => {}
    }
}

/// So many cases, unless the environment wants another number.
fn cases(cases: u32) -> u32 {
    let wanted = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|number| number.parse().ok());
    wanted.unwrap_or(cases)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(400), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn records_that_lie_are_refused_or_make_a_state_that_works(
        lies in proptest::collection::vec((any::<prop::sample::Index>(), any::<usize>(), number()), 1..4),
    ) {
        let mut records = records(&WRITTEN);
        for (at, field, number) in lies {
            lie(at.get_mut(&mut records), field, number);
        }
        if let Ok(state) = decode(records) {
            works(state);
        }
    }

    #[test]
    fn records_that_change_places_are_refused_or_make_a_state_that_works(
        (one, other) in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        dropped in any::<bool>(),
    ) {
        let mut records = records(&WRITTEN);
        let (one, other) = (one.index(records.len()), other.index(records.len()));
        match dropped {
            true => drop(records.remove(one)),
            false => records.swap(one, other),
        }
        if let Ok(state) = decode(records) {
            works(state);
        }
    }
}

#[test]
fn the_truth_is_believed() {
    let state = decode(records(&WRITTEN)).expect("nothing was changed");
    assert_eq!(state.digest(), rich().digest());
    works(state);
}

/// One lie at a time, all of them: every field of every record, every slot and none.
#[test]
fn every_lie_in_a_small_snapshot_is_refused_or_makes_a_state_that_works() {
    let mut state = State::new();
    state.begin(1, 1_000);
    for _ in 0..2 {
        let grant = Action::Grant {
            period_ms: 4_000,
            secret: [9; 16],
        };
        step(&mut state, None, grant);
    }
    let leases: Vec<_> = state.leases().map(|(id, _)| id).collect();
    for (path, lifetime, list) in [
        ("/a", Lifetime::Persistent, 31),
        ("/a/gone", Lifetime::Persistent, 31),
        ("/a/b", Lifetime::Container, 5),
        ("/a/e0", Lifetime::Ephemeral, 31),
        ("/a/e1", Lifetime::Ephemeral, 31),
        ("/t", Lifetime::Ttl(50), 5),
    ] {
        step(&mut state, leases.first().copied(), create(path, lifetime, list));
    }
    step(&mut state, None, delete("/a/gone"));
    let bytes: Vec<u8> = state.encode().flatten().collect();
    let (mut refused, mut believed) = (0, 0);
    let vacant = |record: &Record<'_>| matches!(record, Record::Vacant(_));
    let count = records(&bytes).iter().filter(|record| !vacant(record)).count() + 2;
    for at in 0..count {
        for (field, number) in (0..16).flat_map(|field| (0..12).chain([u32::MAX]).map(move |number| (field, number))) {
            let mut records = records(&bytes);
            lie(&mut records[at], field, number);
            match decode(records) {
                Ok(state) => {
                    believed += 1;
                    works(state);
                }
                Err(_) => refused += 1,
            }
        }
    }
    // Some are no lies, some harm nobody (another name, another number of a command).
    assert!(
        refused > 2 * believed && believed > 100,
        "{refused} refused, {believed} believed"
    );
}

/// Two siblings that name each other before and after: their links are all answered, and nobody reaches them.
#[test]
fn a_circle_of_siblings_is_refused() {
    let mut records = records(&WRITTEN);
    let of = |records: &[Record<'_>], wanted: &str| {
        let places = records.iter().filter(|record| record.rank() == 3);
        let names = places.map(|record| match record {
            Record::Node(node) => node.name,
            _ => "",
        });
        names.into_iter().position(|name| name == wanted).expect(wanted) as u32
    };
    let (one, other) = (of(&records, "t2"), of(&records, "t3"));
    let first = records.iter().position(|record| record.rank() == 3).expect("places");
    for (slot, previous, next) in [(one, other, other), (other, one, one)] {
        if let Record::Node(node) = &mut records[first + slot as usize] {
            (node.links[1], node.links[2]) = (previous, next);
        }
    }
    let before = of(&records, "t1");
    if let Record::Node(node) = &mut records[first + before as usize] {
        node.links[2] = u32::MAX;
    }
    if let Record::Node(root) = &mut records[first] {
        root.links[4] = before;
        root.children = 3;
    }
    let error = decode(records).err().expect("refused").to_string();
    assert!(error.contains("not below the root"), "{error}");
}

/// A node that is its own grandparent: taken from below the root and put below its only child.
#[test]
fn a_circle_of_parents_is_refused() {
    let mut state = State::new();
    for path in ["/a", "/a/b"] {
        step(&mut state, None, create(path, Lifetime::Persistent, 31));
    }
    let bytes: Vec<u8> = state.encode().flatten().collect();
    let mut records = records(&bytes);
    let first = records.iter().position(|record| record.rank() == 3).expect("places");
    let mut node = |slot: usize, change: &dyn Fn(&mut NodeRecord<'_>)| match &mut records[first + slot] {
        Record::Node(node) => change(node),
        _ => panic!("slot {slot} is vacant"),
    };
    const NONE: u32 = u32::MAX;
    let (root, zookeeper, a, b) = (0, 1, 4, 5);
    node(root, &|root| (root.links[4], root.children) = (zookeeper, 1));
    node(zookeeper as usize, &|zookeeper| zookeeper.links[2] = NONE);
    node(a as usize, &|a| (a.links[0], a.links[1]) = (b, NONE));
    node(b as usize, &|b| (b.links[3], b.links[4], b.children) = (a, a, 1));
    let error = decode(records).err().expect("refused").to_string();
    assert!(error.contains("not below the root"), "{error}");
}

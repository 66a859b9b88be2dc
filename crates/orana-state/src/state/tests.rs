//! Rules of the state, one sentence each.

use super::*;
use crate::change::ChangeKind;
use crate::command::{Lifetime, Write};

struct World {
    state: State,
    index: u64,
    at: i64,
}

impl World {
    fn new() -> World {
        World {
            state: State::new(),
            index: 0,
            at: 1000,
        }
    }

    fn run(&mut self, issuer: Option<LeaseId>, action: Action) -> (Outcome, Vec<Change>) {
        self.index += 1;
        let command = Command {
            issuer,
            identities: Arc::from([]),
            action,
        };
        let mut applied = self.state.apply(&Entry {
            index: self.index,
            at: self.at,
            commands: vec![command],
        });
        (applied.outcomes.remove(0), applied.changes)
    }

    fn lease(&mut self) -> LeaseId {
        match self
            .run(
                None,
                Action::Grant {
                    period_ms: 4000,
                    secret: [7; 16],
                },
            )
            .0
            .result
        {
            Ok(Effect::Granted(id)) => id,
            other => panic!("{other:?}"),
        }
    }

    fn create(
        &mut self,
        path: &str,
        lifetime: Lifetime,
        sequential: bool,
        issuer: Option<LeaseId>,
    ) -> Result<Effect, Refusal> {
        self.run(issuer, Action::Write(create(path, lifetime, sequential)))
            .0
            .result
    }

    fn ok(&mut self, path: &str) {
        assert!(
            matches!(
                self.create(path, Lifetime::Persistent, false, None),
                Ok(Effect::Created { .. })
            ),
            "{path}"
        );
    }

    fn delete(&mut self, path: &str) -> Result<Effect, Refusal> {
        self.run(
            None,
            Action::Write(Write::Delete {
                path: path.into(),
                version: -1,
            }),
        )
        .0
        .result
    }

    fn stat(&self, path: &str) -> crate::Stat {
        self.state.node(path).expect(path).stat()
    }
}

fn create(path: &str, lifetime: Lifetime, sequential: bool) -> Write {
    Write::Create {
        path: path.into(),
        data: Some(b"x".to_vec()),
        acl: vec![AclEntry::open()],
        lifetime,
        sequential,
    }
}

#[test]
fn a_new_state_looks_like_a_fresh_zookeeper() {
    let state = State::new();
    let root = state.node("/").expect("root").stat();
    assert_eq!((root.cversion, root.num_children, root.czxid.0), (-1, 1, 0));
    let config = state.node("/zookeeper/config").expect("config");
    assert_eq!(config.stat().aversion, -1);
    assert!(!config.permits(Permission::Write, &[]));
    assert_eq!(state.census().nodes, 4);
}

#[test]
fn refusals_come_in_the_order_of_zookeeper() {
    let mut world = World::new();
    world.ok("/n");
    for (path, refusal) in [
        ("/a/../b", Refusal::NoNode),
        ("/n/..", Refusal::BadArguments),
        ("/", Refusal::NodeExists),
        ("//", Refusal::BadArguments),
        ("", Refusal::BadArguments),
        ("n", Refusal::BadArguments),
        ("/n/", Refusal::BadArguments),
        ("/n", Refusal::NodeExists),
        ("/x/y", Refusal::NoNode),
    ] {
        assert_eq!(
            world.create(path, Lifetime::Persistent, false, None),
            Err(refusal),
            "{path:?}"
        );
    }
    assert_eq!(world.delete("/zookeeper"), Err(Refusal::BadArguments));
    assert_eq!(world.delete("/"), Err(Refusal::BadArguments));
    assert_eq!(world.delete("/zz"), Err(Refusal::NoNode));
    assert_eq!(world.delete("//n"), Err(Refusal::NoNode), "not another name of `/n`");
    world.ok("/zookeeper/foo");
}

#[test]
fn sequence_numbers_are_never_given_out_twice() {
    let mut world = World::new();
    world.ok("/s");
    let name = |result| match result {
        Ok(Effect::Created { path, .. }) => path.to_string(),
        other => panic!("{other:?}"),
    };
    let first = name(world.create("/s/a", Lifetime::Persistent, true, None));
    assert_eq!(first, "/s/a0000000000");
    world.delete(&first).expect("delete");
    world.ok("/s/plain");
    assert_eq!(
        name(world.create("/s/", Lifetime::Persistent, true, None)),
        "/s/0000000002"
    );
}

#[test]
fn the_end_of_a_lease_takes_all_that_it_owned_at_one_number() {
    let mut world = World::new();
    let (mine, other) = (world.lease(), world.lease());
    world.ok("/p");
    for (path, lease) in [("/p/a", mine), ("/p/b", other), ("/p/c", mine)] {
        world
            .create(path, Lifetime::Ephemeral, false, Some(lease))
            .expect("create");
    }
    assert_eq!(
        world.create("/p/a/x", Lifetime::Persistent, false, None),
        Err(Refusal::NoChildrenForEphemerals)
    );
    let (outcome, changes) = world.run(None, Action::Revoke(mine));
    assert_eq!(outcome.result, Ok(Effect::Revoked));
    let told: Vec<_> = changes.iter().map(|c| (c.kind, &*c.path, c.zxid)).collect();
    assert_eq!(
        told,
        [
            (ChangeKind::Deleted, "/p/a", outcome.zxid),
            (ChangeKind::Deleted, "/p/c", outcome.zxid)
        ]
    );
    assert_eq!(world.state.owned(other).collect::<Vec<_>>(), ["/p/b".into()]);
    assert_eq!(
        world.create("/p/z", Lifetime::Ephemeral, false, Some(mine)),
        Err(Refusal::LeaseGone)
    );
    assert_eq!(world.state.census().ephemerals, 1);
    assert_eq!(world.stat("/p").cversion, 5);
}

#[test]
fn a_refused_multi_leaves_no_trace_but_its_number() {
    let mut world = World::new();
    let lease = world.lease();
    for path in ["/m", "/m/a", "/m/b", "/m/c"] {
        world.ok(path);
    }
    let before = world.state.clone();
    let writes = vec![
        create("/m/new", Lifetime::Ephemeral, false),
        Write::Delete {
            path: "/m/b".into(),
            version: -1,
        },
        create("/m/b", Lifetime::Container, false),
        Write::SetData {
            path: "/m/a".into(),
            data: None,
            version: 0,
        },
        Write::SetAcl {
            path: "/m/c".into(),
            acl: vec![AclEntry {
                permissions: 1,
                ..AclEntry::open()
            }],
            version: 0,
        },
        Write::Check {
            path: "/m/a".into(),
            version: 0,
        },
        Write::Delete {
            path: "/m/c".into(),
            version: -1,
        },
    ];
    let (outcome, changes) = world.run(Some(lease), Action::Multi(writes));
    let Ok(Effect::Multi(results)) = outcome.result else {
        panic!("{outcome:?}")
    };
    let mut expected = vec![Err(Refusal::RolledBack); 5];
    expected.extend([Err(Refusal::BadVersion), Err(Refusal::NotAttempted)]);
    assert_eq!(results, expected);
    assert!(changes.is_empty());
    // All but the numbers is as before, down to slots and orders.
    let mut after = world.state.clone();
    (after.zxid, after.index) = (before.zxid, before.index);
    assert_eq!(after.digest(), before.digest());
}

#[test]
fn parts_of_a_multi_see_the_parts_before_them() {
    let mut world = World::new();
    let writes = vec![
        create("/q", Lifetime::Persistent, false),
        create("/q/s", Lifetime::Persistent, true),
        create("/q/s", Lifetime::Persistent, true),
        Write::Delete {
            path: "/q/s0000000000".into(),
            version: 0,
        },
    ];
    let (outcome, changes) = world.run(None, Action::Multi(writes));
    let Ok(Effect::Multi(results)) = outcome.result else {
        panic!("{outcome:?}")
    };
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(changes.len(), 4);
    assert!(changes.iter().all(|change| change.zxid == outcome.zxid));
}

#[test]
fn containers_and_nodes_with_a_time_to_live_are_reaped_when_their_time_has_come() {
    let mut world = World::new();
    world.create("/c", Lifetime::Container, false, None).expect("create");
    world.create("/t", Lifetime::Ttl(50), false, None).expect("create");
    assert_eq!(
        world.create("/bad", Lifetime::Ttl(0), false, None),
        Err(Refusal::BadArguments)
    );
    assert!(
        world.state.reapable(world.at + 50, 10).is_empty(),
        "neither used nor over"
    );
    world.ok("/c/x");
    world.delete("/c/x").expect("delete");
    assert_eq!(world.state.reapable(world.at + 51, 10), ["/c".into(), "/t".into()]);
    assert_eq!(
        world.run(None, Action::Reap("/t".into())).0.result,
        Err(Refusal::NotEmpty),
        "not over yet"
    );
    world.at += 51;
    assert_eq!(world.run(None, Action::Reap("/t".into())).0.result, Ok(Effect::Deleted));
    assert_eq!(world.stat("/c").ephemeral_owner, 0);
}

#[test]
fn time_never_runs_backwards() {
    let mut world = World::new();
    world.ok("/a");
    world.at -= 500;
    world.ok("/b");
    assert_eq!(world.stat("/b").ctime, world.stat("/a").ctime);
}

#[test]
fn a_clone_keeps_what_it_saw_while_the_original_goes_on() {
    let mut world = World::new();
    for at in 0..300 {
        world.ok(&format!("/n{at}"));
    }
    let seen = world.state.clone();
    let digest = seen.digest();
    for at in 0..300 {
        world.delete(&format!("/n{at}")).expect("delete");
        world.ok(&format!("/m{at}"));
    }
    assert_eq!(seen.digest(), digest);
    assert!(seen.node("/n7").is_some() && seen.node("/m7").is_none());
    assert!(world.state.node("/n7").is_none() && world.state.node("/m7").is_some());
}

//! The bytes that lie on disks: a snapshot and a log entry, as the first version that wrote them did. A change of
//! any type that is written (an order of variants, a field) is noticed here before a disk notices it.

use std::path::PathBuf;

use orana_state::{
    AclEntry, Action, Command, Effect, Entry, Identity, LeaseId, Lifetime, Outcome, Refusal, State, Write, Zxid,
};

const SNAPSHOT_CHANGED: &str = "the snapshot format changed. If that is intended: raise FORMAT in src/snapshot.rs, \
    keep a reader for the old format, add a new golden file beside this one (which must stay readable for ever), \
    and write it with UPDATE_GOLDEN=1";

const COMMANDS_CHANGED: &str = "the form of logged commands changed. Variants and fields are only added at the end; \
    what was written must stay readable for ever. If commands were added to this test: UPDATE_GOLDEN=1";

/// The committed bytes; with `UPDATE_GOLDEN=1`, these bytes, which are then committed.
fn golden(name: &str, bytes: &[u8]) -> Vec<u8> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, bytes).expect("the golden file can be written");
    }
    std::fs::read(&file).unwrap_or_else(|error| panic!("tests/golden/{name}: {error}; UPDATE_GOLDEN=1 writes it"))
}

fn list(entries: &[(i32, &str, &str)]) -> Vec<AclEntry> {
    let entry = |(permissions, scheme, id): &(i32, &str, &str)| AclEntry {
        permissions: *permissions,
        scheme: (*scheme).into(),
        id: (*id).into(),
    };
    entries.iter().map(entry).collect()
}

fn create(path: &str, data: Option<&[u8]>, acl: Vec<AclEntry>, lifetime: Lifetime, sequential: bool) -> Write {
    Write::Create {
        path: path.into(),
        data: data.map(<[u8]>::to_vec),
        acl,
        lifetime,
        sequential,
    }
}

const LEASE: LeaseId = LeaseId((1 << 52) + 1);

/// Every action, write, lifetime and refusal; applied, they make a tree with everything in it.
fn commands() -> Vec<Command> {
    let by = |issuer, action| Command {
        issuer,
        identities: [("ip", "127.0.0.1"), ("digest", "bob:x=")]
            .map(|(scheme, id)| Identity {
                scheme: scheme.into(),
                id: id.into(),
            })
            .into(),
        action,
    };
    let nobody = |action| Command {
        issuer: None,
        identities: [].into(),
        action,
    };
    let open = || vec![AclEntry::open()];
    let mut commands = vec![
        nobody(Action::Grant {
            period_ms: 30_000,
            secret: *b"0123456789abcdef",
        }),
        nobody(Action::Grant {
            period_ms: u32::MAX,
            secret: [0xff; 16],
        }),
        by(
            Some(LEASE),
            Action::Multi(vec![
                create("/services", None, open(), Lifetime::Persistent, false),
                create("/services/日本", Some(b""), open(), Lifetime::Container, false),
                create("/services/日本/at-", Some(b"1"), open(), Lifetime::Ephemeral, true),
                create("/services/日本/at-", Some(b"2"), open(), Lifetime::Ephemeral, true),
                create(
                    "/hour",
                    Some(&[0, 255]),
                    list(&[(31, "auth", "")]),
                    Lifetime::Ttl(3_600_000),
                    false,
                ),
                Write::Check {
                    path: "/hour".into(),
                    version: 0,
                },
            ]),
        ),
        by(
            None,
            Action::Write(create(
                "/used",
                Some(b"x"),
                list(&[(31, "ip", "10.0.0.0/8"), (1, "world", "anyone")]),
                Lifetime::Container,
                false,
            )),
        ),
        by(
            None,
            Action::Write(Write::SetData {
                path: "/services".into(),
                data: Some(vec![b'd'; 300]),
                version: 0,
            }),
        ),
        by(
            None,
            Action::Write(Write::SetAcl {
                path: "/services".into(),
                acl: list(&[(31, "digest", "bob:x="), (1, "world", "anyone")]),
                version: -1,
            }),
        ),
        by(
            Some(LEASE),
            Action::Write(Write::Delete {
                path: "/services/日本/at-0000000000".into(),
                version: -1,
            }),
        ),
        by(
            Some(LEASE),
            Action::Multi(vec![
                create("/never", None, open(), Lifetime::Persistent, false),
                Write::Refuse(Refusal::Malformed),
                Write::Refuse(Refusal::BadArguments),
            ]),
        ),
        nobody(Action::Reap("/used".into())),
        nobody(Action::Revoke(LeaseId((1 << 52) + 2))),
        by(Some(LeaseId(i64::MIN)), Action::Refuse(Refusal::Malformed)),
    ];
    commands.extend(REFUSALS.map(|refusal| nobody(Action::Refuse(refusal))));
    commands
}

/// In the order in which they are declared, which is that of their numbers on disk.
const REFUSALS: [Refusal; 12] = [
    Refusal::NoNode,
    Refusal::NodeExists,
    Refusal::NotEmpty,
    Refusal::BadVersion,
    Refusal::NoAuth,
    Refusal::NoChildrenForEphemerals,
    Refusal::InvalidAcl,
    Refusal::BadArguments,
    Refusal::Malformed,
    Refusal::LeaseGone,
    Refusal::RolledBack,
    Refusal::NotAttempted,
];

/// Fails to compile when a variant is added, so that nobody forgets to add it to [`commands`].
fn is_covered(command: &Command) {
    let write = |write: &Write| match write {
        Write::Create { lifetime, .. } => match lifetime {
            Lifetime::Persistent | Lifetime::Ephemeral | Lifetime::Container | Lifetime::Ttl(_) => {}
        },
        Write::Delete { .. } | Write::SetData { .. } | Write::SetAcl { .. } | Write::Check { .. } => {}
        Write::Refuse(_) => {}
    };
    match &command.action {
        Action::Grant { .. } | Action::Revoke(_) | Action::Reap(_) => {}
        Action::Write(one) => write(one),
        Action::Multi(writes) => writes.iter().for_each(write),
        Action::Refuse(refusal) => match refusal {
            Refusal::NoNode | Refusal::NodeExists | Refusal::NotEmpty | Refusal::BadVersion | Refusal::NoAuth => {}
            Refusal::NoChildrenForEphemerals | Refusal::InvalidAcl | Refusal::BadArguments => {}
            Refusal::Malformed | Refusal::LeaseGone | Refusal::RolledBack | Refusal::NotAttempted => {}
        },
    }
}

fn rich() -> (State, Vec<Outcome>) {
    let mut state = State::new();
    let applied = state.apply(&Entry {
        index: 42,
        at: 1_700_000_000_000,
        commands: commands(),
    });
    (state, applied.outcomes)
}

#[test]
fn commands_in_a_log_keep_their_bytes() {
    let commands = commands();
    commands.iter().for_each(is_covered);
    let bytes = postcard::to_stdvec(&commands).expect("commands can be written");
    let kept = golden("commands-1.bin", &bytes);
    let read: Vec<Command> = postcard::from_bytes(&kept).expect(COMMANDS_CHANGED);
    assert!(read == commands, "{COMMANDS_CHANGED}");
    assert!(bytes == kept, "{COMMANDS_CHANGED}");
}

#[test]
fn a_snapshot_keeps_its_bytes_and_its_meaning() {
    let (state, outcomes) = rich();
    // What is kept is what was meant to be kept.
    let refused: Vec<_> = outcomes.iter().map(|outcome| outcome.result.is_err()).collect();
    let mut expected = vec![false; 10];
    expected[8] = true; // the container that was never used
    expected.resize(outcomes.len(), true);
    assert_eq!(refused, expected);
    assert!(matches!(&outcomes[2].result, Ok(Effect::Multi(parts)) if parts.iter().all(Result::is_ok)));

    let bytes: Vec<u8> = state.encode().flatten().collect();
    let kept = golden("snapshot-1.bin", &bytes);
    let read = State::decode([&kept]).unwrap_or_else(|error| panic!("{error}; {SNAPSHOT_CHANGED}"));
    assert!(bytes == kept, "{SNAPSHOT_CHANGED}");
    assert_eq!(read.digest(), state.digest(), "{SNAPSHOT_CHANGED}");
    assert_eq!(read.digest(), DIGEST, "{SNAPSHOT_CHANGED}");

    let census = read.census();
    assert_eq!((census.nodes, census.ephemerals, census.leases), (9, 1, 1));
    assert_eq!((census.index, census.zxid), (42, Zxid((1 << 52) + 23)));
    assert!(read.owned(LEASE).eq(["/services/日本/at-0000000001".into()]));
    let services = read.node("/services").expect("it was created");
    assert_eq!(services.data(), Some(&[b'd'; 300][..]));
    assert_eq!(
        services.acl(),
        list(&[(31, "digest", "bob:x="), (1, "world", "anyone")])
    );
    assert_eq!(read.node("/services/日本").expect("it was created").stat().cversion, 3);
    assert_eq!(read.node("/hour").expect("it was created").data(), Some(&[0, 255][..]));
}

/// Of the state in `snapshot-1.bin`.
const DIGEST: u128 = 0x84ce_ceea_141b_e3da_51f0_599a_e67c_c023;

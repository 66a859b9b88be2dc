//! Bytes that are not what was written are refused, never believed and never a reason to panic.

use std::sync::LazyLock;

use orana_state::{AclEntry, Action, Command, Entry, Lifetime, State, Write};
use proptest::prelude::*;

/// A snapshot of several blocks, and the digest of what it holds.
static WRITTEN: LazyLock<(Vec<Vec<u8>>, u128)> = LazyLock::new(|| {
    let mut state = State::new();
    let command = |issuer, action| Command {
        issuer,
        identities: [].into(),
        action,
    };
    let grant = Action::Grant {
        period_ms: 4_000,
        secret: [3; 16],
    };
    let mut commands = vec![command(None, grant)];
    let owner = orana_state::LeaseId(state.zxid().0 + 1);
    for at in 0..3_000 {
        let write = Write::Create {
            path: format!("/node-{at}-{}", "x".repeat(200)).into(),
            data: Some(vec![at as u8; 100]),
            acl: vec![AclEntry {
                permissions: 1 + at % 31,
                ..AclEntry::open()
            }],
            lifetime: match at % 4 {
                0 => Lifetime::Persistent,
                1 => Lifetime::Ephemeral,
                2 => Lifetime::Container,
                _ => Lifetime::Ttl(1_000),
            },
            sequential: false,
        };
        commands.push(command(Some(owner), Action::Write(write)));
    }
    state.apply(&Entry {
        index: 1,
        at: 5,
        commands,
    });
    let blocks: Vec<_> = state.encode().collect();
    assert!(blocks.len() >= 4, "{} blocks", blocks.len());
    (blocks, state.digest())
});

#[derive(Clone, Debug)]
enum Damage {
    Flip(usize, usize, u8),
    Overwrite(usize, usize, Vec<u8>),
    Truncate(usize, usize),
    Grow(usize, Vec<u8>),
    Drop(usize),
    Duplicate(usize),
    Swap(usize, usize),
    DropRange(usize, usize, usize),
    Join(usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<usize>;
    prop_oneof![
        (at(), at(), 1..=255u8).prop_map(|(block, byte, bits)| Damage::Flip(block, byte, bits)),
        (at(), at(), proptest::collection::vec(any::<u8>(), 1..20))
            .prop_map(|(block, byte, bytes)| Damage::Overwrite(block, byte, bytes)),
        (at(), at()).prop_map(|(block, byte)| Damage::Truncate(block, byte)),
        (at(), proptest::collection::vec(any::<u8>(), 1..20)).prop_map(|(block, bytes)| Damage::Grow(block, bytes)),
        at().prop_map(Damage::Drop),
        at().prop_map(Damage::Duplicate),
        (at(), at()).prop_map(|(one, other)| Damage::Swap(one, other)),
        (at(), at(), 1..2_000usize).prop_map(|(block, byte, length)| Damage::DropRange(block, byte, length)),
        at().prop_map(Damage::Join),
    ]
}

impl Damage {
    fn to(&self, blocks: &mut Vec<Vec<u8>>) {
        if blocks.is_empty() {
            return;
        }
        let count = blocks.len();
        match self {
            Damage::Flip(block, byte, bits) => {
                let block = &mut blocks[block % count];
                let length = block.len().max(1);
                if let Some(byte) = block.get_mut(byte % length) {
                    *byte ^= bits;
                }
            }
            Damage::Overwrite(block, byte, bytes) => {
                let block = &mut blocks[block % count];
                let at = byte % block.len().max(1);
                for (place, byte) in block.iter_mut().skip(at).zip(bytes) {
                    *place = *byte;
                }
            }
            Damage::Truncate(block, byte) => {
                let block = &mut blocks[block % count];
                block.truncate(byte % block.len().max(1));
            }
            Damage::Grow(block, bytes) => blocks[block % count].extend(bytes),
            Damage::Drop(block) => {
                blocks.remove(block % count);
            }
            Damage::Duplicate(block) => {
                let copy = blocks[block % count].clone();
                blocks.insert(block % count, copy);
            }
            Damage::Swap(one, other) => blocks.swap(one % count, other % count),
            Damage::DropRange(block, byte, length) => {
                let block = &mut blocks[block % count];
                let at = byte % block.len().max(1);
                let end = (at + length).min(block.len());
                block.drain(at..end);
            }
            Damage::Join(block) if count > 1 => {
                let more = blocks.remove(1 + block % (count - 1));
                blocks[block % (count - 1)].extend(more);
            }
            Damage::Join(_) => {}
        }
    }
}

proptest! {
    #![proptest_config(crate::cases(192))]

    #[test]
    fn a_damaged_snapshot_is_refused_or_was_not_really_damaged(
        damages in proptest::collection::vec(damage(), 1..3),
    ) {
        let (written, digest) = &*WRITTEN;
        let mut blocks = written.clone();
        for damage in &damages {
            damage.to(&mut blocks);
        }
        match State::decode(&blocks) {
            // Where one block ends and the next begins means nothing.
            Ok(state) => {
                prop_assert_eq!(state.digest(), *digest);
                prop_assert_eq!(blocks.concat(), written.concat());
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn any_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let begun: Vec<u8> = [b"OranaSt\n\x01\0\0\0".as_slice(), bytes.as_slice()].concat();
        prop_assert!(State::decode([&bytes]).is_err());
        prop_assert!(State::decode([&begun]).is_err());
    }
}

#[test]
fn every_single_bit_counts() {
    let written: Vec<u8> = State::new().encode().flatten().collect();
    for bit in 0..written.len() * 8 {
        let mut bytes = written.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(State::decode([&bytes]).is_err(), "bit {bit}");
    }
    for length in 0..written.len() {
        assert!(State::decode([&written[..length]]).is_err(), "{length} bytes");
    }
    let nothing: [&[u8]; 0] = [];
    assert!(State::decode(nothing).is_err());
}

#[test]
fn a_newer_format_says_so() {
    let mut bytes: Vec<u8> = State::new().encode().flatten().collect();
    bytes[8] = 2;
    let error = State::decode([&bytes]).err().expect("refused").to_string();
    assert!(error.contains("format 2 is newer"), "{error}");
}

//! The words that scripts are made of: paths, data, lists, versions and flags, good ones and bad ones.

use orana_wire::zookeeper::{Acl, Path, acl, record::Buffer};

use super::{dice::Dice, script::ROOT};

/// A list for requests.
pub type Acls = Option<Vec<Acl<'static>>>;

/// `bob:secret` as the digest scheme knows him.
pub const BOB: &str = "bob:fyVmFCwVbTJYrznoSu1koqYEYF0=";
/// Somebody whose password nobody knows.
pub const NOBODY: &str = "nobody:AAAAAAAAAAAAAAAAAAAAAAAAAAA=";

/// Nodes that come and go below the episode's node.
const PLACES: &[&str] = &["/a", "/b", "/a/x", "/a/y", "/a/x/deep", "/b/z", "/é", "/..."];

/// Paths that are not legal, or not where they seem to be. `ROOT` stands in front of those that begin with `~`.
const BAD: &[&str] = &[
    "",
    "relative",
    "a/b",
    "//",
    "~/",
    "~//a",
    "~/a/",
    "~/.",
    "~/..",
    "~/a/../b",
    "~/a/./b",
    "~/nul\0",
    "~/bell\u{7}",
    "~/del\u{7f}",
    "~/c1\u{85}",
    "~/private\u{e000}",
    "~/private\u{f8ff}",
    "~/special\u{fffd}",
    "~/😀",
];

/// Nodes of the server itself.
const RESERVED: &[&str] = &["/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota"];

/// A path below the episode's node.
pub fn below(path: &str) -> Path<'static> {
    Some(format!("{ROOT}{path}").into())
}

/// The episode's node.
pub fn root() -> Path<'static> {
    below("")
}

/// One of the few places where nodes come and go.
pub fn place(dice: &mut Dice) -> Path<'static> {
    below(dice.pick(PLACES))
}

/// A path that is not legal, or null.
pub fn bad_path(dice: &mut Dice) -> Path<'static> {
    let path = dice.pick(BAD);
    match path.strip_prefix('~') {
        Some(rest) => below(rest),
        None => Some(path.into()),
    }
}

/// A path for requests that change nothing.
pub fn path_to_read(dice: &mut Dice) -> Path<'static> {
    match dice.below(20) {
        0 => Some(dice.pick(RESERVED).into()),
        1 => bad_path(dice),
        2 => None,
        3 => root(),
        _ => place(dice),
    }
}

/// A path for requests that change something: never a node of the server itself.
pub fn path_to_write(dice: &mut Dice) -> Path<'static> {
    match dice.below(20) {
        0 => bad_path(dice),
        1 => None,
        _ => place(dice),
    }
}

/// More data than anybody wants to see in a report.
pub static MUCH: [u8; 2000] = [b'm'; 2000];

/// Data, null or not.
pub fn data(dice: &mut Dice) -> Buffer<'static> {
    match dice.below(6) {
        0 => None,
        1 => Some(b""),
        2 => Some(&MUCH),
        3 => Some(b"\xff\x00binary"),
        _ => Some(b"data"),
    }
}

/// A version that often fits.
pub fn version(dice: &mut Dice) -> i32 {
    dice.pick(&[-1, -1, -1, -1, 0, 0, 1, 2, -2, 77])
}

/// Everything for everybody.
pub fn open() -> Acls {
    Some(vec![Acl::open()])
}

/// Nothing for anybody who is here.
pub fn locked() -> Acls {
    Some(vec![Acl::new(acl::ALL, "digest", NOBODY)])
}

/// A list that is legal.
pub fn good_acl(dice: &mut Dice) -> Acls {
    let entry = |perms, scheme, id| Acl::new(perms, scheme, id);
    Some(match dice.below(16) {
        0 => vec![entry(acl::ALL, "digest", BOB)],
        1 => vec![entry(acl::READ, "world", "anyone")],
        2 => vec![entry(acl::READ, "world", "anyone"), entry(acl::ALL, "digest", BOB)],
        3 => vec![entry(acl::ALL, "ip", "127.0.0.1")],
        4 => vec![
            entry(acl::ALL, "ip", "127.0.0.0/8"),
            entry(acl::READ, "ip", "10.0.0.0/8"),
        ],
        5 => vec![entry(acl::ALL & !acl::READ, "world", "anyone")],
        6 => vec![entry(acl::ALL & !acl::ADMIN, "world", "anyone")],
        7 => vec![entry(acl::CREATE | acl::DELETE, "world", "anyone")],
        8 => vec![Acl::open(), Acl::open(), entry(acl::READ, "world", "anyone")],
        _ => vec![Acl::open()],
    })
}

/// A list that is not legal.
pub fn bad_acl(dice: &mut Dice) -> Acls {
    let entry = |scheme, id| Some(vec![Acl::new(acl::ALL, scheme, id)]);
    match dice.below(9) {
        0 => None,
        1 => Some(vec![]),
        2 => entry("world", "nobody"),
        3 => entry("unknown", "x"),
        4 => entry("digest", "without a colon"),
        5 => entry("digest", "one:two:three"),
        6 => entry("ip", "300.1.2.3"),
        7 => entry("ip", "10.0.0.0/64"),
        _ => Some(vec![Acl::open(), Acl::new(acl::ALL, "unknown", "x")]),
    }
}

/// A list that is legal, mostly; `auth` is legal for those who have authenticated.
pub fn acl(dice: &mut Dice) -> Acls {
    match dice.below(12) {
        0 => bad_acl(dice),
        1 => Some(vec![Acl::new(acl::ALL, "auth", "")]),
        2 => Some(vec![
            Acl::new(acl::READ, "world", "anyone"),
            Acl::new(acl::ALL, "auth", "ignored"),
        ]),
        _ => good_acl(dice),
    }
}

/// Flags of create and create2, mostly legal. Containers and times to live have operations of their own.
pub fn flags(dice: &mut Dice) -> i32 {
    dice.pick(&[0, 0, 0, 0, 1, 1, 2, 2, 3, 7, -1])
}

/// Which sort of watch a connection may set on a path. The original mixes up sorts that meet on one path (mended in
/// 3.9), so a path has one sort for each connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchSort {
    /// Fires once.
    OneShot,
    /// Stays, for this path.
    Persistent,
    /// Stays, for this path and all beneath it.
    Recursive,
}

impl WatchSort {
    /// The sort for this connection and path.
    pub fn of(slot: usize, path: &Path<'_>) -> WatchSort {
        let text = path.as_deref().unwrap_or("");
        let sum = text
            .bytes()
            .fold(slot + 1, |sum, byte| (sum * 31 + usize::from(byte)) % 10_007);
        match sum % 4 {
            0 => WatchSort::Persistent,
            1 => WatchSort::Recursive,
            _ => WatchSort::OneShot,
        }
    }

    /// The number in addWatch; a one-shot watch has none.
    pub fn mode(self) -> Option<i32> {
        match self {
            WatchSort::OneShot => None,
            WatchSort::Persistent => Some(0),
            WatchSort::Recursive => Some(1),
        }
    }
}

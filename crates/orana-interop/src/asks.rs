//! The requests that tests send most, in one line each. They are sensible ones; the strange ones are built where they are
//! needed.

use orana_wire::zookeeper::{
    Acl, Request,
    request::{Create, PathAndVersion, PathAndWatch, SetData},
};

/// What a node's life depends on, and whether the server completes its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Stays.
    Persistent,
    /// Goes with its session.
    Ephemeral,
    /// Stays, and gets a number.
    PersistentSequential,
    /// Goes with its session, and gets a number.
    EphemeralSequential,
}

impl Mode {
    /// Whether the node goes with its session.
    pub fn is_ephemeral(self) -> bool {
        matches!(self, Mode::Ephemeral | Mode::EphemeralSequential)
    }

    /// Whether the name gets a number.
    pub fn is_sequential(self) -> bool {
        matches!(self, Mode::PersistentSequential | Mode::EphemeralSequential)
    }

    fn flags(self) -> i32 {
        i32::from(self.is_ephemeral()) + 2 * i32::from(self.is_sequential())
    }
}

/// The record of a creation that everybody may see and change.
pub fn creation<'a>(path: &'a str, data: &'a [u8], mode: Mode) -> Create<'a> {
    Create {
        path: Some(path.into()),
        data: Some(data),
        acl: Some(vec![Acl::open()]),
        flags: mode.flags(),
        ttl: None,
    }
}

/// Create, answered with the path.
pub fn create<'a>(path: &'a str, data: &'a [u8], mode: Mode) -> Request<'a> {
    Request::Create(creation(path, data, mode))
}

/// Delete, whatever the version.
pub fn delete(path: &str) -> Request<'_> {
    Request::Delete(PathAndVersion {
        path: Some(path.into()),
        version: -1,
    })
}

/// Write data, whatever the version.
pub fn set<'a>(path: &'a str, data: &'a [u8]) -> Request<'a> {
    Request::SetData(SetData {
        path: Some(path.into()),
        data: Some(data),
        version: -1,
    })
}

/// A path to look at, without a watch.
pub fn at(path: &str) -> PathAndWatch<'_> {
    PathAndWatch {
        path: Some(path.into()),
        watch: false,
    }
}

/// A path to look at and to be told of.
pub fn watching(path: &str) -> PathAndWatch<'_> {
    PathAndWatch {
        path: Some(path.into()),
        watch: true,
    }
}

/// Data and stat.
pub fn get(path: &str) -> Request<'_> {
    Request::GetData(at(path))
}

/// Is there a node.
pub fn exists(path: &str) -> Request<'_> {
    Request::Exists(at(path))
}

/// Names of the children, and the stat.
pub fn children(path: &str) -> Request<'_> {
    Request::GetChildren2(at(path))
}

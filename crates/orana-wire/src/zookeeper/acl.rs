//! Who may do what to a node, and who a connection is known to be. Which scheme knows whom is not decided here.

use super::record::{Path, record};

/// Read data and list children.
pub const READ: i32 = 1;
/// Write data.
pub const WRITE: i32 = 2;
/// Create children.
pub const CREATE: i32 = 4;
/// Delete children.
pub const DELETE: i32 = 8;
/// Set the ACL.
pub const ADMIN: i32 = 16;
/// Everything.
pub const ALL: i32 = 31;

record! {
    /// One entry of a node's access control list.
    #[derive(Hash)]
    pub struct Acl<'a> {
        /// Sum of the permissions granted.
        pub perms: i32,
        /// `world`, `auth`, `digest`, `ip` or another; null only from a client that is broken.
        pub scheme: Path<'a>,
        /// Whom the scheme is to recognise.
        pub id: Path<'a>,
    }
}

impl<'a> Acl<'a> {
    /// An entry with both names present.
    pub fn new(perms: i32, scheme: &'a str, id: &'a str) -> Self {
        Acl {
            perms,
            scheme: Some(scheme.into()),
            id: Some(id.into()),
        }
    }

    /// Everything for everybody: what clients send when they do not care.
    pub fn open() -> Acl<'static> {
        Acl::new(ALL, "world", "anyone")
    }
}

record! {
    /// One identity of the asking connection, as `whoAmI` lists it.
    pub struct Identity<'a> {
        /// The scheme that established it.
        pub scheme: Path<'a>,
        /// The name, without any secret part.
        pub user: Path<'a>,
    }
}

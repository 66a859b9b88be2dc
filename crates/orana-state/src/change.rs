//! What became different: the raw material of watch events.

use std::sync::Arc;

use crate::acl::Acl;
use crate::id::Zxid;

/// One difference made by a command.
#[derive(Clone, Debug)]
pub struct Change {
    /// The command that made it.
    pub zxid: Zxid,
    /// What kind of difference.
    pub kind: ChangeKind,
    /// Full path of the node.
    pub path: Arc<str>,
    /// The node's list (for a deleted node: the one it had); `None` when anyone may read.
    pub acl: Option<Acl>,
    /// The parent's list; `None` when anyone may read.
    pub parent_acl: Option<Acl>,
}

/// The kinds of difference. A change of an access control list is none: nobody is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// The node appeared; the parent's children changed.
    Created,
    /// The node vanished; the parent's children changed.
    Deleted,
    /// The node's data was set.
    DataSet,
}

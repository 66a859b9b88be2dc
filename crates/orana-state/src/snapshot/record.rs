//! What the blocks of a snapshot consist of. Variants and fields are written by position: any change of these
//! types is a new format.

use serde::{Deserialize, Serialize};

use crate::acl::AclId;
use crate::id::{LeaseId, Zxid};
use crate::node::{Node, Owner, Slot, text};

#[derive(Serialize, Deserialize)]
pub(super) enum Record<'a> {
    Header(Header),
    Lease(LeaseRecord),
    #[serde(borrow)]
    Acl(AclRecord<'a>),
    Vacant(u32),
    #[serde(borrow)]
    Node(NodeRecord<'a>),
    /// The number of records before this one and the hash of all bytes before it.
    End {
        records: u64,
        hash: u64,
    },
}

#[derive(Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) index: u64,
    pub(super) zxid: Zxid,
    pub(super) at: i64,
    pub(super) vacant: u32,
    pub(super) ephemerals: u64,
    pub(super) bytes: u64,
    pub(super) mortal: [u32; 2],
}

#[derive(Serialize, Deserialize)]
pub(super) struct LeaseRecord {
    pub(super) id: LeaseId,
    pub(super) period_ms: u32,
    pub(super) secret: [u8; 16],
    pub(super) owned: u32,
    pub(super) ends: [u32; 2],
}

#[derive(Serialize, Deserialize)]
pub(super) struct AclRecord<'a> {
    pub(super) id: u32,
    pub(super) uses: u64,
    #[serde(borrow)]
    pub(super) entries: Vec<(i32, &'a str, &'a str)>,
}

#[derive(Serialize, Deserialize)]
pub(super) enum OwnerRecord {
    Nobody,
    Lease(LeaseId),
    Container,
    Ttl(u64),
}

#[derive(Serialize, Deserialize)]
pub(super) struct NodeRecord<'a> {
    pub(super) name: &'a str,
    #[serde(borrow, with = "serde_bytes")]
    pub(super) data: Option<&'a [u8]>,
    pub(super) owner: OwnerRecord,
    pub(super) zxids: [i64; 3],
    pub(super) times: [i64; 2],
    pub(super) links: [u32; 7],
    pub(super) children: u32,
    pub(super) acl: u32,
    pub(super) versions: [i32; 3],
}

impl Record<'_> {
    /// Records come in this order.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Record::Header(_) => 0,
            Record::Lease(_) => 1,
            Record::Acl(_) => 2,
            Record::Vacant(_) | Record::Node(_) => 3,
            Record::End { .. } => 4,
        }
    }
}

impl<'a> NodeRecord<'a> {
    pub(super) fn of(node: &'a Node) -> NodeRecord<'a> {
        NodeRecord {
            name: node.name_str(),
            data: node.data(),
            owner: match node.owner {
                Owner::Nobody => OwnerRecord::Nobody,
                Owner::Lease(id) => OwnerRecord::Lease(id),
                Owner::Container => OwnerRecord::Container,
                Owner::Ttl(ms) => OwnerRecord::Ttl(ms),
            },
            zxids: [node.czxid.0, node.mzxid.0, node.pzxid.0],
            times: [node.ctime, node.mtime],
            links: [
                node.parent.0,
                node.previous.0,
                node.next.0,
                node.first_child.0,
                node.last_child.0,
                node.previous_owned.0,
                node.next_owned.0,
            ],
            children: node.children,
            acl: node.acl.0,
            versions: [node.version, node.created, node.aversion],
        }
    }

    pub(super) fn into_node(self) -> Node {
        let [czxid, mzxid, pzxid] = self.zxids.map(Zxid);
        let [ctime, mtime] = self.times;
        let [
            parent,
            previous,
            next,
            first_child,
            last_child,
            previous_owned,
            next_owned,
        ] = self.links.map(Slot);
        let [version, created, aversion] = self.versions;
        Node {
            name: text(self.name.as_bytes()),
            data: self.data.map(text),
            owner: match self.owner {
                OwnerRecord::Nobody => Owner::Nobody,
                OwnerRecord::Lease(id) => Owner::Lease(id),
                OwnerRecord::Container => Owner::Container,
                OwnerRecord::Ttl(ms) => Owner::Ttl(ms),
            },
            czxid,
            mzxid,
            pzxid,
            ctime,
            mtime,
            parent,
            previous,
            next,
            first_child,
            last_child,
            previous_owned,
            next_owned,
            children: self.children,
            acl: AclId(self.acl),
            version,
            created,
            aversion,
        }
    }
}

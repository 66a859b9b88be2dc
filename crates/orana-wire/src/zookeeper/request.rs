//! What a client may ask: each operation's record, read by servers and written by clients.
//!
//! Nothing is judged here. Paths, flags, versions and lists are handed on as they came, null where they were null,
//! because the order in which they are found wrong decides which error a client gets.

use bytes::BytesMut;

use super::acl::Acl;
use super::frame::{begin_frame, end_frame};
use super::header::RequestHeader;
use super::multi::{self, MultiOp};
use super::op::OpCode;
use super::record::{Buffer, Path, Reader, Record, WireError, record};

/// Why a request could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// No such operation.
    #[error("unknown operation {0}")]
    UnknownOp(i32),
    /// The record is broken.
    #[error(transparent)]
    Malformed(#[from] WireError),
    /// A multi holds an operation that cannot stand in one.
    #[error("operation {0} inside a multi")]
    ForeignOp(i32),
    /// A multi holds reads and writes.
    #[error("reads and writes in one multi")]
    MixedOps,
}

// ---------------------------------------------------------------------------------------------------------------------

/// The record of create, create2, createContainer and createTTL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Create<'a> {
    /// Where; with a sequential flag, the beginning of where.
    pub path: Path<'a>,
    /// Null data stays null.
    pub data: Buffer<'a>,
    /// Who may do what with the node.
    pub acl: Option<Vec<Acl<'a>>>,
    /// The kind of node, 0 to 6 if legal.
    pub flags: i32,
    /// Milliseconds; present exactly in createTTL.
    pub ttl: Option<i64>,
}

impl<'a> Create<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, WireError> {
        let (path, data, acl, flags) = (reader.read()?, reader.read()?, reader.read()?, reader.read()?);
        Ok(Create {
            path,
            data,
            acl,
            flags,
            ttl: None,
        })
    }

    pub(crate) fn read_with_ttl(reader: &mut Reader<'a>) -> Result<Self, WireError> {
        let create = Self::read(reader)?;
        Ok(Create {
            ttl: Some(reader.read()?),
            ..create
        })
    }

    pub(crate) fn write(&self, out: &mut BytesMut) {
        self.path.write(out);
        self.data.write(out);
        self.acl.write(out);
        self.flags.write(out);
        if let Some(ttl) = self.ttl {
            ttl.write(out);
        }
    }
}

record! {
    /// The record of delete and check.
    pub struct PathAndVersion<'a> {
        /// Which node.
        pub path: Path<'a>,
        /// The version it must have, -1 for any.
        pub version: i32,
    }
}

record! {
    /// The record of exists, getData, getChildren and getChildren2.
    pub struct PathAndWatch<'a> {
        /// Which node.
        pub path: Path<'a>,
        /// Whether to be told of the next change.
        pub watch: bool,
    }
}

record! {
    /// The record of setData.
    pub struct SetData<'a> {
        /// Which node.
        pub path: Path<'a>,
        /// The new data.
        pub data: Buffer<'a>,
        /// The data version it must have, -1 for any.
        pub version: i32,
    }
}

record! {
    /// The record of setACL.
    pub struct SetAcl<'a> {
        /// Which node.
        pub path: Path<'a>,
        /// The new list.
        pub acl: Option<Vec<Acl<'a>>>,
        /// The ACL version it must have, -1 for any.
        pub version: i32,
    }
}

record! {
    /// The record of reconfig.
    pub struct Reconfig<'a> {
        /// Members to add.
        pub joining: Path<'a>,
        /// Members to remove.
        pub leaving: Path<'a>,
        /// All members, instead of the two above.
        pub new_members: Path<'a>,
        /// The configuration that is to be changed, -1 for any.
        pub current_config: i64,
    }
}

record! {
    /// The record of checkWatches and removeWatches.
    pub struct WatchesOf<'a> {
        /// Which path.
        pub path: Path<'a>,
        /// 1 children, 2 data, 3 any, 4 persistent, 5 persistent recursive.
        pub kind: i32,
    }
}

record! {
    /// The record of auth.
    pub struct Auth<'a> {
        /// Always 0 and never looked at.
        pub kind: i32,
        /// Who is to check the proof.
        pub scheme: Path<'a>,
        /// The proof.
        pub auth: Buffer<'a>,
    }
}

record! {
    /// The record of setWatches.
    pub struct SetWatches<'a> {
        /// The last transaction the client has seen; what changed later is reported at once.
        pub relative_zxid: i64,
        /// Watches of getData, and of exists on a node that was there.
        pub data: Option<Vec<Path<'a>>>,
        /// Watches of exists on a node that was not there.
        pub exist: Option<Vec<Path<'a>>>,
        /// Watches of getChildren.
        pub child: Option<Vec<Path<'a>>>,
    }
}

record! {
    /// The record of setWatches2.
    pub struct SetWatches2<'a> {
        /// The one-shot watches.
        pub one_shot: SetWatches<'a>,
        /// Watches that stay, of the path alone.
        pub persistent: Option<Vec<Path<'a>>>,
        /// Watches that stay, of the path and everything beneath it.
        pub recursive: Option<Vec<Path<'a>>>,
    }
}

record! {
    /// The record of addWatch.
    pub struct AddWatch<'a> {
        /// Which path; there need not be a node.
        pub path: Path<'a>,
        /// 0 persistent, 1 persistent recursive.
        pub mode: i32,
    }
}

// ---------------------------------------------------------------------------------------------------------------------

/// A request after its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request<'a> {
    /// Create a node, answered with its path.
    Create(Create<'a>),
    /// Create a node, answered with path and stat.
    Create2(Create<'a>),
    /// Create a container.
    CreateContainer(Create<'a>),
    /// Create a node with a time to live.
    CreateTtl(Create<'a>),
    /// Delete a node.
    Delete(PathAndVersion<'a>),
    /// Is there a node.
    Exists(PathAndWatch<'a>),
    /// Data and stat.
    GetData(PathAndWatch<'a>),
    /// Write data.
    SetData(SetData<'a>),
    /// ACL and stat.
    GetAcl(Path<'a>),
    /// Set the ACL.
    SetAcl(SetAcl<'a>),
    /// Names of the children.
    GetChildren(PathAndWatch<'a>),
    /// Names of the children and the stat.
    GetChildren2(PathAndWatch<'a>),
    /// Wait for everything committed before.
    Sync(Path<'a>),
    /// Keep the session alive.
    Ping,
    /// A check outside a multi, which current servers treat as unknown.
    Check(PathAndVersion<'a>),
    /// Several writes, all or none.
    Multi(Vec<MultiOp<'a>>),
    /// Several reads.
    MultiRead(Vec<MultiOp<'a>>),
    /// Change the ensemble.
    Reconfig(Reconfig<'a>),
    /// Is there a watch.
    CheckWatches(WatchesOf<'a>),
    /// Take watches away.
    RemoveWatches(WatchesOf<'a>),
    /// Internal to servers.
    DeleteContainer(Path<'a>),
    /// Add an identity.
    Auth(Auth<'a>),
    /// Set watches again.
    SetWatches(SetWatches<'a>),
    /// Set watches again, persistent ones too.
    SetWatches2(SetWatches2<'a>),
    /// A step of a SASL exchange.
    Sasl(Buffer<'a>),
    /// This session's ephemeral nodes whose path begins so.
    GetEphemerals(Path<'a>),
    /// Number of all descendants.
    GetAllChildrenNumber(Path<'a>),
    /// Set a persistent watch.
    AddWatch(AddWatch<'a>),
    /// Identities of the connection.
    WhoAmI,
    /// Internal to servers: a session with this time-out.
    CreateSession(i32),
    /// End the session.
    CloseSession,
}

/// Reads the record of operation `op`. Bytes behind it are ignored, as the original does.
#[inline]
pub fn decode_request(op: i32, body: &[u8]) -> Result<Request<'_>, DecodeError> {
    let op = OpCode::try_from(op).map_err(|unknown| DecodeError::UnknownOp(unknown.0))?;
    let mut reader = Reader::new(body);
    let reader = &mut reader;
    Ok(match op {
        OpCode::Create => Request::Create(Create::read(reader)?),
        OpCode::Create2 => Request::Create2(Create::read(reader)?),
        OpCode::CreateContainer => Request::CreateContainer(Create::read(reader)?),
        OpCode::CreateTtl => Request::CreateTtl(Create::read_with_ttl(reader)?),
        OpCode::Delete => Request::Delete(reader.read()?),
        OpCode::Exists => Request::Exists(reader.read()?),
        OpCode::GetData => Request::GetData(reader.read()?),
        OpCode::SetData => Request::SetData(reader.read()?),
        OpCode::GetAcl => Request::GetAcl(reader.read()?),
        OpCode::SetAcl => Request::SetAcl(reader.read()?),
        OpCode::GetChildren => Request::GetChildren(reader.read()?),
        OpCode::GetChildren2 => Request::GetChildren2(reader.read()?),
        OpCode::Sync => Request::Sync(reader.read()?),
        OpCode::Ping => Request::Ping,
        OpCode::Check => Request::Check(reader.read()?),
        OpCode::Multi => Request::Multi(multi::read_ops(reader)?),
        OpCode::MultiRead => Request::MultiRead(multi::read_ops(reader)?),
        OpCode::Reconfig => Request::Reconfig(reader.read()?),
        OpCode::CheckWatches => Request::CheckWatches(reader.read()?),
        OpCode::RemoveWatches => Request::RemoveWatches(reader.read()?),
        OpCode::DeleteContainer => Request::DeleteContainer(reader.read()?),
        OpCode::Auth => Request::Auth(reader.read()?),
        OpCode::SetWatches => Request::SetWatches(reader.read()?),
        OpCode::SetWatches2 => Request::SetWatches2(reader.read()?),
        OpCode::Sasl => Request::Sasl(reader.read()?),
        OpCode::GetEphemerals => Request::GetEphemerals(reader.read()?),
        OpCode::GetAllChildrenNumber => Request::GetAllChildrenNumber(reader.read()?),
        OpCode::AddWatch => Request::AddWatch(reader.read()?),
        OpCode::WhoAmI => Request::WhoAmI,
        OpCode::CreateSession => Request::CreateSession(reader.read()?),
        OpCode::CloseSession => Request::CloseSession,
    })
}

impl Request<'_> {
    /// The operation.
    pub fn op(&self) -> OpCode {
        match self {
            Request::Create(_) => OpCode::Create,
            Request::Create2(_) => OpCode::Create2,
            Request::CreateContainer(_) => OpCode::CreateContainer,
            Request::CreateTtl(_) => OpCode::CreateTtl,
            Request::Delete(_) => OpCode::Delete,
            Request::Exists(_) => OpCode::Exists,
            Request::GetData(_) => OpCode::GetData,
            Request::SetData(_) => OpCode::SetData,
            Request::GetAcl(_) => OpCode::GetAcl,
            Request::SetAcl(_) => OpCode::SetAcl,
            Request::GetChildren(_) => OpCode::GetChildren,
            Request::GetChildren2(_) => OpCode::GetChildren2,
            Request::Sync(_) => OpCode::Sync,
            Request::Ping => OpCode::Ping,
            Request::Check(_) => OpCode::Check,
            Request::Multi(_) => OpCode::Multi,
            Request::MultiRead(_) => OpCode::MultiRead,
            Request::Reconfig(_) => OpCode::Reconfig,
            Request::CheckWatches(_) => OpCode::CheckWatches,
            Request::RemoveWatches(_) => OpCode::RemoveWatches,
            Request::DeleteContainer(_) => OpCode::DeleteContainer,
            Request::Auth(_) => OpCode::Auth,
            Request::SetWatches(_) => OpCode::SetWatches,
            Request::SetWatches2(_) => OpCode::SetWatches2,
            Request::Sasl(_) => OpCode::Sasl,
            Request::GetEphemerals(_) => OpCode::GetEphemerals,
            Request::GetAllChildrenNumber(_) => OpCode::GetAllChildrenNumber,
            Request::AddWatch(_) => OpCode::AddWatch,
            Request::WhoAmI => OpCode::WhoAmI,
            Request::CreateSession(_) => OpCode::CreateSession,
            Request::CloseSession => OpCode::CloseSession,
        }
    }

    /// Appends the whole frame: length, header, record.
    pub fn encode(&self, xid: i32, out: &mut BytesMut) {
        let frame = begin_frame(out);
        RequestHeader {
            xid,
            op: self.op().as_i32(),
        }
        .write(out);
        self.write_record(out);
        end_frame(out, frame);
    }

    fn write_record(&self, out: &mut BytesMut) {
        match self {
            Request::Create(create)
            | Request::Create2(create)
            | Request::CreateContainer(create)
            | Request::CreateTtl(create) => create.write(out),
            Request::Delete(request) | Request::Check(request) => request.write(out),
            Request::Exists(request)
            | Request::GetData(request)
            | Request::GetChildren(request)
            | Request::GetChildren2(request) => request.write(out),
            Request::SetData(request) => request.write(out),
            Request::SetAcl(request) => request.write(out),
            Request::GetAcl(path)
            | Request::Sync(path)
            | Request::DeleteContainer(path)
            | Request::GetEphemerals(path)
            | Request::GetAllChildrenNumber(path) => path.write(out),
            Request::Ping | Request::WhoAmI | Request::CloseSession => {}
            Request::Multi(ops) | Request::MultiRead(ops) => multi::write_ops(out, ops),
            Request::Reconfig(request) => request.write(out),
            Request::CheckWatches(request) | Request::RemoveWatches(request) => request.write(out),
            Request::Auth(request) => request.write(out),
            Request::SetWatches(request) => request.write(out),
            Request::SetWatches2(request) => request.write(out),
            Request::Sasl(token) => token.write(out),
            Request::AddWatch(request) => request.write(out),
            Request::CreateSession(timeout) => timeout.write(out),
        }
    }
}

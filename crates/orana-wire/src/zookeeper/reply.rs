//! What a server answers, as values: read by clients, and written for whoever has no need of haste.

use std::borrow::Cow;

use bytes::BytesMut;

use super::acl::{Acl, Identity};
use super::frame::{begin_frame, end_frame};
use super::header::ReplyHeader;
use super::multi::{self, MultiResult};
use super::op::OpCode;
use super::record::{Buffer, Reader, Record, WireError};
use super::response;
use super::stat::Stat;

/// The body of a reply without an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply<'a> {
    /// Nothing: delete, ping, auth, setWatches, checkWatches, removeWatches, closeSession.
    Empty,
    /// create, sync. Null after the sync of a null path.
    Path(Option<Cow<'a, str>>),
    /// create2, createContainer, createTTL.
    PathStat(Cow<'a, str>, Stat),
    /// exists, setData, setACL.
    Stat(Stat),
    /// getData, reconfig.
    Data(Buffer<'a>, Stat),
    /// getACL.
    Acl(Vec<Acl<'a>>, Stat),
    /// getChildren.
    Children(Vec<Cow<'a, str>>),
    /// getChildren2.
    ChildrenStat(Vec<Cow<'a, str>>, Stat),
    /// multi, multiRead.
    Multi(Vec<MultiResult<'a>>),
    /// getEphemerals.
    Paths(Vec<Cow<'a, str>>),
    /// getAllChildrenNumber, and addWatch, whose number is an error code.
    Number(i32),
    /// whoAmI.
    Identities(Vec<Identity<'a>>),
    /// sasl.
    Token(Buffer<'a>),
}

impl<'a> Reply<'a> {
    /// Reads what follows the header of a reply to `op` whose `err` was 0.
    pub fn decode(op: OpCode, body: &'a [u8]) -> Result<Self, WireError> {
        let mut reader = Reader::new(body);
        let reader = &mut reader;
        Ok(match op {
            OpCode::Create | OpCode::Sync => Reply::Path(reader.read()?),
            OpCode::Create2 | OpCode::CreateContainer | OpCode::CreateTtl => {
                Reply::PathStat(reader.text()?, reader.read()?)
            }
            OpCode::Exists | OpCode::SetData | OpCode::SetAcl => Reply::Stat(reader.read()?),
            OpCode::GetData | OpCode::Reconfig => Reply::Data(reader.read()?, reader.read()?),
            OpCode::GetAcl => Reply::Acl(reader.list()?, reader.read()?),
            OpCode::GetChildren => Reply::Children(reader.list()?),
            OpCode::GetChildren2 => Reply::ChildrenStat(reader.list()?, reader.read()?),
            OpCode::Multi | OpCode::MultiRead => Reply::Multi(multi::read_results(reader)?),
            OpCode::GetEphemerals => Reply::Paths(reader.list()?),
            OpCode::GetAllChildrenNumber | OpCode::AddWatch => Reply::Number(reader.read()?),
            OpCode::WhoAmI => Reply::Identities(reader.list()?),
            OpCode::Sasl => Reply::Token(reader.read()?),
            OpCode::Delete
            | OpCode::Ping
            | OpCode::Check
            | OpCode::CheckWatches
            | OpCode::RemoveWatches
            | OpCode::DeleteContainer
            | OpCode::Auth
            | OpCode::SetWatches
            | OpCode::SetWatches2
            | OpCode::CreateSession
            | OpCode::CloseSession => Reply::Empty,
        })
    }

    /// Appends the whole frame: length, header, body.
    pub fn encode(&self, xid: i32, zxid: i64, out: &mut BytesMut) {
        let frame = begin_frame(out);
        ReplyHeader { xid, zxid, err: 0 }.write(out);
        self.write_body(out);
        end_frame(out, frame);
    }

    fn write_body(&self, out: &mut BytesMut) {
        match self {
            Reply::Empty => {}
            Reply::Path(path) => path.write(out),
            Reply::PathStat(path, stat) => response::path_stat_body(out, path, stat),
            Reply::Stat(stat) => response::stat_body(out, stat),
            Reply::Data(data, stat) => response::data_body(out, *data, stat),
            Reply::Acl(acl, stat) => response::acl_body(out, acl.iter().cloned(), stat),
            Reply::Children(names) => response::children_body(out, names.iter().map(|name| name.as_bytes()), None),
            Reply::ChildrenStat(names, stat) => {
                response::children_body(out, names.iter().map(|name| name.as_bytes()), Some(stat))
            }
            Reply::Multi(results) => {
                for result in results {
                    multi::put_result(out, result);
                }
                multi::put_end(out);
            }
            Reply::Paths(paths) => response::paths_body(out, paths.iter().map(|name| name.as_bytes())),
            Reply::Number(number) => response::number_body(out, *number),
            Reply::Identities(identities) => response::identities_body(out, identities.iter().cloned()),
            Reply::Token(token) => response::token_body(out, *token),
        }
    }
}

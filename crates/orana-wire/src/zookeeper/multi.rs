//! Transactions: several operations in one request, several results in one reply, each with a small header.

use std::borrow::Cow;

use bytes::BytesMut;

use super::op::OpCode;
use super::record::{Buffer, Reader, Record, WireError, put_buffer, put_string, put_strings, record};
use super::request::{Create, DecodeError, PathAndVersion, PathAndWatch, SetData};
use super::stat::Stat;

record! {
    /// In front of each operation and each result; with `done` set it ends the list.
    struct MultiHeader {
        pub kind: i32,
        pub done: bool,
        pub err: i32,
    }
}

/// The type of an error result and of the end of a list.
const NO_OPERATION: i32 = -1;
const END: MultiHeader = MultiHeader {
    kind: NO_OPERATION,
    done: true,
    err: -1,
};

/// What an operation of a multi does; one request holds only one sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// It changes the tree or checks a version.
    Write,
    /// It only reads.
    Read,
}

/// One operation of a multi (writes and checks) or multiRead (reads).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MultiOp<'a> {
    /// Create, answered with the path.
    Create(Create<'a>),
    /// Create, answered with path and stat.
    Create2(Create<'a>),
    /// Create a container.
    CreateContainer(Create<'a>),
    /// Create a node with a time to live.
    CreateTtl(Create<'a>),
    /// Delete.
    Delete(PathAndVersion<'a>),
    /// Write data.
    SetData(SetData<'a>),
    /// Compare a version.
    Check(PathAndVersion<'a>),
    /// Read data.
    GetData(PathAndWatch<'a>),
    /// List children.
    GetChildren(PathAndWatch<'a>),
}

impl<'a> MultiOp<'a> {
    /// The operation's code.
    pub fn op(&self) -> OpCode {
        match self {
            MultiOp::Create(_) => OpCode::Create,
            MultiOp::Create2(_) => OpCode::Create2,
            MultiOp::CreateContainer(_) => OpCode::CreateContainer,
            MultiOp::CreateTtl(_) => OpCode::CreateTtl,
            MultiOp::Delete(_) => OpCode::Delete,
            MultiOp::SetData(_) => OpCode::SetData,
            MultiOp::Check(_) => OpCode::Check,
            MultiOp::GetData(_) => OpCode::GetData,
            MultiOp::GetChildren(_) => OpCode::GetChildren,
        }
    }

    /// Whether it reads or writes.
    pub fn sort(&self) -> Sort {
        match self {
            MultiOp::GetData(_) | MultiOp::GetChildren(_) => Sort::Read,
            _ => Sort::Write,
        }
    }

    /// The path, which may be null here as anywhere.
    pub fn path(&self) -> Option<&str> {
        match self {
            MultiOp::Create(create)
            | MultiOp::Create2(create)
            | MultiOp::CreateContainer(create)
            | MultiOp::CreateTtl(create) => create.path.as_deref(),
            MultiOp::Delete(request) | MultiOp::Check(request) => request.path.as_deref(),
            MultiOp::SetData(request) => request.path.as_deref(),
            MultiOp::GetData(request) | MultiOp::GetChildren(request) => request.path.as_deref(),
        }
    }

    fn read(kind: i32, reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let op = OpCode::try_from(kind).map_err(|_| DecodeError::ForeignOp(kind))?;
        Ok(match op {
            OpCode::Create => MultiOp::Create(Create::read(reader)?),
            OpCode::Create2 => MultiOp::Create2(Create::read(reader)?),
            OpCode::CreateContainer => MultiOp::CreateContainer(Create::read(reader)?),
            OpCode::CreateTtl => MultiOp::CreateTtl(Create::read_with_ttl(reader)?),
            OpCode::Delete => MultiOp::Delete(reader.read()?),
            OpCode::SetData => MultiOp::SetData(reader.read()?),
            OpCode::Check => MultiOp::Check(reader.read()?),
            OpCode::GetData => MultiOp::GetData(reader.read()?),
            OpCode::GetChildren => MultiOp::GetChildren(reader.read()?),
            _ => return Err(DecodeError::ForeignOp(kind)),
        })
    }

    fn write(&self, out: &mut BytesMut) {
        match self {
            MultiOp::Create(create)
            | MultiOp::Create2(create)
            | MultiOp::CreateContainer(create)
            | MultiOp::CreateTtl(create) => create.write(out),
            MultiOp::Delete(request) | MultiOp::Check(request) => request.write(out),
            MultiOp::SetData(request) => request.write(out),
            MultiOp::GetData(request) | MultiOp::GetChildren(request) => request.write(out),
        }
    }
}

/// Reads the operations of a multi or multiRead.
///
/// An operation that may not stand in any multi, or reads and writes together, cannot be answered operation by
/// operation and are errors. Writes alone in a multiRead, reads alone in a multi and null paths are returned as they
/// are: the original answers those differently.
pub(crate) fn read_ops<'a>(reader: &mut Reader<'a>) -> Result<Vec<MultiOp<'a>>, DecodeError> {
    let mut ops: Vec<MultiOp<'a>> = Vec::new();
    loop {
        let header = reader.read::<MultiHeader>()?;
        if header.done {
            return Ok(ops);
        }
        let op = MultiOp::read(header.kind, reader)?;
        if ops.first().is_some_and(|first| first.sort() != op.sort()) {
            return Err(DecodeError::MixedOps);
        }
        ops.push(op);
    }
}

pub(crate) fn write_ops(out: &mut BytesMut, ops: &[MultiOp<'_>]) {
    for op in ops {
        MultiHeader {
            kind: op.op().as_i32(),
            done: false,
            err: -1,
        }
        .write(out);
        op.write(out);
    }
    END.write(out);
}

// ---------------------------------------------------------------------------------------------------------------------

/// One result of a multi or multiRead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MultiResult<'a> {
    /// A node was created.
    Create {
        /// Its path, with the sequence number if it has one.
        path: Cow<'a, str>,
    },
    /// A node was created by create2, createContainer or createTTL.
    Create2 {
        /// Its path.
        path: Cow<'a, str>,
        /// Its stat.
        stat: Stat,
    },
    /// Deleted.
    Delete,
    /// Written.
    SetData(Stat),
    /// The version is as expected.
    Check,
    /// Data read.
    GetData {
        /// The data, which may be null.
        data: Buffer<'a>,
        /// The stat.
        stat: Stat,
    },
    /// Children listed.
    GetChildren(Vec<Cow<'a, str>>),
    /// The operation failed, or was not performed because another one failed; 0 before the one that failed.
    Error(i32),
}

impl<'a> MultiResult<'a> {
    fn kind(&self) -> i32 {
        match self {
            MultiResult::Create { .. } => OpCode::Create.as_i32(),
            MultiResult::Create2 { .. } => OpCode::Create2.as_i32(),
            MultiResult::Delete => OpCode::Delete.as_i32(),
            MultiResult::SetData(_) => OpCode::SetData.as_i32(),
            MultiResult::Check => OpCode::Check.as_i32(),
            MultiResult::GetData { .. } => OpCode::GetData.as_i32(),
            MultiResult::GetChildren(_) => OpCode::GetChildren.as_i32(),
            MultiResult::Error(_) => NO_OPERATION,
        }
    }

    fn read(kind: i32, reader: &mut Reader<'a>) -> Result<Self, WireError> {
        if kind == NO_OPERATION {
            return Ok(MultiResult::Error(reader.read()?));
        }
        Ok(match OpCode::try_from(kind) {
            Ok(OpCode::Create) => MultiResult::Create { path: reader.text()? },
            Ok(OpCode::Create2) => MultiResult::Create2 {
                path: reader.text()?,
                stat: reader.read()?,
            },
            Ok(OpCode::Delete) => MultiResult::Delete,
            Ok(OpCode::SetData) => MultiResult::SetData(reader.read()?),
            Ok(OpCode::Check) => MultiResult::Check,
            Ok(OpCode::GetData) => MultiResult::GetData {
                data: reader.read()?,
                stat: reader.read()?,
            },
            Ok(OpCode::GetChildren) => MultiResult::GetChildren(reader.list()?),
            _ => return Err(WireError::Value(kind)),
        })
    }
}

/// Appends one result with its header.
pub fn put_result(out: &mut BytesMut, result: &MultiResult<'_>) {
    let err = if let MultiResult::Error(err) = result { *err } else { 0 };
    MultiHeader {
        kind: result.kind(),
        done: false,
        err,
    }
    .write(out);
    match result {
        MultiResult::Create { path } => put_string(out, path),
        MultiResult::Create2 { path, stat } => {
            put_string(out, path);
            stat.write(out);
        }
        MultiResult::Delete | MultiResult::Check => {}
        MultiResult::SetData(stat) => stat.write(out),
        MultiResult::GetData { data, stat } => {
            put_buffer(out, *data);
            stat.write(out);
        }
        MultiResult::GetChildren(names) => put_strings(out, names.iter().map(|name| name.as_bytes())),
        MultiResult::Error(err) => err.write(out),
    }
}

/// Appends what follows the last result.
pub fn put_end(out: &mut BytesMut) {
    END.write(out);
}

/// Reads the results of a multi or multiRead.
pub(crate) fn read_results<'a>(reader: &mut Reader<'a>) -> Result<Vec<MultiResult<'a>>, WireError> {
    let mut results = Vec::new();
    loop {
        let header = reader.read::<MultiHeader>()?;
        if header.done {
            return Ok(results);
        }
        results.push(MultiResult::read(header.kind, reader)?);
    }
}

//! What comes of a call that went well.
//!
//! The value stays in the bytes in which it came; who knows its type takes it out. What went wrong is an
//! [`RpcError`](crate::RpcError), also when the far side's own code raised it.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::attachments::Attachments;

/// The answer to a call.
#[derive(Clone)]
pub struct Reply {
    shape: ReplyShape,
    bytes: Bytes,
    provider: Option<Arc<str>>,
    /// Finds what is attached among the bytes.
    attached: fn(&Reply) -> Attachments,
}

/// What the bytes of a [`Reply`] are. A value and what is attached to it are one stream: the latter may refer to the former.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyShape {
    /// Null, or nothing to return; no bytes.
    Null,
    /// Null with attachments: the bytes are one map.
    NullWithAttachments,
    /// The bytes are one value.
    Value,
    /// The bytes are one value and one map.
    ValueWithAttachments,
}

impl Reply {
    /// The answer of that shape in `bytes`.
    pub fn new(shape: ReplyShape, bytes: Bytes) -> Reply {
        Reply {
            shape,
            bytes,
            provider: None,
            attached: |_| Attachments::new(),
        }
    }

    /// Nothing, or null.
    pub const fn null() -> Reply {
        Reply {
            shape: ReplyShape::Null,
            bytes: Bytes::new(),
            provider: None,
            attached: |_| Attachments::new(),
        }
    }

    /// Says how what is attached is found: `attached` understands the bytes.
    pub fn read_by(mut self, attached: fn(&Reply) -> Attachments) -> Reply {
        self.attached = attached;
        self
    }

    /// What is attached, also what the protocol says there to itself; none if nobody said how that is found ([`Reply::read_by`]).
    pub fn attachments(&self) -> Attachments {
        match self.shape {
            ReplyShape::Null | ReplyShape::Value => Attachments::new(),
            ReplyShape::NullWithAttachments | ReplyShape::ValueWithAttachments => (self.attached)(self),
        }
    }

    /// Says who answered, `host:port`, unless that is known already.
    pub fn by(mut self, provider: &Arc<str>) -> Reply {
        self.provider.get_or_insert_with(|| Arc::clone(provider));
        self
    }

    /// Who answered, if whoever chose it said so.
    pub fn provider(&self) -> Option<&Arc<str>> {
        self.provider.as_ref()
    }

    /// Whether there is no value; there may be attachments.
    pub fn is_null(&self) -> bool {
        matches!(self.shape, ReplyShape::Null | ReplyShape::NullWithAttachments)
    }

    /// What the bytes are.
    pub fn shape(&self) -> ReplyShape {
        self.shape
    }

    /// The value and what is attached to it, as [`Reply::shape`] says.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} in {} bytes", self.shape, self.bytes.len())
    }
}

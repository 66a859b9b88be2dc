//! What a worker does to the tree, as a value that can be sent, and performed on a model.

use orana_wire::zookeeper::{
    MultiOp, Request,
    request::{PathAndVersion, SetData},
};

use crate::asks::{self, Mode};

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// Create a node.
    Create {
        /// Where, or the beginning of where.
        path: String,
        /// Its data.
        data: Vec<u8>,
        /// Its life and name.
        mode: Mode,
        /// Whether the answer is to tell the stat.
        telling: bool,
    },
    /// Delete a node.
    Delete {
        /// Which.
        path: String,
        /// The version it must have, or -1.
        version: i32,
    },
    /// Write its data.
    Set {
        /// Which.
        path: String,
        /// The data.
        data: Vec<u8>,
        /// The version it must have, or -1.
        version: i32,
    },
    /// Compare its version; inside a multi only.
    Check {
        /// Which.
        path: String,
        /// The version it must have, or -1.
        version: i32,
    },
    /// All of these or none.
    Multi(Vec<Deed>),
    /// Read data and stat: what was sent before must show.
    Read(String),
    /// End the session.
    Close,
}

impl Deed {
    /// As it is sent.
    pub fn request(&self) -> Request<'_> {
        match self {
            Deed::Create {
                path,
                data,
                mode,
                telling,
            } => {
                let create = asks::creation(path, data, *mode);
                if *telling {
                    Request::Create2(create)
                } else {
                    Request::Create(create)
                }
            }
            Deed::Delete { path, version } => Request::Delete(at_version(path, *version)),
            Deed::Set { path, data, version } => Request::SetData(writing(path, data, *version)),
            // Alone it is not asked; servers do not know it then.
            Deed::Check { path, version } => Request::Multi(vec![MultiOp::Check(at_version(path, *version))]),
            Deed::Multi(deeds) => Request::Multi(deeds.iter().filter_map(Deed::part).collect()),
            Deed::Read(path) => asks::get(path),
            Deed::Close => Request::CloseSession,
        }
    }

    fn part(&self) -> Option<MultiOp<'_>> {
        Some(match self {
            Deed::Create { path, data, mode, .. } => MultiOp::Create(asks::creation(path, data, *mode)),
            Deed::Delete { path, version } => MultiOp::Delete(at_version(path, *version)),
            Deed::Set { path, data, version } => MultiOp::SetData(writing(path, data, *version)),
            Deed::Check { path, version } => MultiOp::Check(at_version(path, *version)),
            Deed::Multi(_) | Deed::Read(_) | Deed::Close => return None,
        })
    }

    /// Whether it takes a transaction of its own.
    pub fn writes(&self) -> bool {
        !matches!(self, Deed::Read(_))
    }

    /// Whether it is about what all workers write to.
    pub fn is_shared(&self) -> bool {
        match self {
            Deed::Create { path, .. } | Deed::Delete { path, .. } | Deed::Set { path, .. } => {
                path.starts_with(super::shared::ROOT)
            }
            _ => false,
        }
    }
}

fn at_version(path: &str, version: i32) -> PathAndVersion<'_> {
    PathAndVersion {
        path: Some(path.into()),
        version,
    }
}

fn writing<'a>(path: &'a str, data: &'a [u8], version: i32) -> SetData<'a> {
    SetData {
        path: Some(path.into()),
        data: Some(data),
        version,
    }
}

//! What one worker's directory has to be: every node with every field that a client can see. It knows the rules of the
//! tree for one writer; it does not know of connections or kills.

use std::collections::BTreeMap;

use orana_wire::zookeeper::{ErrorCode, Stat};

use super::deed::Deed;

/// A node as it has to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its data.
    pub data: Vec<u8>,
    /// Transactions; a negative one is the place of a deed that has no answer.
    pub czxid: i64,
    /// Of the last write of data.
    pub mzxid: i64,
    /// Of the last change among its children.
    pub pzxid: i64,
    /// When it was created, once that is known.
    pub ctime: Option<i64>,
    /// When its data was written, once that is known.
    pub mtime: Option<i64>,
    /// How often its data was written.
    pub version: i32,
    /// How many children it ever had.
    pub created: i32,
    /// The session it goes with, or 0.
    pub owner: i64,
}

/// What has to come of a deed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The node is at this path.
    Created(String),
    /// The node is written, or read.
    Seen(String),
    /// It is done.
    Done,
    /// One for each part.
    Multi(Vec<Outcome>),
    /// This error.
    Refused(ErrorCode),
}

/// A directory and all beneath it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    /// By path.
    pub nodes: BTreeMap<String, Node>,
}

impl Node {
    /// Takes over what is known for sure, now that the node was seen.
    pub fn learn(&mut self, stat: &Stat) {
        self.czxid = stat.czxid;
        self.mzxid = stat.mzxid;
        self.pzxid = stat.pzxid;
        self.ctime = Some(stat.ctime);
        self.mtime = Some(stat.mtime);
    }
}

impl Model {
    /// The directory itself, created by somebody else.
    pub fn of(path: &str, stat: &Stat) -> Model {
        let mut node = created(Vec::new(), 0, 0);
        node.learn(stat);
        Model {
            nodes: BTreeMap::from([(path.to_owned(), node)]),
        }
    }

    /// Names of the children of `path`.
    pub fn children<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a str> {
        let below = self.nodes.range(format!("{path}/")..).map(|(child, _)| child.as_str());
        let below = below.map_while(move |child| child.strip_prefix(path)?.strip_prefix('/'));
        below.filter(|name| !name.contains('/'))
    }

    /// What the answer's fields have to be; times and unknown transactions are left at 0.
    pub fn stat(&self, path: &str) -> Option<Stat> {
        let node = self.nodes.get(path)?;
        let children = i32::try_from(self.children(path).count()).unwrap_or(i32::MAX);
        Some(Stat {
            czxid: node.czxid,
            mzxid: node.mzxid,
            ctime: node.ctime.unwrap_or(0),
            mtime: node.mtime.unwrap_or(0),
            version: node.version,
            cversion: 2 * node.created - children,
            aversion: 0,
            ephemeral_owner: node.owner,
            data_length: i32::try_from(node.data.len()).unwrap_or(i32::MAX),
            num_children: children,
            pzxid: node.pzxid,
        })
    }

    /// Performs a deed of `session` under the transaction `zxid`.
    pub fn perform(&mut self, deed: &Deed, zxid: i64, session: i64) -> Outcome {
        match deed {
            Deed::Multi(parts) => self.all_or_none(parts, zxid, session),
            deed => self.single(deed, zxid, session).unwrap_or_else(Outcome::Refused),
        }
    }

    fn all_or_none(&mut self, parts: &[Deed], zxid: i64, session: i64) -> Outcome {
        let before = self.nodes.clone();
        let mut outcomes = Vec::new();
        for (place, part) in parts.iter().enumerate() {
            match self.single(part, zxid, session) {
                Ok(outcome) => outcomes.push(outcome),
                Err(code) => {
                    self.nodes = before;
                    let told = (0..parts.len()).map(|other| match other.cmp(&place) {
                        std::cmp::Ordering::Less => Outcome::Refused(ErrorCode::Ok),
                        std::cmp::Ordering::Equal => Outcome::Refused(code),
                        std::cmp::Ordering::Greater => Outcome::Refused(ErrorCode::RuntimeInconsistency),
                    });
                    return Outcome::Multi(told.collect());
                }
            }
        }
        Outcome::Multi(outcomes)
    }

    fn single(&mut self, deed: &Deed, zxid: i64, session: i64) -> Result<Outcome, ErrorCode> {
        match deed {
            Deed::Create { path, data, mode, .. } => {
                let parent = self.nodes.get(parent_of(path)).ok_or(ErrorCode::NoNode)?;
                let path = match mode.is_sequential() {
                    true => format!("{path}{:010}", parent.created),
                    false => path.clone(),
                };
                if self.nodes.contains_key(&path) {
                    return Err(ErrorCode::NodeExists);
                }
                if parent.owner != 0 {
                    return Err(ErrorCode::NoChildrenForEphemerals);
                }
                self.change_parent(&path, zxid, 1);
                let owner = if mode.is_ephemeral() { session } else { 0 };
                self.nodes.insert(path.clone(), created(data.clone(), zxid, owner));
                Ok(Outcome::Created(path))
            }
            Deed::Delete { path, version } => {
                self.expect(path, *version)?;
                if self.children(path).next().is_some() {
                    return Err(ErrorCode::NotEmpty);
                }
                self.remove(path, zxid);
                Ok(Outcome::Done)
            }
            Deed::Set { path, data, version } => {
                self.expect(path, *version)?;
                if let Some(node) = self.nodes.get_mut(path) {
                    node.data.clone_from(data);
                    node.version += 1;
                    node.mzxid = zxid;
                    node.mtime = None;
                }
                Ok(Outcome::Seen(path.clone()))
            }
            Deed::Check { path, version } => self.expect(path, *version).map(|()| Outcome::Done),
            Deed::Read(path) => match self.nodes.contains_key(path) {
                true => Ok(Outcome::Seen(path.clone())),
                false => Err(ErrorCode::NoNode),
            },
            Deed::Close => {
                self.expire(session, zxid);
                Ok(Outcome::Done)
            }
            Deed::Multi(_) => Err(ErrorCode::MarshallingError),
        }
    }

    /// The session ends: what it owned goes, all under one transaction.
    pub fn expire(&mut self, session: i64, zxid: i64) {
        let owned = self.nodes.iter().filter(|(_, node)| node.owner == session);
        let owned: Vec<String> = owned.map(|(path, _)| path.clone()).collect();
        for path in owned {
            self.remove(&path, zxid);
        }
    }

    fn expect(&self, path: &str, version: i32) -> Result<(), ErrorCode> {
        let node = self.nodes.get(path).ok_or(ErrorCode::NoNode)?;
        if version == -1 || version == node.version {
            Ok(())
        } else {
            Err(ErrorCode::BadVersion)
        }
    }

    fn remove(&mut self, path: &str, zxid: i64) {
        self.nodes.remove(path);
        self.change_parent(path, zxid, 0);
    }

    fn change_parent(&mut self, path: &str, zxid: i64, created: i32) {
        if let Some(parent) = self.nodes.get_mut(parent_of(path)) {
            parent.created += created;
            parent.pzxid = zxid;
        }
    }
}

fn created(data: Vec<u8>, zxid: i64, owner: i64) -> Node {
    Node {
        data,
        czxid: zxid,
        mzxid: zxid,
        pzxid: zxid,
        ctime: None,
        mtime: None,
        version: 0,
        created: 0,
        owner,
    }
}

fn parent_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asks::Mode;

    fn create(path: &str, mode: Mode) -> Deed {
        Deed::Create {
            path: path.to_owned(),
            data: vec![1],
            mode,
            telling: false,
        }
    }

    #[test]
    fn numbers_are_counted_by_creations_and_a_failed_multi_leaves_nothing() {
        let mut model = Model::of("/d", &Stat::default());
        assert_eq!(
            model.perform(&create("/d/a", Mode::Ephemeral), 5, 7),
            Outcome::Created("/d/a".into())
        );
        let twice = Deed::Multi(vec![
            create("/d/q-", Mode::PersistentSequential),
            create("/d/a", Mode::Persistent),
        ]);
        let before = model.clone();
        assert_eq!(
            model.perform(&twice, 6, 7),
            Outcome::Multi(vec![
                Outcome::Refused(ErrorCode::Ok),
                Outcome::Refused(ErrorCode::NodeExists)
            ])
        );
        assert_eq!(model, before);
        assert_eq!(
            model.perform(&create("/d/q-", Mode::PersistentSequential), 8, 7),
            Outcome::Created("/d/q-0000000001".into())
        );
        model.expire(7, 9);
        let stat = model.stat("/d").expect("the directory");
        assert_eq!((stat.num_children, stat.cversion, stat.pzxid), (1, 3, 9));
    }
}

//! The state as one would write it on a blackboard: a map from paths to nodes; a multi works on a copy. Knows
//! ZooKeeper's rules and their order, nothing of slots, links, sharing or numbers of lists.

use std::collections::BTreeMap;

use orana_state::{
    AclEntry, Action, ChangeKind, Command, Effect, Identity, LeaseId, Lifetime, Outcome, Permission, Refusal, Stat,
    Write, Zxid,
};

use crate::rules::{allows, fixed, legal, open};

#[derive(Clone)]
pub(crate) struct Model {
    pub(crate) nodes: BTreeMap<String, ModelNode>,
    pub(crate) leases: BTreeMap<LeaseId, (u32, [u8; 16])>,
    pub(crate) zxid: i64,
    pub(crate) at: i64,
    born: u64,
}

#[derive(Clone)]
pub(crate) struct ModelNode {
    pub(crate) data: Option<Vec<u8>>,
    pub(crate) acl: Vec<AclEntry>,
    pub(crate) lifetime: Lifetime,
    pub(crate) owner: Option<LeaseId>,
    pub(crate) zxids: [i64; 3],
    pub(crate) times: [i64; 2],
    pub(crate) version: i32,
    pub(crate) aversion: i32,
    pub(crate) created: i32,
    /// Orders nodes by their creation.
    pub(crate) born: u64,
}

/// What [`orana_state::Change`] says, comparable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Told {
    pub(crate) zxid: Zxid,
    pub(crate) kind: ChangeKind,
    pub(crate) path: String,
    pub(crate) acl: Vec<AclEntry>,
    pub(crate) parent_acl: Vec<AclEntry>,
}

/// `/a/b` is below `/a`, which is below `/`.
pub(crate) fn above(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) | None => "/",
        Some(at) => &path[..at],
    }
}

impl Model {
    pub(crate) fn new() -> Model {
        let mut nodes = BTreeMap::new();
        for (born, path) in ["/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"]
            .iter()
            .enumerate()
        {
            let mut node = ModelNode {
                data: Some(Vec::new()),
                acl: open(),
                lifetime: Lifetime::Persistent,
                owner: None,
                zxids: [0; 3],
                times: [0; 2],
                version: 0,
                aversion: 0,
                created: 0,
                born: born as u64,
            };
            if *path == "/zookeeper/config" {
                node.acl[0].permissions = 1;
                node.aversion = -1;
            }
            nodes.insert((*path).to_owned(), node);
        }
        Model {
            nodes,
            leases: BTreeMap::new(),
            zxid: 1 << 52,
            at: 0,
            born: 4,
        }
    }

    pub(crate) fn begin(&mut self, at: i64) {
        self.at = self.at.max(at);
    }

    pub(crate) fn step(&mut self, command: &Command) -> (Outcome, Vec<Told>) {
        self.zxid += 1;
        let mut told = Vec::new();
        let result = match command.issuer {
            Some(lease) if !self.leases.contains_key(&lease) => Err(Refusal::LeaseGone),
            _ => self.act(command, &mut told),
        };
        let zxid = Zxid(self.zxid);
        (Outcome { zxid, result }, told)
    }

    fn act(&mut self, by: &Command, told: &mut Vec<Told>) -> Result<Effect, Refusal> {
        match &by.action {
            Action::Grant { period_ms, secret } => {
                let id = LeaseId(self.zxid);
                self.leases.insert(id, (*period_ms, *secret));
                Ok(Effect::Granted(id))
            }
            Action::Revoke(lease) => {
                self.leases.remove(lease).ok_or(Refusal::LeaseGone)?;
                for path in self.owned(*lease) {
                    self.take_away(&path, told);
                }
                Ok(Effect::Revoked)
            }
            Action::Write(write) => self.write(by, write, told),
            Action::Multi(writes) => Ok(Effect::Multi(self.multi(by, writes, told))),
            Action::Reap(path) => {
                let path = if path.is_empty() { "/" } else { path };
                let node = self.nodes.get(path).ok_or(Refusal::NoNode)?;
                if !self.is_over(path, node, self.at) {
                    return Err(Refusal::NotEmpty);
                }
                self.take_away(path, told);
                Ok(Effect::Deleted)
            }
            Action::Refuse(refusal) => Err(*refusal),
        }
    }

    fn multi(&mut self, by: &Command, writes: &[Write], told: &mut Vec<Told>) -> Vec<Result<Effect, Refusal>> {
        let mut copy = self.clone();
        let mut results = Vec::new();
        for write in writes {
            results.push(copy.write(by, write, told));
            if let Some(Err(refusal)) = results.last().cloned() {
                told.clear();
                let culprit = results.len() - 1;
                let mut all = vec![Err(Refusal::RolledBack); culprit];
                all.push(Err(refusal));
                all.resize(writes.len(), Err(Refusal::NotAttempted));
                return all;
            }
        }
        *self = copy;
        results
    }

    fn write(&mut self, by: &Command, write: &Write, told: &mut Vec<Told>) -> Result<Effect, Refusal> {
        match write {
            Write::Create {
                path,
                data,
                acl,
                lifetime,
                sequential,
            } => {
                let node = self.newborn(by, data, acl, *lifetime, path)?;
                self.create(by, path, node, *sequential, told)
            }
            Write::Delete { path, version } => {
                let parent = match path.rfind('/') {
                    Some(at) if !path.contains('\0') => &path[..at],
                    _ => return Err(Refusal::BadArguments),
                };
                if ["/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"].contains(&&**path) {
                    return Err(Refusal::BadArguments);
                }
                self.permit(parent, Permission::Delete, &by.identities)?;
                let node = self.nodes.get(&**path).ok_or(Refusal::NoNode)?;
                versions_agree(*version, node.version)?;
                if !self.children(path).is_empty() {
                    return Err(Refusal::NotEmpty);
                }
                self.take_away(path, told);
                Ok(Effect::Deleted)
            }
            Write::SetData { path, data, version } => {
                lawful(path)?;
                self.permit(path, Permission::Write, &by.identities)?;
                let (zxid, at) = (self.zxid, self.at);
                let node = self.nodes.get_mut(&**path).ok_or(Refusal::NoNode)?;
                versions_agree(*version, node.version)?;
                node.data = data.clone();
                node.version = next_version(node.version);
                node.zxids[1] = zxid;
                node.times[1] = at;
                let acl = node.acl.clone();
                told.push(self.telling(ChangeKind::DataSet, path, acl));
                Ok(Effect::DataSet(self.stat(path)))
            }
            Write::SetAcl { path, acl, version } => {
                lawful(path)?;
                let list = fixed(acl, &by.identities)?;
                self.permit(path, Permission::Admin, &by.identities)?;
                let node = self.nodes.get_mut(&**path).ok_or(Refusal::NoNode)?;
                versions_agree(*version, node.aversion)?;
                node.acl = list;
                node.aversion = next_version(node.aversion);
                Ok(Effect::AclSet(self.stat(path)))
            }
            Write::Check { path, version } => {
                lawful(path)?;
                self.permit(path, Permission::Read, &by.identities)?;
                versions_agree(*version, self.nodes[&**path].version)?;
                Ok(Effect::Checked)
            }
            Write::Refuse(refusal) => Err(*refusal),
        }
    }

    fn newborn(
        &mut self,
        by: &Command,
        data: &Option<Vec<u8>>,
        acl: &[AclEntry],
        lifetime: Lifetime,
        path: &str,
    ) -> Result<ModelNode, Refusal> {
        if let Lifetime::Ttl(ms) = lifetime
            && !(1..1 << 40).contains(&ms)
        {
            return Err(Refusal::BadArguments);
        }
        if lifetime == Lifetime::Ephemeral && by.issuer.is_none() {
            return Err(Refusal::LeaseGone);
        }
        if !path.contains('/') || path.contains('\0') {
            return Err(Refusal::BadArguments);
        }
        let acl = fixed(acl, &by.identities)?;
        self.born += 1;
        Ok(ModelNode {
            data: data.clone(),
            acl,
            lifetime,
            owner: by.issuer.filter(|_| lifetime == Lifetime::Ephemeral),
            zxids: [self.zxid; 3],
            times: [self.at; 2],
            version: 0,
            aversion: 0,
            created: 0,
            born: self.born,
        })
    }

    fn create(
        &mut self,
        by: &Command,
        asked: &str,
        node: ModelNode,
        sequential: bool,
        told: &mut Vec<Told>,
    ) -> Result<Effect, Refusal> {
        let parent = &asked[..asked.rfind('/').unwrap_or(0)];
        self.permit(parent, Permission::Create, &by.identities)?;
        let parent = if parent.is_empty() { "/" } else { parent };
        let up = &self.nodes[parent];
        let path = match sequential {
            true => format!("{asked}{:010}", up.created),
            false => asked.to_owned(),
        };
        lawful(&path)?;
        if self.nodes.contains_key(&path) {
            return Err(Refusal::NodeExists);
        }
        if up.owner.is_some() {
            return Err(Refusal::NoChildrenForEphemerals);
        }
        let acl = node.acl.clone();
        self.nodes.insert(path.clone(), node);
        let up = self.nodes.get_mut(parent).expect("it was there a moment ago");
        up.created = up.created.wrapping_add(1);
        up.zxids[2] = self.zxid;
        told.push(self.telling(ChangeKind::Created, &path, acl));
        let stat = self.stat(&path);
        Ok(Effect::Created {
            path: path.into(),
            stat,
        })
    }

    fn take_away(&mut self, path: &str, told: &mut Vec<Told>) {
        let node = self.nodes.remove(path).expect("the caller looked");
        let up = self.nodes.get_mut(above(path)).expect("parents outlive children");
        up.zxids[2] = self.zxid;
        told.push(self.telling(ChangeKind::Deleted, path, node.acl));
    }

    /// The empty path is the root.
    fn permit(&self, path: &str, wanted: Permission, by: &[Identity]) -> Result<(), Refusal> {
        let path = if path.is_empty() { "/" } else { path };
        let node = self.nodes.get(path).ok_or(Refusal::NoNode)?;
        match allows(&node.acl, wanted, by) {
            true => Ok(()),
            false => Err(Refusal::NoAuth),
        }
    }

    fn telling(&self, kind: ChangeKind, path: &str, acl: Vec<AclEntry>) -> Told {
        Told {
            zxid: Zxid(self.zxid),
            kind,
            path: path.to_owned(),
            acl,
            parent_acl: self.nodes[above(path)].acl.clone(),
        }
    }

    /// Names of the children in the order of their creation.
    pub(crate) fn children(&self, parent: &str) -> Vec<&str> {
        let mut children: Vec<_> = self
            .nodes
            .iter()
            .filter(|(path, _)| *path != "/" && above(path) == parent)
            .map(|(path, node)| (node.born, &path[path.rfind('/').map_or(0, |at| at + 1)..]))
            .collect();
        children.sort_unstable();
        children.into_iter().map(|(_, name)| name).collect()
    }

    /// Paths in the order of their creation.
    fn in_order(&self, wanted: impl Fn(&str, &ModelNode) -> bool) -> Vec<String> {
        let mut found: Vec<_> = self.nodes.iter().filter(|(path, node)| wanted(path, node)).collect();
        found.sort_unstable_by_key(|(_, node)| node.born);
        found.into_iter().map(|(path, _)| path.clone()).collect()
    }

    pub(crate) fn owned(&self, lease: LeaseId) -> Vec<String> {
        self.in_order(|_, node| node.owner == Some(lease))
    }

    pub(crate) fn reapable(&self, now: i64) -> Vec<String> {
        self.in_order(|path, node| self.is_over(path, node, now))
    }

    fn is_over(&self, path: &str, node: &ModelNode, now: i64) -> bool {
        let over = match node.lifetime {
            Lifetime::Container => node.created > 0,
            Lifetime::Ttl(ms) => now > node.times[1] + ms as i64,
            Lifetime::Persistent | Lifetime::Ephemeral => false,
        };
        over && self.children(path).is_empty()
    }

    pub(crate) fn stat(&self, path: &str) -> Stat {
        self.stat_with(path, self.children(path).len() as i32)
    }

    pub(crate) fn stat_with(&self, path: &str, num_children: i32) -> Stat {
        let node = &self.nodes[path];
        let [czxid, mzxid, pzxid] = node.zxids.map(Zxid);
        let [ctime, mtime] = node.times;
        Stat {
            czxid,
            mzxid,
            pzxid,
            ctime,
            mtime,
            version: node.version,
            cversion: 2 * node.created - num_children,
            aversion: node.aversion,
            ephemeral_owner: node.owner.map_or(0, |lease| lease.0),
            data_length: node.data.as_ref().map_or(0, Vec::len) as i32,
            num_children,
        }
    }
}

fn lawful(path: &str) -> Result<(), Refusal> {
    match legal(path) {
        true => Ok(()),
        false => Err(Refusal::BadArguments),
    }
}

fn versions_agree(expected: i32, current: i32) -> Result<(), Refusal> {
    match expected {
        -1 => Ok(()),
        _ if expected == current => Ok(()),
        _ => Err(Refusal::BadVersion),
    }
}

/// Minus one means "any" and is never a version.
fn next_version(version: i32) -> i32 {
    if version == -2 { 0 } else { version.wrapping_add(1) }
}

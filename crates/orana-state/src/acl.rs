//! Access control lists: who may do what with a node. Lists are interned, because a million nodes share a
//! handful of them. Knows the schemes world, auth, digest, ip and the all-powerful `super`; how a connection
//! earns an identity is not known here.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::outcome::Refusal;

/// One right for one kind of caller.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AclEntry {
    /// Bits of [`Permission`].
    pub permissions: i32,
    /// `world`, `digest`, `ip`, … (before normalisation also `auth`).
    pub scheme: Arc<str>,
    /// Who, in the terms of the scheme.
    pub id: Arc<str>,
}

/// A normalised list.
pub type Acl = Arc<[AclEntry]>;

/// Who a connection has proved to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// `ip`, `digest`, `super`, …
    pub scheme: Arc<str>,
    /// Who, in the terms of the scheme.
    pub id: Arc<str>,
}

/// All that a connection has proved to be.
pub type Identities = Arc<[Identity]>;

/// The bits of [`AclEntry::permissions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Permission {
    /// Read data and children, receive events.
    Read = 1,
    /// Set data.
    Write = 2,
    /// Create children.
    Create = 4,
    /// Delete children.
    Delete = 8,
    /// Set the list itself.
    Admin = 16,
}

const ALL: i32 = 31;

impl AclEntry {
    /// `world:anyone` with every right: what Dubbo, Curator and most others use.
    pub fn open() -> AclEntry {
        AclEntry {
            permissions: ALL,
            scheme: "world".into(),
            id: "anyone".into(),
        }
    }

    fn is_anyone(&self) -> bool {
        &*self.scheme == "world" && &*self.id == "anyone"
    }
}

/// True if the list lets these identities do that. An empty list lets everybody.
pub fn permits(acl: &[AclEntry], wanted: Permission, identities: &[Identity]) -> bool {
    if acl.is_empty() || identities.iter().any(|who| &*who.scheme == "super") {
        return true;
    }
    acl.iter()
        .filter(|entry| entry.permissions & wanted as i32 != 0)
        .any(|entry| {
            entry.is_anyone()
                || identities.iter().any(|who| {
                    who.scheme == entry.scheme
                        && match &*entry.scheme {
                            "ip" => ip_matches(&who.id, &entry.id),
                            _ => who.id == entry.id,
                        }
                })
        })
}

/// Turns a list as asked for into the one that is stored (ZooKeeper's `fixupACL`): duplicates removed, `auth`
/// replaced by the caller's own proved identities.
///
/// # Errors
/// [`Refusal::InvalidAcl`] if the list is empty, names an unknown scheme or an ill-formed id.
pub fn normalise(asked: &[AclEntry], identities: &[Identity]) -> Result<Vec<AclEntry>, Refusal> {
    let mut list: Vec<AclEntry> = Vec::with_capacity(asked.len());
    let mut add = |entry: AclEntry| {
        if !list.contains(&entry) {
            list.push(entry);
        }
    };
    for entry in asked {
        match &*entry.scheme {
            "world" if &*entry.id == "anyone" => add(entry.clone()),
            "auth" => {
                let mut any = false;
                // An address is not a proof, so `ip` does not count.
                for who in identities.iter().filter(|who| &*who.scheme != "ip") {
                    any = true;
                    let (scheme, id) = (who.scheme.clone(), who.id.clone());
                    add(AclEntry {
                        permissions: entry.permissions,
                        scheme,
                        id,
                    });
                }
                if !any {
                    return Err(Refusal::InvalidAcl);
                }
            }
            "digest" if is_digest(&entry.id) => add(entry.clone()),
            "ip" if parse_network(&entry.id).is_some() => add(entry.clone()),
            _ => return Err(Refusal::InvalidAcl),
        }
    }
    if list.is_empty() {
        Err(Refusal::InvalidAcl)
    } else {
        Ok(list)
    }
}

/// Two parts around colons, counted as Java's `split` does: empty parts at the end do not count.
fn is_digest(id: &str) -> bool {
    id.trim_end_matches(':').split(':').count() == 2
}

fn parse_network(id: &str) -> Option<(IpAddr, u32)> {
    let (address, bits) = match id.split_once('/') {
        Some((address, bits)) => (address, Some(bits)),
        None => (id, None),
    };
    let address: IpAddr = address.parse().ok()?;
    let width = if address.is_ipv4() { 32 } else { 128 };
    let bits = match bits {
        Some(bits) => bits.parse::<u32>().ok().filter(|bits| *bits <= width)?,
        None => width,
    };
    Some((address, bits))
}

fn ip_matches(who: &str, network: &str) -> bool {
    let (Ok(who), Some((network, bits))) = (who.parse::<IpAddr>(), parse_network(network)) else {
        return false;
    };
    match (who, network) {
        (IpAddr::V4(a), IpAddr::V4(b)) => (a.to_bits() ^ b.to_bits()).checked_shr(32 - bits).unwrap_or(0) == 0,
        (IpAddr::V6(a), IpAddr::V6(b)) => (a.to_bits() ^ b.to_bits()).checked_shr(128 - bits).unwrap_or(0) == 0,
        _ => false,
    }
}

/// The number of an interned list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct AclId(pub(crate) u32);

/// Every list in use, once, with the number of nodes that use it.
#[derive(Clone, Debug)]
pub(crate) struct AclTable {
    // Ordered by content so that interning depends on nothing but the history.
    by_content: BTreeMap<Acl, AclId>,
    by_id: Vec<Option<Interned>>,
    // The vacant places of `by_id`; the lowest is taken first, so that numbers depend on the history alone.
    vacant: BTreeSet<u32>,
}

#[derive(Clone, Debug)]
struct Interned {
    acl: Acl,
    uses: u64,
}

impl AclTable {
    /// The open list is never counted: it is what nearly every node has.
    pub(crate) const OPEN: AclId = AclId(0);

    pub(crate) fn new() -> AclTable {
        let open: Acl = Arc::from([AclEntry::open()]);
        AclTable {
            by_content: BTreeMap::from([(open.clone(), Self::OPEN)]),
            by_id: vec![Some(Interned { acl: open, uses: 1 })],
            vacant: BTreeSet::new(),
        }
    }

    pub(crate) fn get(&self, id: AclId) -> &[AclEntry] {
        self.by_id
            .get(id.0 as usize)
            .and_then(Option::as_ref)
            .map_or(&[], |interned| &interned.acl)
    }

    /// `None` for the open list: nothing has to be checked.
    pub(crate) fn shared(&self, id: AclId) -> Option<Acl> {
        if id == Self::OPEN {
            return None;
        }
        self.by_id
            .get(id.0 as usize)
            .and_then(Option::as_ref)
            .map(|interned| interned.acl.clone())
    }

    /// The number of this list, one use more.
    pub(crate) fn acquire(&mut self, list: Vec<AclEntry>) -> AclId {
        let acl: Acl = list.into();
        if let Some(id) = self.by_content.get(&acl).copied() {
            self.retain(id);
            return id;
        }
        let interned = Some(Interned {
            acl: acl.clone(),
            uses: 1,
        });
        let id = match self.vacant.pop_first() {
            Some(at) => {
                self.by_id[at as usize] = interned;
                AclId(at)
            }
            None => {
                self.by_id.push(interned);
                AclId(self.by_id.len() as u32 - 1)
            }
        };
        self.by_content.insert(acl, id);
        id
    }

    pub(crate) fn retain(&mut self, id: AclId) {
        if id != Self::OPEN
            && let Some(Some(interned)) = self.by_id.get_mut(id.0 as usize)
        {
            interned.uses += 1;
        }
    }

    pub(crate) fn release(&mut self, id: AclId) {
        if id == Self::OPEN {
            return;
        }
        let Some(slot) = self.by_id.get_mut(id.0 as usize) else {
            return;
        };
        if let Some(interned) = slot {
            interned.uses -= 1;
            if interned.uses == 0 {
                self.by_content.remove(&interned.acl);
                *slot = None;
                self.vacant.insert(id.0);
            }
        }
    }

    /// Number, uses and content of every list, by number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (AclId, u64, &Acl)> {
        let numbered = self.by_id.iter().enumerate();
        numbered.filter_map(|(at, slot)| slot.as_ref().map(|s| (AclId(at as u32), s.uses, &s.acl)))
    }

    /// The table again, from what [`AclTable::iter`] gave.
    pub(crate) fn restore(rows: Vec<(AclId, u64, Acl)>) -> AclTable {
        let mut table = AclTable {
            by_content: BTreeMap::new(),
            by_id: Vec::new(),
            vacant: BTreeSet::new(),
        };
        for (id, uses, acl) in rows {
            let at = id.0 as usize;
            if table.by_id.len() <= at {
                table.by_id.resize(at + 1, None);
            }
            table.by_content.insert(acl.clone(), id);
            table.by_id[at] = Some(Interned { acl, uses });
        }
        let vacant = table.by_id.iter().enumerate().filter(|(_, slot)| slot.is_none());
        table.vacant = vacant.map(|(at, _)| at as u32).collect();
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(permissions: i32, scheme: &str, id: &str) -> AclEntry {
        AclEntry {
            permissions,
            scheme: scheme.into(),
            id: id.into(),
        }
    }

    fn who(scheme: &str, id: &str) -> Identity {
        Identity {
            scheme: scheme.into(),
            id: id.into(),
        }
    }

    #[test]
    fn an_address_range_lets_in_its_own_family_only() {
        let list = [entry(1, "ip", "10.1.0.0/16")];
        assert!(permits(&list, Permission::Read, &[who("ip", "10.1.2.3")]));
        assert!(!permits(&list, Permission::Read, &[who("ip", "10.2.2.3")]));
        assert!(!permits(&list, Permission::Write, &[who("ip", "10.1.2.3")]));
        assert!(!permits(&list, Permission::Read, &[who("ip", "::1")]));
        assert!(permits(
            &[entry(1, "ip", "0.0.0.0/0")],
            Permission::Read,
            &[who("ip", "10.1.2.3")]
        ));
        assert!(permits(&[entry(1, "ip", "::1")], Permission::Read, &[who("ip", "::1")]));
    }

    #[test]
    fn auth_becomes_the_callers_proved_identities() {
        let by = [who("ip", "127.0.0.1"), who("digest", "bob:x=")];
        assert_eq!(
            normalise(&[entry(31, "auth", "ignored")], &by),
            Ok(vec![entry(31, "digest", "bob:x=")])
        );
        assert_eq!(normalise(&[entry(31, "auth", "")], &by[..1]), Err(Refusal::InvalidAcl));
    }

    #[test]
    fn lists_are_cleaned_and_checked() {
        assert_eq!(normalise(&[], &[]), Err(Refusal::InvalidAcl));
        assert_eq!(
            normalise(&[AclEntry::open(), AclEntry::open()], &[]),
            Ok(vec![AclEntry::open()])
        );
        for bad in [
            ("world", "everybody"),
            ("nobody", "x"),
            ("digest", "a"),
            ("digest", "a:b:c"),
            ("ip", "1.2.3"),
            ("ip", "1.2.3.4/33"),
        ] {
            assert_eq!(
                normalise(&[entry(31, bad.0, bad.1)], &[]),
                Err(Refusal::InvalidAcl),
                "{bad:?}"
            );
        }
    }

    #[test]
    fn super_may_everything() {
        assert!(permits(
            &[entry(1, "digest", "a:b")],
            Permission::Admin,
            &[who("super", "")]
        ));
    }

    #[test]
    fn a_list_is_stored_once_and_forgotten_after_its_last_use() {
        let mut table = AclTable::new();
        let list = vec![entry(1, "digest", "a:b")];
        let first = table.acquire(list.clone());
        assert_eq!(table.acquire(list.clone()), first);
        table.release(first);
        assert_eq!(table.get(first), &list[..]);
        table.release(first);
        assert_eq!(table.iter().count(), 1);
        assert_eq!(table.acquire(vec![AclEntry::open()]), AclTable::OPEN);
    }
}

//! Access control lists: who may do what with a node. Knows the schemes world, auth, digest, ip and the
//! all-powerful `super`; how a connection earns an identity is not known here.

use std::net::IpAddr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::outcome::Refusal;

mod table;

pub(crate) use table::{AclId, AclTable, Interned};

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
                // An address is not a proof, and being all-powerful is no identity.
                for who in identities.iter().filter(|who| !matches!(&*who.scheme, "ip" | "super")) {
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
}

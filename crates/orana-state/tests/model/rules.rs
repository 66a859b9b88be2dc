//! ZooKeeper's rules about paths and access control lists once more, written from their description and not from
//! the state's code: slow, and easy to believe.

use orana_state::{AclEntry, Identity, Permission, Refusal};

/// As Java sees a path: sixteen bits at a time.
pub(crate) fn legal(path: &str) -> bool {
    if path == "/" {
        return true;
    }
    let Some(relative) = path.strip_prefix('/') else {
        return false;
    };
    let mut parts = relative.split('/');
    let forbidden = |unit: u16| {
        unit <= 0x1f || (0x7f..=0x9f).contains(&unit) || (0xd800..=0xf8ff).contains(&unit) || unit >= 0xfff0
    };
    !path.encode_utf16().any(forbidden) && parts.all(|part| !["", ".", ".."].contains(&part))
}

pub(crate) fn open() -> Vec<AclEntry> {
    vec![AclEntry {
        permissions: 31,
        scheme: "world".into(),
        id: "anyone".into(),
    }]
}

pub(crate) fn allows(list: &[AclEntry], wanted: Permission, by: &[Identity]) -> bool {
    if by.iter().any(|who| &*who.scheme == "super") {
        return true;
    }
    let anyone = Identity {
        scheme: "world".into(),
        id: "anyone".into(),
    };
    for entry in list {
        for who in by.iter().chain([&anyone]) {
            let same = match (&*entry.scheme, &*who.scheme) {
                ("ip", "ip") => in_network(&who.id, &entry.id),
                (of_entry, of_caller) => of_entry == of_caller && entry.id == who.id,
            };
            if same && entry.permissions & wanted as i32 == wanted as i32 {
                return true;
            }
        }
    }
    false
}

/// Bit by bit.
fn in_network(address: &str, network: &str) -> bool {
    let (network, length) = network.split_once('/').unwrap_or((network, "128"));
    let (Some(address), Some(network)) = (bits(address), bits(network)) else {
        return false;
    };
    let length: usize = length.parse().expect("only legal lists are stored");
    address.len() == network.len() && address.iter().zip(&network).take(length).all(|(a, b)| a == b)
}

fn bits(address: &str) -> Option<Vec<bool>> {
    let bytes = match address.parse().ok()? {
        std::net::IpAddr::V4(address) => address.octets().to_vec(),
        std::net::IpAddr::V6(address) => address.octets().to_vec(),
    };
    let bits = |byte: u8| (0..8).rev().map(move |bit| byte >> bit & 1 == 1);
    Some(bytes.into_iter().flat_map(bits).collect())
}

pub(crate) fn fixed(asked: &[AclEntry], by: &[Identity]) -> Result<Vec<AclEntry>, Refusal> {
    let mut fixed = Vec::new();
    for entry in asked {
        match &*entry.scheme {
            "world" if &*entry.id == "anyone" => fixed.push(entry.clone()),
            "digest" if has_two_parts(&entry.id) => fixed.push(entry.clone()),
            "ip" if is_network(&entry.id) => fixed.push(entry.clone()),
            "auth" => {
                let proved: Vec<_> = by
                    .iter()
                    .filter(|who| !["ip", "super"].contains(&&*who.scheme))
                    .collect();
                if proved.is_empty() {
                    return Err(Refusal::InvalidAcl);
                }
                fixed.extend(proved.into_iter().map(|who| AclEntry {
                    permissions: entry.permissions,
                    scheme: who.scheme.clone(),
                    id: who.id.clone(),
                }));
            }
            _ => return Err(Refusal::InvalidAcl),
        }
    }
    let mut once: Vec<AclEntry> = Vec::new();
    for entry in fixed {
        if !once.contains(&entry) {
            once.push(entry);
        }
    }
    if once.is_empty() {
        Err(Refusal::InvalidAcl)
    } else {
        Ok(once)
    }
}

fn has_two_parts(id: &str) -> bool {
    let mut parts: Vec<_> = id.split(':').collect();
    while parts.len() > 1 && parts.last() == Some(&"") {
        parts.pop();
    }
    parts.len() == 2
}

fn is_network(id: &str) -> bool {
    match id.split_once('/') {
        None => bits(id).is_some(),
        Some((address, length)) => match (bits(address), length.parse::<usize>()) {
            (Some(bits), Ok(length)) => length <= bits.len(),
            _ => false,
        },
    }
}

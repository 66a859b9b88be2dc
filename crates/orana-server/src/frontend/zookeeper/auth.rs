//! How a connection earns identities (ZooKeeper's `DigestAuthenticationProvider`, `IPAuthenticationProvider`).

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use orana_state::{Identities, Identity};
use sha1::{Digest, Sha1};

/// What every connection is from the start: its address.
pub(super) fn by_address(address: std::net::IpAddr) -> Identities {
    Arc::from([Identity {
        scheme: "ip".into(),
        id: address.to_canonical().to_string().into(),
    }])
}

/// The identities after an authentication, or `None` if it fails. `super_digest` makes whoever proves it
/// all-powerful.
pub(super) fn authenticate(
    known: &Identities,
    scheme: Option<&str>,
    proof: Option<&[u8]>,
    super_digest: Option<&str>,
) -> Option<Identities> {
    match scheme? {
        "digest" => {
            let digest = digest(proof?);
            let mut more: Vec<Identity> = known.to_vec();
            if super_digest == Some(&*digest) {
                add(
                    &mut more,
                    Identity {
                        scheme: "super".into(),
                        id: "".into(),
                    },
                );
            }
            add(
                &mut more,
                Identity {
                    scheme: "digest".into(),
                    id: digest.into(),
                },
            );
            Some(more.into())
        }
        // Anybody may say again what is known of him already.
        "ip" => Some(known.clone()),
        _ => None,
    }
}

fn add(identities: &mut Vec<Identity>, identity: Identity) {
    if !identities.contains(&identity) {
        identities.push(identity);
    }
}

/// `user:base64(sha1("user:password"))`. Without a colon the whole is both user and secret, as in ZooKeeper.
fn digest(proof: &[u8]) -> String {
    let proof = String::from_utf8_lossy(proof);
    let user = proof.split(':').next().unwrap_or_default();
    format!("{user}:{}", STANDARD.encode(Sha1::digest(proof.as_bytes())))
}

/// How `whoAmI` shows an identity: of a digest only the user.
pub(super) fn shown(identity: &Identity) -> (&str, &str) {
    let id = match &*identity.scheme {
        "digest" => identity.id.split(':').next().unwrap_or_default(),
        _ => &identity.id,
    };
    (&identity.scheme, id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_what_zookeeper_makes_of_it() {
        let known = by_address(std::net::IpAddr::from([127, 0, 0, 1]));
        let who = authenticate(&known, Some("digest"), Some(b"bob:secret"), None).expect("digest never fails");
        assert_eq!(&*who[1].id, "bob:fyVmFCwVbTJYrznoSu1koqYEYF0=");
        assert_eq!(shown(&who[1]), ("digest", "bob"));
        let again = authenticate(&who, Some("digest"), Some(b"bob:secret"), None).expect("digest never fails");
        assert_eq!(again.len(), 2);
    }

    #[test]
    fn the_super_digest_makes_all_powerful() {
        let digest = Some("super:D/InIHSb7yEEbrWz8b9l71RjZJU=");
        let who =
            authenticate(&Arc::from([]), Some("digest"), Some(b"super:test"), digest).expect("digest never fails");
        assert!(who.iter().any(|one| &*one.scheme == "super"));
    }

    #[test]
    fn unknown_schemes_fail() {
        for scheme in [None, Some("nobody"), Some("world")] {
            assert!(authenticate(&Arc::from([]), scheme, Some(b"x"), None).is_none());
        }
        assert!(authenticate(&Arc::from([]), Some("digest"), None, None).is_none());
    }
}

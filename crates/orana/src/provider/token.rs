//! The token of a service: what a URL says of it, and what it is then. Chance is an argument.

use std::fmt::Write as _;

use orana_core::ServiceUrl;

/// The parameter.
const TOKEN: &str = "token";

/// `url` with the token that is meant (`ServiceConfig`): `true` and `default` are the one that was `drawn` for the service; `false` and its like are
/// none.
pub(super) fn settled(url: &ServiceUrl, drawn: &str) -> ServiceUrl {
    match url
        .parameter(TOKEN)
        .map(|token| token.trim().to_ascii_lowercase())
        .as_deref()
    {
        None => url.clone(),
        Some("true" | "default") => url.edit().set(TOKEN, drawn).build(),
        Some("" | "false" | "0" | "null" | "n/a") => url.edit().remove(TOKEN).build(),
        Some(_) => url.clone(),
    }
}

/// A token of these random bytes, in the form of a UUID of version 4, which is what Dubbo has there.
pub(super) fn of(chance: [u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (index, byte) in chance.into_iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        let byte = match index {
            6 => byte & 0x0f | 0x40,
            8 => byte & 0x3f | 0x80,
            _ => byte,
        };
        // A `String` takes whatever is written.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn true_and_default_are_the_token_that_was_drawn_and_false_is_none() {
        for (said, expected) in [
            ("", None),
            ("token=true", Some("drawn")),
            ("token=Default", Some("drawn")),
            ("token=false", None),
            ("token=0", None),
            ("token=N/A", None),
            ("token=", None),
            ("token=s3cret", Some("s3cret")),
        ] {
            let url = ServiceUrl::parse(&format!("dubbo://h:1/i?weight=1&{said}")).unwrap();
            let settled = settled(&url, "drawn");
            assert_eq!(settled.parameter("token"), expected, "{said}");
            assert_eq!(settled.parameter("weight"), Some("1"));
        }
    }

    #[test]
    fn a_token_is_a_uuid_of_version_4() {
        assert_eq!(of([0; 16]), "00000000-0000-4000-8000-000000000000");
        assert_eq!(of([0xff; 16]), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        let counted = std::array::from_fn(|index| index as u8);
        assert_eq!(of(counted), "00010203-0405-4607-8809-0a0b0c0d0e0f");
    }
}

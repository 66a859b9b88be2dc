//! What is never printed: passwords, tokens, and the credentials in an address.

use std::borrow::Cow;

/// What stands for a secret.
pub(super) const HIDDEN: &str = "(not shown)";

/// Whether values of a key, in any spelling and below any prefix, are secrets.
pub(super) fn is_secret(key: &str) -> bool {
    let last = key.rsplit('.').next().unwrap_or(key).to_ascii_lowercase();
    last.rsplit(['_', '-']).next() == Some("token")
        || ["password", "secret", "access-key", "accesskey"]
            .iter()
            .any(|word| last.contains(word))
}

/// The value of a key as it may be printed: not much of it, and nothing that is secret.
pub(super) fn shown(key: &str, value: &str) -> String {
    const LONGEST: usize = 100;
    if is_secret(key) {
        return HIDDEN.to_owned();
    }
    let value = without_credentials(value);
    match value.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", value.get(..end).unwrap_or_default()),
        None => value.into_owned(),
    }
}

/// A value, which may be one or several URLs, without users, passwords and secret parameters.
fn without_credentials(value: &str) -> Cow<'_, str> {
    if !value.contains("://") && !value.contains('=') {
        return Cow::Borrowed(value);
    }
    let mut safe = String::with_capacity(value.len());
    // The parts between the marks that end a host or a parameter.
    for part in value.split_inclusive(['/', '?', '&', ';', '|', ',']) {
        if let Some((credentials, host)) = part.rsplit_once('@')
            && !credentials.contains('=')
        {
            safe.push_str("***@");
            safe.push_str(host);
        } else if let Some((key, text)) = part.split_once('=')
            && is_secret(key)
        {
            safe.push_str(key);
            safe.push_str("=***");
            safe.extend(text.chars().last().filter(|end| matches!(end, '&' | ';' | '|' | ',')));
        } else {
            safe.push_str(part);
        }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_or_token_is_not_shown() {
        for key in [
            "dubbo.registry.password",
            "token",
            "DUBBO_PROVIDER_TOKEN",
            "parameters.nacos.secretKey",
            "ACCESS-KEY",
        ] {
            assert_eq!(shown(key, "tell"), HIDDEN, "{key}");
        }
        assert_eq!(shown("timeout", "tell"), "tell");
        assert_eq!(shown("dubbo.token.x", "tell"), "tell");
    }

    #[test]
    fn an_address_is_shown_without_its_credentials() {
        assert_eq!(
            shown(
                "address",
                "zookeeper://me:tell@h:2181?backup=h2:2181&password=tell;nacos://you:tell@g"
            ),
            "zookeeper://***@h:2181?backup=h2:2181&password=***;nacos://***@g"
        );
        assert_eq!(shown("address", "zookeeper://h:2181?a=b"), "zookeeper://h:2181?a=b");
    }

    #[test]
    fn a_long_value_is_cut() {
        assert_eq!(shown("mock", &"ä".repeat(200)).chars().count(), 101);
    }
}

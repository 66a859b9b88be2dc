//! The ways in which one key is written: kebab-case, camelCase, snake_case, as a variable; and the known key most like a given one.

/// A name in kebab-case (`StringUtils.convertToSplitName`): snake case and capitals are split at `_`, camel case at its capitals.
pub(super) fn kebab(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    if name.contains('_') || lower == name || name.to_ascii_uppercase() == name {
        return lower.replace('_', "-");
    }
    if !name.chars().all(|character| character.is_ascii_alphanumeric()) {
        return lower;
    }
    let mut split = String::with_capacity(name.len() + 4);
    for (index, character) in name.char_indices() {
        if character.is_ascii_uppercase() && index > 0 {
            split.push('-');
        }
        split.push(character.to_ascii_lowercase());
    }
    split
}

/// A key as the name of a variable: capitals, with `_` for dots and dashes (`StringUtils.toOSStyleKey`, which leaves the dashes that
/// no shell can set).
pub(super) fn variable(key: &str) -> String {
    key.to_ascii_uppercase().replace(['.', '-'], "_")
}

/// `text` without `prefix`, whatever the case of their letters.
pub(super) fn strip_prefix_any_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// Which of `known` is most like `given`. Case and the kind of separator cost nothing.
pub(super) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// What is longer is like nothing, and comparing takes the product of the lengths.
    const LONGEST: usize = 128;
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(|character| !matches!(character, '-' | '_' | '.'));
        letters
            .map(|character| character.to_ascii_lowercase())
            .take(LONGEST)
            .collect()
    };
    let given = plain(given);
    known
        .into_iter()
        .min_by_key(|candidate| strsim::damerau_levenshtein(&plain(candidate), &given))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_name_is_the_same_name() {
        for spelling in ["qosPort", "qos-port", "qos_port", "QOS_PORT", "QOS-PORT"] {
            assert_eq!(kebab(spelling), "qos-port", "{spelling}");
        }
        assert_eq!(kebab("TIMEOUT"), "timeout");
        assert_eq!(kebab("timeout"), "timeout");
        assert_eq!(kebab("Qos-Port"), "qos-port");
        assert_eq!(kebab(""), "");
    }

    #[test]
    fn a_key_has_a_name_that_a_shell_can_set() {
        assert_eq!(variable("dubbo.config-center.address"), "DUBBO_CONFIG_CENTER_ADDRESS");
    }

    #[test]
    fn a_prefix_is_one_in_any_case() {
        assert_eq!(strip_prefix_any_case("Dubbo.Registry.x", "dubbo.registry."), Some("x"));
        assert_eq!(strip_prefix_any_case("dubb", "dubbo."), None);
        assert_eq!(strip_prefix_any_case("däbbo", "dä"), Some("bbo"));
        assert_eq!(strip_prefix_any_case("dä", "dx\u{308}"), None);
    }

    #[test]
    fn the_nearest_key_is_the_one_that_was_meant() {
        let known = ["timeout", "retries", "loadbalance", "load"];
        assert_eq!(nearest("time-out", known), Some("timeout"));
        assert_eq!(nearest("loadBalnace", known), Some("loadbalance"));
        assert_eq!(nearest(&"x".repeat(1 << 20), known), nearest(&"x".repeat(128), known));
    }
}

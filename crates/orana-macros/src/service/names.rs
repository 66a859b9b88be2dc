//! How Rust's spelling of a method's name becomes Java's.

use crate::case::Case;

/// `say_hello` → `sayHello`. Underscores in front stay; a name with capitals is spelled as Java has it already.
pub(super) fn java_name(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    if name.contains(char::is_uppercase) {
        return name.to_owned();
    }
    let lead = name.len() - name.trim_start_matches('_').len();
    "_".repeat(lead) + &Case::Camel.of(name)
}

#[cfg(test)]
mod tests {
    use super::java_name;

    #[test]
    fn words_are_joined_by_capitals() {
        assert_eq!(java_name("say_hello"), "sayHello");
        assert_eq!(java_name("a_b_c1"), "aBC1");
        assert_eq!(java_name("r#type"), "type");
        assert_eq!(java_name("_hidden"), "_hidden");
        assert_eq!(java_name("type_"), "type");
        assert_eq!(java_name("plain"), "plain");
        assert_eq!(java_name("getURL"), "getURL");
    }
}

//! How Rust's spelling of a name becomes Java's.

/// `say_hello` → `sayHello`. Underscores at the ends stay, those between words go.
pub(super) fn camel_case(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let body = name.trim_matches('_');
    let lead = name.len() - name.trim_start_matches('_').len();
    let mut java = "_".repeat(lead);
    let mut upper = false;
    for character in body.chars() {
        match character {
            '_' => upper = true,
            _ if upper => {
                java.extend(character.to_uppercase());
                upper = false;
            }
            _ => java.push(character),
        }
    }
    java
}

#[cfg(test)]
mod tests {
    use super::camel_case;

    #[test]
    fn words_are_joined_by_capitals() {
        assert_eq!(camel_case("say_hello"), "sayHello");
        assert_eq!(camel_case("a_b_c1"), "aBC1");
        assert_eq!(camel_case("r#type"), "type");
        assert_eq!(camel_case("_hidden"), "_hidden");
        assert_eq!(camel_case("plain"), "plain");
    }
}

//! `.properties`, as Java loads them. Of a key that is written twice the later value counts.

use orana_registry::cache::properties::{Entries, PropertiesError};

use super::{Line, Refused, add};

pub(super) fn read(text: &str) -> Result<Vec<Line>, Refused> {
    let mut entries = Entries::of_text(text);
    let mut lines = Vec::new();
    while let Some(entry) = entries.next() {
        let line = entries.line();
        let (key, value) = entry.map_err(|error| match error {
            PropertiesError::Damaged { line, why } => Refused {
                line,
                why: why.to_owned(),
            },
            PropertiesError::Read(error) => Refused {
                line,
                why: error.to_string(),
            },
            // The kinds are not all known for ever.
            _ => Refused {
                line,
                why: "it cannot be read".to_owned(),
            },
        })?;
        add(&mut lines, key, value, line)?;
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use orana_registry::cache::properties::{write_key, write_value};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_values_continuations_and_escapes_are_javas() {
        let lines = read("# c\ndubbo.application.name = caf\u{e9}\\u0021\nb:1,\\\n  2\n").unwrap();
        let said: Vec<_> = lines.iter().map(|line| (&*line.key, &*line.value, line.line)).collect();
        assert_eq!(said, [("dubbo.application.name", "caf\u{e9}!", 2), ("b", "1,2", 3)]);
    }

    #[test]
    fn a_damaged_line_is_named() {
        let refused = read("a=1\nb=\\u12").unwrap_err();
        assert_eq!(refused.line, 2);
        assert!(refused.why.contains("hexadecimal"), "{}", refused.why);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_with_its_line(pairs in proptest::collection::vec(("[^\0]{1,20}", "[^\0]{0,40}"), 0..20)) {
            let mut text = Vec::new();
            for (key, value) in &pairs {
                write_key(&mut text, key).unwrap();
                write_value(&mut text, value).unwrap();
                text.push(b'\n');
            }
            let lines = read(std::str::from_utf8(&text).unwrap()).unwrap();
            let said: Vec<_> = lines.iter().map(|line| (line.key.clone(), line.value.clone())).collect();
            prop_assert_eq!(said, pairs);
            let numbers: Vec<_> = lines.iter().map(|line| line.line).collect();
            prop_assert_eq!(numbers, (1..=lines.len()).collect::<Vec<_>>());
        }

        #[test]
        fn no_text_makes_reading_panic(text in any::<String>()) {
            if let Err(refused) = read(&text) {
                prop_assert!(refused.line >= 1 && refused.line <= text.len() + 1);
            }
        }

        #[test]
        fn no_text_of_delimiters_makes_reading_panic(text in "[ab=: \\\\\n\r#!u0-9\t\u{e9}]{0,60}") {
            let _ = read(&text);
        }
    }
}

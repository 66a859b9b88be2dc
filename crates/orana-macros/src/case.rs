//! Names by the rules of another language: `rename_all`.

/// How names are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Camel,
    Pascal,
    Snake,
    ScreamingSnake,
    Lower,
    Upper,
}

impl Case {
    /// Each with the name that it has in the attribute.
    pub(crate) const ALL: [(&'static str, Case); 6] = [
        ("camelCase", Case::Camel),
        ("PascalCase", Case::Pascal),
        ("snake_case", Case::Snake),
        ("SCREAMING_SNAKE_CASE", Case::ScreamingSnake),
        ("lowercase", Case::Lower),
        ("UPPERCASE", Case::Upper),
    ];

    /// A name of Rust, `order_id` or `OrderId`, in this case.
    pub(crate) fn of(self, name: &str) -> String {
        let words = words(name);
        match self {
            Case::Camel => match words.split_first() {
                Some((first, rest)) => {
                    first.to_lowercase() + &rest.iter().map(|word| capital(word)).collect::<String>()
                }
                None => String::new(),
            },
            Case::Pascal => words.iter().map(|word| capital(word)).collect(),
            Case::Snake => words.join("_").to_lowercase(),
            Case::ScreamingSnake => words.join("_").to_uppercase(),
            Case::Lower => words.concat().to_lowercase(),
            Case::Upper => words.concat().to_uppercase(),
        }
    }
}

/// The words of a name: parted by underscores, or by a capital after something else.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_capital = true;
    for letter in name.chars() {
        if letter == '_' || (letter.is_uppercase() && !after_capital) {
            words.push(String::new());
        }
        if letter != '_'
            && let Some(word) = words.last_mut()
        {
            word.push(letter);
        }
        after_capital = letter.is_uppercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    match letters.next() {
        Some(first) => first
            .to_uppercase()
            .chain(letters.flat_map(char::to_lowercase))
            .collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_fields_and_of_variants_become_java_s() {
        for (case, field, variant) in [
            (Case::Camel, "orderId2", "inDelivery"),
            (Case::Pascal, "OrderId2", "InDelivery"),
            (Case::Snake, "order_id2", "in_delivery"),
            (Case::ScreamingSnake, "ORDER_ID2", "IN_DELIVERY"),
            (Case::Lower, "orderid2", "indelivery"),
            (Case::Upper, "ORDERID2", "INDELIVERY"),
        ] {
            assert_eq!(case.of("order_id2"), field);
            assert_eq!(case.of("InDelivery"), variant);
        }
        assert_eq!(Case::Camel.of("_private__x"), "privateX");
        assert_eq!(Case::ScreamingSnake.of("Utf8"), "UTF8");
    }
}

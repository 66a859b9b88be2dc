//! The parameter types of a method, as the JVM writes them: `Ljava/lang/String;I[J`.

use std::fmt;

/// A descriptor that is not one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("parameter descriptor is broken at {at}")]
pub struct DescriptorError {
    /// The first byte that fits no type, or the first type that is one too many.
    pub at: usize,
}

/// The most parameters that a method of the JVM has.
const PARAMETERS_MAX: usize = 255;

/// A list of types in the JVM's notation, checked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Descriptor {
    text: String,
    /// Where each type ends.
    ends: Vec<usize>,
}

impl Descriptor {
    /// Checks a descriptor; the empty one is that of a method without parameters.
    pub fn parse(text: &str) -> Result<Self, DescriptorError> {
        let mut ends = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let length = first_type(text.get(at..).unwrap_or("")).filter(|_| ends.len() < PARAMETERS_MAX);
            at += length.ok_or(DescriptorError { at })?;
            ends.push(at);
        }
        Ok(Descriptor {
            text: text.to_owned(),
            ends,
        })
    }

    /// From names in Java's notation: `int`, `java.lang.String`, `long[]`, `org.example.Outer$Inner[][]`.
    pub fn of_java_names<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Self {
        let mut descriptor = Descriptor::default();
        for name in names {
            let mut name = name.as_ref();
            while let Some(element) = name.strip_suffix("[]") {
                descriptor.text.push('[');
                name = element;
            }
            match PRIMITIVES.iter().find(|(_, java)| *java == name) {
                Some((letter, _)) => descriptor.text.push(*letter),
                None => {
                    descriptor.text.push('L');
                    descriptor.text.push_str(&name.replace('.', "/"));
                    descriptor.text.push(';');
                }
            }
            descriptor.ends.push(descriptor.text.len());
        }
        descriptor
    }

    /// The whole text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How many parameters there are.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// Each type in the JVM's notation.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let one = self.text.get(start..*end).unwrap_or("");
            start = *end;
            one
        })
    }

    /// Each type in Java's notation.
    pub fn java_names(&self) -> impl Iterator<Item = String> {
        self.types().map(java_name)
    }
}

impl fmt::Display for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

const PRIMITIVES: [(char, &str); 9] = [
    ('V', "void"),
    ('Z', "boolean"),
    ('B', "byte"),
    ('C', "char"),
    ('D', "double"),
    ('F', "float"),
    ('I', "int"),
    ('J', "long"),
    ('S', "short"),
];

/// Bytes of the type at the front.
fn first_type(text: &str) -> Option<usize> {
    let element = text.trim_start_matches('[');
    let dimensions = text.len() - element.len();
    let length = match element.strip_prefix('L') {
        Some(class) => match class.find(';')? {
            0 => return None,
            name => name + 2,
        },
        None => {
            let letter = element.chars().next()?;
            PRIMITIVES.iter().find(|(known, _)| *known == letter)?;
            1
        }
    };
    Some(dimensions + length)
}

fn java_name(one: &str) -> String {
    let element = one.trim_start_matches('[');
    let dimensions = one.len() - element.len();
    let class = element.strip_prefix('L').and_then(|class| class.strip_suffix(';'));
    let name = match class {
        Some(class) => class.replace('/', "."),
        None => {
            let known = PRIMITIVES.iter().find(|(letter, _)| element.starts_with(*letter));
            known.map_or(element, |(_, java)| java).to_owned()
        }
    };
    name + &"[]".repeat(dimensions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_apart_and_named_both_ways() {
        let text = "Ljava/lang/String;I[J[[Lorg/example/Outer$Inner;V";
        let descriptor = Descriptor::parse(text).unwrap();
        let names = [
            "java.lang.String",
            "int",
            "long[]",
            "org.example.Outer$Inner[][]",
            "void",
        ];
        assert_eq!(descriptor.java_names().collect::<Vec<_>>(), names);
        assert_eq!(descriptor.count(), 5);
        assert_eq!(Descriptor::of_java_names(names), descriptor);
        assert_eq!(Descriptor::parse("").unwrap().count(), 0);
    }

    #[test]
    fn what_is_broken_says_where() {
        for (text, at) in [
            ("X", 0),
            ("IL", 1),
            ("I[", 1),
            ("ILjava/lang/String", 1),
            ("L;", 0),
            ("Iü", 1),
        ] {
            assert_eq!(Descriptor::parse(text), Err(DescriptorError { at }), "{text}");
        }
        assert_eq!(Descriptor::parse(&"I".repeat(256)), Err(DescriptorError { at: 255 }));
    }
}

//! The class of a Rust type, known when the program is built: a name and the names of the fields.

/// A class of Java as a Rust type declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// For instance `org.example.Order$Item`.
    pub class: &'static str,
    /// In the order in which the values are written.
    pub fields: &'static [Field],
}

/// A field of a class, or those that it has from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// A field by its name.
    Named(&'static str),
    /// The fields of a parent; Java's classes on the wire have no parents, only all their fields.
    Inherited(&'static [Field]),
}

impl Field {
    /// How many fields these are on the wire.
    pub(super) fn count(fields: &[Field]) -> usize {
        let one = |field: &Field| match field {
            Field::Named(_) => 1,
            Field::Inherited(fields) => Field::count(fields),
        };
        fields.iter().map(one).sum()
    }

    /// Calls `each` with every name in order.
    pub(super) fn for_each(fields: &[Field], each: &mut impl FnMut(&'static str)) {
        for field in fields {
            match field {
                Field::Named(name) => each(name),
                Field::Inherited(fields) => Field::for_each(fields, each),
            }
        }
    }
}

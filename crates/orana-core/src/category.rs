//! What kind of thing a registered URL is: the directory it stands in, below its interface.

use std::fmt;

/// The four kinds of URL that a registry keeps for an interface.
///
/// Other kinds exist inside a process only, or by private agreement; they are no `Category`, and a registry lists them
/// without understanding them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// Those who serve the interface.
    Providers,
    /// Those who call it.
    Consumers,
    /// Rules that choose among the providers.
    Routers,
    /// Rules that change parameters.
    Configurators,
}

impl Category {
    /// Every category.
    pub const ALL: [Category; 4] = [
        Category::Providers,
        Category::Consumers,
        Category::Routers,
        Category::Configurators,
    ];

    /// The name of its directory, and the value of a URL's `category` parameter.
    pub fn name(self) -> &'static str {
        match self {
            Category::Providers => "providers",
            Category::Consumers => "consumers",
            Category::Routers => "routers",
            Category::Configurators => "configurators",
        }
    }

    /// The category of that name, if it is one of the four.
    pub fn from_name(name: &str) -> Option<Category> {
        Category::ALL.into_iter().find(|category| category.name() == name)
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_is_found_by_its_own_name_only() {
        for category in Category::ALL {
            assert_eq!(Category::from_name(category.name()), Some(category));
            assert_eq!(category.to_string(), category.name());
        }
        for name in ["", "provider", "Providers", "dynamicconfigurators", "metadata"] {
            assert_eq!(Category::from_name(name), None, "{name}");
        }
    }
}

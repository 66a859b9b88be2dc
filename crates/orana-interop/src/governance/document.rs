//! Where a rule is stored: as a document in the configuration centre, or as URLs in the registry, as consoles of the time of
//! Dubbo 2.6 did it.

use anyhow::{Result, ensure};
use orana_core::percent;

use super::fleet::BLUE;
use super::orders::INTERFACE;
use crate::tree::Tree;

/// A rule as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Where.
    pub place: Place,
    /// What; nothing if what is there is to be deleted.
    pub content: Option<String>,
}

/// Where a rule is stored.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Under that key of the configuration centre's group `dubbo`.
    Config(String),
    /// Among the service's `routers` or `configurators`; the content is a URL in each line.
    Category(&'static str),
}

impl Document {
    /// The document that a rule file stores under `key`; `deleted` takes it away.
    pub fn new(key: &str, content: &str) -> Result<Document> {
        let place = match key {
            "routers" => Place::Category("routers"),
            "configurators" => Place::Category("configurators"),
            key => {
                ensure!(
                    key.contains('.'),
                    "`{key}` is neither a key nor a category of the registry"
                );
                let blue = format!("{INTERFACE}:{}:{}", BLUE.1, BLUE.0);
                let key = key.replace("{service}", &format!("{INTERFACE}::"));
                Place::Config(key.replace("{blue}", &blue))
            }
        };
        let content = (content.trim() != "deleted").then(|| content.to_owned());
        Ok(Document { place, content })
    }

    /// Stores or deletes it.
    pub fn store(&self, tree: &Tree) -> Result<()> {
        match (&self.place, &self.content) {
            (Place::Config(key), Some(content)) => tree.put(&config(key), content),
            (Place::Config(_), None) => self.place.clear(tree),
            (Place::Category(category), content) => {
                let wanted: Vec<String> = content
                    .iter()
                    .flat_map(|content| content.lines())
                    .filter(|line| !line.trim().is_empty())
                    .map(|line| percent::encode(line.trim()).into_owned())
                    .collect();
                let there = tree.children(&directory(category))?;
                for gone in there.iter().filter(|name| !wanted.contains(name)) {
                    tree.delete(&format!("{}/{gone}", directory(category)))?;
                }
                for new in wanted.iter().filter(|name| !there.contains(name)) {
                    tree.put(&format!("{}/{new}", directory(category)), "")?;
                }
                Ok(())
            }
        }
    }
}

impl Place {
    /// Takes away whatever is there.
    pub fn clear(&self, tree: &Tree) -> Result<()> {
        match self {
            Place::Config(key) => match tree.data(&config(key))? {
                Some(_) => tree.delete(&config(key)),
                None => Ok(()),
            },
            Place::Category(_) => Document {
                place: self.clone(),
                content: None,
            }
            .store(tree),
        }
    }
}

fn config(key: &str) -> String {
    format!("/dubbo/config/dubbo/{key}")
}

fn directory(category: &str) -> String {
    format!("/dubbo/{INTERFACE}/{category}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_both_colons() {
        let key = |key: &str| match Document::new(key, "x").unwrap().place {
            Place::Config(key) => key,
            Place::Category(_) => panic!("a category"),
        };
        assert_eq!(
            key("{service}.configurators"),
            "org.example.orders.OrderService::.configurators"
        );
        assert_eq!(
            key("{blue}.condition-router"),
            "org.example.orders.OrderService:1.0.0:blue.condition-router"
        );
        assert!(Document::new("router", "x").is_err());
    }
}

//! A rule's document with typed look-ups: what Dubbo casts, it casts here too, and what Java would fail on is an error with its line.
//! Knows the keys that all routers share (`AbstractRouterRule`); the others are asked for by name.

use std::sync::Arc;

use orana_core::rule::{RuleError, RulePlace, Scope};

use super::yaml::{self, Node, Position, Scalar, Value};
use super::{Remark, limits};

/// A document that is being read.
pub(super) struct Document<'a> {
    /// The text.
    text: &'a str,
    /// Its place as a whole.
    pub(super) place: RulePlace,
    /// Its tree; a mapping, or the list of a text that begins with `[`.
    pub(super) root: Node,
    /// What was found on the way.
    pub(super) remarks: Vec<Remark>,
}

/// The keys that the documents of all routers have.
pub(super) struct Header {
    pub(super) version: Option<Arc<str>>,
    pub(super) scope: Option<Scope>,
    pub(super) force: bool,
    pub(super) enabled: bool,
    pub(super) valid: bool,
    pub(super) priority: i32,
}

/// The keys of [`Header`], and what consoles write beside them.
pub(super) const HEADER_KEYS: [&str; 10] = [
    "configVersion",
    "scope",
    "key",
    "priority",
    "force",
    "runtime",
    "enabled",
    "dynamic",
    "valid",
    "rawRule",
];

impl<'a> Document<'a> {
    /// Reads the document that is stored under `key`.
    pub(super) fn read(key: &str, text: &'a str) -> Result<Document<'a>, RuleError> {
        let place = RulePlace::of(key);
        let read = match yaml::parse(text) {
            Ok(read) => read,
            Err(error) => return Err(RuleError::new(place.at(error.at.line, error.at.column), error.reason)),
        };
        let mut document = Document {
            text,
            place,
            root: read.root,
            remarks: Vec::new(),
        };
        for repeated in read.repeated {
            document.remark(
                repeated.at,
                format!("`{}` stands here again; only the last one counts", repeated.key),
            );
        }
        Ok(document)
    }

    /// A place of the document.
    pub(super) fn at(&self, position: Position) -> RulePlace {
        self.place.at(position.line, position.column)
    }

    /// An error at a node.
    pub(super) fn error(&self, node: &Node, reason: impl Into<String>) -> RuleError {
        RuleError::new(self.at(node.at), reason)
    }

    /// Notes what the writer should know.
    pub(super) fn remark(&mut self, position: Position, text: String) {
        if self.remarks.len() < limits::REMARKS {
            let place = self.at(position);
            self.remarks.push(Remark { place, text });
        }
    }

    /// Takes the tree out, so that it can be walked while remarks are made.
    pub(super) fn take_root(&mut self) -> Node {
        let empty = Node {
            at: self.root.at,
            value: Value::Scalar(Scalar::Null),
        };
        std::mem::replace(&mut self.root, empty)
    }

    /// An error unless `root` is a mapping.
    pub(super) fn expect_mapping(&self, node: &Node) -> Result<(), RuleError> {
        match node.value {
            Value::Mapping(_) => Ok(()),
            _ => Err(self.error(
                node,
                format!("this is {}; it must be a mapping, `key: value`", node.kind()),
            )),
        }
    }

    /// Remarks keys that `node` has beside `known`.
    pub(super) fn note_unknown(&mut self, node: &Node, known: &[&[&str]]) {
        let Value::Mapping(entries) = &node.value else {
            return;
        };
        for entry in entries {
            let name = match &entry.key {
                Scalar::Text(name) => name,
                other => {
                    self.remark(entry.at, format!("a key that is {} is ignored", other.kind()));
                    continue;
                }
            };
            if !known.iter().any(|names| names.contains(&&**name)) {
                self.remark(
                    entry.at,
                    format!("the key `{}` is unknown and ignored", shortened(name)),
                );
            }
        }
    }

    /// The keys that all routers' documents have.
    pub(super) fn header(&mut self, root: &Node) -> Result<Header, RuleError> {
        let flag = |document: &mut Document<'_>, key, default| {
            Ok::<_, RuleError>(document.flag(root, key)?.unwrap_or(default))
        };
        // Casts that fail in Java are errors even where the value is not used.
        self.text_at(root, "rawRule")?;
        self.text_at(root, "key")?;
        flag(self, "runtime", true)?;
        flag(self, "dynamic", false)?;
        Ok(Header {
            version: self.text_at(root, "configVersion")?,
            scope: self.scope(root)?,
            force: flag(self, "force", false)?,
            enabled: flag(self, "enabled", true)?,
            valid: flag(self, "valid", true)?,
            priority: match root.get("priority").filter(|node| !node.is_null()) {
                Some(node) => self.integer(node, "priority")?,
                None => 0,
            },
        })
    }

    /// What the document says to be about.
    pub(super) fn scope(&mut self, root: &Node) -> Result<Option<Scope>, RuleError> {
        let Some(name) = self.text_at(root, "scope")? else {
            return Ok(None);
        };
        let scope = match &*name {
            "service" => Some(Scope::Service),
            "application" => Some(Scope::Application),
            _ => None,
        };
        if let (None, Some(node)) = (scope, root.get("scope")) {
            let text = format!(
                "the scope `{}` is neither `service` nor `application`",
                shortened(&name)
            );
            self.remark(node.at, text);
        }
        Ok(scope)
    }

    /// A text that Java casts to `String`: anything else is an error; `None` for nothing.
    pub(super) fn text_at(&self, node: &Node, key: &str) -> Result<Option<Arc<str>>, RuleError> {
        match node.get(key) {
            None => Ok(None),
            Some(value) => self.cast_text(value, key),
        }
    }

    /// [`Document::text_at`] of the value itself.
    pub(super) fn cast_text(&self, value: &Node, key: &str) -> Result<Option<Arc<str>>, RuleError> {
        match &value.value {
            Value::Scalar(Scalar::Null) => Ok(None),
            Value::Scalar(Scalar::Text(text)) => Ok(Some(Arc::clone(text))),
            Value::Scalar(other) => Err(self.error(
                value,
                format!("`{key}` is {}; put it into quotes, so that it is a text", other.kind()),
            )),
            _ => Err(self.error(value, format!("`{key}` is {}; it must be a text", value.kind()))),
        }
    }

    /// A value that Java prints whatever it is; `what` names it in messages.
    pub(super) fn printed(&self, value: &Node, what: &str) -> Result<Arc<str>, RuleError> {
        let text = match &value.value {
            Value::Scalar(Scalar::Null) => return Err(self.error(value, format!("{what} is empty"))),
            Value::Scalar(scalar) => scalar.to_text(),
            _ => None,
        };
        text.ok_or_else(|| {
            let hint = match value.value {
                Value::Scalar(_) => "; put it into quotes",
                _ => "; it must be a single value",
            };
            self.error(value, format!("{what} is {}{hint}", value.kind()))
        })
    }

    /// [`Document::printed`] of the value of a key; `None` for nothing.
    pub(super) fn printed_at(&self, node: &Node, key: &str) -> Result<Option<Arc<str>>, RuleError> {
        match node.get(key).filter(|value| !value.is_null()) {
            Some(value) => self.printed(value, &format!("`{key}`")).map(Some),
            None => Ok(None),
        }
    }

    /// A flag; `None` if it is not there. Only `true` in any case of letters is true.
    pub(super) fn flag(&mut self, node: &Node, key: &str) -> Result<Option<bool>, RuleError> {
        let Some(value) = node.get(key).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        if let Value::Scalar(Scalar::Boolean(flag)) = value.value {
            return Ok(Some(flag));
        }
        let text = self.printed(value, &format!("`{key}`"))?;
        let flag = text.eq_ignore_ascii_case("true");
        if !flag && !text.eq_ignore_ascii_case("false") {
            let text = format!(
                "`{key}` is `{}`, which counts as false; write `true` or `false`",
                shortened(&text)
            );
            self.remark(value.at, text);
        }
        Ok(Some(flag))
    }

    /// A whole number, written as such or as a text.
    pub(super) fn integer(&self, value: &Node, key: &str) -> Result<i32, RuleError> {
        let text = self.printed(value, &format!("`{key}`"))?;
        text.parse().map_err(|_| {
            let text = shortened(&text);
            self.error(
                value,
                format!("`{key}` is `{text}`, which is no whole number of 32 bits"),
            )
        })
    }

    /// A list; `None` if it is not there. `most` bounds it.
    pub(super) fn list<'n>(&self, node: &'n Node, key: &str, most: usize) -> Result<Option<&'n [Node]>, RuleError> {
        let Some(value) = node.get(key).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let Value::Sequence(items) = &value.value else {
            return Err(self.error(value, format!("`{key}` is {}; it must be a list", value.kind())));
        };
        match items.get(most) {
            Some(item) => Err(self.error(item, format!("`{key}` has {} entries, more than {most}", items.len()))),
            None => Ok(Some(items)),
        }
    }

    /// A list of texts, printed as Java would.
    pub(super) fn names(&self, node: &Node, key: &str) -> Result<Option<Vec<Arc<str>>>, RuleError> {
        let Some(items) = self.list(node, key, limits::NAMES)? else {
            return Ok(None);
        };
        let what = format!("an entry of `{key}`");
        items
            .iter()
            .map(|item| self.printed(item, &what))
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// Where the character `offset` of a scalar stands, if that can be told: it is on one line, without escapes before it.
    /// Otherwise the scalar itself. Only for errors: it searches the line.
    pub(super) fn within(&self, node: &Node, scalar: &str, offset: usize) -> Position {
        let line = self
            .text
            .trim_start_matches('\u{feff}')
            .lines()
            .nth(node.at.line.saturating_sub(1) as usize);
        let before = node.at.column.saturating_sub(1) as usize;
        let rest = line.and_then(|line| line.char_indices().nth(before).and_then(|(at, _)| line.get(at..)));
        let Some(rest) = rest else {
            return node.at;
        };
        let quote = usize::from(rest.starts_with(['"', '\'']));
        let shown = rest.get(quote..).unwrap_or_default();
        let until = scalar.char_indices().nth(offset).map_or(scalar.len(), |(at, _)| at);
        match scalar.get(..until) {
            Some(head) if shown.starts_with(head) => Position {
                line: node.at.line,
                column: u32::try_from(before + quote + offset + 1).unwrap_or(node.at.column),
            },
            _ => node.at,
        }
    }
}

/// A text cut to what a message can hold.
pub(super) fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

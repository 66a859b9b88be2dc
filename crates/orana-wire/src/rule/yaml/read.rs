//! From the events of a YAML parser to a tree. Knows the limits, anchors and aliases; what plain scalars mean is told by
//! `scalar.rs`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, StrInput, Tag};

use super::{
    Document, Entry, MAX_ALIASES, MAX_BYTES, MAX_DEPTH, MAX_NODES, MAX_REPEATED, Node, Position, Repeated, Scalar,
    Value, YamlError,
};

/// Reads a text that is one YAML document.
///
/// # Errors
/// What is no YAML, is more than one document, has a tag of its own, merges mappings with `<<`, or breaks a limit.
pub fn parse(text: &str) -> Result<Document, YamlError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Messages stay within the text, though a parser that misses something points behind its last line.
    let last_line = to_u32(text.lines().count().max(1));
    if text.len() > MAX_BYTES {
        return Err(error(
            Position::START,
            format!("the text has {} bytes, more than {MAX_BYTES}", text.len()),
        ));
    }
    refuse_unprintable(text)?;
    let mut reader = Reader {
        last_line,
        open: Vec::new(),
        root: None,
        anchors: HashMap::new(),
        nodes: 0,
        kept: 0,
        aliases: 0,
        repeated: Vec::new(),
    };
    let mut parser = Parser::new_from_str(text);
    reader.read(&mut parser)
}

/// A list or mapping whose end has not been read.
struct Open {
    at: Position,
    anchor: usize,
    nodes_before: usize,
    what: Unfinished,
}

enum Unfinished {
    Sequence(Vec<Node>),
    Mapping {
        entries: Vec<Entry>,
        /// Where each key stands in `entries`, once there are so many that searching them would take long.
        known: HashMap<Scalar, usize>,
        key: Option<(Position, Scalar)>,
    },
}

/// What an anchor names.
enum Anchored {
    Unfinished,
    Node { node: Node, nodes: usize },
}

struct Reader {
    last_line: u32,
    open: Vec<Open>,
    root: Option<Node>,
    anchors: HashMap<usize, Anchored>,
    nodes: usize,
    /// Nodes that anchors keep copies of.
    kept: usize,
    aliases: usize,
    repeated: Vec<Repeated>,
}

impl Reader {
    fn read(&mut self, parser: &mut Parser<'_, StrInput<'_>>) -> Result<Document, YamlError> {
        while let Some(event) = parser.next_event() {
            let (event, span) =
                event.map_err(|bad| error(self.position(bad.marker()), format!("this is no YAML: {}", bad.info())))?;
            self.take(event, span)?;
        }
        let root = self
            .root
            .take()
            .ok_or_else(|| error(Position::START, "the text says nothing".into()))?;
        Ok(Document {
            root,
            repeated: std::mem::take(&mut self.repeated),
        })
    }

    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), YamlError> {
        let at = self.position(&span.start);
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) if self.root.is_some() => {
                Err(error(at, "a second document begins; only one is read".into()))
            }
            Event::DocumentStart(_) => Ok(()),
            Event::Scalar(text, style, anchor, tag) => {
                self.count(at, 1)?;
                let scalar = scalar(&text, style, tag.as_deref()).map_err(|reason| error(at, reason))?;
                let node = Node {
                    at,
                    value: Value::Scalar(scalar),
                };
                self.name(anchor, &node, 1)?;
                self.place(node)
            }
            Event::SequenceStart(anchor, tag) => {
                only_tag(tag, "seq").map_err(|reason| error(at, reason))?;
                self.begin(at, anchor, Unfinished::Sequence(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                only_tag(tag, "map").map_err(|reason| error(at, reason))?;
                self.begin(
                    at,
                    anchor,
                    Unfinished::Mapping {
                        entries: Vec::new(),
                        known: HashMap::new(),
                        key: None,
                    },
                )
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(at),
            Event::Alias(anchor) => self.repeat(at, anchor),
        }
    }

    fn begin(&mut self, at: Position, anchor: usize, what: Unfinished) -> Result<(), YamlError> {
        if self.open.len() == MAX_DEPTH {
            return Err(error(
                at,
                format!("lists and mappings lie more than {MAX_DEPTH} deep in each other"),
            ));
        }
        self.count(at, 1)?;
        if anchor > 0 {
            self.anchors.insert(anchor, Anchored::Unfinished);
        }
        self.open.push(Open {
            at,
            anchor,
            nodes_before: self.nodes - 1,
            what,
        });
        Ok(())
    }

    fn end(&mut self, at: Position) -> Result<(), YamlError> {
        let Some(open) = self.open.pop() else {
            return Err(error(at, "a list or mapping ends that has not begun".into()));
        };
        let node = Node {
            at: open.at,
            value: match open.what {
                Unfinished::Sequence(items) => Value::Sequence(items),
                Unfinished::Mapping { entries, .. } => Value::Mapping(entries),
            },
        };
        self.name(open.anchor, &node, self.nodes - open.nodes_before)?;
        self.place(node)
    }

    /// Puts what an alias names where the alias stands.
    fn repeat(&mut self, at: Position, anchor: usize) -> Result<(), YamlError> {
        self.aliases += 1;
        if self.aliases > MAX_ALIASES {
            return Err(error(at, format!("this is one alias more than {MAX_ALIASES}")));
        }
        let (node, nodes) = match self.anchors.get(&anchor) {
            Some(Anchored::Node { node, nodes }) => (node, *nodes),
            Some(Anchored::Unfinished) => {
                return Err(error(at, "the alias names what it is a part of: a cycle".into()));
            }
            None => return Err(error(at, "the alias names nothing".into())),
        };
        // Counted before it is copied, so that a bomb never goes off.
        if self.nodes + nodes > MAX_NODES {
            return Err(too_many(at));
        }
        let node = node.clone();
        self.nodes += nodes;
        self.place(node)
    }

    fn name(&mut self, anchor: usize, node: &Node, nodes: usize) -> Result<(), YamlError> {
        if anchor > 0 {
            self.kept += nodes;
            if self.kept > MAX_NODES {
                return Err(too_many(node.at));
            }
            let node = node.clone();
            self.anchors.insert(anchor, Anchored::Node { node, nodes });
        }
        Ok(())
    }

    /// Puts a finished node into what it is a part of.
    fn place(&mut self, node: Node) -> Result<(), YamlError> {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match &mut open.what {
            Unfinished::Sequence(items) => items.push(node),
            Unfinished::Mapping { entries, known, key } => match key.take() {
                None => match node.value {
                    Value::Scalar(Scalar::Text(text)) if &*text == "<<" => {
                        return Err(error(node.at, "`<<` is not supported; write the keys out".into()));
                    }
                    Value::Scalar(scalar) => *key = Some((node.at, scalar)),
                    Value::Sequence(_) | Value::Mapping(_) => {
                        return Err(error(
                            node.at,
                            format!("a key is {}; it must be a single value", node.kind()),
                        ));
                    }
                },
                Some((at, key)) => match known.get(&key).and_then(|place| entries.get_mut(*place)) {
                    Some(earlier) => {
                        if self.repeated.len() < MAX_REPEATED {
                            let key = key.to_text().unwrap_or_else(|| "a date".into());
                            self.repeated.push(Repeated { at, key });
                        }
                        *earlier = Entry { at, key, value: node };
                    }
                    None => {
                        known.insert(key.clone(), entries.len());
                        entries.push(Entry { at, key, value: node });
                    }
                },
            },
        }
        Ok(())
    }

    fn count(&mut self, at: Position, more: usize) -> Result<(), YamlError> {
        if self.nodes + more > MAX_NODES {
            return Err(too_many(at));
        }
        self.nodes += more;
        Ok(())
    }

    fn position(&self, marker: &Marker) -> Position {
        let line = to_u32(marker.line()).max(1);
        if line > self.last_line {
            return Position {
                line: self.last_line,
                column: 1,
            };
        }
        Position {
            line,
            column: to_u32(marker.col()).saturating_add(1),
        }
    }
}

/// What a scalar is, by its quotes and tag.
fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Scalar, String> {
    let as_text = || Scalar::Text(Arc::from(text));
    let Some(tag) = tag.filter(|tag| !says_nothing(tag)) else {
        return Ok(match style {
            ScalarStyle::Plain => Scalar::plain(text),
            _ => as_text(),
        });
    };
    let plain = Scalar::plain(text);
    match (core_name(tag), &plain) {
        (Some("str"), _) => Ok(as_text()),
        (Some("null"), Scalar::Null)
        | (Some("bool"), Scalar::Boolean(_))
        | (Some("int"), Scalar::Integer(_))
        | (Some("float"), Scalar::Float(_)) => Ok(plain),
        (Some(name), _) => Err(format!("the tag `!!{name}` does not fit here")),
        (None, _) => Err(format!("the tag `{tag}` is not supported")),
    }
}

/// Refuses every tag but `name` on a list or mapping.
fn only_tag(tag: Option<Cow<'_, Tag>>, name: &str) -> Result<(), String> {
    match tag {
        Some(tag) if core_name(&tag) != Some(name) && !says_nothing(&tag) => {
            Err(format!("the tag `{tag}` is not supported"))
        }
        _ => Ok(()),
    }
}

/// `!` alone, which is no tag to SnakeYAML.
fn says_nothing(tag: &Tag) -> bool {
    tag.handle.is_empty() && tag.suffix == "!"
}

/// `str` of `!!str`.
fn core_name(tag: &Tag) -> Option<&str> {
    if tag.is_yaml_core_schema() {
        return Some(&tag.suffix);
    }
    (tag.handle == "!!").then_some(tag.suffix.as_str())
}

/// Refuses characters that YAML does not have, as SnakeYAML does before it reads.
fn refuse_unprintable(text: &str) -> Result<(), YamlError> {
    let (mut line, mut column) = (1_u32, 0_u32);
    for character in text.chars() {
        column = column.saturating_add(1);
        match character {
            '\n' => (line, column) = (line.saturating_add(1), 0),
            '\t' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'.. => {}
            _ => {
                let reason = format!("the character U+{:04X} is not allowed in YAML", character as u32);
                return Err(error(Position { line, column }, reason));
            }
        }
    }
    Ok(())
}

fn too_many(at: Position) -> YamlError {
    error(at, format!("this is one value more than {MAX_NODES}"))
}

fn error(at: Position, reason: String) -> YamlError {
    YamlError { at, reason }
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

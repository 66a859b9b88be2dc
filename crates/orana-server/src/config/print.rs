//! The effective configuration as text: a file that could be used as it is, with the origin of each value beside it.

use std::fmt;

use super::key::Kind;
use super::{Loaded, Origin};

impl fmt::Display for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<(String, &Origin)> = self
            .rows()
            .map(|(key, origin)| {
                let text = (key.show)(&self.config);
                let line = match key.kind {
                    Kind::Secret if text.is_empty() => format!("# {} is not set", key.name),
                    Kind::Secret => format!("# {} is set and not shown", key.name),
                    Kind::Flag | Kind::Count => format!("{} = {text}", key.name),
                    // A number without a unit is a number.
                    Kind::Size if text.bytes().all(|byte| byte.is_ascii_digit()) => format!("{} = {text}", key.name),
                    Kind::Words => format!("{} = {:?}", key.name, text.split_terminator(',').collect::<Vec<_>>()),
                    _ => format!("{} = {}", key.name, toml::Value::String(text)),
                };
                (line, origin)
            })
            .collect();
        // A single long line must not push every comment to the right edge.
        let width = lines
            .iter()
            .map(|(line, _)| line.len())
            .filter(|width| *width <= 60)
            .max()
            .unwrap_or(0);
        for (line, origin) in &lines {
            writeln!(f, "{line:width$}  # {origin}")?;
        }
        Ok(())
    }
}

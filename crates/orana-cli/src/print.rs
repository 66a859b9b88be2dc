//! The one place that writes to standard output: text, JSON for programs, tables for people.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::{Failure, Kind};

/// Writes `text` as it is, and a line end if it has none.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let mut out = io::stdout().lock();
    write!(out, "{text}{end}")?;
    Ok(out.flush()?)
}

/// Writes bytes that may be no text; nothing is added to them.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// Writes one JSON document, indented.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let document = serde_json::to_string_pretty(value).map_err(|error| Failure::new(Kind::Failed, error))?;
    text(&document)
}

/// Writes one JSON document as one line.
pub(crate) fn json_line(value: &impl Serialize) -> Result<(), Failure> {
    let document = serde_json::to_string(value).map_err(|error| Failure::new(Kind::Failed, error))?;
    text(&document)
}

/// Writes rows under their headings, each column as wide as its widest cell.
pub(crate) fn table<const N: usize>(headings: [&str; N], rows: &[[String; N]]) -> Result<(), Failure> {
    text(&aligned(Some(headings), rows))
}

/// Writes rows without headings.
pub(crate) fn rows<const N: usize>(rows: &[[String; N]]) -> Result<(), Failure> {
    text(&aligned(None, rows))
}

fn aligned<const N: usize>(headings: Option<[&str; N]>, rows: &[[String; N]]) -> String {
    let headings = headings.map(|headings| headings.map(str::to_owned));
    let lines: Vec<&[String; N]> = headings.iter().chain(rows).collect();
    let mut widths = [0; N];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line.iter()) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for line in lines {
        let mut row = String::new();
        for (width, cell) in widths.iter().zip(line.iter()) {
            row.push_str(&format!("{cell:width$}  "));
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_and_lines_end_with_their_last_letter() {
        let rows = [["a".to_owned(), "1".to_owned()], ["längst".to_owned(), String::new()]];
        assert_eq!(aligned(Some(["NAME", "N"]), &rows), "NAME    N\na       1\nlängst\n");
        assert_eq!(aligned::<2>(None, &[]), "");
    }
}

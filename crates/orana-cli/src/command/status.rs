//! `orana status`: how a centre is doing, as its admin API says.

use clap::Args;
use serde_json::Value;

use crate::admin::Centre;
use crate::failure::Failure;
use crate::print;

/// The command line of `orana status`.
#[derive(Args)]
pub(crate) struct Status {
    #[command(flatten)]
    centre: Centre,
    /// Print the document as it is
    #[arg(long)]
    json: bool,
}

impl Status {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let status: Value = self.centre.get("/v1/status")?;
        if self.json {
            return print::json(&status);
        }
        let mut rows = Vec::new();
        flatten("", &status, &mut rows);
        print::rows(&rows)
    }
}

/// One row for each value, named by its way down; so a centre may say more than this command knows.
fn flatten(name: &str, value: &Value, rows: &mut Vec<[String; 2]>) {
    let below = |part: &str| {
        if name.is_empty() {
            part.to_owned()
        } else {
            format!("{name}.{part}")
        }
    };
    match value {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(field, value)| flatten(&below(field), value, rows)),
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| flatten(&below(&index.to_string()), item, rows));
        }
        Value::Null => rows.push([name.to_owned(), "-".to_owned()]),
        Value::String(text) => rows.push([name.to_owned(), text.clone()]),
        other => rows.push([name.to_owned(), other.to_string()]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_becomes_one_row_for_each_value() {
        let mut rows = Vec::new();
        flatten(
            "",
            &json!({"role": "leader", "disk": {"free": 7}, "members": [{"id": 1}], "none": null}),
            &mut rows,
        );
        let rows: Vec<_> = rows
            .iter()
            .map(|[name, value]| (name.as_str(), value.as_str()))
            .collect();
        assert_eq!(
            rows,
            [
                ("disk.free", "7"),
                ("members.0.id", "1"),
                ("none", "-"),
                ("role", "leader")
            ]
        );
    }
}

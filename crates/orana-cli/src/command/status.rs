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
        print::rows(&page(&status))
    }
}

/// What stands for itself, and below it a section for each part that has parts, whatever they are: a centre may say more than this
/// command knows. The program's form has the exact numbers.
fn page(status: &Value) -> Vec<[String; 2]> {
    let mut rows = Vec::new();
    let Value::Object(fields) = status else {
        rows.push(["status".to_owned(), shown("", "", status)]);
        return rows;
    };
    let has_parts = |value: &Value| value.is_object() || value.is_array();
    for (name, value) in fields.iter().filter(|(_, value)| !has_parts(value)) {
        rows.push([label(name).to_owned(), shown("", name, value)]);
    }
    for (section, value) in fields.iter().filter(|(_, value)| has_parts(value)) {
        rows.push([String::new(), String::new()]);
        rows.push([section.clone(), String::new()]);
        flatten(section, "", value, &mut rows);
    }
    rows
}

/// One row for each value within a section, named by its way down.
fn flatten(section: &str, name: &str, value: &Value, rows: &mut Vec<[String; 2]>) {
    let below = |part: &str| match name {
        "" => part.to_owned(),
        _ => format!("{name}.{part}"),
    };
    match value {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(field, value)| flatten(section, &below(field), value, rows)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, item)| flatten(section, &below(&index.to_string()), item, rows)),
        plain => rows.push([format!("  {}", label(name)), shown(section, name, plain)]),
    }
}

/// A name without the unit at its end, which its value is shown with.
fn label(name: &str) -> &str {
    name.strip_suffix("_ms").unwrap_or(name)
}

fn shown(section: &str, name: &str, value: &Value) -> String {
    match (value, value.as_u64()) {
        (Value::Null, _) => "-".to_owned(),
        (Value::Bool(flag), _) => if *flag { "yes" } else { "no" }.to_owned(),
        (Value::String(text), _) => text.clone(),
        (_, Some(number)) if name.ends_with("_ms") => time(number),
        (_, Some(number)) if matches!(section, "bytes" | "disk") => size(number),
        (other, _) => other.to_string(),
    }
}

/// The two greatest units of a time.
fn time(millis: u64) -> String {
    let seconds = millis / 1000;
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m {}s", seconds % 60),
        (0, ..) => format!("{hours}h {minutes}m"),
        _ => format!("{days}d {hours}h"),
    }
}

/// Bytes in the greatest unit of which there is one.
fn size(bytes: u64) -> String {
    let units = [
        (60, "EiB"),
        (50, "PiB"),
        (40, "TiB"),
        (30, "GiB"),
        (20, "MiB"),
        (10, "KiB"),
    ];
    match units.iter().find(|(bits, _)| bytes >> bits > 0) {
        None => format!("{bytes} B"),
        Some((bits, unit)) => {
            // One digit behind the point is cut, not rounded: 1023.9 is no next unit.
            let tenths = (u128::from(bytes) * 10) >> bits;
            format!("{}.{} {unit}", tenths / 10, tenths % 10)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_stands_for_itself_comes_first_and_each_part_has_a_section() {
        let status = json!({
            "role": "leader",
            "uptime_ms": 3_900_000,
            "none": null,
            "disk": {"free": 1_572_864, "writes_refused": false},
            "members": [{"id": 1}],
            "index": {"log": 2_000_000},
        });
        let rows: Vec<_> = page(&status)
            .iter()
            .map(|[name, value]| format!("{name}={value}"))
            .collect();
        assert_eq!(
            rows,
            [
                "none=-",
                "role=leader",
                "uptime=1h 5m",
                "=",
                "disk=",
                "  free=1.5 MiB",
                "  writes_refused=no",
                "=",
                "index=",
                "  log=2000000",
                "=",
                "members=",
                "  0.id=1",
            ]
        );
        assert_eq!(page(&json!("odd")), [["status".to_owned(), "odd".to_owned()]]);
    }

    #[test]
    fn times_and_sizes_are_shown_in_units_that_a_person_counts_in() {
        let times = [0, 59_999, 60_000, 3_600_000, 90_000_000].map(time);
        assert_eq!(times, ["0s", "59s", "1m 0s", "1h 0m", "1d 1h"]);
        let sizes = [0, 1023, 1024, 1_048_575, u64::MAX].map(size);
        assert_eq!(sizes, ["0 B", "1023 B", "1.0 KiB", "1023.9 KiB", "15.9 EiB"]);
    }
}

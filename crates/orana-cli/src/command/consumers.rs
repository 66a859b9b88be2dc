//! `orana consumers SERVICE`: who calls a service, as a registry says.

use clap::Args;
use orana_core::ServiceKey;

use crate::command::stat::utc;
use crate::entry::{Entry, or_dash};
use crate::failure::{Failure, Kind};
use crate::print;
use crate::registry::{Source, question, service};

/// The command line of `orana consumers`.
#[derive(Args)]
pub(crate) struct Consumers {
    /// The service: GROUP/INTERFACE:VERSION; a group or version that is left out may be any
    #[arg(value_name = "SERVICE", value_parser = service)]
    service: ServiceKey,
    #[command(flatten)]
    source: Source,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Consumers {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let mut entries: Vec<Entry> = self
            .source
            .lookup(&question(&self.service, "consumers"))?
            .iter()
            .map(Entry::of)
            .collect();
        entries.sort_by(|one, other| one.identity().cmp(&other.identity()));
        if self.json {
            return print::json(&entries);
        }
        if entries.is_empty() {
            return Err(Failure::new(
                Kind::NotFound,
                format_args!(
                    "nobody is registered as a consumer of `{}` at {}",
                    self.service,
                    self.source.address()
                ),
            ));
        }
        let rows: Vec<_> = entries.iter().map(row).collect();
        print::table(
            [
                "ADDRESS",
                "APPLICATION",
                "GROUP",
                "VERSION",
                "PID",
                "RELEASE",
                "STARTED",
            ],
            &rows,
        )
    }
}

fn row(entry: &Entry) -> [String; 7] {
    [
        entry.address.clone(),
        or_dash(entry.application.clone()),
        or_dash(entry.group.clone()),
        or_dash(entry.version.clone()),
        or_dash(entry.pid),
        or_dash(entry.release.clone()),
        or_dash(entry.timestamp.map(utc)),
    ]
}

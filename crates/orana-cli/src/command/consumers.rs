//! `orana consumers SERVICE`: who calls a service, as a registry says.

use clap::Args;
use orana_core::Category;

use crate::command::stat::utc;
use crate::entry::{Entry, or_dash};
use crate::failure::Failure;
use crate::registry::AboutService;

/// The command line of `orana consumers`.
#[derive(Args)]
pub(crate) struct Consumers {
    #[command(flatten)]
    about: AboutService,
}

impl Consumers {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let headings = [
            "ADDRESS",
            "APPLICATION",
            "GROUP",
            "VERSION",
            "PID",
            "RELEASE",
            "STARTED",
        ];
        self.about.list(Category::Consumers, headings, row)
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

//! `orana providers SERVICE`: who serves a service, as a registry says.

use clap::Args;
use orana_core::Category;

use crate::command::stat::utc;
use crate::entry::{Entry, or_dash};
use crate::failure::Failure;
use crate::registry::AboutService;

/// The command line of `orana providers`.
#[derive(Args)]
pub(crate) struct Providers {
    #[command(flatten)]
    about: AboutService,
}

impl Providers {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let headings = [
            "ADDRESS",
            "APPLICATION",
            "GROUP",
            "VERSION",
            "WEIGHT",
            "ENABLED",
            "RELEASE",
            "STARTED",
        ];
        self.about.list(Category::Providers, headings, row)
    }
}

fn row(entry: &Entry) -> [String; 8] {
    [
        entry.address.clone(),
        or_dash(entry.application.clone()),
        or_dash(entry.group.clone()),
        or_dash(entry.version.clone()),
        entry.weight.to_string(),
        if entry.enabled { "yes" } else { "no" }.to_owned(),
        or_dash(entry.release.clone()),
        or_dash(entry.timestamp.map(utc)),
    ]
}

//! The commands: one file each, one row here.

mod get;
mod ls;
mod server;
mod services;
mod stat;
mod status;

use clap::Subcommand;

use crate::failure::Failure;

/// Every command.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the registry centre
    Server(server::Server),
    /// Show how a centre is doing
    Status(status::Status),
    /// List the services that a centre knows
    Services(services::Services),
    /// List the children of a node, of Orana or any ZooKeeper
    Ls(ls::Ls),
    /// Show the data of a node, of Orana or any ZooKeeper
    Get(get::Get),
    /// Show the numbers, times and sizes of a node, of Orana or any ZooKeeper
    Stat(stat::Stat),
}

impl Command {
    /// Does it.
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self {
            Command::Server(command) => command.run(),
            Command::Status(command) => command.run(),
            Command::Services(command) => command.run(),
            Command::Ls(command) => command.run(),
            Command::Get(command) => command.run(),
            Command::Stat(command) => command.run(),
        }
    }
}

//! The commands: one file each, one row here.

mod call;
mod consumers;
mod explain;
mod get;
mod ls;
mod providers;
mod server;
mod services;
mod stat;
mod status;
mod watch;

use clap::Subcommand;

use crate::failure::Failure;

/// Every command.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the registry centre
    Server(server::Server),
    /// Show how a centre is doing
    Status(status::Status),
    /// List the services that a centre or a registry knows
    Services(services::Services),
    /// List who provides a service
    Providers(providers::Providers),
    /// List who consumes a service
    Consumers(consumers::Consumers),
    /// Tell who comes, goes and changes at a service
    Watch(watch::Watch),
    /// Call a method of a service
    Call(call::Call),
    /// Explain where a call would go, by which rules, and why; calls and connects to nobody
    Explain(explain::Explain),
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
            Command::Providers(command) => command.run(),
            Command::Consumers(command) => command.run(),
            Command::Watch(command) => command.run(),
            Command::Call(command) => command.run(),
            Command::Explain(command) => command.run(),
            Command::Ls(command) => command.run(),
            Command::Get(command) => command.run(),
            Command::Stat(command) => command.run(),
        }
    }
}

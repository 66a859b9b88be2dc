//! The binary `orana`: the server and the operator's commands.
//!
//! Reads the command line, runs one command, turns what came of it into an exit code. What a command does stands in its
//! own file under `command/`; nothing here knows how the centre keeps anything.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

mod admin;
mod command;
mod entry;
mod failure;
mod logging;
mod nearest;
mod print;
mod registry;
mod zookeeper;

use std::process::ExitCode;

use clap::Parser;

use crate::command::Command;

/// A registry centre that ZooKeeper clients and Dubbo applications use unchanged.
#[derive(Parser)]
#[command(name = "orana", version, after_help = failure::EXIT_CODES)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    // A command line that is not understood ends here with code 2, help and version with 0.
    match Line::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

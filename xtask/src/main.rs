//! The project's own commands: `cargo xtask arrows | test | bench`. They run other programs and read their results; they
//! know nothing of what those programs check.
// A person or CI reads the output of this program; there is nobody it could disturb.
#![allow(clippy::print_stdout)]

mod arrows;
mod bench;
mod place;
mod test;

use std::process::ExitCode;

use anyhow::Result;

use crate::test::{Length, Selection};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  arrows                compare the arrows of ARCHITECTURE.md with the workspace
  test [--long]         check everything; --long: every scenario also with the original product, all drills in full
  test unit             unit, property and golden tests only
  test interop [NAME]   the scenarios against real peers (of crates/orana-interop/tests/NAME.rs only);
                        SUBJECT=zookeeper runs them with the original server
  bench NAME [ARGS]     build and run the program bench/NAME
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match command(&words) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn command(words: &[&str]) -> Result<ExitCode> {
    match words {
        ["arrows"] => {
            arrows::check()?;
            println!("the arrows of ARCHITECTURE.md are those of the workspace");
            Ok(ExitCode::SUCCESS)
        }
        ["test"] => test::run(Selection::Everything, Length::Short),
        ["test", "--long"] => test::run(Selection::Everything, Length::Long),
        ["test", "unit"] => test::run(Selection::Unit, Length::Short),
        ["test", "interop"] => test::run(Selection::Interop(None), Length::Short),
        ["test", "interop", name] => test::run(Selection::Interop(Some(name)), Length::Short),
        ["bench", name, arguments @ ..] => bench::run(name, arguments),
        _ => {
            eprint!("{USAGE}");
            Ok(ExitCode::from(2))
        }
    }
}

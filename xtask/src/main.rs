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
  test [--long] [--resume] [PART]
                        check everything, or one part; --long: every scenario also with the original product, all drills
                        in full, fuzzing, licences, benchmarks; --resume: without the steps that passed on this commit
    unit                unit, property and golden tests only
    interop [NAME]      the scenarios against real peers (of crates/orana-interop/tests/NAME.rs only);
                        SUBJECT=zookeeper runs them with the original server
    fuzz [TARGET]       FUZZ_SECONDS says how long each (300)
    deny                licences, bans and sources of dependencies
    bench [NAME]        the benchmarks of the long form
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
        ["test", rest @ ..] => test(rest),
        ["bench", name, arguments @ ..] => bench::run(name, arguments),
        _ => Ok(usage()),
    }
}

fn test(words: &[&str]) -> Result<ExitCode> {
    let (flags, part): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| word.starts_with("--"));
    let selection = match part[..] {
        [] => Selection::Everything,
        ["unit"] => Selection::Unit,
        ["interop"] => Selection::Interop(None),
        ["interop", name] => Selection::Interop(Some(name)),
        ["fuzz"] => Selection::Fuzz(None),
        ["fuzz", target] => Selection::Fuzz(Some(target)),
        ["deny"] => Selection::Deny,
        ["bench"] => Selection::Bench(None),
        ["bench", name] => Selection::Bench(Some(name)),
        _ => return Ok(usage()),
    };
    let (mut length, mut resume) = (Length::Short, false);
    for flag in flags {
        match flag {
            "--long" => length = Length::Long,
            "--resume" => resume = true,
            _ => return Ok(usage()),
        }
    }
    test::run(selection, length, resume)
}

fn usage() -> ExitCode {
    eprint!("{USAGE}");
    ExitCode::from(2)
}

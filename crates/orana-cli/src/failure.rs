//! Why a command failed, and the exit code by which a script can tell.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

/// The exit codes, as the help shows them.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  failed
  2  the command line or the configuration is not understood
  3  there is no such thing
  4  cannot connect, or the connection broke
  5  not allowed";

/// What kind of failure; the number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Anything that has no kind of its own.
    Failed = 1,
    /// The caller asked for something that makes no sense.
    Usage = 2,
    /// The thing asked for is not there.
    NotFound = 3,
    /// Nobody answers.
    Unreachable = 4,
    /// The access list says no.
    Forbidden = 5,
}

/// A command that did not do what it was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something to tell the caller.
    Said(Kind, String),
    /// The reader of our output has gone: nobody is left to be told, and nothing is wrong.
    ReaderGone,
}

impl Failure {
    pub(crate) fn new(kind: Kind, message: impl Display) -> Failure {
        Failure::Said(kind, message.to_string())
    }

    /// Tells the caller on standard error; the code is that of the kind.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Failure::Said(kind, message) => {
                eprintln!("error: {message}");
                ExitCode::from(kind as u8)
            }
            Failure::ReaderGone => ExitCode::SUCCESS,
        }
    }
}

/// An error of standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::new(Kind::Failed, format_args!("cannot write the output: {error}")),
        }
    }
}

//! `orana server`: gathers the settings, starts logging, runs the centre until a signal ends it.

use std::env;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::process;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches};
use orana_server::config::{Config, FileText, KEYS, Kind as ValueKind, Sources};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use crate::failure::{Failure, Kind};
use crate::{logging, print};

/// The file that is read if it is there and no other is named.
const DEFAULT_FILE: &str = "orana.toml";

/// The command line of `orana server`; its settings are those of the configuration's table.
pub(crate) struct Server {
    file: Option<PathBuf>,
    print_config: bool,
    settings: Vec<(String, String)>,
}

impl Server {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let file = read_file(self.file.as_deref())?;
        let variables = env::vars_os()
            .map(|(name, value)| {
                (
                    name.to_string_lossy().into_owned(),
                    value.to_string_lossy().into_owned(),
                )
            })
            .collect();
        let sources = Sources {
            file,
            variables,
            flags: self.settings,
        };
        let loaded = Config::load(&sources).map_err(|error| Failure::new(Kind::Usage, error))?;
        if self.print_config {
            return print::text(&loaded.to_string());
        }
        let config = loaded.config;
        logging::start(config.log_level, config.log_format);
        for (key, address) in config.remote_addresses() {
            tracing::warn!(key, %address, "other machines can connect, and there are no credentials yet");
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Failure::new(Kind::Failed, format_args!("cannot start: {error}")))?;
        runtime.block_on(async {
            let ending = first_signal()
                .map_err(|error| Failure::new(Kind::Failed, format_args!("cannot listen for signals: {error}")))?;
            orana_server::run(config, ending)
                .await
                .map_err(|error| Failure::new(Kind::Failed, error))
        })
    }
}

/// The named file, or `orana.toml` if it is there.
fn read_file(named: Option<&Path>) -> Result<Option<FileText>, Failure> {
    let path = named.unwrap_or(Path::new(DEFAULT_FILE));
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(FileText {
            path: path.to_owned(),
            text,
        })),
        Err(error) if named.is_none() && error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::new(
            Kind::Usage,
            format_args!("cannot read `{}`: {error}", path.display()),
        )),
    }
}

/// Ends at the first SIGTERM or SIGINT; a second one then ends the process at once, whatever it is doing.
fn first_signal() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let (first, heard) = oneshot::channel();
    tokio::spawn(async move {
        let signal = either(&mut terminate, &mut interrupt).await;
        tracing::info!(signal, "ending; a second signal ends at once");
        let _ = first.send(());
        let signal = either(&mut terminate, &mut interrupt).await;
        // What a shell reports of a program that a signal has ended.
        process::exit(128 + signal);
    });
    Ok(async {
        // The sender is dropped only with the runtime, and then nobody waits here any more.
        let _ = heard.await;
    })
}

async fn either(terminate: &mut Signal, interrupt: &mut Signal) -> i32 {
    tokio::select! {
        _ = terminate.recv() => SignalKind::terminate().as_raw_value(),
        _ = interrupt.recv() => SignalKind::interrupt().as_raw_value(),
    }
}

// The flags come from the table of settings, which a derived parser could not read.
impl Args for Server {
    fn augment_args(command: clap::Command) -> clap::Command {
        let file = Arg::new("config")
            .long("config")
            .value_name("FILE")
            .env("ORANA_CONFIG")
            .value_parser(clap::value_parser!(PathBuf))
            .help(format!(
                "The configuration file; `{DEFAULT_FILE}` is read if it is there and no other is named"
            ));
        let print = Arg::new("print-config")
            .long("print-config")
            .action(ArgAction::SetTrue)
            .help("Print the effective settings and where each comes from, and end");
        let settings = KEYS.iter().map(|key| {
            let default = if key.default.is_empty() {
                String::new()
            } else {
                format!("default: {}; ", key.default)
            };
            let flag = Arg::new(key.name)
                .long(key.name)
                .value_name(key.kind.placeholder())
                .help(format!("{} [{default}{}]", key.doc, key.variable()));
            match key.kind {
                ValueKind::Flag => flag.num_args(0..=1).default_missing_value("true"),
                // A value such as `-1` is refused with a reason, not taken for another flag.
                _ => flag.allow_hyphen_values(true),
            }
        });
        command.arg(file).arg(print).args(settings).after_help(
            "Each setting `--a-b` is also the key `a-b` of the file and the variable ORANA_A_B; a flag wins over a \
             variable, a variable over the file.",
        )
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Server::augment_args(command)
    }
}

impl FromArgMatches for Server {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Server, clap::Error> {
        let given = |key: &str| {
            let value = matches
                .get_one::<String>(key)
                .filter(|_| matches.value_source(key) == Some(ValueSource::CommandLine));
            value.map(|value| (key.to_owned(), value.clone()))
        };
        Ok(Server {
            file: matches.get_one::<PathBuf>("config").cloned(),
            print_config: matches.get_flag("print-config"),
            settings: KEYS.iter().filter_map(|key| given(key.name)).collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Server::from_arg_matches(matches)?;
        Ok(())
    }
}

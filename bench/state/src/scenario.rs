//! The scenarios by name, and the writer that they share.

mod memory;
mod operations;
mod restore;
mod revoke;
mod snapshot;

use std::sync::Arc;

use anyhow::{Result, bail, ensure};
use orana_state::{AclEntry, Action, Change, Command, Effect, LeaseId, Lifetime, Outcome, State, Write};

use crate::layout::{Kind, own_list};

/// Given the arguments that a scenario passes to processes of its own.
type Run = fn(&[&str]) -> Result<()>;

/// Given to the process that runs one scenario.
pub(crate) const ONE: &str = "--one";

/// Runs this program once more, with a memory of its own.
pub(crate) fn child(arguments: &[&str]) -> Result<()> {
    let myself = std::env::current_exe()?;
    let status = std::process::Command::new(myself).arg(ONE).args(arguments).status()?;
    ensure!(status.success(), "`{}` ended with {status}", arguments.join(" "));
    Ok(())
}

/// In the order in which they are run.
pub(crate) const ALL: &[(&str, Run)] = &[
    ("memory", |_| memory::run()),
    ("operations-flat", |_| operations::flat()),
    ("operations-deep", |_| operations::deep()),
    ("operations-dubbo", |_| operations::dubbo()),
    ("snapshot-flat", |_| snapshot::flat()),
    ("snapshot-deep", |_| snapshot::deep()),
    ("snapshot-dubbo", |_| snapshot::dubbo()),
    ("snapshot-containers", |_| snapshot::containers()),
    ("snapshot-lists", |_| snapshot::lists()),
    ("snapshot-leases", |_| snapshot::leases()),
    ("revoke", |_| revoke::run()),
    ("restore", restore::run),
];

/// A state and the one who writes to it.
pub(crate) struct Writer {
    pub(crate) state: State,
    changes: Vec<Change>,
}

impl Writer {
    pub(crate) fn new() -> Writer {
        let mut state = State::new();
        state.begin(1, 1_700_000_000_000);
        Writer {
            state,
            changes: Vec::new(),
        }
    }

    /// Creates all of these with 40 bytes of data each.
    pub(crate) fn fill(&mut self, paths: &[String], kind: Kind) -> Result<()> {
        for (at, path) in paths.iter().enumerate() {
            let list = if kind.own_lists {
                own_list(at)
            } else {
                vec![AclEntry::open()]
            };
            self.must(&create(path, None, kind.lifetime, list))?;
        }
        Ok(())
    }

    pub(crate) fn step(&mut self, command: &Command) -> Outcome {
        let outcome = self.state.step(command, &mut self.changes);
        if self.changes.len() > 1000 {
            self.changes.clear();
        }
        outcome
    }

    pub(crate) fn must(&mut self, command: &Command) -> Result<Effect> {
        match self.step(command).result {
            Ok(effect) => Ok(effect),
            Err(refusal) => bail!("{command:?}: {refusal}"),
        }
    }

    pub(crate) fn grant(&mut self) -> Result<LeaseId> {
        let action = Action::Grant {
            period_ms: 30_000,
            secret: [7; 16],
        };
        match self.must(&command(None, action))? {
            Effect::Granted(lease) => Ok(lease),
            other => bail!("{other:?}"),
        }
    }
}

pub(crate) fn command(issuer: Option<LeaseId>, action: Action) -> Command {
    Command {
        issuer,
        identities: Arc::from([]),
        action,
    }
}

pub(crate) fn create(path: &str, issuer: Option<LeaseId>, lifetime: Lifetime, acl: Vec<AclEntry>) -> Command {
    let write = Write::Create {
        path: path.into(),
        data: Some(vec![b'd'; 40]),
        acl,
        lifetime,
        sequential: false,
    };
    command(issuer, Action::Write(write))
}

pub(crate) fn set_data(path: &str) -> Command {
    let write = Write::SetData {
        path: path.into(),
        data: Some(vec![b'e'; 40]),
        version: -1,
    };
    command(None, Action::Write(write))
}

pub(crate) fn delete(path: &str) -> Command {
    let write = Write::Delete {
        path: path.into(),
        version: -1,
    };
    command(None, Action::Write(write))
}

/// Numbers below `bound` in an order without pattern, the same in every run.
pub(crate) fn scattered(bound: usize) -> impl Iterator<Item = usize> {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::from_fn(move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        Some((seed % bound as u64) as usize)
    })
}

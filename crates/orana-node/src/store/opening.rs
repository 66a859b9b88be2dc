//! What has to be true of a data directory before anything is served from it. All refusals at start are decided here.
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use super::database::SmallDatabase;
use super::entries::{Damage, Entries};
use super::error::{Doing, StoreError};
use super::identity::{Identity, flush_directory};
use super::journal::{self, Step};
use super::leftovers;
use super::lock::DirectoryLock;
use super::manifest;
use super::marker::{Mark, Marker};
use super::purge::Purge;
use super::records::Records;
use super::snapshots::{SnapshotHead, Snapshots};
use super::{Store, StoreOptions};

/// Present while a directory is being created; what is beside it then has never been used.
const CREATING: &str = "creating";
const LOG: &str = "log";
const KEEP: &str = "keep";
/// The databases and how many keyspaces of ours each has, from its creation on.
const DATABASES: [(&str, usize); 2] = [(LOG, 1), (KEEP, 2)];

/// What was found on opening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Opened {
    /// Whether the directory was new.
    pub(crate) created: bool,
    /// First entry present.
    pub(crate) first_index: Option<u64>,
    /// Last entry present.
    pub(crate) last_index: Option<u64>,
    /// What the marker promised.
    pub(crate) flushed: Option<u64>,
    /// The current snapshot.
    pub(crate) snapshot: Option<SnapshotHead>,
    /// Ends that a power loss had torn, and that were removed.
    pub(crate) cut: Vec<Cut>,
}

impl Opened {
    /// What an operator should be told.
    pub(crate) fn reports(&self) -> impl Iterator<Item = String> + '_ {
        self.cut.iter().map(|cut| {
            format!(
                "`{}`: an end torn by a power loss was cut: {}",
                cut.path.display(),
                cut.what
            )
        })
    }
}

/// A torn end that was removed. Nothing in it had been acknowledged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The file or database.
    pub(crate) path: PathBuf,
    /// Where it was cut and why, for a person.
    pub(crate) what: String,
}

pub(super) fn open(directory: &Path, options: &StoreOptions) -> Result<(Store, Opened), StoreError> {
    fs::create_dir_all(directory).doing("create the data directory", directory)?;
    let lock = DirectoryLock::acquire(directory)?;
    let (identity, created) = match Identity::read(directory)? {
        Some(identity) => {
            check_present(directory)?;
            (identity, false)
        }
        None => (create(directory, options)?, true),
    };
    let marker = Marker::open(directory, identity.number)?;
    let mark = marker.mark().clone();
    let mut cut = Vec::new();
    check_journals(
        &directory.join(LOG),
        "log entry",
        mark.flushed,
        Entries::newest_after,
        &mut cut,
    )?;
    check_journals(
        &directory.join(KEEP),
        "record",
        Some(mark.records),
        Records::newest_after,
        &mut cut,
    )?;
    // Only now: a directory that is refused stays as it was found.
    for (name, _) in DATABASES {
        let removed = leftovers::remove(&directory.join(name))?;
        if removed > 0 {
            tracing::debug!(
                removed,
                database = name,
                "temporary files that a kill had left were removed"
            );
        }
    }

    let marker = Arc::new(Mutex::new(marker));
    let keep = SmallDatabase::open(&directory.join(KEEP), options)?;
    let records = Arc::new(Records::open(keep.clone(), identity.number, marker.clone(), options)?);
    if records.newest() < mark.records {
        return Err(StoreError::damaged(
            records.path(),
            format!("record {}", mark.records),
            format!("none newer than {}", records.newest()),
        ));
    }
    let snapshots = Snapshots::open(keep, records.clone(), identity.number, options)?;
    let snapshot = snapshots.current().map(|reader| reader.head().clone());
    let purge = Purge::read(&records)?;
    if let Some(purge) = &purge {
        check_purge_is_covered(records.path(), purge, snapshot.as_ref())?;
    }

    let entries = Entries::open(&directory.join(LOG), identity.number, options)?;
    let damage = entries.verify_from(purge.map_or(0, |purge| purge.through + 1))?;
    judge(&entries, damage, &mark, &mut cut)?;

    let present = entries.bounds();
    let opened = Opened {
        created,
        first_index: (!present.is_empty()).then_some(present.start),
        last_index: (!present.is_empty()).then(|| present.end - 1),
        flushed: mark.flushed,
        snapshot,
        cut,
    };
    let store = Store {
        directory: directory.to_owned(),
        entries,
        records,
        snapshots,
        marker,
        _lock: lock,
    };
    Ok((store, opened))
}

/// Makes a new directory. Its identity comes last, so that one that was left half made is made again and one that lost
/// its identity is not.
fn create(directory: &Path, options: &StoreOptions) -> Result<Identity, StoreError> {
    let creating = directory.join(CREATING);
    let parts = DATABASES.map(|(name, _)| directory.join(name));
    let half_made = creating.try_exists().doing("look at", &creating)?;
    for part in parts.iter().chain([&Marker::path(directory)]) {
        if !part.try_exists().doing("look at", part)? {
            continue;
        }
        if !half_made {
            let expected = format!("the file that goes with `{}`", part.display());
            return Err(StoreError::damaged(
                &Identity::path(directory),
                expected,
                "no such file",
            ));
        }
        let removed = if part.is_dir() {
            fs::remove_dir_all(part)
        } else {
            fs::remove_file(part)
        };
        removed.doing("remove the half-made", part)?;
    }
    fs::write(&creating, "").doing("create", &creating)?;
    flush_directory(directory)?;
    let identity = Identity::invent()?;
    Marker::create(directory, identity.number)?;
    let marker = Arc::new(Mutex::new(Marker::open(directory, identity.number)?));
    drop(Entries::open(&directory.join(LOG), identity.number, options)?);
    let keep = SmallDatabase::open(&directory.join(KEEP), options)?;
    let records = Arc::new(Records::open(keep.clone(), identity.number, marker, options)?);
    drop(Snapshots::open(keep, records, identity.number, options)?);
    identity.write(directory)?;
    fs::remove_file(&creating).doing("remove", &creating)?;
    flush_directory(directory)?;
    Ok(identity)
}

/// A directory that has been used must still have everything; fjall would quietly begin anew.
fn check_present(directory: &Path) -> Result<(), StoreError> {
    for (name, keyspaces) in DATABASES {
        let database = directory.join(name);
        if !database.is_dir() {
            return Err(StoreError::damaged(
                &database,
                "the database of a directory that has been used",
                "nothing",
            ));
        }
        SmallDatabase::check_present(&database)?;
        if journal::journals(&database)?.is_empty() {
            return Err(StoreError::damaged(&database, "at least one journal (*.jnl)", "none"));
        }
        manifest::check(&database, keyspaces)?;
    }
    Ok(())
}

/// Reads the journals before fjall cuts them. Damage below what the marker promises refuses and leaves them as they are;
/// a torn end above it is removed.
fn check_journals(
    database: &Path,
    what: &str,
    promised: Option<u64>,
    newest_after: fn(Option<u64>, &[u8], Step<'_>) -> Option<u64>,
    cut: &mut Vec<Cut>,
) -> Result<(), StoreError> {
    let mut newest = None;
    let journals = journal::journals(database)?;
    for (place, path) in journals.iter().enumerate() {
        let scan = journal::scan(path, |key, step| newest = newest_after(newest, key, step))?;
        if !scan.torn {
            continue;
        }
        let found = format!("unreadable bytes behind offset {}", scan.whole);
        if place + 1 < journals.len() {
            return Err(StoreError::damaged(
                path,
                "a whole journal, for a later one follows it",
                found,
            ));
        }
        if let (Some(promised), Some(newest)) = (promised, newest)
            && newest < promised
        {
            let found = format!("{found}, the newest before them being {what} {newest}");
            return Err(StoreError::damaged(
                path,
                format!("{what} {promised}, which had been flushed"),
                found,
            ));
        }
        journal::cut(&scan)?;
        cut.push(Cut {
            path: path.clone(),
            what: format!("{found}, behind {what} {}", named(newest)),
        });
    }
    Ok(())
}

/// What is not in the log any more has to be in the snapshot.
fn check_purge_is_covered(path: &Path, purge: &Purge, snapshot: Option<&SnapshotHead>) -> Result<(), StoreError> {
    let number = snapshot.map_or(0, |head| head.number);
    if purge.snapshot <= number {
        return Ok(());
    }
    let expected = format!(
        "snapshot {}, for the log was purged through entry {}",
        purge.snapshot, purge.through
    );
    Err(StoreError::damaged(path, expected, format!("snapshot {number}")))
}

/// Tells a torn end from damage.
fn judge(entries: &Entries, damage: Option<Damage>, mark: &Mark, cut: &mut Vec<Cut>) -> Result<(), StoreError> {
    let present = entries.bounds();
    let Some(promised) = mark.flushed else {
        return cut_torn_end(entries, damage, cut);
    };
    if present.end <= promised {
        let expected = format!("log entries up to {promised}, which had been flushed");
        let found = match damage {
            Some(damage) => format!("{} in the place of entry {}", damage.found, damage.at),
            None if present.is_empty() => format!("no entry from {} on", present.start),
            None => format!("entries {} to {}", present.start, present.end - 1),
        };
        return Err(StoreError::damaged(entries.path(), expected, found));
    }
    cut_torn_end(entries, damage, cut)
}

fn cut_torn_end(entries: &Entries, damage: Option<Damage>, cut: &mut Vec<Cut>) -> Result<(), StoreError> {
    let Some(damage) = damage else { return Ok(()) };
    let what = format!("{} in the place of log entry {}", damage.found, damage.at);
    if damage.whole_after {
        // A power loss tears the end, it does not leave holes.
        return Err(StoreError::damaged(
            entries.path(),
            format!("log entry {}", damage.at),
            damage.found,
        ));
    }
    entries.cut_from(damage.at)?;
    cut.push(Cut {
        path: entries.path().to_owned(),
        what,
    });
    Ok(())
}

fn named(index: Option<u64>) -> String {
    index.map_or_else(|| "none".to_owned(), |index| index.to_string())
}

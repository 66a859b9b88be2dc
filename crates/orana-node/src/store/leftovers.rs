//! Removes what a kill left half written. lsm-tree replaces the file `current` of a keyspace by writing a temporary one
//! beside it and renaming that; one that a kill met before its renaming is never looked at again, and nobody else removes
//! it, so they would pile up with every few kills.
//!
//! Knows how these files are called: `.tmp` and six letters or digits. Whatever is called otherwise stays.
use std::fs;
use std::path::Path;

use super::error::{Doing, StoreError};

const PREFIX: &str = ".tmp";
const RANDOM_CHARACTERS: usize = 6;

/// Removes them from all keyspaces of a database that nobody has open; returns how many there were.
pub(super) fn remove(database: &Path) -> Result<usize, StoreError> {
    let mut removed = 0;
    let keyspaces = database.join("keyspaces");
    for keyspace in fs::read_dir(&keyspaces).doing("list", &keyspaces)? {
        let keyspace = keyspace.doing("list", &keyspaces)?.path();
        if !keyspace.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&keyspace).doing("list", &keyspace)? {
            let entry = entry.doing("list", &keyspace)?;
            let path = entry.path();
            let is_file = entry.file_type().doing("look at", &path)?.is_file();
            if is_file && entry.file_name().to_str().is_some_and(is_temporary) {
                fs::remove_file(&path).doing("remove the left over", &path)?;
                removed += 1;
            }
        }
    }
    Ok(removed)
}

fn is_temporary(name: &str) -> bool {
    let random = name.strip_prefix(PREFIX).map(str::as_bytes);
    random.is_some_and(|random| random.len() == RANDOM_CHARACTERS && random.iter().all(u8::is_ascii_alphanumeric))
}

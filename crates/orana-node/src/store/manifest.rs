//! Checks a database's tables against their manifests before fjall opens them. fjall trusts a manifest enough to ask for
//! gigabytes of memory because of one wrong byte, and removes what a damaged one no longer names.
//!
//! Knows how lsm-tree 3 keeps a keyspace: `current` names a manifest and its checksum, the manifest names each table and
//! its checksum. The damage tests fail if a later version keeps it differently.
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

use super::error::{Doing, StoreError};

const BUFFER_BYTES: usize = 128 << 10;

/// Reads every file that a manifest of the database names. Beside fjall's own keyspace the database has `ours`.
pub(super) fn check(database: &Path, ours: usize) -> Result<(), StoreError> {
    let keyspaces = database.join("keyspaces");
    for number in 0..=ours {
        let current = keyspaces.join(number.to_string()).join("current");
        if !current.try_exists().doing("look at", &current)? {
            return Err(StoreError::damaged(&current, "a file of the database", "nothing"));
        }
    }
    for entry in fs::read_dir(&keyspaces).doing("list", &keyspaces)? {
        let keyspace = entry.doing("list", &keyspaces)?.path();
        // One without this file was never completed.
        if keyspace.join("current").is_file() {
            check_keyspace(&keyspace)?;
        }
    }
    Ok(())
}

fn check_keyspace(keyspace: &Path) -> Result<(), StoreError> {
    let path = keyspace.join("current");
    let current = fs::read(&path).doing("read", &path)?;
    let Some((number, checksum)) = manifest_of(&current) else {
        return Err(StoreError::damaged(
            &path,
            "the number and the checksum of a manifest",
            format!("{current:02x?}"),
        ));
    };
    let manifest = keyspace.join(format!("v{number}"));
    check_file(&manifest, checksum)?;
    for (number, checksum) in tables_of(&manifest)? {
        check_file(&keyspace.join("tables").join(number.to_string()), checksum)?;
    }
    Ok(())
}

/// Number and checksum of the manifest that is in force.
fn manifest_of(mut current: &[u8]) -> Option<(u64, u128)> {
    let found = (
        u64::from_le_bytes(take(&mut current)?),
        u128::from_le_bytes(take(&mut current)?),
    );
    // The kind of checksum; there is one.
    (current == [0]).then_some(found)
}

/// Number and checksum of each table that a manifest names.
fn tables_of(manifest: &Path) -> Result<Vec<(u64, u128)>, StoreError> {
    let damaged = |found: String| StoreError::damaged(manifest, "a list of tables", found);
    let archive = sfa::Reader::new(manifest).map_err(|error| damaged(format!("{error:?}")))?;
    let section = archive
        .toc()
        .section(b"tables")
        .ok_or_else(|| damaged("none".to_owned()))?;
    let mut bytes = Vec::new();
    section
        .buf_reader(manifest)
        .and_then(|mut reader| reader.read_to_end(&mut bytes))
        .doing("read", manifest)?;
    list(&mut bytes.as_slice()).ok_or_else(|| damaged(format!("{} bytes that end early", bytes.len())))
}

/// Levels of runs of tables: number, kind of checksum, checksum, sequence number.
fn list(bytes: &mut &[u8]) -> Option<Vec<(u64, u128)>> {
    let mut tables = Vec::new();
    let [levels] = take(bytes)?;
    for _ in 0..levels {
        let [runs] = take(bytes)?;
        for _ in 0..runs {
            for _ in 0..u32::from_le_bytes(take(bytes)?) {
                let number = u64::from_le_bytes(take(bytes)?);
                let [_kind] = take(bytes)?;
                let checksum = u128::from_le_bytes(take(bytes)?);
                let _sequence: [u8; 8] = take(bytes)?;
                tables.push((number, checksum));
            }
        }
    }
    Some(tables)
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*first)
}

fn check_file(path: &Path, expected: u128) -> Result<(), StoreError> {
    let found = match checksum(path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(StoreError::damaged(path, "a file of the database", "nothing"));
        }
        Err(error) => return Err(error).doing("read", path),
    };
    if found == expected {
        return Ok(());
    }
    Err(StoreError::damaged(
        path,
        format!("checksum {expected:032x}"),
        format!("{found:032x}"),
    ))
}

fn checksum(path: &Path) -> io::Result<u128> {
    let mut file = File::open(path)?;
    let mut hasher = Xxh3::new();
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.digest128()),
            read => hasher.update(buffer.get(..read).unwrap_or_default()),
        }
    }
}

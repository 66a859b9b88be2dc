//! The store as its callers see it. What it makes of damage is in `damage.rs`.
mod damage;
mod snapshot;

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{Opened, Store, StoreError, StoreOptions};

type Tested = Result<(), Box<dyn std::error::Error>>;

fn open(directory: &Path) -> Result<(Store, Opened), StoreError> {
    Store::open(directory, StoreOptions::default())
}

/// Tables appear after a few entries instead of after megabytes.
fn open_small(directory: &Path) -> Result<(Store, Opened), StoreError> {
    Store::open(
        directory,
        StoreOptions {
            cache_bytes: 64 << 10,
            memtable_bytes: 64 << 10,
        },
    )
}

fn payload(index: u64) -> Vec<u8> {
    (0..500u64).map(|place| (index * 31 + place * 7) as u8).collect()
}

fn append(store: &Store, indexes: std::ops::Range<u64>) -> Result<(), StoreError> {
    store.append(indexes.map(|index| (index, payload(index))))
}

fn assert_holds(store: &Store, indexes: std::ops::Range<u64>) -> Tested {
    let expected: Vec<(u64, Vec<u8>)> = indexes.map(|index| (index, payload(index))).collect();
    let found = store.read(0..u64::MAX)?;
    assert_eq!(
        found.iter().map(|(index, _)| *index).collect::<Vec<_>>(),
        expected.iter().map(|e| e.0).collect::<Vec<_>>()
    );
    assert_eq!(found, expected);
    Ok(())
}

#[test]
fn what_was_flushed_is_there_after_reopening() -> Tested {
    let directory = TempDir::new()?;
    {
        let (store, opened) = open(directory.path())?;
        assert!(opened.created);
        append(&store, 0..3)?;
        append(&store, 3..10)?;
        store.flush()?;
        store.save_vote(b"for me")?;
        store.note_committed(b"nine");
    }
    let (store, opened) = open(directory.path())?;
    assert_eq!(
        (opened.created, opened.first_index, opened.last_index),
        (false, Some(0), Some(9))
    );
    assert_eq!(opened.flushed, Some(9));
    assert_eq!(opened.reports().count(), 0);
    assert_eq!(store.vote()?, Some(b"for me".to_vec()));
    assert_eq!(store.committed(), Some(b"nine".to_vec()));
    assert_holds(&store, 0..10)
}

#[test]
fn an_entry_that_does_not_follow_is_refused() -> Tested {
    let directory = TempDir::new()?;
    let (store, _) = open(directory.path())?;
    append(&store, 0..3)?;
    let refused = append(&store, 4..5);
    assert!(
        matches!(refused, Err(StoreError::OutOfOrder { expected: 3, found: 4 })),
        "{refused:?}"
    );
    assert_holds(&store, 0..3)
}

#[test]
fn a_range_is_read_as_far_as_the_log_has_it() -> Tested {
    let directory = TempDir::new()?;
    let (store, _) = open(directory.path())?;
    append(&store, 0..10)?;
    let indexes = |range| {
        store
            .read(range)
            .map(|found| found.iter().map(|(index, _)| *index).collect::<Vec<_>>())
    };
    assert_eq!(indexes(3..5)?, [3, 4]);
    assert_eq!(indexes(8..20)?, [8, 9]);
    assert_eq!(indexes(10..20)?, [0; 0]);
    Ok(())
}

#[test]
fn a_truncated_end_stays_away_and_can_be_written_anew() -> Tested {
    let directory = TempDir::new()?;
    {
        let (store, _) = open_small(directory.path())?;
        append(&store, 0..300)?;
        store.flush()?;
        store.truncate_from(100)?;
    }
    {
        let (store, opened) = open_small(directory.path())?;
        assert_eq!(opened.last_index, Some(99));
        append(&store, 100..120)?;
        store.flush()?;
    }
    let (store, opened) = open_small(directory.path())?;
    assert_eq!(opened.flushed, Some(119));
    assert_holds(&store, 0..120)
}

#[test]
fn a_log_truncated_to_nothing_begins_again() -> Tested {
    let directory = TempDir::new()?;
    {
        let (store, _) = open(directory.path())?;
        append(&store, 0..5)?;
        store.flush()?;
        store.truncate_from(0)?;
        append(&store, 0..2)?;
        store.flush()?;
    }
    let (store, _) = open(directory.path())?;
    assert_holds(&store, 0..2)
}

#[test]
fn a_purged_beginning_stays_away() -> Tested {
    let directory = TempDir::new()?;
    {
        let (store, _) = open_small(directory.path())?;
        append(&store, 0..300)?;
        store.flush()?;
        store.begin_snapshot(b"up to 199".to_vec())?.finish()?;
        store.purge_through(199, b"t1-199")?;
        store.reclaim()?;
        assert_holds(&store, 200..300)?;
    }
    let (store, opened) = open_small(directory.path())?;
    assert_eq!((opened.first_index, opened.last_index), (Some(200), Some(299)));
    assert_eq!(store.purged()?, Some((199, b"t1-199".to_vec())));
    assert_holds(&store, 200..300)
}

#[test]
fn a_log_purged_beyond_its_end_goes_on_behind_the_purge() -> Tested {
    let directory = TempDir::new()?;
    {
        let (store, _) = open(directory.path())?;
        append(&store, 0..10)?;
        store.flush()?;
        store.begin_snapshot(Vec::new())?.finish()?;
        store.purge_through(49, b"")?;
        assert!(matches!(
            append(&store, 10..11),
            Err(StoreError::OutOfOrder { expected: 50, .. })
        ));
        append(&store, 50..52)?;
        store.flush()?;
    }
    let (store, _) = open(directory.path())?;
    assert_holds(&store, 50..52)
}

#[test]
fn the_disk_space_of_a_purged_log_comes_back() -> Tested {
    const ENTRY: usize = 64 << 10;
    const KEPT: u64 = 16 << 20;
    let directory = TempDir::new()?;
    let (store, _) = open(directory.path())?;
    let mut most = 0;
    let entries_kept = KEPT / ENTRY as u64;
    for index in 0..(160u64 << 20) / ENTRY as u64 {
        store.append(std::iter::once((index, vec![index as u8; ENTRY])))?;
        if index % 16 == 15 {
            store.flush()?;
        }
        if index % entries_kept == entries_kept - 1 {
            store.purge_through(index - 1, b"")?;
            store.reclaim()?;
            assert!(
                store.disk().log_bytes < 1 << 20,
                "{} bytes of log are left",
                store.disk().log_bytes
            );
        }
        most = most.max(super::allocated(store.entries.path())?);
    }
    // fjall begins another journal after 64 MB; the one before lives until its entries are in tables.
    assert!(most < (64 << 20) * 2 + KEPT * 2, "the log took {} MiB", most >> 20);
    Ok(())
}

#[test]
fn the_files_of_purged_entries_go_with_the_purge_itself() -> Tested {
    let directory = TempDir::new()?;
    let (store, _) = open_small(directory.path())?;
    for round in 0..3 {
        for first in (round * 8000..(round + 1) * 8000).step_by(40) {
            append(&store, first..first + 40)?;
            store.flush()?;
        }
        store.purge_through((round + 1) * 8000 - 10, b"")?;
        store.reclaim()?;
        // The table that holds the ten entries left may hold many before them.
        let tables = super::allocated(&directory.path().join("log/keyspaces"))?;
        assert!(
            tables < 1_500_000,
            "{tables} bytes of tables are left of 4 MB after round {round}"
        );
    }
    assert_holds(&store, 23_991..24_000)
}

#[test]
fn a_second_process_is_refused_and_told_who_has_the_directory() -> Tested {
    let directory = TempDir::new()?;
    let (_store, _) = open(directory.path())?;
    let refused = open(directory.path()).map(|_| ()).expect_err("the directory is taken");
    assert!(matches!(refused, StoreError::Locked { .. }), "{refused}");
    let told = refused.to_string();
    assert!(told.contains(&directory.path().display().to_string()), "{told}");
    assert!(told.contains(&std::process::id().to_string()), "{told}");
    Ok(())
}

#[test]
fn a_directory_that_was_left_half_made_is_made_again() -> Tested {
    let directory = TempDir::new()?;
    drop(open(directory.path())?);
    std::fs::remove_file(directory.path().join("identity"))?;
    std::fs::remove_file(directory.path().join("marker"))?;
    std::fs::write(directory.path().join("creating"), "")?;
    let (_, opened) = open(directory.path())?;
    assert!(opened.created);
    assert!(!directory.path().join("creating").exists());
    Ok(())
}

#[test]
fn free_space_is_known() -> Tested {
    let directory = TempDir::new()?;
    let (store, _) = open(directory.path())?;
    assert!(store.free_bytes()? > 0);
    let disk = store.disk();
    assert!(disk.file_bytes.is_some_and(|bytes| bytes > 0), "{disk:?}");
    assert_eq!((disk.log_bytes, disk.snapshot_bytes), (0, 0));
    Ok(())
}

#[test]
fn temporary_files_that_a_kill_left_are_removed_and_nothing_else_is() -> Tested {
    let directory = TempDir::new()?;
    drop(open(directory.path())?);
    let keyspace = directory.path().join("keep/keyspaces/0");
    let left = ["log/keyspaces/1/.tmpA1b2C3", "keep/keyspaces/0/.tmp0ZzaB9"].map(|file| directory.path().join(file));
    for file in &left {
        fs::write(file, "half of it")?;
    }
    let others = [".tmp", ".tmpA1b2C", ".tmpA1b2C34", ".tmpA1-2C3", "tmpA1b2C3"].map(|file| keyspace.join(file));
    for file in &others {
        fs::write(file, "somebody's")?;
    }
    let folder = keyspace.join(".tmpFolder");
    fs::create_dir(&folder)?;
    drop(open(directory.path())?);
    assert_eq!(left.map(|file| file.exists()), [false; 2]);
    assert_eq!(others.map(|file| file.exists()), [true; 5]);
    assert!(folder.is_dir());
    Ok(())
}

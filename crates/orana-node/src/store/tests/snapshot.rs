//! Snapshots: written beside the log, current in one step, checked as they are read.
use tempfile::TempDir;

use super::{Tested, append, assert_holds, open};
use crate::store::Store;

fn block(number: u64) -> Vec<u8> {
    vec![number as u8; 100_000]
}

fn write(store: &Store, meta: &[u8], blocks: u64) -> Tested {
    let mut writer = store.begin_snapshot(meta.to_vec())?;
    for number in 0..blocks {
        writer.push(block(number))?;
    }
    writer.finish()?;
    Ok(())
}

fn assert_current(store: &Store, meta: &[u8], blocks: u64) -> Tested {
    let reader = store.snapshot()?.ok_or("no snapshot")?;
    assert_eq!(reader.meta(), meta);
    let found = reader.collect::<Result<Vec<_>, _>>()?;
    assert_eq!(found.len() as u64, blocks);
    for (number, found) in (0..).zip(&found) {
        assert!(*found == block(number), "block {number} differs");
    }
    Ok(())
}

#[test]
fn a_snapshot_is_read_as_it_was_written_also_after_reopening() -> Tested {
    let directory = TempDir::new()?;
    {
        let (store, _) = open(directory.path())?;
        assert!(store.snapshot()?.is_none());
        write(&store, b"first", 40)?;
        assert_current(&store, b"first", 40)?;
    }
    let (store, opened) = open(directory.path())?;
    assert_eq!(
        opened.snapshot.map(|head| (head.blocks, head.bytes)),
        Some((40, 4_000_000))
    );
    assert_current(&store, b"first", 40)
}

#[test]
fn a_snapshot_without_blocks_is_one_too() -> Tested {
    let directory = TempDir::new()?;
    let (store, _) = open(directory.path())?;
    write(&store, b"of nothing", 0)?;
    assert_current(&store, b"of nothing", 0)
}

#[test]
fn the_later_snapshot_takes_the_place_and_the_space_of_the_earlier() -> Tested {
    let directory = TempDir::new()?;
    let (store, _) = open(directory.path())?;
    for round in 0..5u8 {
        write(&store, &[round], 30)?;
        assert_current(&store, &[round], 30)?;
    }
    let taken = crate::store::allocated(store.records.path())?;
    assert!(taken < 2 * 3_000_000, "five snapshots of 3 MB take {taken} bytes");
    Ok(())
}

#[test]
fn a_reader_keeps_the_earlier_snapshot_while_it_needs_it() -> Tested {
    let directory = TempDir::new()?;
    let (store, _) = open(directory.path())?;
    write(&store, b"earlier", 30)?;
    let mut reader = store.snapshot()?.ok_or("no snapshot")?;
    assert!(reader.next().is_some());
    write(&store, b"later", 3)?;
    assert_eq!(reader.collect::<Result<Vec<_>, _>>()?.len(), 29);
    assert_current(&store, b"later", 3)
}

#[test]
fn an_unfinished_snapshot_changes_nothing_and_is_discarded() -> Tested {
    let directory = TempDir::new()?;
    let image = TempDir::new()?;
    {
        let (store, _) = open(directory.path())?;
        write(&store, b"finished", 3)?;
        append(&store, 0..3)?;
        store.flush()?;
        let mut writer = store.begin_snapshot(b"unfinished".to_vec())?;
        for number in 0..50 {
            writer.push(block(number))?;
        }
        assert_current(&store, b"finished", 3)?;
        // As a kill would leave it.
        super::damage::copy_at_once(directory.path(), image.path())?;
    }
    let (store, _) = open(image.path())?;
    assert_current(&store, b"finished", 3)?;
    assert_holds(&store, 0..3)?;
    let taken = crate::store::allocated(store.records.path())?;
    assert!(taken < 1_000_000, "the unfinished snapshot still takes {taken} bytes");
    write(&store, b"next", 4)?;
    assert_current(&store, b"next", 4)
}

#[test]
fn snapshots_come_and_go_over_many_starts() -> Tested {
    let directory = TempDir::new()?;
    for round in 0..8u8 {
        let (store, opened) = open(directory.path())?;
        if let Some(before) = round.checked_sub(1) {
            assert!(opened.snapshot.is_some(), "the snapshot of round {before} is gone");
            assert_current(&store, &[before, 1], 4)?;
        }
        for which in 0..2 {
            let mut unfinished = store.begin_snapshot(Vec::new())?;
            for number in 0..12 {
                unfinished.push(block(number))?;
            }
            drop(unfinished);
            write(&store, &[round, which], 4)?;
            assert_current(&store, &[round, which], 4)?;
        }
        let taken = crate::store::allocated(store.records.path())?;
        assert!(
            taken < 1_500_000,
            "one snapshot of 0.4 MB takes {taken} bytes in round {round}"
        );
    }
    Ok(())
}

#[test]
fn of_two_snapshots_written_at_once_the_one_begun_later_stays() -> Tested {
    let directory = TempDir::new()?;
    let (store, _) = open(directory.path())?;
    let mut first = store.begin_snapshot(b"first".to_vec())?;
    let mut second = store.begin_snapshot(b"second".to_vec())?;
    for number in 0..30 {
        first.push(block(number))?;
        second.push(block(number))?;
    }
    second.finish()?;
    first.finish()?;
    assert_current(&store, b"second", 30)
}

#[test]
fn a_block_that_is_too_large_is_refused() -> Tested {
    let directory = TempDir::new()?;
    let (store, _) = open(directory.path())?;
    let mut writer = store.begin_snapshot(Vec::new())?;
    assert!(writer.push(vec![0; crate::store::snapshots::BLOCK_BYTES + 1]).is_err());
    Ok(())
}

#[test]
fn log_flushes_go_on_beside_a_snapshot() -> Tested {
    let directory = TempDir::new()?;
    let (store, _) = open(directory.path())?;
    let flushed = std::thread::scope(|scope| -> Result<u64, Box<dyn std::error::Error>> {
        let writing = scope.spawn(|| write(&store, b"large", 300).map_err(|error| error.to_string()));
        let mut index = 0;
        while !writing.is_finished() || index < 10 {
            append(&store, index..index + 1)?;
            store.flush()?;
            index += 1;
        }
        writing.join().map_err(|_| "the snapshot thread panicked")??;
        Ok(index)
    })?;
    assert_holds(&store, 0..flushed)?;
    assert_current(&store, b"large", 300)
}

//! The journal as fjall writes it, read by our own eyes.
use std::os::unix::fs::FileExt;

use fjall::{Database, KeyspaceCreateOptions, PersistMode};
use tempfile::TempDir;

use super::{Scan, Step, cut, journals, scan};

type Tested = Result<(), Box<dyn std::error::Error>>;
type Items = Vec<(Vec<u8>, Option<Vec<u8>>)>;

fn scanned(path: &std::path::Path) -> Result<(Scan, Items), Box<dyn std::error::Error>> {
    let mut items = Vec::new();
    let found = scan(path, |key, step| {
        let value = match step {
            Step::Put(value) => Some(value.to_vec()),
            Step::Remove => None,
        };
        items.push((key.to_vec(), value));
    })?;
    Ok((found, items))
}

/// A journal with three puts, a batch of two and a removal, as a kill leaves it.
fn written() -> Result<(TempDir, std::path::PathBuf), Box<dyn std::error::Error>> {
    let directory = TempDir::new()?;
    let database = Database::builder(directory.path().join("db"))
        .worker_threads(1)
        .open()?;
    let keyspace = database.keyspace("things", KeyspaceCreateOptions::default)?;
    for number in 0..3u8 {
        keyspace.insert([number], vec![number; 300_000])?;
    }
    let mut batch = database.batch();
    batch.insert(&keyspace, [3], "");
    batch.insert(&keyspace, [4], "four");
    batch.commit()?;
    keyspace.remove([1])?;
    database.persist(PersistMode::SyncAll)?;
    let journal = journals(&directory.path().join("db"))?.pop().ok_or("no journal")?;
    let copied = directory.path().join("0.jnl");
    std::fs::copy(journal, &copied)?;
    Ok((directory, copied))
}

#[test]
fn every_item_that_fjall_wrote_is_seen_in_order() -> Tested {
    let (_directory, journal) = written()?;
    let (found, items) = scanned(&journal)?;
    assert!(!found.torn);
    let expected: Items = vec![
        (vec![0], Some(vec![0; 300_000])),
        (vec![1], Some(vec![1; 300_000])),
        (vec![2], Some(vec![2; 300_000])),
        (vec![3], Some(Vec::new())),
        (vec![4], Some(b"four".to_vec())),
        (vec![1], None),
    ];
    assert!(
        items == expected,
        "{:?}",
        items.iter().map(|(key, _)| key).collect::<Vec<_>>()
    );
    Ok(())
}

#[test]
fn a_damaged_byte_ends_the_whole_batches_before_it() -> Tested {
    let (_directory, journal) = written()?;
    let file = std::fs::OpenOptions::new().write(true).open(&journal)?;
    file.write_all_at(b"?", 450_000)?;
    let (found, items) = scanned(&journal)?;
    assert!(found.torn);
    assert_eq!(items.len(), 1);
    cut(&found)?;
    let (found, items) = scanned(&journal)?;
    assert!(!found.torn);
    assert_eq!(items.len(), 1);
    Ok(())
}

#[test]
fn a_length_that_claims_gigabytes_costs_nothing() -> Tested {
    let directory = TempDir::new()?;
    let path = directory.path().join("0.jnl");
    let mut bytes = vec![super::TAG_START];
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(0u64.to_le_bytes());
    bytes.push(super::TAG_ITEM);
    bytes.extend([0, 0]);
    bytes.extend(1u64.to_le_bytes());
    bytes.extend(1u16.to_le_bytes());
    bytes.extend((1u32 << 30).to_le_bytes());
    bytes.extend((1u32 << 30).to_le_bytes());
    bytes.push(7);
    std::fs::write(&path, bytes)?;
    let (found, items) = scanned(&path)?;
    assert!(found.torn && items.is_empty());
    Ok(())
}

#[test]
fn a_journal_with_another_name_is_not_passed_over() -> Tested {
    let directory = TempDir::new()?;
    std::fs::write(directory.path().join("old.jnl"), "")?;
    assert!(journals(directory.path()).is_err());
    Ok(())
}

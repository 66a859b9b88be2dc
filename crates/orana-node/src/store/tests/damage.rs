//! Whatever happens to the files: the store either has everything, or says what is wrong and refuses. It never opens with
//! less.
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Tested, append, assert_holds, open_small, payload};
use crate::store::{Store, StoreError};

/// Purged through this entry …
const PURGED: u64 = 99;
/// … and flushed before this one.
const END: u64 = 400;
const BLOCKS: u64 = 20;

type Failed = Box<dyn std::error::Error>;

/// Copies the data directory of an open store as a kill at this moment would leave it. A copy during which the store's
/// own threads changed something is no moment, and is made again.
pub(super) fn copy_at_once(from: &Path, to: &Path) -> Result<(), Failed> {
    let state = || -> Result<Vec<_>, Failed> {
        let mut state = Vec::new();
        for file in files(from)? {
            let metadata = fs::metadata(&file)?;
            state.push((file, metadata.len(), metadata.modified()?));
        }
        Ok(state)
    };
    for _ in 0..200 {
        let before = state();
        let copied = copy(from, to);
        if let (Ok(before), Ok(()), Ok(after)) = (before, copied, state())
            && before == after
        {
            return Ok(());
        }
        fs::remove_dir_all(to)?;
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    Err("the store did not come to rest".into())
}

/// Copies a directory that nobody changes.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            copy_sparsely(&entry.path(), &target)?;
        }
    }
    Ok(())
}

/// Journals are 64 MiB of mostly nothing.
fn copy_sparsely(from: &Path, to: &Path) -> std::io::Result<()> {
    let (source, target) = (fs::File::open(from)?, fs::File::create(to)?);
    let length = source.metadata()?.len();
    target.set_len(length)?;
    let mut buffer = vec![0; 64 << 10];
    let mut at = 0;
    while let Ok(found) = rustix::fs::seek(&source, rustix::fs::SeekFrom::Data(at)) {
        let read = source.read_at(&mut buffer, found)?;
        if read == 0 {
            break;
        }
        target.write_all_at(buffer.get(..read).unwrap_or_default(), found)?;
        at = found + read as u64;
    }
    Ok(())
}

fn block(number: u64) -> Vec<u8> {
    vec![number as u8 + 1; 3000]
}

fn fill(store: &Store) -> Tested {
    append(store, 0..200)?;
    store.flush()?;
    let mut writer = store.begin_snapshot(b"the snapshot".to_vec())?;
    for number in 0..BLOCKS {
        writer.push(block(number))?;
    }
    writer.finish()?;
    store.purge_through(PURGED, b"purged")?;
    store.save_vote(b"the vote")?;
    for index in 200..END {
        append(store, index..index + 1)?;
        if index % 10 == 9 {
            store.flush()?;
        }
    }
    store.flush()?;
    Ok(())
}

/// A directory with everything in it, as a kill leaves it: entries in tables and in the journal.
fn killed() -> Result<TempDir, Failed> {
    let (directory, image) = (TempDir::new()?, TempDir::new()?);
    let (store, _) = open_small(directory.path())?;
    fill(&store)?;
    store.flush_marker()?;
    copy_at_once(directory.path(), image.path())?;
    Ok(image)
}

/// The same after a clean end and a start.
fn closed() -> Result<TempDir, Failed> {
    let directory = TempDir::new()?;
    fill(&open_small(directory.path())?.0)?;
    drop(open_small(directory.path())?);
    Ok(directory)
}

fn assert_complete(store: &Store) -> Tested {
    assert_holds(store, PURGED + 1..END)?;
    if store.vote()?.as_deref() != Some(b"the vote") {
        return Err("another vote".into());
    }
    if store.purged()?.map(|(index, _)| index) != Some(PURGED) {
        return Err("another purge point".into());
    }
    let reader = store.snapshot()?.ok_or("no snapshot")?;
    assert_eq!(reader.meta(), b"the snapshot");
    let blocks = reader.collect::<Result<Vec<_>, _>>()?;
    assert_eq!(blocks, (0..BLOCKS).map(block).collect::<Vec<_>>());
    Ok(())
}

/// True if the store refused, at the start or when the snapshot is read, which is part of the start. Panics if it opened
/// with less than everything.
fn refuses(directory: &Path, what: &str) -> Result<bool, Failed> {
    let store = match open_small(directory) {
        Ok((store, _)) => store,
        Err(error @ StoreError::Damaged { .. }) => {
            let told = error.to_string();
            assert!(told.contains("restore the data directory"), "{what}: {told}");
            assert!(told.contains(&directory.display().to_string()), "{what}: {told}");
            return Ok(true);
        }
        Err(other) => return Err(format!("{what}: not called damage: {other}").into()),
    };
    if let Some(reader) = store.snapshot()?
        && reader
            .into_iter()
            .any(|block| matches!(block, Err(StoreError::Damaged { .. })))
    {
        return Ok(true);
    }
    match assert_complete(&store) {
        Ok(()) => Ok(false),
        Err(error) => panic!("{what}: it opened, but {error}"),
    }
}

fn files(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.extend(files(&entry.path())?);
        } else {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// Bytes of a file that are worth damaging.
fn used_bytes(path: &Path) -> std::io::Result<u64> {
    let bytes = fs::read(path)?;
    Ok(bytes
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |last| last as u64 + 1))
}

fn overwrite(path: &Path, at: u64, bytes: &[u8]) -> std::io::Result<()> {
    OpenOptions::new().write(true).open(path)?.write_all_at(bytes, at)
}

/// Runs `damage` on a fresh copy for each file of the image and place in it, and returns how many were refused of how many.
fn try_everywhere(
    image: &Path,
    places: u64,
    damage: impl Fn(&Path, u64) -> std::io::Result<()>,
) -> Result<(usize, usize), Failed> {
    let (mut refused, mut tried) = (0, 0);
    for file in files(image)? {
        let used = used_bytes(&file)?;
        let inside = file.strip_prefix(image)?;
        for place in 0..places.min(used) {
            let at = used * place / places;
            let scratch = TempDir::new()?;
            copy(image, scratch.path())?;
            damage(&scratch.path().join(inside), at)?;
            tried += 1;
            refused += usize::from(refuses(
                scratch.path(),
                &format!("{} at {at} of {used}", inside.display()),
            )?);
        }
    }
    Ok((refused, tried))
}

#[test]
fn an_undamaged_directory_opens_with_everything() -> Tested {
    for directory in [killed()?, closed()?] {
        assert!(!refuses(directory.path(), "undamaged")?);
    }
    Ok(())
}

#[test]
fn garbled_bytes_anywhere_are_refused_or_harmless() -> Tested {
    for image in [killed()?, closed()?] {
        let (refused, tried) = try_everywhere(image.path(), 5, |file, at| overwrite(file, at, b"\xa5garbled\x5a"))?;
        assert!(refused * 2 > tried, "only {refused} of {tried} were noticed");
    }
    Ok(())
}

#[test]
fn zeroed_bytes_anywhere_are_refused_or_harmless() -> Tested {
    let image = killed()?;
    let (refused, tried) = try_everywhere(image.path(), 4, |file, at| overwrite(file, at, &[0; 700]))?;
    assert!(refused * 2 > tried, "only {refused} of {tried} were noticed");
    Ok(())
}

#[test]
fn files_cut_short_anywhere_are_refused_or_harmless() -> Tested {
    for image in [killed()?, closed()?] {
        let cut = |file: &Path, at| OpenOptions::new().write(true).open(file)?.set_len(at);
        let (refused, tried) = try_everywhere(image.path(), 4, cut)?;
        assert!(refused * 2 > tried, "only {refused} of {tried} were noticed");
    }
    Ok(())
}

#[test]
fn missing_files_are_refused_or_harmless() -> Tested {
    for image in [killed()?, closed()?] {
        try_everywhere(image.path(), 1, |file, _| fs::remove_file(file))?;
        for name in [
            "log",
            "keep",
            "marker",
            "identity",
            "log/keyspaces",
            "log/version",
            "keep/keyspaces",
        ] {
            let scratch = TempDir::new()?;
            copy(image.path(), scratch.path())?;
            let path = scratch.path().join(name);
            if path.is_dir() {
                fs::remove_dir_all(path)?
            } else {
                fs::remove_file(path)?
            }
            assert!(refuses(scratch.path(), name)?, "{name} was not missed");
            assert!(refuses(scratch.path(), name)?, "{name} was not missed the second time");
        }
    }
    Ok(())
}

#[test]
fn a_missing_journal_is_refused() -> Tested {
    for database in ["log", "keep"] {
        let image = killed()?;
        for journal in crate::store::journal::journals(&image.path().join(database))? {
            fs::remove_file(journal)?;
        }
        assert!(refuses(image.path(), database)?);
        assert!(refuses(image.path(), database)?, "the refusal has to last");
    }
    Ok(())
}

#[test]
fn parts_of_another_directory_are_refused() -> Tested {
    let (ours, theirs) = (killed()?, killed()?);
    for name in ["log", "keep", "marker", "identity"] {
        let scratch = TempDir::new()?;
        copy(ours.path(), scratch.path())?;
        let path = scratch.path().join(name);
        if path.is_dir() {
            fs::remove_dir_all(&path)?;
            copy(&theirs.path().join(name), &path)?;
        } else {
            fs::copy(theirs.path().join(name), &path)?;
        }
        assert!(refuses(scratch.path(), name)?, "{name} of another directory was taken");
    }
    Ok(())
}

#[test]
fn a_journal_damaged_below_the_marker_is_left_as_it_is() -> Tested {
    let image = killed()?;
    let journal = crate::store::journal::journals(&image.path().join("log"))?
        .pop()
        .ok_or("no journal")?;
    overwrite(&journal, used_bytes(&journal)? / 2, b"garbled")?;
    let before = fs::read(&journal)?;
    assert!(refuses(image.path(), "garbled in the middle")?);
    assert!(fs::read(&journal)? == before, "the evidence was changed");
    Ok(())
}

#[test]
fn a_later_format_is_refused_by_name() -> Tested {
    let image = closed()?;
    let path = image.path().join("identity");
    fs::write(&path, fs::read_to_string(&path)?.replace("format = 1", "format = 2"))?;
    let refused = open_small(image.path()).map(|_| ()).expect_err("a later format");
    assert!(
        matches!(refused, StoreError::UnknownFormat { found: 2, known: 1, .. }),
        "{refused}"
    );
    Ok(())
}

#[test]
fn a_torn_slot_of_the_marker_does_no_harm() -> Tested {
    for slot in [0, 4096] {
        let image = killed()?;
        overwrite(&image.path().join("marker"), slot, b"torn")?;
        assert!(!refuses(image.path(), "one torn slot")?);
    }
    let image = killed()?;
    overwrite(&image.path().join("marker"), 0, &[0xff; 8192])?;
    assert!(refuses(image.path(), "both slots torn")?);
    Ok(())
}

/// An image whose marker is older than its journal, as after a power loss: promised through 19, written through 39, each
/// entry a batch of its own.
fn unmarked_end() -> Result<(TempDir, PathBuf, u64), Failed> {
    let (directory, image) = (TempDir::new()?, TempDir::new()?);
    let (store, _) = open_small(directory.path())?;
    append(&store, 0..20)?;
    store.flush()?;
    copy_at_once(directory.path(), image.path())?;
    let before = used_bytes(&journal_of(image.path())?)?;
    for index in 20..40 {
        append(&store, index..index + 1)?;
    }
    store.entries.flush()?;
    copy_at_once(&directory.path().join("log"), &image.path().join("log"))?;
    let journal = journal_of(image.path())?;
    Ok((image, journal, before))
}

fn journal_of(directory: &Path) -> Result<PathBuf, Failed> {
    Ok(crate::store::journal::journals(&directory.join("log"))?
        .pop()
        .ok_or("no journal")?)
}

#[test]
fn an_end_torn_by_a_power_loss_is_cut_and_reported() -> Tested {
    let (image, journal, before) = unmarked_end()?;
    let after = used_bytes(&journal)?;
    for step in 0..20 {
        let at = before + (after - before) * step / 20;
        for torn in ["cut short", "zeroed", "garbled"] {
            let scratch = TempDir::new()?;
            copy(image.path(), scratch.path())?;
            let file = scratch.path().join(journal.strip_prefix(image.path())?);
            let rest = usize::try_from(after - at)?;
            match torn {
                "cut short" => OpenOptions::new().write(true).open(&file)?.set_len(at)?,
                "zeroed" => overwrite(&file, at, &vec![0; rest])?,
                _ => overwrite(&file, at, &vec![0xd5; rest])?,
            }
            let (store, opened) = open_small(scratch.path()).map_err(|error| format!("{torn} at {at}: {error}"))?;
            let end = opened.last_index.map_or(0, |last| last + 1);
            assert!((20..40).contains(&end), "{torn} at {at} left {end} entries");
            assert!(end + 1 >= 20 + step, "{torn} at {at} left only {end} entries");
            if torn == "garbled" {
                assert_eq!(opened.reports().count(), 1, "{torn} at {at} was not reported");
            }
            // The log goes on from there, and the cut is over.
            store.append(std::iter::once((end, payload(end))))?;
            store.flush()?;
            drop(store);
            let (store, opened) = open_small(scratch.path())?;
            assert_eq!(opened.reports().count(), 0);
            assert_holds(&store, 0..end + 1)?;
        }
    }
    Ok(())
}

#[test]
fn a_page_lost_inside_the_last_batch_is_a_torn_end_too() -> Tested {
    let (image, journal, _) = unmarked_end()?;
    let after = used_bytes(&journal)?;
    // The end of the batch reached the disk, its middle did not.
    overwrite(&journal, after - 300, &[0; 100])?;
    let (store, opened) = open_small(image.path())?;
    assert_eq!(opened.last_index, Some(38));
    assert_eq!(opened.reports().count(), 1);
    assert_holds(&store, 0..39)
}

#[test]
fn a_log_that_ends_below_the_marker_is_refused_however_it_came_about() -> Tested {
    let image = killed()?;
    let journal = journal_of(image.path())?;
    let used = used_bytes(&journal)?;
    for part in 0..20 {
        let scratch = TempDir::new()?;
        copy(image.path(), scratch.path())?;
        let file = scratch.path().join(journal.strip_prefix(image.path())?);
        OpenOptions::new().write(true).open(&file)?.set_len(used * part / 20)?;
        assert!(refuses(scratch.path(), &format!("{part}/20 of the journal"))?);
    }
    Ok(())
}

//! The thread that writes access logs: a bounded queue before it, so that no call ever waits for a disk.
//!
//! It belongs to the [`AccessLog`]; when that goes, what is queued is written and the thread ends. Knows nothing of calls.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use super::roll::{Day, MOST_ARCHIVES, archive};

/// Lines that wait; more are dropped, and their number is told. As many as Dubbo keeps.
const QUEUE: usize = 5_000;

/// Nothing waits longer than this before it is in the file.
const FLUSH: Duration = Duration::from_secs(5);

/// So many files are written at a time.
const MOST_FILES: usize = 64;

/// Access logs in files, a new one each day. One for a program.
#[derive(Debug)]
pub struct AccessLog {
    /// None only while it is dropped.
    queue: Option<SyncSender<Entry>>,
    dropped: Arc<AtomicU64>,
    offset: i32,
    writer: Option<JoinHandle<()>>,
}

/// A line for a file.
#[derive(Debug)]
struct Entry {
    path: Arc<Path>,
    line: String,
    day: Day,
}

impl AccessLog {
    /// Starts the thread that writes. Times and days are those of a local time so many seconds before that of Greenwich.
    pub fn start(offset: i32) -> io::Result<AccessLog> {
        let (queue, entries) = sync_channel(QUEUE);
        let dropped = Arc::new(AtomicU64::new(0));
        let writer = Writer {
            files: HashMap::new(),
            dropped: Arc::clone(&dropped),
            offset,
            failing: false,
        };
        let thread = std::thread::Builder::new().name("access-log".to_owned());
        Ok(AccessLog {
            queue: Some(queue),
            dropped,
            offset,
            writer: Some(thread.spawn(move || writer.run(&entries))?),
        })
    }

    pub(super) fn offset(&self) -> i32 {
        self.offset
    }

    /// Queues a line of that moment for the file; if the queue is full, counts it as dropped.
    pub(super) fn write(&self, path: &Arc<Path>, line: String, at: SystemTime) {
        let entry = Entry {
            path: Arc::clone(path),
            line,
            day: Day::at(at, self.offset),
        };
        let queued = self.queue.as_ref().map(|queue| queue.try_send(entry));
        if let Some(Err(TrySendError::Full(_) | TrySendError::Disconnected(_))) = queued {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Writes what is queued and ends the thread.
impl Drop for AccessLog {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(writer) = self.writer.take() {
            // It does not panic; if it did, there is nothing left to do here.
            let _ = writer.join();
        }
    }
}

struct Writer {
    files: HashMap<Arc<Path>, Open>,
    dropped: Arc<AtomicU64>,
    offset: i32,
    /// The last attempt to write failed, and that was told.
    failing: bool,
}

/// A file that is written, of one day.
struct Open {
    file: BufWriter<File>,
    day: Day,
}

impl Writer {
    fn run(mut self, entries: &Receiver<Entry>) {
        let mut flushed = Instant::now();
        loop {
            let wait = FLUSH.saturating_sub(flushed.elapsed());
            let ended = match entries.recv_timeout(wait) {
                Ok(entry) => {
                    let written = self.write(&entry);
                    self.judge(&entry.path, written);
                    false
                }
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => true,
            };
            if ended || flushed.elapsed() >= FLUSH {
                self.flush();
                flushed = Instant::now();
            }
            if ended {
                return;
            }
        }
    }

    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        // A line of yesterday that comes late belongs to the file of today.
        let current = self.files.get(&entry.path).is_some_and(|open| entry.day <= open.day);
        if !current {
            if let Some(mut old) = self.files.remove(&entry.path) {
                old.file.flush()?;
            }
            if self.files.len() >= MOST_FILES {
                let message = format!("more than {MOST_FILES} access logs are written at a time");
                return Err(io::Error::other(message));
            }
            let open = open(&entry.path, entry.day, self.offset)?;
            self.files.insert(Arc::clone(&entry.path), open);
        }
        match self.files.get_mut(&entry.path) {
            Some(open) => writeln!(open.file, "{}", entry.line),
            None => Ok(()),
        }
    }

    fn flush(&mut self) {
        let mut failed = None;
        for (path, open) in &mut self.files {
            if let Err(error) = open.file.flush() {
                failed = Some((Arc::clone(path), error));
            }
        }
        if let Some((path, error)) = failed {
            self.judge(&path, Err(error));
        }
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            tracing::warn!(
                lines = dropped,
                "access logs come faster than they can be written; lines were dropped"
            );
        }
    }

    /// Tells of a failure when it begins. The file is opened anew with the next line.
    fn judge(&mut self, path: &Arc<Path>, written: io::Result<()>) {
        match written {
            Ok(()) => self.failing = false,
            Err(error) => {
                if let Some(Open { file, .. }) = self.files.remove(path) {
                    // What is in the buffer cannot be written now; trying again while dropping would only fail again.
                    let _ = file.into_parts();
                }
                if !std::mem::replace(&mut self.failing, true) {
                    tracing::warn!(path = %path.display(), %error, "an access log cannot be written; its lines are lost");
                }
            }
        }
    }
}

/// Opens the file for lines of that day; one of another day is put aside first.
fn open(path: &Path, day: Day, offset: i32) -> io::Result<Open> {
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        std::fs::create_dir_all(directory)?;
    }
    if let Ok(modified) = std::fs::metadata(path).and_then(|metadata| metadata.modified()) {
        let written = Day::at(modified, offset);
        if written != day {
            let free = (0..MOST_ARCHIVES)
                .map(|number| archive(path, written, number))
                .find(|name| !name.exists());
            // With so many archives of one day the file is written on.
            if let Some(name) = free {
                std::fs::rename(path, name)?;
            }
        }
    }
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    Ok(Open {
        file: BufWriter::new(file),
        day,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn today() -> SystemTime {
        SystemTime::now()
    }

    #[test]
    fn a_file_of_another_day_is_put_aside_and_nothing_is_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let path: Arc<Path> = directory.path().join("access.log").into();
        let yesterday = today() - Duration::from_secs(86_400);
        let aside = archive(&path, Day::at(yesterday, 0), 0);
        std::fs::write(&aside, "older\n").unwrap();
        std::fs::write(&path, "old\n").unwrap();
        let file = OpenOptions::new().append(true).open(&path).unwrap();
        file.set_modified(yesterday).unwrap();
        let log = AccessLog::start(0).unwrap();
        log.write(&path, "new".to_owned(), today());
        drop(log);
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        assert_eq!(read(&path), "new\n");
        assert_eq!(read(&aside), "older\n");
        assert_eq!(read(&archive(&path, Day::at(yesterday, 0), 1)), "old\n");
    }

    #[test]
    fn a_new_day_begins_a_new_file_while_the_program_runs() {
        let directory = tempfile::tempdir().unwrap();
        let path: Arc<Path> = directory.path().join("access.log").into();
        let log = AccessLog::start(0).unwrap();
        log.write(&path, "today".to_owned(), today());
        log.write(&path, "tomorrow".to_owned(), today() + Duration::from_secs(86_400));
        drop(log);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "tomorrow\n");
        let aside = archive(&path, Day::at(today(), 0), 0);
        assert_eq!(std::fs::read_to_string(aside).unwrap(), "today\n");
    }

    #[test]
    fn a_file_that_cannot_be_written_stops_nobody() {
        let directory = tempfile::tempdir().unwrap();
        let good: Arc<Path> = directory.path().join("good.log").into();
        let bad: Arc<Path> = directory.path().into();
        let log = AccessLog::start(0).unwrap();
        for _ in 0..3 {
            log.write(&bad, "lost".to_owned(), today());
            log.write(&good, "kept".to_owned(), today());
        }
        drop(log);
        assert_eq!(std::fs::read_to_string(&good).unwrap(), "kept\nkept\nkept\n");
    }

    #[test]
    fn lines_beyond_the_queue_are_counted_and_nobody_waits() {
        let (queue, entries) = sync_channel(1);
        let log = AccessLog {
            queue: Some(queue),
            dropped: Arc::default(),
            offset: 0,
            writer: None,
        };
        let path: Arc<Path> = Path::new("x").into();
        (0..5).for_each(|_| log.write(&path, "line".to_owned(), today()));
        assert_eq!(log.dropped.load(Ordering::Relaxed), 4);
        drop(entries);
    }
}

//! A file that remembers lists of URLs by service key, in the place and the form in which Dubbo keeps its own: each may
//! read what the other wrote. Blocking; knows neither tasks nor subscriptions.
//!
//! A save takes the place of the old file at once or not at all, and keeps the entries that it has nothing to say about, so
//! that several processes may share a file. As in Dubbo a file `….lock` keeps two savers apart.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use orana_core::{ServiceUrl, UrlPool};
use parking_lot::{Mutex, MutexGuard};
use rustix::fs::{FlockOperation, fcntl_lock};

use super::properties::{self, Entries, PropertiesError};
use crate::snapshot::Skipped;

/// Locks of this kind belong to the process, so its threads must be kept apart by other means.
static ONE_SAVER: Mutex<()> = Mutex::new(());

/// What is left of a save that was killed is removed when it is this old.
const LEFTOVER: Duration = Duration::from_secs(3600);

/// A file of lists.
#[derive(Clone, Debug)]
pub struct CacheFile {
    path: PathBuf,
}

/// What a file held.
#[derive(Debug, Default)]
pub struct Cached {
    /// Service key and its URLs, with an `empty://` one for each category that was known to be empty.
    pub lists: HashMap<String, Vec<ServiceUrl>>,
    /// Texts among the values that are no URLs, of which the first is told with its key.
    pub skipped: Skipped,
}

/// A failure, and the file it happened to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// Another process saves at the moment.
    #[error("another process holds the lock of the cache file `{path}`")]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The system refused something.
    #[error("cannot {what} the cache file `{path}`")]
    Io {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Holds the lock until dropped.
struct Locked {
    // The lock goes when the file is closed; before that nobody else in this process may open it.
    _file: File,
    _saver: MutexGuard<'static, ()>,
}

impl CacheFile {
    /// The file at `path`; nothing is opened yet.
    pub fn new(path: impl Into<PathBuf>) -> CacheFile {
        CacheFile { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads all of it; nothing if it does not exist. One that is damaged is set aside as `….damaged`, with a warning, and
    /// counts as empty.
    ///
    /// # Errors
    /// [`CacheError::Io`].
    pub fn read(&self, pool: &UrlPool) -> Result<Cached, CacheError> {
        // Dubbo writes in place: a moment's patience saves us from half a file. A lock that cannot be had does not hinder.
        let _locked = (0..4).find_map(|_| {
            let locked = self.lock();
            if matches!(locked, Err(CacheError::Locked { .. })) {
                std::thread::sleep(Duration::from_millis(25));
            }
            locked.ok()
        });
        let mut cached = Cached::default();
        self.each_entry(|key, value| {
            let urls = urls(&key, &value, pool, &mut cached.skipped);
            cached.lists.insert(key, urls);
            Ok(())
        })?;
        Ok(cached)
    }

    /// Replaces the lists of these keys and keeps all others.
    ///
    /// # Errors
    /// [`CacheError::Locked`], which passes, or [`CacheError::Io`]. The file is as it was then.
    pub fn save(&self, lists: &[(String, Vec<ServiceUrl>)]) -> Result<(), CacheError> {
        let _locked = self.lock()?;
        self.remove_leftovers();
        let new = self.beside(&format!("{}.tmp", std::process::id()));
        let written = self
            .write(&new, lists)
            .and_then(|()| fs::rename(&new, &self.path).map_err(|source| self.io("replace", source)));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written
    }

    fn write(&self, new: &Path, lists: &[(String, Vec<ServiceUrl>)]) -> Result<(), CacheError> {
        let failed = |source| self.io("write", source);
        let mut out = BufWriter::new(File::create(new).map_err(failed)?);
        out.write_all(b"#Dubbo Registry Cache\n").map_err(failed)?;
        let ours: HashSet<&str> = lists.iter().map(|(key, _)| key.as_str()).collect();
        self.each_entry(|key, value| {
            if ours.contains(key.as_str()) {
                return Ok(());
            }
            write_entry(&mut out, &key, [value.as_str()])
        })?;
        for (key, urls) in lists {
            write_entry(&mut out, key, urls.iter().map(ServiceUrl::full_text)).map_err(failed)?;
        }
        let file = out.into_inner().map_err(|error| failed(error.into_error()))?;
        file.sync_all().map_err(failed)
    }

    fn each_entry(&self, mut each: impl FnMut(String, String) -> io::Result<()>) -> Result<(), CacheError> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(self.io("open", error)),
        };
        for entry in Entries::new(BufReader::new(file)) {
            match entry {
                Ok((key, value)) => each(key, value).map_err(|source| self.io("write", source))?,
                Err(PropertiesError::Read(source)) => return Err(self.io("read", source)),
                Err(PropertiesError::Damaged { line, why }) => {
                    let aside = self.beside("damaged");
                    fs::rename(&self.path, &aside).map_err(|source| self.io("set aside", source))?;
                    tracing::warn!(
                        path = %self.path.display(), line, aside = %aside.display(),
                        "the cache file is damaged and was set aside: {why}"
                    );
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn lock(&self) -> Result<Locked, CacheError> {
        let saver = ONE_SAVER.lock();
        let path = self.beside("lock");
        let failed = |source| self.io("lock", source);
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory).map_err(failed)?;
        }
        // Dubbo deletes the file of the lock, so what was locked may be a file without a name by then.
        for _ in 0..3 {
            let mut options = OpenOptions::new();
            let file = options
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(failed)?;
            match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(rustix::io::Errno::ACCESS | rustix::io::Errno::AGAIN) => break,
                Err(error) => return Err(failed(error.into())),
            }
            let held = file.metadata().map_err(failed)?.ino();
            if fs::metadata(&path).is_ok_and(|named| named.ino() == held) {
                return Ok(Locked {
                    _file: file,
                    _saver: saver,
                });
            }
        }
        Err(CacheError::Locked {
            path: self.path.clone(),
        })
    }

    /// The file's own path with `.suffix` behind it.
    fn beside(&self, suffix: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(".");
        path.push(suffix);
        path.into()
    }

    fn remove_leftovers(&self) {
        let (Some(directory), Some(name)) = (self.path.parent(), self.path.file_name().and_then(|name| name.to_str()))
        else {
            return;
        };
        let now = SystemTime::now();
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let file = entry.file_name();
            let middle = file
                .to_str()
                .and_then(|file| file.strip_prefix(name)?.strip_prefix('.')?.strip_suffix(".tmp"));
            let old = || {
                let written = entry.metadata().and_then(|metadata| metadata.modified());
                written.is_ok_and(|written| now.duration_since(written).is_ok_and(|age| age > LEFTOVER))
            };
            if middle.is_some_and(|middle| middle.parse::<u32>().is_ok()) && old() {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    fn io(&self, what: &'static str, source: io::Error) -> CacheError {
        CacheError::Io {
            what,
            path: self.path.clone(),
            source,
        }
    }
}

fn write_entry(out: &mut impl Write, key: &str, parts: impl IntoIterator<Item = impl AsRef<str>>) -> io::Result<()> {
    properties::write_key(out, key)?;
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            out.write_all(b" ")?;
        }
        properties::write_value(out, part.as_ref())?;
    }
    out.write_all(b"\n")
}

/// The URLs of a value. They are separated by blanks, and nobody escapes those within them: what follows a blank and
/// begins no URL belongs to the one before.
pub(super) fn urls(key: &str, value: &str, pool: &UrlPool, skipped: &mut Skipped) -> Vec<ServiceUrl> {
    let mut texts: Vec<String> = Vec::new();
    for piece in value.split_ascii_whitespace() {
        match texts.last_mut() {
            Some(last) if !piece.contains("://") => {
                last.push(' ');
                last.push_str(piece);
            }
            _ => texts.push(piece.to_owned()),
        }
    }
    let mut urls = Vec::with_capacity(texts.len());
    for text in texts {
        match pool.parse(&text) {
            Ok(url) if url.protocol().is_some() => urls.push(url),
            Ok(_) => skipped.add(|| format!("`{key}`: a text without a protocol")),
            Err(error) => skipped.add(|| format!("`{key}`: {error}")),
        }
    }
    urls
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> ServiceUrl {
        ServiceUrl::parse(text).unwrap()
    }

    fn file() -> (tempfile::TempDir, CacheFile) {
        let directory = tempfile::tempdir().unwrap();
        let file = CacheFile::new(directory.path().join("below/dubbo-registry-shop-h-1.cache"));
        (directory, file)
    }

    fn read(file: &CacheFile) -> HashMap<String, Vec<ServiceUrl>> {
        file.read(&UrlPool::new()).unwrap().lists
    }

    fn entry(key: &str, urls: &[&str]) -> (String, Vec<ServiceUrl>) {
        (key.to_owned(), urls.iter().map(|text| url(text)).collect())
    }

    #[test]
    fn what_is_saved_is_read_and_other_keys_survive() {
        let (_directory, file) = file();
        assert!(read(&file).is_empty());
        let empty = "empty://h/com.a.B?category=routers";
        let first = entry("g/com.a.B:1.0.0", &["dubbo://h:1/com.a.B?group=g&x=中", empty]);
        file.save(std::slice::from_ref(&first)).unwrap();
        let second = entry("com.a.C", &["dubbo://h:1/com.a.C"]);
        file.save(std::slice::from_ref(&second)).unwrap();
        assert_eq!(read(&file), HashMap::from([first.clone(), second]));
        let second = entry("com.a.C", &[]);
        file.save(std::slice::from_ref(&second)).unwrap();
        assert_eq!(read(&file), HashMap::from([first, second]));
        let names: Vec<_> = fs::read_dir(file.path().parent().unwrap()).unwrap().collect();
        assert_eq!(names.len(), 2, "the file and its lock: {names:?}");
    }

    #[test]
    fn a_url_with_blanks_in_it_survives() {
        let (_directory, file) = file();
        let entry = entry("i", &["route://0.0.0.0/i?rule=a => b c", "dubbo://h:1/i"]);
        file.save(std::slice::from_ref(&entry)).unwrap();
        assert_eq!(read(&file), HashMap::from([entry]));
    }

    #[test]
    fn a_damaged_file_is_set_aside_and_the_next_save_works() {
        let (_directory, file) = file();
        file.save(&[entry("i", &["dubbo://h:1/i"])]).unwrap();
        fs::write(file.path(), b"i=\\uZZZZ\n").unwrap();
        assert!(read(&file).is_empty());
        assert!(!file.path().exists());
        assert_eq!(fs::read(file.beside("damaged")).unwrap(), b"i=\\uZZZZ\n");
        fs::write(file.path(), b"\0\0\0").unwrap();
        file.save(&[entry("i", &["dubbo://h:2/i"])]).unwrap();
        assert_eq!(read(&file), HashMap::from([entry("i", &["dubbo://h:2/i"])]));
    }

    #[test]
    fn what_is_no_url_is_skipped_and_told() {
        let (_directory, file) = file();
        fs::create_dir_all(file.path().parent().unwrap()).unwrap();
        fs::write(file.path(), "server.port=8080\ni=dubbo\\://h\\:1/i dubbo\\://h\\:x/i\n").unwrap();
        let cached = file.read(&UrlPool::new()).unwrap();
        assert_eq!(cached.lists["i"], [url("dubbo://h:1/i")]);
        assert_eq!(cached.skipped.count, 2);
        // And what belongs to somebody else is kept.
        file.save(&[entry("i", &[])]).unwrap();
        assert!(fs::read_to_string(file.path()).unwrap().contains("server.port=8080\n"));
    }

    #[test]
    fn a_file_that_cannot_be_written_is_an_error_and_stays_as_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, "").unwrap();
        let error = CacheFile::new(path.join("below.cache")).save(&[]).unwrap_err();
        assert!(matches!(error, CacheError::Io { .. }), "{error}");
        assert!(error.to_string().contains("below.cache"));
    }

    #[test]
    fn saves_of_many_threads_lose_nothing() {
        let (_directory, file) = file();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let file = &file;
                scope.spawn(move || {
                    for round in 0..10 {
                        let key = format!("i{thread}");
                        file.save(&[entry(&key, &[&format!("dubbo://h:{}/{key}", round + 1)])])
                            .unwrap();
                    }
                });
            }
        });
        let lists = read(&file);
        assert_eq!(lists.len(), 8);
        assert!(lists.values().all(|urls| urls[0].port() == Some(10)));
    }

    #[test]
    fn old_leftovers_of_killed_processes_go() {
        let (_directory, file) = file();
        file.save(&[]).unwrap();
        let (old, new) = (file.beside("1.tmp"), file.beside("2.tmp"));
        fs::write(&new, "").unwrap();
        File::create(&old)
            .unwrap()
            .set_modified(SystemTime::now() - 2 * LEFTOVER)
            .unwrap();
        file.save(&[]).unwrap();
        assert_eq!((old.exists(), new.exists()), (false, true));
    }
}

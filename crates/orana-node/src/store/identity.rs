//! The file that says "this directory has been used": its format, when it began, and a number of its own. With it an
//! emptied store is noticed instead of being taken for a new one. It knows nothing of what the directory holds.
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::error::{Doing, StoreError};

/// The format this program writes, and the newest it reads.
pub(super) const FORMAT: u32 = 1;
const FIRST_LINE: &str = "Orana data directory";

/// Sets one directory apart from all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    /// Goes into every checksum, so that files which belong to another directory do not pass.
    pub(super) number: u64,
}

impl Identity {
    pub(super) fn path(directory: &Path) -> PathBuf {
        directory.join("identity")
    }

    /// Reads the identity; `None` means the directory has none.
    pub(super) fn read(directory: &Path) -> Result<Option<Self>, StoreError> {
        let path = Self::path(directory);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                return Err(StoreError::damaged(&path, "text", "bytes that are not text"));
            }
            Err(error) => return Err(error).doing("read", &path),
        };
        let field = |name: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(name)?.trim().strip_prefix('='))
                .map(str::trim)
        };
        let format = field("format").and_then(|format| format.parse::<u32>().ok());
        match format {
            Some(format) if format > FORMAT => {
                return Err(StoreError::UnknownFormat {
                    path,
                    found: format,
                    known: FORMAT,
                });
            }
            Some(FORMAT) if text.lines().next() == Some(FIRST_LINE) => {}
            _ => {
                return Err(StoreError::damaged(
                    &path,
                    format!("`{FIRST_LINE}` and a format number"),
                    abridged(&text),
                ));
            }
        }
        let (Some(number), Some(check)) = (field("number"), field("check")) else {
            return Err(StoreError::damaged(
                &path,
                "the lines `number` and `check`",
                abridged(&text),
            ));
        };
        let parsed = u64::from_str_radix(number, 16).ok();
        let checked = u32::from_str_radix(check, 16).ok();
        match parsed {
            Some(value) if checked == Some(crc32fast::hash(number.as_bytes())) => Ok(Some(Self { number: value })),
            _ => Err(StoreError::damaged(
                &path,
                "a number that agrees with its check",
                abridged(&text),
            )),
        }
    }

    /// A number nobody else has.
    pub(super) fn invent() -> Result<Self, StoreError> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes)
            .map_err(|error| std::io::Error::other(error.to_string()))
            .doing("draw a random number for", Path::new("identity"))?;
        Ok(Self {
            number: u64::from_le_bytes(bytes),
        })
    }

    /// Makes the directory count as used. The last step of its creation.
    pub(super) fn write(self, directory: &Path) -> Result<(), StoreError> {
        let path = Self::path(directory);
        let temporary = directory.join("identity.new");
        let created = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        let number = format!("{:016x}", self.number);
        let check = crc32fast::hash(number.as_bytes());
        let text =
            format!("{FIRST_LINE}\nformat = {FORMAT}\ncreated = {created}\nnumber = {number}\ncheck = {check:08x}\n");
        let mut file = File::create(&temporary).doing("create", &temporary)?;
        file.write_all(text.as_bytes()).doing("write", &temporary)?;
        file.sync_all().doing("flush", &temporary)?;
        fs::rename(&temporary, &path).doing("create", &path)?;
        flush_directory(directory)
    }
}

/// Makes the names in a directory durable.
pub(super) fn flush_directory(directory: &Path) -> Result<(), StoreError> {
    File::open(directory)
        .and_then(|file| file.sync_all())
        .doing("flush the directory", directory)
}

fn abridged(text: &str) -> String {
    format!("`{}`", text.chars().take(80).collect::<String>().escape_debug())
}

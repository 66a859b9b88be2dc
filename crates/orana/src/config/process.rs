//! The layers of a process: its environment and the files beside it. The only part that looks outside.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use super::error::ConfigError;
use super::layers::Layers;
use super::source::MAX_TEXT;

/// Files that are looked for, strongest first.
const FILES: &[&str] = &["orana.toml", "dubbo.yaml", "dubbo.yml", "dubbo.properties"];

/// The variables that name a file to use instead (`CommonConstants.DubboProperty`).
const FILE_VARIABLES: &[&str] = &["DUBBO_PROPERTIES_FILE", "dubbo.properties.file"];

impl Layers {
    /// The environment of the process, and its file: the one that `DUBBO_PROPERTIES_FILE` names, else `orana.toml`, `dubbo.yaml`
    /// (`dubbo.yml`) and `dubbo.properties` in `directory`, as far as they are there; of these the first wins.
    ///
    /// # Errors
    /// [`ConfigError::Read`] for a file that is there and cannot be read, or that a variable names and is not there; and those of
    /// [`Layers::file`].
    pub fn of_process(directory: &Path) -> Result<Layers, ConfigError> {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        let variables: Vec<(String, String)> = std::env::vars_os().filter_map(text).collect();
        let named = FILE_VARIABLES.iter().find_map(|wanted| {
            let named = |(name, value): &&(String, String)| name == wanted && !value.trim().is_empty();
            variables.iter().find(named).map(|(_, value)| value.clone())
        });
        let layers = Layers::new().environment(variables);
        match named {
            Some(file) => layers.read_file(&directory.join(file)),
            None => layers.read_files(directory),
        }
    }

    /// Reads those of the usual files that are in `directory`.
    ///
    /// # Errors
    /// As of [`Layers::of_process`].
    pub fn read_files(self, directory: &Path) -> Result<Layers, ConfigError> {
        // The strongest is said last.
        FILES.iter().rev().try_fold(self, |layers, name| {
            let path = directory.join(name);
            match path.try_exists() {
                Ok(false) => Ok(layers),
                _ => layers.read_file(&path),
            }
        })
    }

    /// Reads a file; see [`Layers::file`].
    ///
    /// # Errors
    /// [`ConfigError::Read`], and those of [`Layers::file`].
    pub fn read_file(self, path: &Path) -> Result<Layers, ConfigError> {
        let name = path.display().to_string();
        let unreadable = |why: String| ConfigError::Read {
            name: name.clone(),
            why,
        };
        let file = File::open(path).map_err(|error| unreadable(error.to_string()))?;
        let mut text = String::new();
        // One byte more than is allowed tells what is too long.
        let limit = u64::try_from(MAX_TEXT).unwrap_or(u64::MAX).saturating_add(1);
        file.take(limit)
            .read_to_string(&mut text)
            .map_err(|error| match error.kind() {
                ErrorKind::InvalidData => unreadable("it is not UTF-8".to_owned()),
                _ => unreadable(error.to_string()),
            })?;
        self.file(&name, &text)
    }
}

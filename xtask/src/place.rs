//! Where things lie: the repository and what these commands write below `target/xtask`.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// A directory of our own below the target directory; made if it is not there yet.
pub(crate) fn written(under: &str) -> io::Result<PathBuf> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let dir = repository().join(target).join("xtask").join(under);
    fs::create_dir_all(&dir)?;
    Ok(dir)
}

/// The stems of the Rust files in `dir`, sorted; none if there is no such directory.
pub(crate) fn rust_files(dir: &str) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(repository().join(dir)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut stems = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs")
            && let Some(stem) = path.file_stem()
        {
            stems.push(stem.to_string_lossy().into_owned());
        }
    }
    stems.sort();
    Ok(stems)
}

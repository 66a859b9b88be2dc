//! Where things lie: the repository, the peers' sources, and everything that the rig writes (`target/interop`).

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// The root of the repository.
pub fn repository() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// The sources of the peer programs.
pub fn sources() -> PathBuf {
    repository().join("interop")
}

/// Cargo's target directory.
pub fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => repository().join(dir),
        None => repository().join("target"),
    }
}

/// A directory of the rig's own below the target directory; made if it is not there yet.
pub fn written(under: impl AsRef<Path>) -> io::Result<PathBuf> {
    let dir = target().join("interop").join(under);
    fs::create_dir_all(&dir)?;
    Ok(dir)
}

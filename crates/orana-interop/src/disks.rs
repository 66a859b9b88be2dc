//! Small disks in memory (tmpfs) that can be full, larger, or gone; [`failing`] has one that breaks. Mounting needs root.

pub mod failing;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

use crate::place;

/// A mounted file system; dropping it takes it away.
#[derive(Debug)]
pub struct Disk {
    dir: PathBuf,
}

impl Disk {
    /// A disk of this many MiB under a name of the scenario's own. It does not lie in the scenario's directory, which
    /// could not be cleared up if the disk were left over.
    pub fn of(name: &str, mib: u64) -> Result<Disk> {
        let dir = place::written(format!("disks/{name}"))?;
        // One that an earlier run left.
        while is_mounted(&dir)? {
            run("umount", &["-l"], &dir)?;
        }
        let size = format!("size={mib}m");
        run("mount", &["-t", "tmpfs", "-o", &size, "tmpfs"], &dir).context("a small disk needs root")?;
        Ok(Disk { dir })
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// Makes it this large.
    pub fn resize(&self, mib: u64) -> Result<()> {
        run("mount", &["-o", &format!("remount,size={mib}m")], &self.dir)
    }

    /// Takes this many MiB of it.
    pub fn ballast(&self, mib: usize) -> Result<Ballast> {
        let file = self.dir.join("ballast");
        fs::write(&file, vec![0; mib << 20])?;
        Ok(Ballast { file })
    }

    /// Bytes that are free.
    pub fn free(&self) -> Result<u64> {
        let found = rustix::fs::statvfs(&self.dir)?;
        Ok(found.f_bavail * found.f_frsize)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if let Err(error) = run("umount", &["-l"], &self.dir) {
            eprintln!("{error:#}");
        }
    }
}

/// A file that does nothing but take space; dropping it gives the space back.
#[derive(Debug)]
pub struct Ballast {
    file: PathBuf,
}

impl Drop for Ballast {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.file) {
            eprintln!("{}: {error}", self.file.display());
        }
    }
}

fn is_mounted(dir: &Path) -> Result<bool> {
    let mounts = fs::read_to_string("/proc/self/mounts")?;
    let dir = dir.to_string_lossy();
    Ok(mounts.lines().any(|line| line.split(' ').nth(1) == Some(&dir)))
}

fn run(program: &str, arguments: &[&str], dir: &Path) -> Result<()> {
    let output = Command::new(program).args(arguments).arg(dir).output()?;
    ensure!(
        output.status.success(),
        "{program} {arguments:?} {}: {}",
        dir.display(),
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(())
}

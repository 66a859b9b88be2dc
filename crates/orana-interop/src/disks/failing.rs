//! A file system (ext4 on a loop device) that can be made to fail as real ones do, and be repaired as an operator would
//! do it. It does not know what anybody keeps on it.
//!
//! ```text
//! FailingDisk::path  ── outer volume                                  or  ── inner volume
//!                       │ ext4, errors=remount-ro as most have it            │ the file system
//!                       │ loop device                                        │ loop device: this one fails
//!                       └ image on a small disk in memory                    └ image on an outer volume
//! ```
//!
//! A device is made to fail by what lies beneath it becoming read-only. Taking away its space would be simpler, but a loop
//! device then reports writes as done that were not.

// The kernel has no other door for shutting a file system down than an ioctl, whose number and argument only we can vouch
// for: `EXT4_IOC_SHUTDOWN` is `_IOR('X', 125, __u32)` and reads the 32 bits that it is given.
#![allow(unsafe_code)]

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use rustix::ioctl::{Opcode, Setter, ioctl, opcode};

use super::{Disk, run};

const SHUTDOWN: Opcode = opcode::read::<u32>(b'X', 125);
/// `EXT4_GOING_FLAGS_NOLOGFLUSH`: nothing is written any more, not even the file system's own journal.
const AT_ONCE: u32 = 2;

const DISK_MIB: u64 = 256;
/// Sizes of images, from the outermost in; each has room in the one around it.
const IMAGES_MIB: [u64; 2] = [240, 192];

/// In which way it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The device beneath the file system refuses to write: what was written to a file is refused when it is flushed.
    /// Reads go on.
    Device,
    /// Every call is refused, and what was not flushed is lost, as when a cable is pulled.
    Shutdown,
    /// The system has found an error and lets nobody write any more. Reads go on.
    ReadOnly,
}

/// A file system that can fail; dropping it takes it away, whatever state it is in.
#[derive(Debug)]
pub struct FailingDisk {
    failure: Failure,
    /// From the inside out, in which order they are dropped.
    volumes: Vec<Volume>,
    /// Beneath all of them.
    _memory: Disk,
}

/// An image and where it is mounted.
#[derive(Debug)]
struct Volume {
    image: PathBuf,
    dir: PathBuf,
    mounted: bool,
}

impl FailingDisk {
    /// A sound one under a name of the scenario's own, which will fail in this way.
    pub fn of(name: &str, failure: Failure) -> Result<FailingDisk> {
        let memory = Disk::of(name, DISK_MIB)?;
        let depth = if failure == Failure::Device { 2 } else { 1 };
        let mut beneath = memory.path().to_owned();
        let mut disk = FailingDisk {
            failure,
            volumes: Vec::new(),
            _memory: memory,
        };
        for mib in IMAGES_MIB.into_iter().take(depth) {
            let volume = Volume::create(&beneath, mib)?;
            beneath.clone_from(&volume.dir);
            disk.volumes.insert(0, volume);
        }
        Ok(disk)
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        self.volumes.first().map_or(Path::new("/"), |volume| &volume.dir)
    }

    /// From now on it fails.
    pub fn fail(&self) -> Result<()> {
        let volume = self.volumes.last().context("a volume")?;
        match self.failure {
            Failure::Device | Failure::ReadOnly => volume.become_read_only(),
            Failure::Shutdown => volume.shut_down(),
        }
    }

    /// Takes it out of service, checks it and puts it back, sound again. Nobody may have it open.
    pub fn repair(&mut self) -> Result<()> {
        self.volumes.iter_mut().try_for_each(Volume::unmount)?;
        for volume in self.volumes.iter_mut().rev() {
            // Mounting it plays its journal back, which has to come before the check.
            volume.mount()?;
            volume.unmount()?;
            volume.check()?;
            volume.mount()?;
        }
        Ok(())
    }
}

impl Volume {
    fn create(beneath: &Path, mib: u64) -> Result<Volume> {
        let (image, dir) = (beneath.join("image"), beneath.join("mounted"));
        File::create(&image)?.set_len(mib << 20)?;
        run("mkfs.ext4", &["-q", "-F", "-m", "0", "-b", "4096"], &image)?;
        fs::create_dir(&dir)?;
        let mut volume = Volume {
            image,
            dir,
            mounted: false,
        };
        volume.mount()?;
        Ok(volume)
    }

    fn mount(&mut self) -> Result<()> {
        // The loop device goes by itself when nobody has the file system mounted any more.
        let arguments = ["-o", "loop,errors=remount-ro", &self.image.to_string_lossy()];
        run("mount", &arguments, &self.dir).context("a file system on a loop device needs root")?;
        self.mounted = true;
        Ok(())
    }

    fn unmount(&mut self) -> Result<()> {
        run("umount", &[], &self.dir)?;
        self.mounted = false;
        Ok(())
    }

    fn check(&self) -> Result<()> {
        let checked = Command::new("e2fsck").args(["-f", "-p"]).arg(&self.image).output()?;
        // 1 says that something was mended.
        ensure!(
            checked.status.code().is_some_and(|code| code <= 1),
            "e2fsck ended with {}: {}{}",
            checked.status,
            String::from_utf8_lossy(&checked.stdout),
            String::from_utf8_lossy(&checked.stderr)
        );
        Ok(())
    }

    /// As if the system had found an error in it.
    fn become_read_only(&self) -> Result<()> {
        let trigger = Path::new("/sys/fs/ext4")
            .join(device_of(&self.dir)?)
            .join("trigger_fs_error");
        fs::write(&trigger, "asked for by a test\n").with_context(|| trigger.display().to_string())
    }

    fn shut_down(&self) -> Result<()> {
        let root = File::open(&self.dir)?;
        // SAFETY: the number belongs to this argument's type, see above.
        unsafe { ioctl(&root, Setter::<SHUTDOWN, u32>::new(AT_ONCE)) }.context("shutting a file system down")
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        if self.mounted
            && let Err(error) = run("umount", &["-l"], &self.dir)
        {
            eprintln!("{error:#}");
        }
    }
}

/// The name of the device that is mounted in `dir`, as in `loop3`.
fn device_of(dir: &Path) -> Result<String> {
    let mounts = fs::read_to_string("/proc/self/mounts")?;
    let dir = dir.to_string_lossy();
    let mut lines = mounts.lines().map(|line| line.split(' '));
    let device = lines.find_map(|mut words| {
        let device = words.next()?;
        (words.next() == Some(&dir)).then_some(device)
    });
    let name = device.and_then(|device| device.strip_prefix("/dev/"));
    Ok(name.with_context(|| format!("nothing is mounted in {dir}"))?.to_owned())
}

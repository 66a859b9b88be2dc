//! Installs what the steps need and the machine lacks, by package name; what is there already is left alone.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::place;

/// Something that must be there, how that shows, and the Debian package that brings it.
struct Need {
    what: &'static str,
    there: fn() -> bool,
    package: &'static str,
}

/// What the scenarios against real peers need of the machine. Java, Maven, Go and Python packages are fetched by the
/// peers' own builds.
const PEERS: &[Need] = &[
    Need {
        what: "Apache ZooKeeper",
        there: || exists("/usr/share/java/zookeeper.jar"),
        package: "zookeeper",
    },
    Need {
        what: "SLF4J for its log",
        there: || exists("/usr/share/java/slf4j-simple.jar"),
        package: "libslf4j-java",
    },
    Need {
        what: "strace",
        there: || runs("strace", &["-V"]),
        package: "strace",
    },
    Need {
        what: "e2fsprogs, for disks that fail",
        there: || runs("mkfs.ext4", &["-V"]) && runs("e2fsck", &["-V"]),
        package: "e2fsprogs",
    },
    Need {
        what: "mount",
        there: || runs("mount", &["-V"]),
        package: "mount",
    },
    Need {
        what: "a Java compiler",
        there: || runs("javac", &["-version"]),
        package: "default-jdk-headless",
    },
    Need {
        what: "Maven",
        there: || runs("mvn", &["-v"]),
        package: "maven",
    },
    Need {
        what: "Python",
        there: || runs("python3", &["--version"]),
        package: "python3",
    },
    Need {
        what: "Python's venv",
        there: || runs("python3", &["-c", "import ensurepip, venv"]),
        package: "python3-venv",
    },
];

/// The oldest Go that builds the peers; Debian's may be older, so it is asked for, not installed.
const GO: (u32, u32) = (1, 24);

/// Brings what the scenarios need.
pub(super) fn peers(log: &mut dyn Write) -> Result<()> {
    let missing: Vec<&Need> = PEERS.iter().filter(|need| !(need.there)()).collect();
    if !missing.is_empty() {
        let packages: Vec<&str> = missing.iter().map(|need| need.package).collect();
        run(log, "apt-get", &["update", "-q"])?;
        let install = ["install", "-q", "-y", "--no-install-recommends"];
        run(log, "apt-get", &[&install[..], &packages[..]].concat())?;
    }
    for need in missing {
        ensure!(
            (need.there)(),
            "{} is still missing after installing `{}`",
            need.what,
            need.package
        );
    }
    go()
}

/// Brings `cargo deny` and runs it.
pub(super) fn and_run_deny(log: &mut dyn Write) -> Result<()> {
    if !runs("cargo", &["deny", "--version"]) {
        run(log, "cargo", &["install", "--locked", "--quiet", "cargo-deny"])?;
    }
    run(
        log,
        "cargo",
        &["deny", "--locked", "check", "bans", "licenses", "sources"],
    )
}

/// Brings `cargo fuzz`.
pub(super) fn fuzz(log: &mut dyn Write) -> Result<()> {
    if runs("cargo", &["fuzz", "--version"]) {
        return Ok(());
    }
    run(log, "cargo", &["install", "--locked", "--quiet", "cargo-fuzz"])
}

fn go() -> Result<()> {
    let (major, minor) = GO;
    let output = Command::new("go")
        .arg("version")
        .output()
        .context("there is no `go`; install Go 1.24 or newer")?;
    let text = String::from_utf8_lossy(&output.stdout);
    // `go version go1.26.0 linux/amd64`
    let version = text
        .split_whitespace()
        .find_map(|word| word.strip_prefix("go1.").map(str::to_owned));
    let found = version.and_then(|rest| rest.split('.').next().and_then(|minor| minor.parse::<u32>().ok()));
    match found {
        Some(found) if found >= minor => Ok(()),
        _ => bail!("Go {major}.{minor} or newer is needed; this is `{}`", text.trim()),
    }
}

fn run(log: &mut dyn Write, program: &str, arguments: &[&str]) -> Result<()> {
    writeln!(log, "$ {program} {}", arguments.join(" "))?;
    let output = Command::new(program)
        .args(arguments)
        .current_dir(place::repository())
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start `{program}`"))?;
    log.write_all(&output.stdout)?;
    log.write_all(&output.stderr)?;
    ensure!(
        output.status.success(),
        "`{program} {}` ended with {}",
        arguments.join(" "),
        output.status
    );
    Ok(())
}

fn exists(path: &str) -> bool {
    Path::new(path).exists()
}

fn runs(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

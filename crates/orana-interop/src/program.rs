//! Builds the peer programs under `interop/`: once, on demand, under a file lock, and again when a source has changed.

use std::{
    fmt,
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::{place, process::Log};

/// A peer program that can be built and started.
pub trait Program: fmt::Debug + Send + Sync {
    /// Builds the program if that has not been done yet, and returns the command that runs it. `home` is a directory
    /// for what the program keeps between runs; two programs must not share one.
    fn command(&self, home: &Path) -> Result<Command>;
}

/// A Maven project in `interop/java/<project>`.
#[derive(Debug, Clone, Copy)]
pub struct Java {
    /// The folder's name. Its `pom.xml` builds into `${built}` and copies its dependencies to `${built}/lib`.
    pub project: &'static str,
    /// The class to run.
    pub main: &'static str,
    /// Other projects in `interop/java` whose sources are compiled into this one.
    pub with_sources_of: &'static [&'static str],
}

/// A Go module in `interop/go/<project>`.
#[derive(Debug, Clone, Copy)]
pub struct Go {
    /// The folder's name.
    pub project: &'static str,
}

/// A Python script in `interop/python/<project>`, run with the packages of the `requirements.txt` beside it.
#[derive(Debug, Clone, Copy)]
pub struct Python {
    /// The folder's name.
    pub project: &'static str,
    /// The file to run.
    pub script: &'static str,
}

/// The packages that Hessian and others read by reflection.
const OPENED: &[&str] = &[
    "lang",
    "lang.invoke",
    "lang.reflect",
    "io",
    "math",
    "net",
    "nio",
    "text",
    "time",
    "util",
    "util.concurrent",
];

impl Java {
    /// Builds the project and returns its class path.
    pub fn class_path(&self) -> Result<String> {
        let source = place::sources().join("java").join(self.project);
        let mut watched = vec![source.clone()];
        watched.extend(
            self.with_sources_of
                .iter()
                .map(|other| place::sources().join("java").join(other)),
        );
        let built = build(&Path::new("java").join(self.project), &watched, |built, log| {
            let maven = |offline: &[&str]| {
                let mut command = Command::new("mvn");
                command
                    .args(["-q", "-B"])
                    .args(offline)
                    .arg(format!("-Dbuilt={}", built.display()));
                command
                    .args(["package", "dependency:copy-dependencies"])
                    .current_dir(&source);
                run(&mut command, log)
            };
            // What is in the local repository already need not be asked for.
            maven(&["-o"]).or_else(|_| maven(&[]))
        })?;
        Ok(format!(
            "{}:{}",
            built.join("classes").display(),
            built.join("lib").join("*").display()
        ))
    }
}

impl Program for Java {
    fn command(&self, home: &Path) -> Result<Command> {
        let class_path = self.class_path()?;
        let mut command = java(home);
        command.args(["-cp", &class_path, self.main]);
        Ok(command)
    }
}

impl Program for Go {
    fn command(&self, home: &Path) -> Result<Command> {
        let source = place::sources().join("go").join(self.project);
        let built = build(
            &Path::new("go").join(self.project),
            std::slice::from_ref(&source),
            |built, log| {
                let mut command = Command::new("go");
                command
                    .args(["build", "-o"])
                    .arg(built.join("program"))
                    .arg(".")
                    .current_dir(&source);
                run(&mut command, log)
            },
        )?;
        let mut command = Command::new(built.join("program"));
        command.env("HOME", home);
        Ok(command)
    }
}

impl Program for Python {
    fn command(&self, home: &Path) -> Result<Command> {
        let source = place::sources().join("python").join(self.project);
        let requirements = source.join("requirements.txt");
        let built = build(
            &Path::new("python").join(self.project),
            std::slice::from_ref(&requirements),
            |built, log| {
                run(
                    Command::new("python3").args(["-m", "venv"]).arg(built.join("venv")),
                    log,
                )?;
                let mut pip = Command::new(built.join("venv/bin/python"));
                run(pip.args(["-m", "pip", "install", "-q", "-r"]).arg(&requirements), log)
            },
        )?;
        let mut command = Command::new(built.join("venv/bin/python"));
        command.arg("-u").arg(source.join(self.script)).env("HOME", home);
        Ok(command)
    }
}

/// A Java machine that is small and quick to start; many run at once.
pub fn java(home: &Path) -> Command {
    let mut command = Command::new("java");
    command.args([
        "-Xmx256m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:+ExitOnOutOfMemoryError",
    ]);
    command.args(["-Djava.net.preferIPv4Stack=true", "-Dfile.encoding=UTF-8"]);
    command.args([
        // The programs themselves say little: that is for who runs them by hand.
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
        "-Dorg.slf4j.simpleLogger.showDateTime=true",
        "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
    ]);
    command.arg(format!("-Duser.home={}", home.display()));
    for package in OPENED {
        command.arg(format!("--add-opens=java.base/java.{package}=ALL-UNNAMED"));
    }
    command
}

/// Runs `make` unless what it made from the same sources is still there; one builder at a time.
fn build(name: &Path, sources: &[PathBuf], make: impl FnOnce(&Path, &Log) -> Result<()>) -> Result<PathBuf> {
    let parent = place::written(name.parent().unwrap_or(Path::new("")))?;
    let base = name.file_name().context("a program's name")?.to_string_lossy();
    let lock = File::create(parent.join(format!("{base}.lock")))?;
    lock.lock()?;

    let mut hasher = DefaultHasher::new();
    for source in sources {
        fingerprint(source, &mut hasher)?;
    }
    let fingerprint = hasher.finish().to_string();
    let stamp = parent.join(format!("{base}.built"));
    let built = parent.join(&*base);
    if built.exists() && fs::read_to_string(&stamp).is_ok_and(|old| old == fingerprint) {
        return Ok(built);
    }
    if built.exists() {
        fs::remove_dir_all(&built)?;
    }
    fs::create_dir_all(&built)?;
    let log = Log::at(parent.join(format!("{base}.log")));
    make(&built, &log).with_context(|| format!("cannot build {}:\n{}", name.display(), log.tail(40)))?;
    fs::write(stamp, fingerprint)?;
    Ok(built)
}

/// Takes in the names and contents below `path`, except what a build by hand leaves there.
fn fingerprint(path: &Path, hasher: &mut DefaultHasher) -> Result<()> {
    path.hash(hasher);
    if path.is_dir() {
        let mut entries = fs::read_dir(path)?.collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            if entry.file_name() != "target" && entry.file_name() != "__pycache__" {
                fingerprint(&entry.path(), hasher)?;
            }
        }
    } else {
        fs::read(path)
            .with_context(|| format!("cannot read {}", path.display()))?
            .hash(hasher);
    }
    Ok(())
}

/// Runs a build step to its end with its output in `log`.
fn run(command: &mut Command, log: &Log) -> Result<()> {
    let status = command.stdout(log.open()?).stderr(log.open()?).status();
    let status = status.with_context(|| format!("cannot run `{command:?}`"))?;
    if !status.success() {
        bail!("`{command:?}` ended with {status}");
    }
    Ok(())
}

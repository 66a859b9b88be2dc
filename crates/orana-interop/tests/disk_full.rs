//! A disk that fills up: writes are refused while there is still space, reads go on, and when space is back so are writes,
//! without a restart. A disk that really fails ends the server with a message. Nothing acknowledged is lost either way.

use std::{fs, time::Duration};

use anyhow::{Context, Result, bail, ensure};
use orana_interop::{
    Drill, Product, Setup, Subject,
    asks::{self, Mode},
    disks::Disk,
    drill,
    drill::eventually,
    raw::{Opening, RawClient, RawError},
    vitals,
};
use orana_wire::zookeeper::{ErrorCode, Reply, Request};

const MIB: u64 = 1 << 20;
const CHUNK: usize = 50_000;
const SOON: Duration = Duration::from_secs(10);

/// Writes that were acknowledged: the number of each, and its data is made from it.
#[derive(Default)]
struct Written(Vec<usize>);

fn path(number: usize) -> String {
    format!("/node-{number:06}")
}

fn data(number: usize) -> Vec<u8> {
    // Not compressible, not the same twice.
    let mut state = number as u32 | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    std::iter::repeat_with(next).take(CHUNK).collect()
}

impl Written {
    /// Creates nodes until the server does not do it any more; returns why.
    fn fill(&mut self, client: &mut RawClient, most: usize) -> Result<Result<ErrorCode, RawError>> {
        let first = self.0.last().map_or(0, |last| last + 1);
        for number in first..first + most {
            let (path, data) = (path(number), data(number));
            match client.call(&asks::create(&path, &data, Mode::Persistent)) {
                Ok(answer) if answer.is_ok() => self.0.push(number),
                Ok(answer) => return Ok(Ok(ErrorCode::from_i32(answer.header.err).context("an error")?)),
                Err(error) => return Ok(Err(error)),
            }
        }
        bail!(
            "{} MB were written and nothing was refused",
            self.0.len() * CHUNK / 1_000_000
        )
    }

    /// All of them are there, as they were written.
    fn check(&self, client: &mut RawClient) -> Result<()> {
        for number in &self.0 {
            let request_path = path(*number);
            let request = asks::get(&request_path);
            let answer = client.call(&request)?;
            ensure!(answer.is_ok(), "{request_path} was acknowledged and is gone");
            match answer.reply(request.op())? {
                Reply::Data(Some(found), _) if found == data(*number) => {}
                other => bail!("{request_path} was acknowledged and is another: {other:.60?}"),
            }
        }
        Ok(())
    }
}

fn server(drill: &Drill, disk: &Disk, reserve: &str, snapshot: &str) -> Result<Subject> {
    let setup = Setup::new(Product::Orana)
        .data(&disk.path().join("data"))
        .tick(Duration::from_millis(500))
        .setting(Product::Orana, "disk-reserve", reserve)
        .setting(Product::Orana, "snapshot-log-bytes", snapshot);
    drill.server(setup)
}

#[test]
fn writes_are_refused_before_the_disk_is_full_and_go_on_when_there_is_space() {
    drill("disk-reserve", 0, |drill| {
        let disk = Disk::of("reserve", 160)?;
        let ballast = disk.ballast(40)?;
        let mut server = server(drill, &disk, "24MiB", "64MiB")?;
        let port = server.port();
        let mut client = RawClient::connect(port, 10_000)?;
        let mut owner = RawClient::connect(port, 10_000)?;
        ensure!(owner.call(&asks::create("/owned", b"", Mode::Ephemeral))?.is_ok());
        let mut written = Written::default();
        let refusal = written.fill(&mut client, 4_000)??;
        let free = disk.free()?;
        eprintln!(
            "{} MB were written, {} MiB are free: {refusal:?}",
            written.0.len() * CHUNK / 1_000_000,
            free / MIB
        );
        ensure!(refusal == ErrorCode::OperationTimeout, "{refusal:?}");
        ensure!(free > 8 * MIB, "only {free} bytes are left");
        vitals::wait_for_line(server.log(), 0, &["ERROR", "writes are refused"], SOON)?;
        let metrics = server.four_letters("mntr")?;
        ensure!(metrics.contains("zk_"), "no metrics: {metrics}");

        // Reads go on, on old connections and on resumed ones.
        written.check(&mut client)?;
        let key = client.session();
        let mut client = RawClient::open(port, &Opening::resume(10_000, key))?;
        written.check(&mut client)?;
        // A new session is a write: its connection ends, with nothing that could be taken for a session.
        match RawClient::connect(port, 10_000) {
            Err(RawError::Closed | RawError::Refused) => {}
            other => bail!("a new session was answered with {other:?}"),
        }
        // Who goes still goes, and takes with it what it owned.
        owner.close().context("a session that closes")?;
        ensure!(
            !client.call(&asks::exists("/owned"))?.is_ok(),
            "its node is still there"
        );
        for request in [
            asks::delete(&path(0)),
            asks::set(&path(0), b"x"),
            Request::Multi(Vec::new()),
        ] {
            let answer = client.call(&request)?;
            ensure!(
                answer.header.err == ErrorCode::OperationTimeout.as_i32(),
                "{:?}",
                answer.header
            );
        }

        // A kill in this state changes nothing.
        server.kill()?;
        server.restart()?;
        let mut client = RawClient::open(port, &Opening::resume(10_000, key))?;
        written.check(&mut client)?;
        eventually(SOON, || {
            let answer = client.call(&asks::set(&path(0), b"x"))?;
            ensure!(
                answer.header.err == ErrorCode::OperationTimeout.as_i32(),
                "{:?}",
                answer.header
            );
            Ok(())
        })?;

        drop(ballast);
        eventually(SOON, || {
            let answer = client.call(&asks::create("/again", b"", Mode::Persistent))?;
            ensure!(answer.is_ok(), "still refused with {}", answer.header.err);
            Ok(())
        })?;
        vitals::wait_for_line(server.log(), 0, &["writes go on"], SOON)?;
        RawClient::connect(port, 10_000)?.close()?;
        ensure!(client.call(&asks::create("/and-again", b"", Mode::Persistent))?.is_ok());
        written.check(&mut client)?;
        vitals::ensure_healthy(&mut server)?;
        let status = server.terminate()?;
        ensure!(status.code() == Some(0), "it ended with {status}");
        Ok(())
    });
}

#[test]
fn a_snapshot_that_would_fill_the_disk_is_not_begun() {
    drill("disk-snapshot", 0, |drill| {
        // Log, old snapshot and new snapshot do not fit together when the reserve is reached.
        let disk = Disk::of("snapshot", 96)?;
        let mut server = server(drill, &disk, "8MiB", "4MiB")?;
        let port = server.port();
        let mut client = RawClient::connect(port, 10_000)?;
        let mut written = Written::default();
        let refusal = written.fill(&mut client, 4_000)?;
        vitals::ensure_healthy(&mut server)?;
        eprintln!(
            "{} MB were written, {} MiB are free: {refusal:?}",
            written.0.len() * CHUNK / 1_000_000,
            disk.free()? / MIB
        );
        ensure!(matches!(refusal, Ok(ErrorCode::OperationTimeout)), "{refusal:?}");
        written.check(&mut client)?;
        server.kill()?;
        server.restart()?;
        let mut client = RawClient::open(port, &Opening::resume(10_000, client.session()))?;
        written.check(&mut client)?;
        disk.resize(512)?;
        eventually(SOON, || {
            let answer = client.call(&asks::create("/again", b"", Mode::Persistent))?;
            ensure!(answer.is_ok(), "still refused with {}", answer.header.err);
            Ok(())
        })?;
        vitals::ensure_healthy(&mut server)
    });
}

#[test]
fn a_write_that_really_fails_ends_the_server_with_a_message_and_loses_nothing() {
    drill("disk-failure", 0, |drill| {
        let disk = Disk::of("failure", 120)?;
        let mut server = server(drill, &disk, "0", "64MiB")?;
        let port = server.port();
        let mut client = RawClient::connect(port, 10_000)?;
        let mut written = Written::default();
        let refusal = written.fill(&mut client, 4_000)?;
        ensure!(
            matches!(refusal, Err(RawError::Closed)),
            "a failed write was answered with {refusal:?}"
        );
        let status = server.wait(SOON).context("it goes on although its disk has failed")?;
        let said = server.log().tail(5);
        eprintln!(
            "{} MB were written; {status}; {said}",
            written.0.len() * CHUNK / 1_000_000
        );
        ensure!(status.code().is_some_and(|code| code != 0), "it ended with {status}");
        let last = said
            .lines()
            .find(|line| line.starts_with("error: "))
            .context("no message")?;
        let (disk_dir, lost) = (disk.path().to_string_lossy(), "nothing that was acknowledged is lost");
        let why = last.contains("bytes are free") || last.contains("No space left on device");
        ensure!(why && last.contains(&*disk_dir) && last.contains(lost), "{last}");
        vitals::wait_for_line(server.log(), 0, &["ERROR", "No space left on device"], SOON)?;
        vitals::ensure_no_panic(server.log())?;

        disk.resize(512)?;
        server.restart()?;
        let mut client = RawClient::open(port, &Opening::resume(10_000, client.session()))?;
        written.check(&mut client)?;
        ensure!(client.call(&asks::create("/again", b"", Mode::Persistent))?.is_ok());
        vitals::ensure_healthy(&mut server)
    });
}

#[test]
fn a_data_directory_that_cannot_be_written_is_refused_by_name() {
    drill("disk-readonly", 0, |drill| {
        let disk = Disk::of("readonly", 64)?;
        let data = disk.path().join("data");
        fs::write(&data, "a file where a directory should be")?;
        let refused = server(drill, &disk, "0", "64MiB")
            .err()
            .context("it started")?
            .to_string();
        ensure!(refused.contains(&*data.to_string_lossy()), "{refused}");
        vitals::ensure_no_panic(&orana_interop::process::Log::at(drill.dir().join("none")))
    });
}

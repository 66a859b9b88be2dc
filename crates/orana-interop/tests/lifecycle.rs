//! How the server starts, how it refuses to start, and how it ends.

use std::{
    fs::{self, OpenOptions},
    io::{Seek, SeekFrom, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, ensure};
use orana_interop::{
    Drill, Product, Setup, Subject,
    asks::{self, Mode},
    drill,
    process::Signal,
    raw::{Incoming, RawClient, RawError},
    strangers::{Strangers, request},
    vitals,
};
use orana_wire::zookeeper::OpCode;

/// The longest that an orderly end may take.
const END: Duration = Duration::from_secs(6);

fn orana() -> Setup {
    Setup::new(Product::Orana)
}

/// Creates nodes with many requests in flight until the connection ends; returns how many were acknowledged.
fn write_until_the_end(port: u16, name: &str) -> Result<usize> {
    let mut client = RawClient::connect(port, 20_000)?;
    let (mut sent, mut acknowledged) = (0, 0);
    loop {
        while sent - acknowledged < 64 {
            client.queue(&asks::create(
                &format!("/{name}-{sent}"),
                &[b'x'; 200],
                Mode::Persistent,
            ));
            sent += 1;
        }
        // If it fails, what has come before still counts.
        let _ = client.flush();
        match client.receive(Duration::from_secs(10)) {
            Ok(Incoming::Reply(answer)) => {
                ensure!(answer.is_ok(), "{name}-{acknowledged}: {:?}", answer.header);
                acknowledged += 1;
            }
            Ok(Incoming::Event(event)) => return Err(anyhow!("{event:?}")),
            Err(RawError::Closed) => return Ok(acknowledged),
            Err(error) => return Err(error.into()),
        }
    }
}

#[test]
fn sigterm_ends_a_busy_server_in_seconds_with_code_zero_and_nothing_is_lost() {
    drill("life-term", 0, |drill| {
        let mut server = drill.server(orana())?;
        let port = server.port();
        let written = [const { AtomicUsize::new(0) }; 4];
        let took = thread::scope(|scope| -> Result<Duration> {
            let writers: Vec<_> = (0..4)
                .map(|number| {
                    let written = &written[number];
                    scope.spawn(move || -> Result<()> {
                        let acknowledged = write_until_the_end(port, &format!("w{number}"))?;
                        written.store(acknowledged, Ordering::Relaxed);
                        Ok(())
                    })
                })
                .collect();
            thread::sleep(Duration::from_millis(700));
            let start = Instant::now();
            server.process()?.signal(Signal::TERM)?;
            let status = server.wait(END)?;
            let took = start.elapsed();
            ensure!(status.code() == Some(0), "it ended with {status}");
            for writer in writers {
                writer.join().map_err(|_| anyhow!("a writer broke"))??;
            }
            Ok(took)
        })?;
        let written = written.map(AtomicUsize::into_inner);
        ensure!(written.iter().all(|count| *count > 100), "{written:?}");
        eprintln!("ended {took:.1?} after the signal, {written:?} writes acknowledged");
        server.restart()?;
        let mut client = RawClient::connect(port, 20_000)?;
        for (number, count) in written.into_iter().enumerate() {
            for nth in 0..count {
                let path = format!("/w{number}-{nth}");
                client.queue(&asks::exists(&path));
                if nth % 200 == 199 || nth + 1 == count {
                    client.flush()?;
                    for _ in 0..nth % 200 + 1 {
                        let Incoming::Reply(answer) = client.receive(END)? else {
                            return Err(anyhow!("an event"));
                        };
                        ensure!(answer.is_ok(), "up to {path}: one that was acknowledged is gone");
                    }
                }
            }
        }
        vitals::ensure_no_panic(server.log())
    });
}

/// A server that waits for a client which does not read what it asked for.
fn held_up(drill: &Drill) -> Result<(Subject, orana_interop::strangers::Stranger)> {
    let mut server = drill.server(orana())?;
    let mut client = RawClient::connect(server.port(), 20_000)?;
    ensure!(
        client
            .call(&asks::create("/large", &[7; 1_000_000], Mode::Persistent))?
            .is_ok()
    );
    let mut lazy = Strangers::to(server.port())?.from([127, 0, 0, 1].into())?;
    lazy.greet(20_000)?;
    let read = request(1, OpCode::GetData.as_i32(), b"\0\0\0\x06/large\0");
    lazy.say(&read.repeat(100))?;
    thread::sleep(Duration::from_millis(200));
    server.process()?.signal(Signal::TERM)?;
    Ok((server, lazy))
}

#[test]
fn a_client_that_does_not_read_cannot_hold_up_the_end() {
    drill("life-held", 0, |drill| {
        let start = Instant::now();
        let (mut server, lazy) = held_up(drill)?;
        let status = server.wait(END)?;
        eprintln!("ended {:.1?} after the start of all", start.elapsed());
        ensure!(status.code() == Some(0), "it ended with {status}");
        drop(lazy);
        vitals::ensure_no_panic(server.log())
    });
}

#[test]
fn a_second_signal_ends_it_at_once() {
    drill("life-twice", 0, |drill| {
        let (mut server, lazy) = held_up(drill)?;
        thread::sleep(Duration::from_millis(200));
        ensure!(server.process()?.ended()?.is_none(), "it did not wait for anybody");
        let start = Instant::now();
        server.process()?.signal(Signal::TERM)?;
        let status = server.wait(Duration::from_millis(700))?;
        ensure!(status.code() == Some(143), "it ended with {status}");
        eprintln!("ended {:.1?} after the second signal", start.elapsed());
        drop(lazy);
        server.restart()?;
        let mut client = RawClient::connect(server.port(), 20_000)?;
        ensure!(client.call(&asks::exists("/large"))?.is_ok());
        Ok(())
    });
}

#[test]
fn a_second_process_on_the_same_data_is_refused_by_name() {
    drill("life-two", 0, |drill| {
        let mut server = drill.server(orana())?;
        let owner = server.process()?.id();
        let data = server.data();
        let refused = refusal(drill, &data)?;
        ensure!(
            refused.contains(&format!("`{}` is in use by process {owner}", data.display())),
            "{refused}"
        );
        // The first one did not notice, and a dead owner's lock is nobody's.
        let mut client = RawClient::connect(server.port(), 20_000)?;
        ensure!(client.call(&asks::create("/still", b"", Mode::Persistent))?.is_ok());
        server.kill()?;
        drill.server(orana().data(&data))?.kill()
    });
}

#[test]
fn an_address_in_use_is_refused_by_name() {
    drill("life-port", 0, |drill| {
        let server = drill.server(orana())?;
        let error = drill.server(orana().port(server.port())).err().context("it started")?;
        let text = format!("{error:#}");
        ensure!(
            text.contains("exit status: 1") && text.contains(&server.address()),
            "{text}"
        );
        Ok(())
    });
}

/// How a start on this data directory is refused; that it is refused with code 1.
fn refusal(drill: &Drill, data: &Path) -> Result<String> {
    let refused = drill.server(orana().data(data)).err().context("it started")?;
    let text = format!("{refused:#}");
    ensure!(text.contains("exit status: 1"), "{text}");
    let line = text.lines().find(|line| line.starts_with("error: "));
    Ok(line.with_context(|| format!("no message in {text}"))?.to_owned())
}

/// Damages a data directory and returns the file that the refusal has to name.
type Damage = fn(&Path) -> Result<PathBuf>;

#[test]
fn a_damaged_data_directory_is_refused_with_file_expectation_and_remedy() {
    drill("life-damage", 0, |drill| {
        let setup = orana()
            .setting(Product::Orana, "snapshot-log-bytes", "256KiB")
            .tick(Duration::from_millis(100));
        let mut server = drill.server(setup)?;
        let data = server.data();
        let mut client = RawClient::connect(server.port(), 20_000)?;
        for number in 0..500 {
            let path = format!("/node-{number}");
            ensure!(
                client
                    .call(&asks::create(&path, &[number as u8; 2000], Mode::Persistent))?
                    .is_ok()
            );
        }
        vitals::wait_for_line(server.log(), 0, &["snapshot written"], END)?;
        // Of what came after the snapshot only the log knows.
        for number in 500..550 {
            let path = format!("/node-{number}");
            ensure!(client.call(&asks::create(&path, b"after", Mode::Persistent))?.is_ok());
        }
        server.kill()?;
        let cases: [(&str, Damage); 6] = [
            ("no identity", |data| remove(data.join("identity"))),
            ("no log", |data| remove(data.join("log"))),
            ("no marker", |data| remove(data.join("marker"))),
            ("no snapshots", |data| remove(data.join("keep"))),
            ("a garbled log", |data| {
                let journal = largest(&data.join("log"), "jnl")?;
                garble(&journal, 200)?;
                Ok(journal)
            }),
            ("a garbled snapshot", |data| {
                let table = largest(&data.join("keep").join("keyspaces"), "")?;
                garble(&table, 5000)?;
                Ok(table)
            }),
        ];
        for (nth, (what, damage)) in cases.into_iter().enumerate() {
            let copy = drill.dir().join(format!("copy-{nth}"));
            let copied = Command::new("cp").arg("-a").arg(&data).arg(&copy).status()?;
            ensure!(copied.success(), "no copy");
            let file = damage(&copy).with_context(|| what.to_owned())?;
            for attempt in ["first", "second"] {
                let refused = refusal(drill, &copy).with_context(|| format!("{what}, at the {attempt} start"))?;
                ensure!(
                    refused.contains(&*file.to_string_lossy()),
                    "{what}: the message does not name {}: {refused}",
                    file.display()
                );
                ensure!(
                    refused.contains("expected") && refused.contains("restore the data directory from a backup"),
                    "{what}: {refused}"
                );
            }
        }
        // The original, of which these were copies, is whole.
        server.restart()?;
        let mut client = RawClient::connect(server.port(), 20_000)?;
        ensure!(client.call(&asks::exists("/node-0"))?.is_ok() && client.call(&asks::exists("/node-549"))?.is_ok());
        vitals::ensure_no_panic(server.log())
    });
}

fn remove(path: PathBuf) -> Result<PathBuf> {
    if path.is_dir() {
        fs::remove_dir_all(&path)?;
    } else {
        fs::remove_file(&path)?;
    }
    Ok(path)
}

/// The file with the most bytes in it below a directory, with this extension.
fn largest(dir: &Path, extension: &str) -> Result<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let mut found: Option<(u64, PathBuf)> = None;
    let mut left = vec![dir.to_owned()];
    while let Some(dir) = left.pop() {
        for entry in fs::read_dir(dir)? {
            let (path, metadata) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?)))?;
            if metadata.is_dir() {
                left.push(path);
            } else if path.extension().unwrap_or_default() == extension {
                found = found.max(Some((metadata.blocks(), path)));
            }
        }
    }
    found.map(|(_, path)| path).context("no file")
}

/// Turns some bytes round, as a bad disk does.
fn garble(path: &Path, at: u64) -> Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.seek(SeekFrom::Start(at))?;
    file.write_all(&[0xa5; 64])?;
    Ok(())
}

#[test]
fn other_machines_are_let_in_only_on_purpose_and_with_a_warning() {
    drill("life-remote", 0, |drill| {
        let run = |arguments: &[&str]| -> Result<(Option<i32>, String)> {
            let data = drill.dir().join("data");
            let mut command = Command::new(Product::binary()?);
            command
                .env_clear()
                .args(["server", "--data"])
                .arg(&data)
                .args(arguments);
            let output = command.current_dir(drill.dir()).output()?;
            Ok((
                output.status.code(),
                String::from_utf8_lossy(&output.stderr).into_owned(),
            ))
        };
        for (key, other) in [("--zookeeper", "--admin"), ("--admin", "--zookeeper")] {
            for address in ["0.0.0.0:9", "[::]:9", "192.0.2.1:9", "[::ffff:192.0.2.1]:9"] {
                let (code, said) = run(&[key, address, other, "off"])?;
                ensure!(
                    code == Some(2) && said.contains("allow-remote"),
                    "{key} {address}: {code:?}, {said}"
                );
                ensure!(!drill.dir().join("data").exists(), "it made its data directory");
            }
        }
        // An address that no machine has: the server gets as far as binding it, and nobody can connect to this test.
        let (code, said) = run(&["--zookeeper", "192.0.2.1:9", "--admin", "off", "--allow-remote"])?;
        ensure!(
            code == Some(1) && said.contains("cannot listen on 192.0.2.1:9"),
            "{code:?}, {said}"
        );
        let warned = said
            .lines()
            .any(|line| line.contains("WARN") && line.contains("192.0.2.1:9"));
        ensure!(warned, "no warning: {said}");
        Ok(())
    });
}

#[test]
fn the_ready_line_is_true_and_stands_at_every_log_level_and_in_every_format() {
    drill("life-ready", 0, |drill| {
        for (level, format) in [("info", "text"), ("off", "text"), ("info", "json"), ("off", "json")] {
            let port = drill.port()?;
            let log = drill.dir().join(format!("{level}-{format}.stderr"));
            let mut command = Command::new(Product::binary()?);
            command.env_clear().current_dir(drill.dir());
            command.args(["server", "--data", &format!("data-{level}-{format}"), "--admin", "off"]);
            command.args([
                "--zookeeper",
                &format!("127.0.0.1:{port}"),
                "--log-level",
                level,
                "--log-format",
                format,
            ]);
            command.stderr(fs::File::create(&log)?);
            let mut process = orana_interop::process::Process::start(&mut command, "orana")?;
            let log = orana_interop::process::Log::at(log);
            let line = vitals::wait_for_line(&log, 0, &["ready "], END)?;
            TcpStream::connect(("127.0.0.1", port)).context("it was not ready")?;
            let took = line
                .strip_prefix(&format!("ready zookeeper=127.0.0.1:{port} admin=off in "))
                .and_then(|rest| rest.strip_suffix("ms"))
                .and_then(|number| number.parse::<u64>().ok());
            ensure!(took.is_some(), "`{line}`");
            ensure!(
                vitals::lines(&log, 0, &["ready "]).len() == 1,
                "more than one ready line"
            );
            let status = process.terminate(END)?;
            ensure!(status.code() == Some(0), "it ended with {status}");
        }
        Ok(())
    });
}

#[test]
fn an_idle_server_starts_within_a_hundred_milliseconds() {
    drill("life-start", 0, |drill| {
        let mut server = drill.server(orana())?;
        let mut client = RawClient::connect(server.port(), 4_000)?;
        ensure!(client.call(&asks::create("/a", b"b", Mode::Persistent))?.is_ok());
        client.close()?;
        let mut times = Vec::new();
        for round in 0..10 {
            if round % 2 == 0 {
                server.kill()?;
            } else {
                server.terminate()?;
            }
            times.push(server.restart()?);
        }
        times.sort();
        let mib = vitals::resident_mib(server.process()?.id())?;
        eprintln!("starts took {times:.0?}; {mib} MiB resident");
        // The best of ten says what the server needs; the others say what else the machine was doing.
        let best = times.first().copied().unwrap_or_default();
        ensure!(best <= Duration::from_millis(100), "the fastest start took {best:?}");
        ensure!(mib <= 15, "an idle server takes {mib} MiB");
        Ok(())
    });
}

//! Clients that do not read, answers that are enormous, sessions that own very much, nodes that very many watch: whoever
//! pings beside them is answered in time, memory stays bounded, and who does not read is let go with a line in the log.

use std::{
    net::Ipv4Addr,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use orana_interop::{
    Drill, Product, Setup, Subject,
    asks::{self, Mode},
    drill,
    drill::eventually,
    pulse::Pulse,
    raw::{Incoming, PATIENCE, RawClient, RawError},
    strangers::{Stranger, Strangers, allow_many_descriptors, request},
    vitals,
};
use orana_wire::zookeeper::{EventKind, OpCode, Reply, Request, request::AddWatch};

const MEGABYTE: usize = 1_000_000;
/// A client that takes nothing of more than a mebibyte is let go after half a minute.
const STALL: Duration = Duration::from_secs(30);
const OFTEN: Duration = Duration::from_secs(10);

fn server(drill: &Drill) -> Result<Subject> {
    drill.server(Setup::new(Product::Orana))
}

/// The record of a read without a watch.
fn reading(path: &str) -> Vec<u8> {
    let length = u32::try_from(path.len()).unwrap_or(u32::MAX).to_be_bytes();
    [&length[..], path.as_bytes(), b"\0"].concat()
}

fn let_go(server: &Subject, address: Ipv4Addr, patience: Duration) -> Result<String> {
    let peer = format!("peer={address}:");
    vitals::wait_for_line(server.log(), 0, &["WARN", "disconnected", &peer], patience)
}

/// Sends the same request `count` times at once.
fn ask_often(stranger: &mut Stranger, count: usize, op: OpCode, record: &[u8]) -> Result<()> {
    let one = |number: usize| request(i32::try_from(number).unwrap_or(1), op.as_i32(), record);
    let all: Vec<u8> = (1..=count).flat_map(one).collect();
    stranger.say(&all)
}

/// Performs writes with many in flight; all of them must succeed.
fn fill(client: &mut RawClient, count: usize, mut one: impl FnMut(usize, &mut RawClient)) -> Result<()> {
    let (mut sent, mut answered) = (0, 0);
    while answered < count {
        while sent < count && sent - answered < 500 {
            one(sent, client);
            sent += 1;
        }
        client.flush()?;
        match client.receive(PATIENCE)? {
            Incoming::Reply(answer) => {
                ensure!(
                    answer.is_ok(),
                    "write {answered} was refused with {}",
                    answer.header.err
                );
                answered += 1;
            }
            Incoming::Event(event) => bail!("an event that nobody asked for: {event:?}"),
        }
    }
    Ok(())
}

#[test]
fn a_client_that_asks_for_a_gigabyte_and_does_not_read_is_let_go() {
    drill("slow-unread", 0, |drill| {
        let mut server = server(drill)?;
        let process = server.process()?.id();
        let mut client = RawClient::connect(server.port(), 10_000)?;
        ensure!(
            client
                .call(&asks::create("/large", &vec![7; MEGABYTE], Mode::Persistent))?
                .is_ok()
        );
        let pulse = Pulse::start(&mut server)?;
        let strangers = Strangers::to(server.port())?;
        let (peak, ()) = vitals::peak_while(process, || {
            let mut lazy = Vec::new();
            for number in 1..=4 {
                let mut stranger = strangers.from(Ipv4Addr::new(127, 8, 0, number))?;
                stranger.greet(40_000)?;
                ask_often(&mut stranger, 1000, OpCode::GetData, &reading("/large"))?;
                lazy.push(stranger);
            }
            for number in 1..=4 {
                eprintln!("{}", let_go(&server, Ipv4Addr::new(127, 8, 0, number), STALL + OFTEN)?);
            }
            Ok(())
        })?;
        eprintln!("{peak} MiB at most; {}", pulse.undisturbed()?);
        ensure!(peak < 64, "{peak} MiB for four clients that do not read");
        vitals::ensure_healthy(&mut server)
    });
}

#[test]
fn a_client_that_reads_gets_all_it_asked_for_at_once() {
    drill("slow-reader", 0, |drill| {
        let mut server = server(drill)?;
        let process = server.process()?.id();
        let mut client = RawClient::connect(server.port(), 20_000)?;
        ensure!(
            client
                .call(&asks::create("/large", &vec![7; MEGABYTE], Mode::Persistent))?
                .is_ok()
        );
        let pulse = Pulse::start(&mut server)?;
        let (peak, ()) = vitals::peak_while(process, || {
            // Writes among the reads: the order must stay, and what stands behind a write waits for it.
            let mut expected = Vec::new();
            for number in 0..300 {
                expected.push(client.queue(&asks::get("/large")));
                if number % 50 == 7 {
                    expected.push(client.queue(&asks::create("/small-", b"", Mode::PersistentSequential)));
                }
            }
            client.flush()?;
            for (nth, xid) in expected.into_iter().enumerate() {
                let Incoming::Reply(answer) = client
                    .receive(PATIENCE)
                    .with_context(|| format!("after {nth} answers"))?
                else {
                    bail!("an event that nobody asked for");
                };
                ensure!(
                    answer.is_ok() && answer.header.xid == xid,
                    "{:?} instead of {xid}",
                    answer.header
                );
                // Not the fastest reader either.
                thread::sleep(Duration::from_millis(1));
            }
            Ok(())
        })?;
        eprintln!("{peak} MiB at most; {}", pulse.undisturbed()?);
        ensure!(peak < 128, "{peak} MiB");
        // The end of the session does not overtake what it asked for.
        let mut expected: Vec<i32> = (0..100).map(|_| client.queue(&asks::get("/large"))).collect();
        expected.push(client.queue(&Request::CloseSession));
        client.flush()?;
        thread::sleep(Duration::from_millis(300));
        for (nth, xid) in expected.into_iter().enumerate() {
            let answer = client
                .receive(PATIENCE)
                .with_context(|| format!("after {nth} answers"))?;
            ensure!(
                matches!(&answer, Incoming::Reply(answer) if answer.header.xid == xid),
                "not {xid}: {answer:.60?}"
            );
        }
        ensure!(matches!(client.receive(PATIENCE), Err(RawError::Closed)));
        vitals::ensure_healthy(&mut server)
    });
}

#[test]
fn a_request_for_the_same_megabyte_ten_thousand_times_costs_its_sender_the_connection() {
    drill("slow-multi", 0, |drill| {
        let mut server = server(drill)?;
        let process = server.process()?.id();
        let mut client = RawClient::connect(server.port(), 20_000)?;
        ensure!(
            client
                .call(&asks::create("/large", &vec![7; MEGABYTE], Mode::Persistent))?
                .is_ok()
        );
        let pulse = Pulse::start(&mut server)?;
        let address = Ipv4Addr::new(127, 8, 3, 1);
        let mut greedy = Strangers::to(server.port())?.from(address)?;
        greedy.greet(40_000)?;
        let part = [&4i32.to_be_bytes()[..], b"\0\xff\xff\xff\xff", &reading("/large")].concat();
        let record = [&part.repeat(10_000)[..], b"\xff\xff\xff\xff\x01\xff\xff\xff\xff"].concat();
        greedy.say(&request(1, OpCode::MultiRead.as_i32(), &record))?;
        let_go(&server, address, OFTEN)?;
        let peak = vitals::peak_mib(process)?;
        eprintln!("{peak} MiB at most; {}", pulse.undisturbed()?);
        ensure!(peak < 300, "{peak} MiB");
        vitals::ensure_healthy(&mut server)
    });
}

#[test]
fn an_enormous_list_of_children_is_made_once_and_delays_nobody() {
    drill("slow-children", 0, |drill| {
        const CHILDREN: usize = 50_000;
        let mut server = server(drill)?;
        let process = server.process()?.id();
        let mut client = RawClient::connect(server.port(), 40_000)?;
        ensure!(client.call(&asks::create("/many", b"", Mode::Persistent))?.is_ok());
        fill(&mut client, CHILDREN, |number, client| {
            let path = format!("/many/{number:0300}");
            client.queue(&asks::create(&path, b"", Mode::Persistent));
        })?;
        let before = vitals::resident_mib(process)?;
        let pulse = Pulse::start(&mut server)?;
        let strangers = Strangers::to(server.port())?;
        let (peak, ()) = vitals::peak_while(process, || {
            let mut lazy = Vec::new();
            for number in 1..=20 {
                let mut stranger = strangers.from(Ipv4Addr::new(127, 8, 1, number))?;
                stranger.greet(40_000)?;
                ask_often(&mut stranger, 10, OpCode::GetChildren2, &reading("/many"))?;
                lazy.push(stranger);
            }
            for _ in 0..5 {
                let request = asks::children("/many");
                let answer = client.call(&request)?;
                let Reply::ChildrenStat(names, stat) = answer.reply(request.op())? else {
                    bail!("another answer")
                };
                ensure!(
                    names.len() == CHILDREN && stat.num_children == 50_000,
                    "{} names",
                    names.len()
                );
                // Each change makes a new list.
                ensure!(client.call(&asks::set("/many", b"touched"))?.is_ok());
            }
            for number in 1..=20 {
                let_go(&server, Ipv4Addr::new(127, 8, 1, number), STALL + OFTEN)?;
            }
            Ok(())
        })?;
        eprintln!("{before} MiB before, {peak} MiB at most; {}", pulse.undisturbed()?);
        ensure!(peak < before + 200, "{before} MiB before, {peak} MiB at most");
        vitals::ensure_healthy(&mut server)
    });
}

#[test]
fn a_session_with_twenty_thousand_ephemerals_ends_without_a_pause_and_over_a_restart() {
    drill("slow-ephemerals", 0, |drill| {
        const NODES: usize = 20_000;
        let mut server = server(drill)?;
        let port = server.port();
        let mut watcher = RawClient::connect(port, 20_000)?;
        ensure!(watcher.call(&asks::create("/own", b"", Mode::Persistent))?.is_ok());
        for (round, closes) in [(0, true), (1, false)] {
            let mut owner = RawClient::connect(port, 4_000)?;
            fill(&mut owner, NODES, |number, client| {
                let path = format!("/own/{number:0200}");
                client.queue(&asks::create(&path, b"owned", Mode::Ephemeral));
            })?;
            ensure!(count(&mut watcher)? == NODES as i32);
            let watch = Request::AddWatch(AddWatch {
                path: Some("/own".into()),
                mode: 1,
            });
            ensure!(watcher.call(&watch)?.is_ok());
            let pulse = Pulse::start(&mut server)?;
            let start = Instant::now();
            if closes {
                owner.close()?;
            } else {
                drop(owner);
            }
            for number in 0..NODES {
                let event = watcher
                    .next_event(PATIENCE)
                    .with_context(|| format!("after {number} events"))?;
                ensure!(event.kind == EventKind::NodeDeleted, "{event:?}");
            }
            eprintln!(
                "{NODES} ephemerals went within {:.1?}; {}",
                start.elapsed(),
                pulse.undisturbed()?
            );
            ensure!(count(&mut watcher)? == 0);
            let again = watcher.session();
            if round == 0 {
                server.kill()?;
            } else {
                server.terminate()?;
            }
            let took = server.restart()?;
            watcher = RawClient::open(port, &orana_interop::raw::Opening::resume(20_000, again))?;
            eprintln!("started again in {took:.0?}");
            ensure!(count(&mut watcher)? == 0, "they are back after the restart");
        }
        vitals::ensure_healthy(&mut server)
    });
}

fn count(client: &mut RawClient) -> Result<i32> {
    let request = asks::exists("/own");
    match client.call(&request)?.reply(request.op())? {
        Reply::Stat(stat) => Ok(stat.num_children),
        other => bail!("{other:?}"),
    }
}

#[test]
fn a_thousand_watchers_of_one_node_are_told_while_others_are_answered() {
    drill("slow-watchers", 0, |drill| {
        const WATCHERS: usize = 1000;
        allow_many_descriptors(WATCHERS as u64 + 200)?;
        let mut server = server(drill)?;
        let port = server.port();
        let process = server.process()?.id();
        let mut writer = RawClient::connect(port, 20_000)?;
        ensure!(writer.call(&asks::create("/hot", b"0", Mode::Persistent))?.is_ok());
        let watchers = (0..WATCHERS).map(|_| RawClient::connect(port, 40_000));
        let mut watchers = watchers.collect::<Result<Vec<_>, _>>()?;
        let pulse = Pulse::start(&mut server)?;
        let mut slowest = Duration::ZERO;
        for round in 0..10u8 {
            for watcher in &mut watchers {
                watcher.send(&Request::GetData(asks::watching("/hot")))?;
            }
            for watcher in &mut watchers {
                let Incoming::Reply(answer) = watcher.receive(PATIENCE)? else {
                    bail!("an event too many")
                };
                ensure!(answer.is_ok());
            }
            let start = Instant::now();
            ensure!(writer.call(&asks::set("/hot", &[round]))?.is_ok());
            for watcher in &mut watchers {
                let event = watcher.next_event(PATIENCE)?;
                ensure!(
                    event.kind == EventKind::NodeDataChanged && event.path == "/hot",
                    "{event:?}"
                );
            }
            slowest = slowest.max(start.elapsed());
        }
        eprintln!(
            "{WATCHERS} watchers were told within {slowest:.1?}, {} MiB; {}",
            vitals::resident_mib(process)?,
            pulse.undisturbed()?
        );
        ensure!(vitals::peak_mib(process)? < 128, "{} MiB", vitals::peak_mib(process)?);
        vitals::ensure_healthy(&mut server)
    });
}

#[test]
fn a_watcher_that_does_not_read_its_events_is_let_go_at_its_limit() {
    drill("slow-events", 0, |drill| {
        let setup = Setup::new(Product::Orana).setting(Product::Orana, "max-out-queue-bytes", "1MiB");
        let mut server = drill.server(setup)?;
        let process = server.process()?.id();
        let mut writer = RawClient::connect(server.port(), 20_000)?;
        let strangers = Strangers::to(server.port())?;
        let address = Ipv4Addr::new(127, 8, 2, 1);
        let mut lazy = strangers.from(address)?;
        lazy.greet(40_000)?;
        let path = format!("/{}", "x".repeat(2000));
        let watch = [&reading(&path)[..path.len() + 4], &0i32.to_be_bytes()].concat();
        lazy.say(&request(1, OpCode::AddWatch.as_i32(), &watch))?;
        lazy.frame(PATIENCE)?;
        ensure!(writer.call(&asks::create(&path, b"", Mode::Persistent))?.is_ok());
        let pulse = Pulse::start(&mut server)?;
        let start = Instant::now();
        let mut writes = 0;
        while vitals::lines(server.log(), 0, &["WARN", &format!("peer={address}:")]).is_empty() {
            fill(&mut writer, 500, |_, client| {
                client.queue(&asks::set(&path, b"x"));
            })?;
            writes += 500;
            ensure!(
                start.elapsed() < Duration::from_secs(20),
                "{writes} events later it is still there"
            );
        }
        eprintln!("let go after {writes} events; {}", pulse.undisturbed()?);
        lazy.hung_up(PATIENCE)?;
        ensure!(vitals::peak_mib(process)? < 64, "{} MiB", vitals::peak_mib(process)?);
        eventually(OFTEN, || {
            ensure!(server.four_letters("wchs")?.contains("Total watches:0"));
            Ok(())
        })?;
        vitals::ensure_healthy(&mut server)
    });
}

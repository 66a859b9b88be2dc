//! Clients that do not read, answers that are enormous, sessions that own very much, nodes that very many watch: whoever
//! pings beside them is answered in time, memory stays bounded, and who does not read is let go with a line in the log.

use std::{
    io::{Read, Write},
    net::{Ipv4Addr, TcpStream},
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
    raw::{Incoming, Opening, PATIENCE, RawClient, RawError},
    strangers::{Stranger, Strangers, allow_many_descriptors, request},
    vitals,
};
use orana_wire::zookeeper::{EventKind, OpCode, Reply, Request, request::AddWatch};

const MEGABYTE: usize = 1_000_000;
/// A client that takes nothing of more than a mebibyte is let go after half a minute.
const STALL: Duration = Duration::from_secs(30);
const OFTEN: Duration = Duration::from_secs(10);

/// A server, and somebody beside those who misbehave.
struct Scene {
    server: Subject,
    /// The server's process.
    process: u32,
    client: RawClient,
}

impl Scene {
    fn new(drill: &Drill) -> Result<Scene> {
        Scene::with(drill, Setup::new(Product::Orana))
    }

    fn with(drill: &Drill, setup: Setup) -> Result<Scene> {
        let mut server = drill.server(setup)?;
        let process = server.process()?.id();
        let client = RawClient::connect(server.port(), 40_000)?;
        Ok(Scene {
            server,
            process,
            client,
        })
    }

    /// Creates `/large`, a node of a megabyte.
    fn plant_large(&mut self) -> Result<()> {
        self.plant("/large", &vec![7; MEGABYTE])
    }

    fn plant(&mut self, path: &str, data: &[u8]) -> Result<()> {
        let answer = self.client.call(&asks::create(path, data, Mode::Persistent))?;
        ensure!(answer.is_ok(), "{path} was refused with {}", answer.header.err);
        Ok(())
    }

    /// A client from this address that has a session and does only what it is told to.
    fn stranger(&self, address: Ipv4Addr) -> Result<Stranger> {
        let mut stranger = Strangers::to(self.server.port())?.from(address)?;
        stranger.greet(40_000)?;
        Ok(stranger)
    }

    /// Waits for the line about the end of this address's connection.
    fn let_go(&self, address: Ipv4Addr, patience: Duration) -> Result<String> {
        let peer = format!("peer={address}:");
        vitals::wait_for_line(self.server.log(), 0, &["WARN", "disconnected", &peer], patience)
    }

    /// Ends the pulse, whose pings must have been answered in time.
    fn undisturbed(&self, pulse: Pulse, what: impl std::fmt::Display) -> Result<()> {
        eprintln!("{what}; {}", pulse.undisturbed()?);
        Ok(())
    }
}

/// The record of a read without a watch.
fn reading(path: &str) -> Vec<u8> {
    let length = u32::try_from(path.len()).unwrap_or(u32::MAX).to_be_bytes();
    [&length[..], path.as_bytes(), b"\0"].concat()
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

/// One request that reads the same node `count` times.
fn reading_often(path: &str, count: usize) -> Vec<u8> {
    let part = [&4i32.to_be_bytes()[..], b"\0\xff\xff\xff\xff", &reading(path)].concat();
    let record = [&part.repeat(count)[..], b"\xff\xff\xff\xff\x01\xff\xff\xff\xff"].concat();
    request(1, OpCode::MultiRead.as_i32(), &record)
}

/// A figure of `/metrics`.
fn metric(server: &Subject, name: &str) -> Result<u64> {
    let mut stream = TcpStream::connect(server.admin())?;
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut page = String::new();
    stream.read_to_string(&mut page)?;
    let value = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    Ok(value
        .with_context(|| format!("no {name} in:\n{page}"))?
        .trim()
        .parse()?)
}

#[test]
fn a_client_that_asks_for_a_gigabyte_and_does_not_read_is_let_go() {
    drill("slow-unread", 0, |drill| {
        let mut scene = Scene::new(drill)?;
        scene.plant_large()?;
        let pulse = Pulse::start(&mut scene.server)?;
        let addresses = (1..=4).map(|number| Ipv4Addr::new(127, 8, 0, number));
        let (peak, ()) = vitals::peak_while(scene.process, || {
            let mut lazy = Vec::new();
            for address in addresses.clone() {
                let mut stranger = scene.stranger(address)?;
                ask_often(&mut stranger, 1000, OpCode::GetData, &reading("/large"))?;
                lazy.push(stranger);
            }
            for address in addresses {
                eprintln!("{}", scene.let_go(address, STALL + OFTEN)?);
            }
            Ok(())
        })?;
        scene.undisturbed(pulse, format!("{peak} MiB at most"))?;
        ensure!(peak < 64, "{peak} MiB for four clients that do not read");
        vitals::ensure_healthy(&mut scene.server)
    });
}

#[test]
fn a_client_that_reads_gets_all_it_asked_for_at_once() {
    drill("slow-reader", 0, |drill| {
        let mut scene = Scene::new(drill)?;
        scene.plant_large()?;
        let pulse = Pulse::start(&mut scene.server)?;
        let client = &mut scene.client;
        let (peak, ()) = vitals::peak_while(scene.process, || {
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
        scene.undisturbed(pulse, format!("{peak} MiB at most"))?;
        vitals::ensure_healthy(&mut scene.server)
    });
}

#[test]
fn a_request_for_the_same_megabyte_ten_thousand_times_costs_its_sender_the_connection() {
    drill("slow-multi", 0, |drill| {
        let mut scene = Scene::new(drill)?;
        scene.plant_large()?;
        let pulse = Pulse::start(&mut scene.server)?;
        let address = Ipv4Addr::new(127, 8, 3, 1);
        let mut greedy = scene.stranger(address)?;
        greedy.say(&reading_often("/large", 10_000))?;
        scene.let_go(address, OFTEN)?;
        let peak = vitals::peak_mib(scene.process)?;
        scene.undisturbed(pulse, format!("{peak} MiB at most"))?;
        ensure!(peak < 300, "{peak} MiB");
        vitals::ensure_healthy(&mut scene.server)
    });
}

#[test]
fn clients_that_do_not_read_are_let_go_when_all_together_leave_too_much() {
    drill("slow-together", 0, |drill| {
        const READERS: usize = 50;
        const LIMIT: u64 = 64 << 20;
        let setup = Setup::new(Product::Orana).setting(Product::Orana, "max-unread-bytes", "64MiB");
        let mut scene = Scene::with(drill, setup)?;
        scene.plant_large()?;
        let before = vitals::resident_mib(scene.process)?;
        let pulse = Pulse::start(&mut scene.server)?;
        let let_go = |scene: &Scene| vitals::lines(scene.server.log(), 0, &["all clients together", "127.8.4."]).len();
        let (peak, lazy) = vitals::peak_while(scene.process, || {
            let mut lazy = Vec::new();
            for number in 1..=READERS {
                let mut stranger = scene.stranger(Ipv4Addr::new(127, 8, 4, u8::try_from(number)?))?;
                // Each for itself is far below the limit of a connection, and the sockets hold a part of it.
                stranger.say(&reading_often("/large", 12))?;
                lazy.push(stranger);
            }
            eventually(OFTEN, || {
                let answered = metric(&scene.server, "orana_zookeeper_requests_total")?;
                ensure!(answered > 2 * READERS as u64, "only {answered} requests so far");
                let unread = metric(&scene.server, "orana_zookeeper_unread_bytes")?;
                ensure!(unread <= LIMIT, "{unread} bytes are unread");
                ensure!(let_go(&scene) > 0, "nobody was let go");
                Ok(())
            })?;
            Ok(lazy)
        })?;
        let unread = metric(&scene.server, "orana_zookeeper_unread_bytes")?;
        let gone = let_go(&scene);
        scene.undisturbed(
            pulse,
            format!("{gone} of {READERS} were let go, {unread} bytes wait for the others, {before} MiB before, {peak} MiB at most"),
        )?;
        // As many as fit stay: nobody is let go for what others have given back already.
        ensure!(
            gone < READERS && unread > LIMIT / 2,
            "{gone} were let go, {unread} bytes are left"
        );
        ensure!(peak < before + 220, "{before} MiB before, {peak} MiB at most");
        drop(lazy);
        eventually(OFTEN, || {
            let unread = metric(&scene.server, "orana_zookeeper_unread_bytes")?;
            ensure!(
                unread == 0,
                "{unread} bytes are unread although nobody is there to read them"
            );
            Ok(())
        })?;
        vitals::ensure_healthy(&mut scene.server)
    });
}

#[test]
fn an_enormous_list_of_children_is_made_once_and_delays_nobody() {
    drill("slow-children", 0, |drill| {
        const CHILDREN: usize = 50_000;
        let mut scene = Scene::new(drill)?;
        scene.plant("/many", b"")?;
        fill(&mut scene.client, CHILDREN, |number, client| {
            let path = format!("/many/{number:0300}");
            client.queue(&asks::create(&path, b"", Mode::Persistent));
        })?;
        let before = vitals::resident_mib(scene.process)?;
        let pulse = Pulse::start(&mut scene.server)?;
        let addresses = (1..=20).map(|number| Ipv4Addr::new(127, 8, 1, number));
        let (peak, ()) = vitals::peak_while(scene.process, || {
            let mut lazy = Vec::new();
            for address in addresses.clone() {
                let mut stranger = scene.stranger(address)?;
                ask_often(&mut stranger, 10, OpCode::GetChildren2, &reading("/many"))?;
                lazy.push(stranger);
            }
            for _ in 0..5 {
                let request = asks::children("/many");
                let answer = scene.client.call(&request)?;
                let Reply::ChildrenStat(names, stat) = answer.reply(request.op())? else {
                    bail!("another answer")
                };
                ensure!(
                    names.len() == CHILDREN && stat.num_children == 50_000,
                    "{} names",
                    names.len()
                );
                // Each change makes a new list.
                ensure!(scene.client.call(&asks::set("/many", b"touched"))?.is_ok());
            }
            for address in addresses {
                scene.let_go(address, STALL + OFTEN)?;
            }
            Ok(())
        })?;
        scene.undisturbed(pulse, format!("{before} MiB before, {peak} MiB at most"))?;
        ensure!(peak < before + 200, "{before} MiB before, {peak} MiB at most");
        vitals::ensure_healthy(&mut scene.server)
    });
}

#[test]
fn a_session_with_twenty_thousand_ephemerals_ends_without_a_pause_and_over_a_restart() {
    drill("slow-ephemerals", 0, |drill| {
        const NODES: usize = 20_000;
        let mut scene = Scene::new(drill)?;
        let port = scene.server.port();
        scene.plant("/own", b"")?;
        for (round, closes) in [(0, true), (1, false)] {
            let mut owner = RawClient::connect(port, 4_000)?;
            fill(&mut owner, NODES, |number, client| {
                let path = format!("/own/{number:0200}");
                client.queue(&asks::create(&path, b"owned", Mode::Ephemeral));
            })?;
            ensure!(count(&mut scene.client)? == NODES as i32);
            let watch = Request::AddWatch(AddWatch {
                path: Some("/own".into()),
                mode: 1,
            });
            ensure!(scene.client.call(&watch)?.is_ok());
            let pulse = Pulse::start(&mut scene.server)?;
            let start = Instant::now();
            if closes {
                owner.close()?;
            } else {
                drop(owner);
            }
            for number in 0..NODES {
                let event = scene
                    .client
                    .next_event(PATIENCE)
                    .with_context(|| format!("after {number} events"))?;
                ensure!(event.kind == EventKind::NodeDeleted, "{event:?}");
            }
            scene.undisturbed(pulse, format!("{NODES} ephemerals went within {:.1?}", start.elapsed()))?;
            ensure!(count(&mut scene.client)? == 0);
            let again = scene.client.session();
            if round == 0 {
                scene.server.kill()?;
            } else {
                scene.server.terminate()?;
            }
            let took = scene.server.restart()?;
            scene.client = RawClient::open(port, &Opening::resume(20_000, again))?;
            eprintln!("started again in {took:.0?}");
            ensure!(count(&mut scene.client)? == 0, "they are back after the restart");
        }
        vitals::ensure_healthy(&mut scene.server)
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
        let mut scene = Scene::new(drill)?;
        let port = scene.server.port();
        scene.plant("/hot", b"0")?;
        let watchers = (0..WATCHERS).map(|_| RawClient::connect(port, 40_000));
        let mut watchers = watchers.collect::<Result<Vec<_>, _>>()?;
        let pulse = Pulse::start(&mut scene.server)?;
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
            ensure!(scene.client.call(&asks::set("/hot", &[round]))?.is_ok());
            for watcher in &mut watchers {
                let event = watcher.next_event(PATIENCE)?;
                ensure!(
                    event.kind == EventKind::NodeDataChanged && event.path == "/hot",
                    "{event:?}"
                );
            }
            slowest = slowest.max(start.elapsed());
        }
        let resident = vitals::resident_mib(scene.process)?;
        scene.undisturbed(
            pulse,
            format!("{WATCHERS} watchers were told within {slowest:.1?}, {resident} MiB"),
        )?;
        let peak = vitals::peak_mib(scene.process)?;
        ensure!(peak < 128, "{peak} MiB");
        vitals::ensure_healthy(&mut scene.server)
    });
}

#[test]
fn watchers_that_do_not_read_do_not_keep_the_others_of_the_same_node_waiting() {
    drill("slow-mixed", 0, |drill| {
        const READERS: usize = 80;
        const CHANGES: usize = 3000;
        allow_many_descriptors(2 * READERS as u64 + 200)?;
        let mut scene = Scene::new(drill)?;
        let path = format!("/{}", "x".repeat(2000));
        scene.plant(&path, b"0")?;
        let watch = Request::AddWatch(AddWatch {
            path: Some(path.as_str().into()),
            mode: 0,
        });
        let mut clients = Vec::new();
        for _ in 0..READERS + 8 {
            let mut client = RawClient::connect(scene.server.port(), 40_000)?;
            ensure!(client.call(&watch)?.is_ok());
            clients.push(client);
        }
        // These eight do not read; the sockets hold what they are told at first, the out-queues what comes then.
        let lazy = clients.split_off(READERS);
        let pulse = Pulse::start(&mut scene.server)?;
        let told = thread::scope(|scope| {
            let reading = clients.chunks_mut(READERS / 4).map(|part| {
                scope.spawn(move || -> Result<()> {
                    for change in 0..CHANGES {
                        for client in &mut *part {
                            let event = client
                                .next_event(PATIENCE)
                                .with_context(|| format!("after {change} events"))?;
                            ensure!(event.kind == EventKind::NodeDataChanged, "{event:?}");
                        }
                    }
                    Ok(())
                })
            });
            let reading: Vec<_> = reading.collect();
            fill(&mut scene.client, CHANGES, |_, client| {
                client.queue(&asks::set(&path, b"x"));
            })?;
            for part in reading {
                part.join().map_err(|_| anyhow::anyhow!("a reading thread broke"))??;
            }
            metric(&scene.server, "orana_zookeeper_unread_bytes")
        })?;
        scene.undisturbed(
            pulse,
            format!("{CHANGES} changes, {told} bytes wait for those who do not read"),
        )?;
        ensure!(
            told > MEGABYTE as u64,
            "the sockets of those who do not read hold everything"
        );
        // And they get all of it, in order, once they read.
        for mut client in lazy {
            for change in 0..CHANGES {
                client
                    .next_event(PATIENCE)
                    .with_context(|| format!("after {change} events"))?;
            }
            ensure!(client.call(&Request::Ping)?.is_ok());
        }
        vitals::ensure_healthy(&mut scene.server)
    });
}

#[test]
fn a_watcher_that_does_not_read_its_events_is_let_go_at_its_limit() {
    drill("slow-events", 0, |drill| {
        let setup = Setup::new(Product::Orana).setting(Product::Orana, "max-out-queue-bytes", "1MiB");
        let mut scene = Scene::with(drill, setup)?;
        let address = Ipv4Addr::new(127, 8, 2, 1);
        let mut lazy = scene.stranger(address)?;
        let path = format!("/{}", "x".repeat(2000));
        let watch = [&reading(&path)[..path.len() + 4], &0i32.to_be_bytes()].concat();
        lazy.say(&request(1, OpCode::AddWatch.as_i32(), &watch))?;
        lazy.frame(PATIENCE)?;
        scene.plant(&path, b"")?;
        let pulse = Pulse::start(&mut scene.server)?;
        let start = Instant::now();
        let mut writes = 0;
        while vitals::lines(scene.server.log(), 0, &["WARN", &format!("peer={address}:")]).is_empty() {
            fill(&mut scene.client, 500, |_, client| {
                client.queue(&asks::set(&path, b"x"));
            })?;
            writes += 500;
            ensure!(
                start.elapsed() < Duration::from_secs(20),
                "{writes} events later it is still there"
            );
        }
        scene.undisturbed(pulse, format!("let go after {writes} events"))?;
        lazy.hung_up(PATIENCE)?;
        let peak = vitals::peak_mib(scene.process)?;
        ensure!(peak < 64, "{peak} MiB");
        eventually(OFTEN, || {
            ensure!(scene.server.four_letters("wchs")?.contains("Total watches:0"));
            Ok(())
        })?;
        vitals::ensure_healthy(&mut scene.server)
    });
}

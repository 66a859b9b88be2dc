//! Malformed and hostile input hurts nobody but its sender: he gets the protocol's error or the end of his connection and
//! one line in the log with his address, and a client beside him does not notice.

use std::{
    net::Ipv4Addr,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use orana_interop::{
    Drill, Product, Setup, Subject,
    asks::{self, Mode},
    drill,
    malformed::{Fate, bad_beginnings, bad_requests},
    pulse::Pulse,
    raw::RawClient,
    strangers::{Strangers, allow_many_descriptors, framed, greeting, request},
    vitals,
};
use orana_wire::zookeeper::{ConnectResponse, ErrorCode, OpCode};

/// How long the server may take to hang up.
const SOON: Duration = Duration::from_secs(5);
/// For connections that do not say what they want.
const HANDSHAKE: Duration = Duration::from_secs(3);
/// For requests that begin and do not end.
const UNFINISHED: Duration = Duration::from_secs(30);
/// Resident memory that bad input may cost at most, in MiB.
const MEMORY_MIB: u64 = 96;

fn server(drill: &Drill) -> Result<Subject> {
    let handshake = format!("{}s", HANDSHAKE.as_secs());
    drill.server(Setup::new(Product::Orana).setting(Product::Orana, "handshake-timeout", &handshake))
}

fn address(number: usize) -> Ipv4Addr {
    let [high, low] = u16::try_from(number).unwrap_or(u16::MAX).to_be_bytes();
    Ipv4Addr::new(127, 7, high, low)
}

fn told_of(server: &Subject, address: Ipv4Addr) -> Result<()> {
    let peer = format!("peer={address}:");
    vitals::wait_for_line(server.log(), 0, &["WARN", &peer], SOON).map(drop)
}

#[test]
fn malformed_input_ends_in_an_error_or_a_close_and_one_line_with_the_address() {
    drill("hostile-malformed", 0, |drill| {
        let mut server = server(drill)?;
        let process = server.process()?.id();
        let pulse = Pulse::start(&mut server)?;
        let strangers = Strangers::to(server.port())?;
        let mut number = 0;
        for (what, bytes) in bad_beginnings() {
            number += 1;
            let mut stranger = strangers.from(address(number))?;
            stranger.say(&bytes)?;
            let frames = stranger
                .hung_up(SOON)
                .with_context(|| format!("{what}, before a session"))?;
            ensure!(
                frames.is_empty(),
                "{what}, before a session, was answered with {frames:?}"
            );
            told_of(&server, address(number)).with_context(|| format!("{what}, before a session"))?;
        }
        for (what, bytes, fate) in bad_requests() {
            number += 1;
            let mut stranger = strangers.from(address(number))?;
            stranger.greet(4000)?;
            stranger.say(&bytes)?;
            stranger.say(&request(-2, OpCode::Ping.as_i32(), b""))?;
            let meet = || -> Result<()> {
                match fate {
                    Fate::Error(code) | Fate::NoOffence(code) => {
                        let answer = stranger.frame(SOON)?;
                        ensure!(error_of(&answer) == Some(code), "answered with {answer:?}");
                        let ping = stranger.frame(SOON)?;
                        ensure!(error_of(&ping) == Some(ErrorCode::Ok), "the ping after it: {ping:?}");
                    }
                    Fate::ErrorAndClose(code) => {
                        let frames = stranger.hung_up(SOON)?;
                        ensure!(frames.len() == 1, "{} answers", frames.len());
                        ensure!(
                            frames.first().and_then(|frame| error_of(frame)) == Some(code),
                            "{frames:?}"
                        );
                    }
                    Fate::Close => {
                        let frames = stranger.hung_up(SOON)?;
                        ensure!(frames.is_empty(), "answered with {frames:?}");
                    }
                }
                match fate {
                    Fate::NoOffence(_) => Ok(()),
                    _ => told_of(&server, address(number)),
                }
            };
            let mut meet = meet;
            meet().with_context(|| format!("{what}, within a session"))?;
        }
        eprintln!("{number} kinds of bad input; {}", pulse.undisturbed()?);
        ensure!(
            vitals::peak_mib(process)? < MEMORY_MIB,
            "it took {} MiB",
            vitals::peak_mib(process)?
        );
        vitals::ensure_healthy(&mut server)
    });
}

fn error_of(reply: &[u8]) -> Option<ErrorCode> {
    let code = reply.get(12..16)?.try_into().ok()?;
    ErrorCode::from_i32(i32::from_be_bytes(code))
}

#[test]
fn a_wrong_password_gets_no_session_and_does_not_disturb_the_owner() {
    drill("hostile-password", 0, |drill| {
        let mut server = server(drill)?;
        let mut owner = RawClient::connect(server.port(), 10_000)?;
        ensure!(owner.call(&asks::create("/mine", b"", Mode::Ephemeral))?.is_ok());
        let strangers = Strangers::to(server.port())?;
        for number in 1..=20 {
            let mut key = owner.session();
            key.password[number % 16] ^= 1;
            let mut stranger = strangers.from(address(number))?;
            stranger.say(&greeting(10_000, Some(key)))?;
            let frames = stranger.hung_up(SOON)?;
            let refusal = ConnectResponse::decode(frames.first().context("no answer")?)?;
            ensure!(refusal.is_refused() && frames.len() == 1, "{refusal:?}");
            told_of(&server, address(number))?;
            ensure!(
                owner.call(&asks::exists("/mine"))?.is_ok(),
                "the owner has lost its node"
            );
        }
        vitals::ensure_healthy(&mut server)
    });
}

#[test]
fn a_client_of_one_byte_a_second_is_let_go_when_its_time_is_over() {
    drill("hostile-slow", 0, |drill| {
        let mut server = server(drill)?;
        let strangers = Strangers::to(server.port())?;
        let mut slow = strangers.from(address(1))?;
        let mut half = strangers.from(address(2))?;
        let mut silent = strangers.from(address(3))?;
        let start = Instant::now();
        let hello = greeting(4000, None);
        half.say(hello.get(..20).context("half of it")?)?;
        for byte in &hello {
            slow.say(&[*byte])?;
            if start.elapsed() > HANDSHAKE + Duration::from_secs(1) {
                break;
            }
            thread::sleep(Duration::from_secs(1));
        }
        for (number, stranger) in [(1, &mut slow), (2, &mut half), (3, &mut silent)] {
            ensure!(stranger.hung_up(SOON)?.is_empty(), "stranger {number} was answered");
            told_of(&server, address(number))?;
        }
        ensure!(
            start.elapsed() < HANDSHAKE + SOON,
            "they were let go only after {:?}",
            start.elapsed()
        );
        vitals::ensure_healthy(&mut server)
    });
}

#[test]
fn ten_thousand_connections_that_say_nothing_are_noticed_by_nobody() {
    drill("hostile-silent", 0, |drill| {
        const CONNECTIONS: usize = 10_000;
        const ADDRESSES: usize = 50;
        allow_many_descriptors(CONNECTIONS as u64 + 200)?;
        let mut server = server(drill)?;
        let process = server.process()?.id();
        let (before, open) = (vitals::resident_mib(process)?, vitals::descriptors(process)?);
        let pulse = Pulse::start(&mut server)?;
        let strangers = Strangers::to(server.port())?;
        let crowd = (0..CONNECTIONS).map(|number| strangers.from(address(number % ADDRESSES)));
        let mut crowd = crowd.collect::<Result<Vec<_>>>()?;
        let mut guest = RawClient::connect(server.port(), 10_000).context("among 10,000 silent connections")?;
        ensure!(guest.call(&asks::exists("/"))?.is_ok());
        let during = vitals::resident_mib(process)?;
        for stranger in &mut crowd {
            ensure!(stranger.hung_up(HANDSHAKE + SOON)?.is_empty());
        }
        vitals::wait_for_descriptors(process, open + 10, SOON)?;
        eprintln!(
            "{before} MiB before, {during} MiB with {CONNECTIONS}; {}",
            pulse.undisturbed()?
        );
        ensure!(
            during < before + MEMORY_MIB,
            "{before} MiB before, {during} MiB with {CONNECTIONS}"
        );
        for number in 0..ADDRESSES {
            told_of(&server, address(number))?;
        }
        let lines = vitals::lines(server.log(), 0, &["WARN"]).len();
        ensure!(lines <= 3 * ADDRESSES, "{lines} lines about {ADDRESSES} addresses");
        vitals::ensure_healthy(&mut server)
    });
}

#[test]
fn a_flood_of_bad_frames_makes_neither_a_flood_of_lines_nor_a_slow_server() {
    drill("hostile-flood", 0, |drill| {
        let mut server = server(drill)?;
        let process = server.process()?.id();
        let port = server.port();
        let pulse = Pulse::start(&mut server)?;
        let (over, sent) = (AtomicBool::new(false), AtomicUsize::new(0));
        thread::scope(|scope| -> Result<()> {
            let floods: Vec<_> = (0..2)
                .map(|number| {
                    let (over, sent) = (&over, &sent);
                    scope.spawn(move || -> Result<()> {
                        let strangers = Strangers::to(port)?;
                        while !over.load(Ordering::Relaxed) {
                            let mut stranger = strangers.from(address(number))?;
                            if number == 0 {
                                stranger.say(&framed(-1, &[0x41; 2000]))?;
                            } else {
                                stranger.greet(4000)?;
                                stranger.say(&request(1, 12345, &[0; 500]).repeat(100))?;
                            }
                            stranger.hung_up(SOON)?;
                            sent.fetch_add(1, Ordering::Relaxed);
                        }
                        Ok(())
                    })
                })
                .collect();
            thread::sleep(Duration::from_secs(4));
            over.store(true, Ordering::Relaxed);
            floods
                .into_iter()
                .try_for_each(|flood| flood.join().unwrap_or_else(|_| Ok(())))
        })?;
        let lines = vitals::lines(server.log(), 0, &["WARN", "peer="]).len();
        let sent = sent.into_inner();
        eprintln!("{sent} bad connections, {lines} lines; {}", pulse.undisturbed()?);
        ensure!(sent > 100, "only {sent} bad connections");
        ensure!(
            (2..=6).contains(&lines),
            "{lines} lines about {sent} bad connections of two addresses"
        );
        ensure!(
            vitals::peak_mib(process)? < MEMORY_MIB,
            "it took {} MiB",
            vitals::peak_mib(process)?
        );
        vitals::ensure_healthy(&mut server)
    });
}

#[test]
fn requests_that_are_as_large_as_they_may_be_do_not_delay_others() {
    drill("hostile-large", 0, |drill| {
        let mut server = server(drill)?;
        let process = server.process()?.id();
        let pulse = Pulse::start(&mut server)?;
        let strangers = Strangers::to(server.port())?;
        let room = 1_000_000;
        let many_watches = {
            let paths = b"\0\0\0\x02/x".repeat(room / 6);
            let count = i32::try_from(room / 6)?.to_be_bytes();
            [&[0; 8][..], &count, &paths, &[0; 8]].concat()
        };
        let many_checks = {
            let one = [
                &13i32.to_be_bytes()[..],
                b"\0\xff\xff\xff\xff",
                b"\0\0\0\x01/",
                b"\xff\xff\xff\xff",
            ]
            .concat();
            [
                one.repeat(room / one.len()),
                b"\xff\xff\xff\xff\x01\xff\xff\xff\xff".to_vec(),
            ]
            .concat()
        };
        let long_path = [&i32::try_from(room)?.to_be_bytes()[..], &b"/a".repeat(room / 2), b"\0"].concat();
        for (op, record) in [
            (OpCode::SetWatches, &many_watches),
            (OpCode::Multi, &many_checks),
            (OpCode::Exists, &long_path),
            (OpCode::GetChildren2, &long_path),
        ] {
            let start = Instant::now();
            let mut stranger = strangers.from(address(1))?;
            stranger.greet(10_000)?;
            let ten = (0..10).flat_map(|_| request(5, op.as_i32(), record));
            let all: Vec<u8> = ten.chain(request(6, OpCode::CloseSession.as_i32(), b"")).collect();
            let frames = stranger
                .exchange(&all, Duration::from_secs(30))
                .with_context(|| format!("{op:?}"))?;
            ensure!(frames.len() >= 11, "{op:?}: {} answers", frames.len());
            eprintln!("ten of {op:?} took {:.1?}", start.elapsed());
        }
        eprintln!("{} MiB at most; {}", vitals::peak_mib(process)?, pulse.undisturbed()?);
        ensure!(
            vitals::peak_mib(process)? < 2 * MEMORY_MIB,
            "it took {} MiB",
            vitals::peak_mib(process)?
        );
        vitals::ensure_healthy(&mut server)
    });
}

#[test]
fn connections_beyond_the_limits_are_refused_with_a_line() {
    drill("hostile-limits", 0, |drill| {
        let setup = Setup::new(Product::Orana)
            .setting(Product::Orana, "max-connections", "20")
            .setting(Product::Orana, "max-connections-per-address", "5");
        let mut server = drill.server(setup)?;
        let strangers = Strangers::to(server.port())?;
        let mut held = Vec::new();
        for number in 0..5 {
            let mut stranger = strangers.from(address(1))?;
            stranger.greet(10_000).with_context(|| format!("connection {number}"))?;
            held.push(stranger);
        }
        ensure!(strangers.from(address(1))?.hung_up(SOON)?.is_empty());
        vitals::wait_for_line(server.log(), 0, &["WARN", "max-connections-per-address is 5"], SOON)?;
        for number in 0..15 {
            let mut stranger = strangers.from(address(2 + number))?;
            stranger
                .greet(10_000)
                .with_context(|| format!("connection of another address {number}"))?;
            held.push(stranger);
        }
        ensure!(strangers.from(address(50))?.hung_up(SOON)?.is_empty());
        vitals::wait_for_line(server.log(), 0, &["WARN", "max-connections is 20"], SOON)?;
        held.clear();
        orana_interop::drill::eventually(SOON, || strangers.from(address(1))?.greet(10_000).map(drop))?;
        vitals::ensure_healthy(&mut server)
    });
}

#[test]
fn requests_that_never_end_cost_their_senders_the_connection_and_nobody_else() {
    drill("hostile-unfinished", 0, |drill| {
        const HOGS: usize = 150;
        let mut server = server(drill)?;
        let process = server.process()?.id();
        let mut honest = RawClient::connect(server.port(), 10_000)?;
        let data = vec![7; 500_000];
        ensure!(honest.call(&asks::create("/large", &data, Mode::Persistent))?.is_ok());
        let pulse = Pulse::start(&mut server)?;
        let strangers = Strangers::to(server.port())?;
        let mut hogs = Vec::new();
        for number in 0..HOGS {
            let mut hog = strangers.from(address(number))?;
            hog.greet(40_000)?;
            hog.say(&framed(1_000_000, &vec![0; 900_000]))?;
            hogs.push(hog);
            let answer = honest.call(&asks::set("/large", &data));
            let answer = answer.with_context(|| format!("beside {} requests that never end", number + 1))?;
            ensure!(answer.is_ok());
        }
        eprintln!(
            "{} MiB at most beside {HOGS} requests that never end; {}",
            vitals::peak_mib(process)?,
            pulse.undisturbed()?
        );
        ensure!(
            vitals::peak_mib(process)? < 2 * MEMORY_MIB,
            "it took {} MiB",
            vitals::peak_mib(process)?
        );
        for (number, hog) in hogs.iter_mut().enumerate() {
            hog.hung_up(UNFINISHED + SOON)
                .with_context(|| format!("hog {number}"))?;
            told_of(&server, address(number))?;
        }
        vitals::ensure_healthy(&mut server)
    });
}

//! How long sessions live: to their time-out and at most a tick longer, again in full after a restart, not at all shorter
//! because the server itself stood still; and what moving, refusing and closing them means.

use std::{
    env, thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use orana_interop::{
    Drill, Product, Setup, Subject,
    asks::{self, Mode},
    drill,
    drill::eventually,
    raw::{Incoming, Opening, PATIENCE, RawClient, RawError, SessionKey},
    strangers::{Strangers, greeting},
};
use orana_wire::zookeeper::{ConnectRequest, ConnectResponse, EventKind, Request};

const TICK: Duration = Duration::from_millis(500);
/// Beyond what is promised, for a machine with other work.
const SLACK: Duration = Duration::from_millis(400);
const SHORT_MS: i32 = 1_500;
const SHORT: Duration = Duration::from_millis(SHORT_MS as u64);
const LONG_MS: i32 = 10_000;

fn server(drill: &Drill, product: Product) -> Result<Subject> {
    drill.server(Setup::new(product).tick(TICK))
}

/// A session with an ephemeral node.
fn owner(port: u16, timeout_ms: i32, path: &str) -> Result<RawClient> {
    let mut client = RawClient::connect(port, timeout_ms)?;
    ensure!(client.connected().timeout_ms == timeout_ms, "{:?}", client.connected());
    ensure!(client.call(&asks::create(path, b"", Mode::Ephemeral))?.is_ok());
    Ok(client)
}

fn is_there(client: &mut RawClient, path: &str) -> Result<bool> {
    Ok(client.call(&asks::exists(path))?.is_ok())
}

/// Whether the server says that there is no such session, in the words of the protocol.
fn is_unknown(port: u16, key: SessionKey) -> Result<bool> {
    match RawClient::open(port, &Opening::resume(LONG_MS, key)) {
        Ok(_) => Ok(false),
        Err(RawError::Refused) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

#[test]
fn a_session_ends_between_its_time_out_and_a_tick_later() {
    drill("leases-expiry", 0, |drill| {
        let server = server(drill, Product::chosen()?)?;
        let port = server.port();
        let mut watcher = RawClient::connect(port, LONG_MS)?;
        let mut times = Vec::new();
        // With an open connection and with a closed one; from the last sign of life, not from the beginning.
        for round in 0..3 {
            let path = format!("/mortal-{round}");
            let mut mortal = owner(port, SHORT_MS, &path)?;
            ensure!(watcher.call(&Request::Exists(asks::watching(&path)))?.is_ok());
            thread::sleep(Duration::from_millis(300 + 150 * round));
            let before = Instant::now();
            mortal.call(&Request::Ping)?;
            let after = Instant::now();
            let mut kept = None;
            if round == 0 {
                drop(mortal);
            } else {
                kept = Some(mortal);
            }
            let event = watcher.next_event(PATIENCE)?;
            ensure!(event.kind == EventKind::NodeDeleted && event.path == path, "{event:?}");
            let (least, most) = (after.elapsed(), before.elapsed());
            ensure!(most >= SHORT, "it ended {most:.0?} after its last sign of life");
            ensure!(
                least <= SHORT + TICK + SLACK,
                "it ended only {least:.0?} after its last sign of life"
            );
            times.push(most);
            if let Some(mut mortal) = kept {
                ensure!(
                    matches!(mortal.receive(PATIENCE), Err(RawError::Closed)),
                    "its connection is still open"
                );
                ensure!(is_unknown(port, mortal.session())?);
            }
        }
        eprintln!("sessions of {SHORT:.1?} ended after {times:.2?}");
        Ok(())
    });
}

#[test]
fn after_a_kill_each_session_has_its_full_time_again() {
    drill("leases-restart", 0, |drill| {
        let mut server = server(drill, Product::chosen()?)?;
        let port = server.port();
        let left = owner(port, SHORT_MS, "/left")?.session();
        let taken = owner(port, SHORT_MS, "/taken")?;
        thread::sleep(SHORT * 2 / 3);
        let died = Instant::now();
        server.kill()?;
        thread::sleep(SHORT / 2);
        server.restart()?;
        let served = Instant::now();
        let mut watcher = RawClient::connect(port, LONG_MS)?;
        ensure!(
            is_there(&mut watcher, "/left")? && is_there(&mut watcher, "/taken")?,
            "gone at the start"
        );
        ensure!(watcher.call(&Request::Exists(asks::watching("/left")))?.is_ok());
        let mut taken = RawClient::open(port, &Opening::resume(SHORT_MS, taken.session()))?;
        loop {
            taken.call(&Request::Ping)?;
            match watcher.next_event(Duration::from_millis(200)) {
                Ok(event) => break ensure!(event.path == "/left", "{event:?}"),
                Err(RawError::Silent(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        // It may have begun to count a moment before it said that it serves.
        let (since_kill, since_start) = (died.elapsed(), served.elapsed());
        ensure!(since_kill >= SHORT, "it ended {since_kill:.0?} after the kill");
        ensure!(
            since_start >= SHORT - SLACK,
            "it ended {since_start:.0?} after the start"
        );
        ensure!(
            since_start <= SHORT + TICK + SLACK,
            "it ended only {since_start:.0?} after the start"
        );
        ensure!(is_unknown(port, left)?);
        ensure!(
            is_there(&mut watcher, "/taken")?,
            "a session that was resumed and pings has ended"
        );
        Ok(())
    });
}

#[test]
fn a_server_that_stood_still_expires_nobody_who_pings_afterwards() {
    drill("leases-pause", 0, |drill| {
        let pause = match env::var("PAUSE") {
            Ok(seconds) => Duration::from_secs(seconds.parse().context("PAUSE in seconds")?),
            Err(_) => Duration::from_secs(10),
        };
        // A real server fails here.
        let mut server = server(drill, Product::Orana)?;
        let port = server.port();
        let names = (0..20).map(|number| format!("/living-{number}"));
        let living = names.map(|name| owner(port, 4_000, &name).map(|client| (name, client)));
        let mut living = living.collect::<Result<Vec<_>>>()?;
        let mut watcher = RawClient::connect(port, LONG_MS)?;
        let dead = owner(port, 4_000, "/dead")?.session();
        thread::sleep(Duration::from_secs(1));
        server.process()?.pause()?;
        thread::sleep(pause);
        server.process()?.resume()?;
        let woke = Instant::now();
        // Half of them are heard at once, the others only later, but within what was left of their time.
        let ping = |clients: &mut [(String, RawClient)]| -> Result<()> {
            for (name, client) in clients {
                let answer = client.call(&Request::Ping);
                answer.with_context(|| format!("the owner of {name} after a pause of {pause:?}"))?;
            }
            Ok(())
        };
        let (early, late) = living.split_at_mut(10);
        ping(early)?;
        thread::sleep(Duration::from_millis(1_800));
        ping(early)?;
        ping(late)?;
        for (name, client) in &mut living {
            ensure!(is_there(client, name)?, "{name} is gone after a pause of {pause:?}");
        }
        eventually(Duration::from_secs(4) + TICK + SLACK, || {
            ping(&mut living)?;
            ensure!(
                !is_there(&mut watcher, "/dead")?,
                "who never pinged again is still there"
            );
            Ok(())
        })?;
        eprintln!(
            "after {pause:?} of silence the dead one ended {:.1?} later",
            woke.elapsed()
        );
        ensure!(is_unknown(port, dead)?);
        ping(&mut living)
    });
}

#[test]
fn a_session_that_moves_closes_the_connection_it_had() {
    drill("leases-move", 0, |drill| {
        let mut server = server(drill, Product::chosen()?)?;
        let port = server.port();
        let mut first = owner(port, LONG_MS, "/mine")?;
        for round in 0..3 {
            let opening = Opening::resume(4_000, first.session());
            let mut second = RawClient::open(port, &opening)?;
            ensure!(second.session() == first.session(), "another session");
            ensure!(second.connected().timeout_ms == 4_000, "{:?}", second.connected());
            ensure!(
                matches!(first.receive(PATIENCE), Err(RawError::Closed)),
                "the connection before move {round} is still open"
            );
            ensure!(is_there(&mut second, "/mine")?);
            first = second;
        }
        if server.product() == Product::Orana {
            server.kill()?;
            server.restart()?;
            let mut again = RawClient::open(port, &Opening::resume(LONG_MS, first.session()))?;
            ensure!(is_there(&mut again, "/mine")?);
        }
        Ok(())
    });
}

#[test]
fn sessions_that_do_not_exist_are_refused_with_zeros() {
    drill("leases-unknown", 0, |drill| {
        let product = Product::chosen()?;
        let server = server(drill, product)?;
        let port = server.port();
        let closed = RawClient::connect(port, LONG_MS)?;
        let key = closed.session();
        closed.close()?;
        let invented = SessionKey { id: key.id + 77, ..key };
        let strangers = Strangers::to(port)?;
        for key in [key, invented, SessionKey { id: -1, ..key }] {
            for read_only in [Some(false), Some(true), None] {
                let mut stranger = strangers.from([127, 0, 0, 1].into())?;
                let mut bytes = bytes::BytesMut::new();
                ConnectRequest {
                    protocol_version: 0,
                    last_zxid_seen: 0,
                    timeout_ms: LONG_MS,
                    session_id: key.id,
                    password: Some(&key.password),
                    read_only,
                }
                .encode(&mut bytes);
                stranger.say(&bytes)?;
                let frames = stranger.hung_up(PATIENCE)?;
                let [body] = frames.as_slice() else {
                    bail!("{} frames", frames.len())
                };
                let length = if read_only.is_some() { 37 } else { 36 };
                ensure!(body.len() == length, "{} bytes with {read_only:?}", body.len());
                let refusal = ConnectResponse::decode(body)?;
                ensure!(
                    refusal.timeout_ms == 0 && refusal.session_id == 0 && refusal.password == [0; 16],
                    "{refusal:?}"
                );
            }
        }
        // A client that has seen what this server has not is sent away without a word.
        let mut ahead = strangers.from([127, 0, 0, 1].into())?;
        let mut bytes = greeting(LONG_MS, None);
        bytes[8..16].copy_from_slice(&i64::MAX.to_be_bytes());
        ahead.say(&bytes)?;
        ensure!(ahead.hung_up(PATIENCE)?.is_empty(), "it was answered");
        Ok(())
    });
}

#[test]
fn closing_a_session_takes_its_nodes_tells_watchers_first_and_hangs_up() {
    drill("leases-close", 0, |drill| {
        let mut server = server(drill, Product::chosen()?)?;
        let port = server.port();
        let mut other = RawClient::connect(port, LONG_MS)?;
        let mut closing = owner(port, LONG_MS, "/one")?;
        ensure!(closing.call(&asks::create("/two", b"", Mode::Ephemeral))?.is_ok());
        ensure!(closing.call(&asks::create("/stays", b"", Mode::Persistent))?.is_ok());
        for client in [&mut closing, &mut other] {
            ensure!(client.call(&Request::Exists(asks::watching("/one")))?.is_ok());
            ensure!(client.call(&Request::Exists(asks::watching("/two")))?.is_ok());
        }
        let before = closing.queue(&asks::create("/before", b"", Mode::Ephemeral));
        let close = closing.queue(&Request::CloseSession);
        closing.queue(&asks::create("/after", b"", Mode::Persistent));
        closing.queue(&Request::Ping);
        closing.flush()?;
        let (mut events, mut answers) = (Vec::new(), Vec::new());
        loop {
            match closing.receive(PATIENCE) {
                Ok(Incoming::Event(event)) => {
                    ensure!(answers.len() == 1, "an event after {answers:?}");
                    events.push(event.path);
                }
                Ok(Incoming::Reply(answer)) => {
                    ensure!(answer.is_ok(), "{:?}", answer.header);
                    answers.push(answer.header.xid);
                }
                Err(RawError::Closed) => break,
                Err(error) => return Err(error.into()),
            }
        }
        events.sort();
        ensure!(answers == [before, close], "answers {answers:?}");
        ensure!(events == ["/one", "/two"], "events {events:?}");
        let mut told = [other.next_event(PATIENCE)?.path, other.next_event(PATIENCE)?.path];
        told.sort();
        ensure!(told == ["/one", "/two"], "others were told of {told:?}");
        ensure!(is_unknown(port, closing.session())?);
        for restarted in [false, true] {
            if restarted {
                server.kill()?;
                server.restart()?;
                other = RawClient::open(port, &Opening::resume(LONG_MS, other.session()))?;
            }
            for path in ["/one", "/two", "/before", "/after"] {
                ensure!(
                    !is_there(&mut other, path)?,
                    "{path} is there (after a restart: {restarted})"
                );
            }
            ensure!(is_there(&mut other, "/stays")?);
        }
        Ok(())
    });
}

#[test]
fn a_session_lives_as_long_as_its_client_pings_and_no_connection_is_needed_meanwhile() {
    drill("leases-alive", 0, |drill| {
        let server = server(drill, Product::chosen()?)?;
        let port = server.port();
        let mut client = owner(port, SHORT_MS, "/mine")?;
        let start = Instant::now();
        while start.elapsed() < 3 * SHORT {
            thread::sleep(SHORT / 3);
            client.call(&Request::Ping)?;
            let key = client.session();
            drop(client);
            thread::sleep(SHORT / 2);
            client = RawClient::open(port, &Opening::resume(SHORT_MS, key))?;
            ensure!(is_there(&mut client, "/mine")?, "gone after {:?}", start.elapsed());
        }
        Ok(())
    });
}

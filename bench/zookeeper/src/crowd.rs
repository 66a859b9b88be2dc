//! Many connections in one thread: an event loop that costs little beside the server it loads. What is asked and what is
//! made of the answers is a [`Script`]'s business.

use std::{
    os::fd::OwnedFd,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use orana_wire::zookeeper::{WatchedEvent, record::Reader};
use rustix::{
    buffer::spare_capacity,
    event::{
        Timespec,
        epoll::{self, CreateFlags, EventData, EventFlags},
    },
    io::Errno,
};

use crate::connection::{CHUNK, Connection, Incoming, Requests};

/// Silence of all connections together that ends a run.
const SILENCE: Duration = Duration::from_secs(30);

/// A reply as a script sees it.
pub(crate) struct Reply<'a> {
    /// Which connection.
    pub(crate) who: usize,
    /// When the request was made.
    pub(crate) asked: Instant,
    /// When the reply was read.
    pub(crate) now: Instant,
    /// What follows the header, whose error was 0.
    pub(crate) body: &'a [u8],
}

/// Asks and looks at answers.
pub(crate) trait Script {
    /// A reply came; what it queues is sent before the next connection is looked at.
    fn reply(&mut self, reply: &Reply<'_>, requests: &mut Requests) -> Result<()>;

    /// A watch event came on connection `who`.
    fn event(&mut self, who: usize, event: &WatchedEvent<'_>, requests: &mut Requests, now: Instant) -> Result<()>;

    /// Whether all is said.
    fn done(&self) -> bool;
}

/// Connections that are served together.
pub(crate) struct Crowd {
    epoll: OwnedFd,
    connections: Vec<Connection>,
    /// Which connections wait until their socket takes more.
    stuck: Vec<bool>,
    scratch: Vec<u8>,
    /// How long to look away between two looks at the sockets.
    nap: Duration,
}

impl Crowd {
    /// Opens `count` sessions.
    pub(crate) fn open(port: u16, count: usize) -> Result<Crowd> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let mut connections = Vec::with_capacity(count);
        for who in 0..count {
            let connection = Connection::open(port)?;
            epoll::add(
                &epoll,
                &connection.stream,
                EventData::new_u64(who as u64),
                EventFlags::IN,
            )?;
            connections.push(connection);
        }
        Ok(Crowd {
            epoll,
            stuck: vec![false; count],
            connections,
            scratch: Vec::with_capacity(CHUNK),
            nap: Duration::ZERO,
        })
    }

    /// Looks at the sockets only so often. A server that writes to many sockets need not wake this program for each of
    /// them then, which would cost both more than all the rest; what comes is seen that much later.
    pub(crate) fn napping(self, nap: Duration) -> Crowd {
        Crowd { nap, ..self }
    }

    /// Bytes that came on these connections so far.
    pub(crate) fn received(&self, whose: std::ops::Range<usize>) -> u64 {
        let chosen = self.connections.get(whose).unwrap_or_default();
        chosen.iter().map(|connection| connection.received).sum()
    }

    /// Lets `first` queue on each connection of `whose`, and sends that.
    pub(crate) fn ask(
        &mut self,
        whose: std::ops::Range<usize>,
        mut first: impl FnMut(usize, &mut Requests, Instant),
    ) -> Result<()> {
        for who in whose {
            first(who, &mut self.connections[who].requests, Instant::now());
            self.send(who)?;
        }
        Ok(())
    }

    /// Serves the connections until the script is done.
    pub(crate) fn run(&mut self, script: &mut impl Script) -> Result<()> {
        let silence = Timespec::try_from(SILENCE)?;
        let mut ready = Vec::with_capacity(256);
        while !script.done() {
            ready.clear();
            if !self.nap.is_zero() {
                std::thread::sleep(self.nap);
            }
            match epoll::wait(&self.epoll, spare_capacity(&mut ready), Some(&silence)) {
                Ok(count) => ensure!(count > 0, "the server said nothing for {SILENCE:?}"),
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            for event in &ready {
                let who = usize::try_from({ event.data }.u64())?;
                // The record is packed; its fields can only be copied.
                let flags = event.flags;
                if flags.intersects(EventFlags::IN | EventFlags::ERR | EventFlags::HUP) {
                    self.turn(who, script)?;
                }
                if self.connections[who].requests.has_unsent() {
                    self.send(who)?;
                }
            }
        }
        Ok(())
    }

    /// Ends all sessions and waits until the server has done so.
    pub(crate) fn close(mut self) -> Result<()> {
        for connection in &mut self.connections {
            connection.say_goodbye()?;
        }
        for connection in self.connections {
            connection.wait_for_end(&mut self.scratch)?;
        }
        Ok(())
    }

    fn turn(&mut self, who: usize, script: &mut impl Script) -> Result<()> {
        let mut read_at = None;
        self.connections[who].read(&mut self.scratch, |requests, incoming| {
            let now = *read_at.get_or_insert_with(Instant::now);
            match incoming {
                Incoming::Reply { asked, body } => script.reply(&Reply { who, asked, now, body }, requests),
                Incoming::Event { body } => script.event(who, &Reader::new(body).read()?, requests, now),
            }
        })
    }

    fn send(&mut self, who: usize) -> Result<()> {
        let connection = &mut self.connections[who];
        let stuck = !connection.write()?;
        if stuck != self.stuck[who] {
            self.stuck[who] = stuck;
            let wanted = if stuck {
                EventFlags::IN | EventFlags::OUT
            } else {
                EventFlags::IN
            };
            epoll::modify(&self.epoll, &connection.stream, EventData::new_u64(who as u64), wanted)?;
        }
        Ok(())
    }
}

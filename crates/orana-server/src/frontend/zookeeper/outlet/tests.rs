//! What leaves, in which order, and what is left to the connection's task.

use std::time::Duration;

use orana_node::{Event, EventKind};
use orana_state::Zxid;
use orana_wire::zookeeper::frame::next_frame;
use orana_wire::zookeeper::record::Reader;
use orana_wire::zookeeper::{ErrorCode, ReplyHeader};
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};

use super::super::outbox::Ending;
use super::super::unread::Unread;
use super::*;

/// A client, and the server's side of its connection.
struct World {
    client: TcpStream,
    outlet: Outlet,
    outbox: Mutex<Outbox>,
    stats: Stats,
    /// The half that is read from; without it the socket is closed.
    _reader: tokio::net::tcp::OwnedReadHalf,
}

impl World {
    async fn new() -> World {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("bind");
        let address = listener.local_addr().expect("address");
        let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (reader, socket) = accepted.expect("accept").0.into_split();
        socket.writable().await.expect("writable");
        World {
            client: client.expect("connect"),
            outlet: Outlet::new(socket, Instant::now()),
            outbox: Mutex::new(Outbox::new(std::sync::Arc::from([]), 1 << 30, Unread::new(1 << 30))),
            stats: Stats::default(),
            _reader: reader,
        }
    }

    /// Queues something as the one who tells of it does.
    fn tell(&self, what: impl FnOnce(&mut Outbox)) {
        let mut out = self.outbox.lock();
        what(&mut out);
        out.told = true;
    }

    fn pass_on(&mut self) -> bool {
        self.outlet.pass_on(&self.outbox, &self.stats)
    }

    /// What the connection's task does when it is woken.
    async fn turn(&mut self) {
        self.outlet.load(&mut self.outbox.lock(), &self.stats);
        self.outlet.write(&self.outbox, &self.stats).expect("write");
    }

    /// The xids of so many frames as the client reads them.
    async fn read(&mut self, count: usize) -> Vec<i32> {
        let (mut bytes, mut used, mut xids) = (Vec::new(), 0, Vec::new());
        while xids.len() < count {
            while let Some((frame, length)) = next_frame(&bytes[used..], 64 << 20).expect("frame") {
                xids.push(Reader::new(frame).read::<ReplyHeader>().expect("header").xid);
                used += length;
            }
            let mut chunk = vec![0; 1 << 16];
            match tokio::time::timeout(Duration::from_millis(20), self.client.read(&mut chunk)).await {
                Ok(read) => bytes.extend_from_slice(&chunk[..read.expect("read")]),
                // The server's side has to go on.
                Err(_) => self.turn().await,
            }
        }
        xids
    }
}

fn event(out: &mut Outbox) {
    out.event(&Event {
        zxid: Zxid(7),
        kind: EventKind::DataChanged,
        path: "/watched",
        acl: None,
        hold_until: None,
    });
}

#[tokio::test]
async fn an_event_for_a_crowd_leaves_without_the_task() {
    let mut world = World::new().await;
    world.tell(event);
    assert!(world.pass_on());
    assert_eq!(world.outbox.lock().queued, 0);
    assert!(!world.outbox.lock().told, "the next event has to be told of again");
    assert!(world.pass_on(), "and there is nothing left to do");
    assert_eq!(world.read(1).await, [-1]);
}

#[tokio::test]
async fn what_the_socket_did_not_take_is_not_overtaken() {
    let mut world = World::new().await;
    let large = bytes::Bytes::from(vec![0; 32 << 20]);
    world.tell(|out| out.reply_shared(1, 1, large));
    world.turn().await;
    assert!(!world.outlet.is_drained(), "32 MiB do not fit into a socket");
    world.tell(event);
    assert!(!world.pass_on());
    assert!(world.outbox.lock().told, "the task still has to look");
    assert_eq!(world.read(2).await, [1, -1]);
    assert!(world.outlet.is_drained());
    assert_eq!(world.outbox.lock().queued, 0);
    assert_eq!(world.outbox.lock().unread(), (0, 0));
}

#[tokio::test]
async fn what_needs_more_than_writing_is_left_to_the_task() {
    let reasons: [fn(&mut Outbox); 4] = [
        |out| out.end(Ending::AfterFlush),
        |out| out.stuck = true,
        |out| out.hold_until = Some(Instant::now()),
        |out| out.reply(1, 1, |body| body.extend_from_slice(&[0; SMALL])),
    ];
    for reason in reasons {
        let mut world = World::new().await;
        world.tell(event);
        reason(&mut world.outbox.lock());
        assert!(!world.pass_on());
        assert!(world.outbox.lock().told && world.outbox.lock().has_output());
    }
}

#[tokio::test]
async fn an_outlet_that_was_closed_takes_nothing_and_needs_nobody() {
    let mut world = World::new().await;
    world.outlet.close();
    world.tell(|out| out.reply_code(1, 1, ErrorCode::Ok));
    assert!(world.pass_on());
    assert!(world.outbox.lock().has_output());
}

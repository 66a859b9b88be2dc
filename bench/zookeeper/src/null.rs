//! A server that knows nothing and answers at once: one thread, the same bytes for everyone. What it needs, no server on
//! this machine can save.

use std::{
    io::{IoSlice, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    os::fd::OwnedFd,
};

use anyhow::{Context, Result, bail, ensure};
use bytes::BytesMut;
use orana_wire::zookeeper::{
    ConnectResponse, EventKind, OpCode, RequestHeader, Stat,
    event::put_event,
    frame::{DEFAULT_LIMIT, next_frame},
    record::Reader,
    response::{children_body, data_body, frame_prefix, path_body, stat_body},
};
use rustix::{
    buffer::spare_capacity,
    event::epoll::{self, CreateFlags, EventData, EventFlags},
    io::Errno,
};

use crate::{name, row};

/// The listener's number among the sockets.
const LISTENER: u64 = u64::MAX;

struct Client {
    stream: TcpStream,
    inbox: Vec<u8>,
    connected: bool,
    /// Asked for data with a watch.
    watches: bool,
}

/// The bodies of all answers.
struct Bodies {
    path: BytesMut,
    data: BytesMut,
    children: BytesMut,
    stat: BytesMut,
}

/// Serves until it is killed.
pub(crate) fn serve(port: u16) -> Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    epoll::add(&epoll, &listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
    let bodies = Bodies::new();
    let mut clients: Vec<Option<Client>> = Vec::new();
    let mut ready = Vec::with_capacity(256);
    loop {
        ready.clear();
        match epoll::wait(&epoll, spare_capacity(&mut ready), None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        for event in &ready {
            let who = event.data.u64();
            if who == LISTENER {
                accept(&listener, &epoll, &mut clients)?;
                continue;
            }
            let place = usize::try_from(who)?;
            let client = clients.get_mut(place).and_then(Option::as_mut);
            let client = client.context("an event for nobody")?;
            match client.answer(&bodies) {
                Ok(changed) if changed => tell(&mut clients)?,
                Ok(_) => {}
                // Whoever goes, goes.
                Err(_) => clients[place] = None,
            }
        }
    }
}

fn accept(listener: &TcpListener, epoll: &OwnedFd, clients: &mut Vec<Option<Client>>) -> Result<()> {
    let (stream, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    epoll::add(epoll, &stream, EventData::new_u64(clients.len() as u64), EventFlags::IN)?;
    clients.push(Some(Client {
        stream,
        inbox: Vec::new(),
        connected: false,
        watches: false,
    }));
    Ok(())
}

/// Tells all who watch.
fn tell(clients: &mut [Option<Client>]) -> Result<()> {
    let mut event = BytesMut::new();
    put_event(&mut event, -1, EventKind::NodeDataChanged, row::WATCHED);
    for client in clients.iter_mut().flatten() {
        if std::mem::take(&mut client.watches) {
            client.stream.write_all(&event)?;
        }
    }
    Ok(())
}

impl Bodies {
    fn new() -> Bodies {
        let mut bodies = Bodies {
            path: BytesMut::new(),
            data: BytesMut::new(),
            children: BytesMut::new(),
            stat: BytesMut::new(),
        };
        let names: Vec<String> = (0..row::CHILDREN)
            .map(|provider| name::provider(row::CHILD_BYTES, 0, provider, 0))
            .collect();
        path_body(&mut bodies.path, "/");
        data_body(&mut bodies.data, Some(&[b'd'; row::DATA_BYTES]), &Stat::default());
        children_body(&mut bodies.children, &names, Some(&Stat::default()));
        stat_body(&mut bodies.stat, &Stat::default());
        bodies
    }
}

impl Client {
    /// Answers what is there; true if something was written that others watch.
    fn answer(&mut self, bodies: &Bodies) -> Result<bool> {
        let mut chunk = [0; 16 << 10];
        let count = self.stream.read(&mut chunk)?;
        ensure!(count > 0, "closed");
        self.inbox.extend_from_slice(chunk.get(..count).unwrap_or_default());
        let (mut replies, mut consumed, mut changed) = (Vec::with_capacity(32), 0, false);
        while let Some((frame, length)) = next_frame(&self.inbox[consumed..], DEFAULT_LIMIT)? {
            consumed += length;
            if !self.connected {
                self.connected = true;
                let mut welcome = BytesMut::new();
                ConnectResponse {
                    timeout_ms: 30_000,
                    session_id: 1,
                    password: [1; 16],
                    read_only: Some(false),
                }
                .encode(&mut welcome);
                self.stream.write_all(&welcome)?;
                continue;
            }
            let mut reader = Reader::new(frame);
            let header: RequestHeader = reader.read()?;
            let body: &[u8] = match OpCode::try_from(header.op)? {
                OpCode::GetData => {
                    self.watches |= reader.rest().last() == Some(&1);
                    &bodies.data
                }
                OpCode::GetChildren2 => &bodies.children,
                OpCode::Create => &bodies.path,
                OpCode::SetData => {
                    changed = true;
                    &bodies.stat
                }
                OpCode::CloseSession => bail!("the client says goodbye"),
                _ => &[],
            };
            replies.push((frame_prefix(header.xid, 1, 0, body.len()), body));
        }
        self.inbox.drain(..consumed);
        let slices = replies.iter().flat_map(|(prefix, body)| [&prefix[..], *body]);
        let mut slices: Vec<IoSlice<'_>> = slices.map(IoSlice::new).collect();
        let mut rest = &mut slices[..];
        while !rest.is_empty() {
            let written = self.stream.write_vectored(rest)?;
            IoSlice::advance_slices(&mut rest, written);
        }
        Ok(changed)
    }
}

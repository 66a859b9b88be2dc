//! A cable between a client and a server on this machine that a test can pull out and put back. It carries bytes and
//! knows nothing of what they mean.

use std::{
    io,
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use anyhow::Result;

/// A cable with a listening end of its own; dropping it cuts all that goes through.
#[derive(Debug)]
pub struct Wire {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    listens: Option<JoinHandle<()>>,
}

/// Whether the cable is in, and both ends of every connection that goes through it.
#[derive(Debug)]
struct State {
    whole: bool,
    ended: bool,
    connections: Vec<(TcpStream, TcpStream)>,
}

impl Wire {
    /// A cable to the server on `port`.
    pub fn to(port: u16) -> Result<Wire> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let state = Arc::new(Mutex::new(State {
            whole: true,
            ended: false,
            connections: Vec::new(),
        }));
        let shared = Arc::clone(&state);
        let listens = thread::Builder::new()
            .name(format!("wire {}", address.port()))
            .spawn(move || accept(&listener, port, &shared))?;
        Ok(Wire {
            address,
            state,
            listens: Some(listens),
        })
    }

    /// The end that clients connect to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Drops every connection, and each new one at once, until the cable is mended.
    pub fn cut(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.whole = false;
        for (client, server) in state.connections.drain(..) {
            hang_up(&client);
            hang_up(&server);
        }
    }

    /// Lets new connections through again.
    pub fn mend(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).whole = true;
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
        self.cut();
        // The listener waits for a connection; this is the last one.
        let woken = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
        if let (Ok(_), Some(listens)) = (woken, self.listens.take()) {
            let _ = listens.join();
        }
    }
}

fn accept(listener: &TcpListener, port: u16, shared: &Mutex<State>) {
    for client in listener.incoming().map_while(Result::ok) {
        let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
        if state.ended {
            return;
        }
        // A server that is down refuses: the client sees its connection end, as it would without us.
        if state.whole
            && let Ok(pair) = join(client, port)
        {
            state.connections.push(pair);
        }
    }
}

/// Connects to the server and copies bytes both ways until either end hangs up.
fn join(client: TcpStream, port: u16) -> io::Result<(TcpStream, TcpStream)> {
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    copy(client.try_clone()?, server.try_clone()?);
    copy(server.try_clone()?, client.try_clone()?);
    Ok((client, server))
}

fn copy(mut from: TcpStream, mut to: TcpStream) {
    thread::spawn(move || {
        // An error here is a hang-up as well; both ends learn it below.
        let _ = io::copy(&mut from, &mut to);
        hang_up(&from);
        hang_up(&to);
    });
}

fn hang_up(stream: &TcpStream) {
    // It may have been closed by the other side already.
    let _ = stream.shutdown(Shutdown::Both);
}

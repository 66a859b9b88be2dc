//! A path to a server on this machine on which every packet can be lost: nobody is told, nothing is refused, what was sent
//! arrives once packets pass again, as TCP has it. (`wire` is the other kind of cut, of which both ends learn at once.)

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::net::TcpSocket;

/// So many connections wait to be accepted before the kernel passes over those who ask for another one.
const BACKLOG: u32 = 1;

/// A connection on this machine that takes longer is not coming.
const PASSED_OVER: Duration = Duration::from_millis(300);

/// The path, with a listening end of its own; dropping it cuts all that goes through.
#[derive(Debug)]
pub struct SilentPath {
    address: SocketAddr,
    gate: Arc<Gate>,
    accepts: Option<JoinHandle<()>>,
    /// They fill the queue of the listening end while packets are lost, so that the kernel drops who wants to connect.
    fillers: Mutex<Vec<TcpStream>>,
}

/// Where everything on the path waits while packets are lost.
#[derive(Debug)]
struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    flow: Flow,
    /// Whether the listening end has heard that packets are lost, and accepts nobody any more.
    closed: bool,
    open: Vec<TcpStream>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    Passes,
    Lost,
    Ended,
}

impl SilentPath {
    /// A path to the server on `port`.
    pub fn to(port: u16) -> Result<SilentPath> {
        let listener = listener()?;
        let address = listener.local_addr()?;
        let gate = Arc::new(Gate {
            state: Mutex::new(State {
                flow: Flow::Passes,
                closed: false,
                open: Vec::new(),
            }),
            changed: Condvar::new(),
        });
        let shared = Arc::clone(&gate);
        let accepts = thread::Builder::new()
            .name(format!("path {}", address.port()))
            .spawn(move || accept(&listener, port, &shared))?;
        Ok(SilentPath {
            address,
            gate,
            accepts: Some(accepts),
            fillers: Mutex::default(),
        })
    }

    /// The port that clients connect to.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// From now on every packet is lost, those that ask for a new connection included.
    pub fn lose(&self) -> Result<()> {
        self.gate.set(Flow::Lost);
        let mut fillers = self.fillers.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..BACKLOG + 16 {
            // Before that the listening end may take one of the fillers, which makes room for another.
            let closed = self.gate.lock().closed;
            match TcpStream::connect_timeout(&self.address, PASSED_OVER) {
                Ok(filler) => fillers.push(filler),
                Err(error) if error.kind() == io::ErrorKind::TimedOut && closed => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
                Err(error) => return Err(error).context("the path cannot be filled"),
            }
        }
        bail!("whoever wants to connect still can")
    }

    /// Packets pass again.
    pub fn pass(&self) {
        self.fillers.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.gate.set(Flow::Passes);
    }
}

impl Drop for SilentPath {
    fn drop(&mut self) {
        self.fillers.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.gate.set(Flow::Ended);
        let open = std::mem::take(&mut self.gate.lock().open);
        open.iter().for_each(hang_up);
        // The listener waits for a connection; this is the last one.
        let woken = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
        if let (Ok(_), Some(accepts)) = (woken, self.accepts.take()) {
            let _ = accepts.join();
        }
    }
}

impl Gate {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, flow: Flow) {
        self.lock().flow = flow;
        self.changed.notify_all();
    }

    /// Waits until packets pass; whether they do, and not that it is all over.
    fn passes(&self) -> bool {
        let state = self.lock();
        let state = self.changed.wait_while(state, |state| state.flow == Flow::Lost);
        state.unwrap_or_else(PoisonError::into_inner).flow == Flow::Passes
    }
}

/// The standard library's listeners have queues that are too long to be filled.
fn listener() -> Result<TcpListener> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let listener = runtime.block_on(async {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        socket.listen(BACKLOG)?.into_std()
    })?;
    listener.set_nonblocking(false)?;
    Ok(listener)
}

fn accept(listener: &TcpListener, port: u16, gate: &Arc<Gate>) {
    for client in listener.incoming().map_while(io::Result::ok) {
        gate.lock().closed = true;
        if !gate.passes() {
            return;
        }
        gate.lock().closed = false;
        // A server that is down refuses: the client sees its connection end.
        if let Ok(pair) = join(&client, port, gate) {
            gate.lock().open.extend(pair);
        }
    }
}

/// Connects to the server and carries bytes both ways until either end hangs up.
fn join(client: &TcpStream, port: u16, gate: &Arc<Gate>) -> io::Result<[TcpStream; 2]> {
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    carry(client.try_clone()?, server.try_clone()?, Arc::clone(gate));
    carry(server.try_clone()?, client.try_clone()?, Arc::clone(gate));
    Ok([client.try_clone()?, server])
}

fn carry(mut from: TcpStream, mut to: TcpStream, gate: Arc<Gate>) {
    thread::spawn(move || {
        let mut bytes = vec![0; 64 << 10];
        loop {
            let read = from.read(&mut bytes);
            // Whatever came, an end included, came too late if packets are lost by now.
            if !gate.passes() {
                break;
            }
            match read.map(|count| bytes.get(..count).unwrap_or_default()) {
                Ok(some) if !some.is_empty() && to.write_all(some).is_ok() => {}
                _ => break,
            }
        }
        hang_up(&from);
        hang_up(&to);
    });
}

fn hang_up(stream: &TcpStream) {
    // It may have been closed by the other side already.
    let _ = stream.shutdown(Shutdown::Both);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_packet_arrives_once_packets_pass_and_nobody_connects_meanwhile() {
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let path = SilentPath::to(server.local_addr().unwrap().port()).unwrap();
        let mut client = TcpStream::connect(path.address).unwrap();
        let (mut served, _) = server.accept().unwrap();
        served.set_read_timeout(Some(Duration::from_millis(200))).unwrap();

        path.lose().unwrap();
        client.write_all(b"hello").unwrap();
        let mut came = [0; 5];
        assert!(served.read(&mut came).is_err(), "nothing arrives");
        assert!(TcpStream::connect_timeout(&path.address, PASSED_OVER).is_err());

        path.pass();
        served.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        served.read_exact(&mut came).unwrap();
        assert_eq!(&came, b"hello");
        assert!(TcpStream::connect_timeout(&path.address, Duration::from_secs(10)).is_ok());
    }
}

//! The listening socket: accepts, counts, refuses beyond the limits, and ends all connections when the server
//! stops.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::connection;
use super::face::Face;
use super::stats::Stats;

/// How long accepting rests after the system refused a socket (no descriptors left, say).
const REST: Duration = Duration::from_millis(50);

/// A bound address.
pub struct Listener {
    listener: TcpListener,
    face: Arc<Face>,
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Listener {
    /// Binds the address.
    ///
    /// # Errors
    /// What the system says, for instance that the address is in use.
    pub async fn bind(address: SocketAddr, face: Arc<Face>) -> std::io::Result<Listener> {
        let socket = if address.is_ipv4() {
            tokio::net::TcpSocket::new_v4()?
        } else {
            tokio::net::TcpSocket::new_v6()?
        };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let listener = socket.listen(4096)?;
        Ok(Listener {
            listener,
            face,
            by_address: Arc::default(),
        })
    }

    /// The address that was bound, with the port that the system chose if none was asked for.
    ///
    /// # Errors
    /// What the system says.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Accepts until `stopping` says true; then every connection ends within `patience`.
    pub async fn run(self, mut stopping: watch::Receiver<bool>, patience: Duration) {
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, peer)) => self.admit(stream, peer, &mut connections),
                    Err(error) => {
                        tracing::warn!(%error, "a connection could not be accepted");
                        tokio::time::sleep(REST).await;
                    }
                },
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
                () = stop(&mut stopping) => break,
            }
        }
        drop(self.listener);
        self.face.stop();
        let all = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(patience, all).await.is_err() {
            tracing::warn!("some connections did not end in time");
        }
    }

    fn admit(&self, stream: TcpStream, peer: SocketAddr, to: &mut JoinSet<()>) {
        let config = &self.face.config;
        let mut by_address = self.by_address.lock();
        let of_address = by_address.entry(peer.ip()).or_insert(0);
        let per_address = config.max_connections_per_address;
        let refused = if to.len() >= config.max_connections {
            Some(("max-connections", config.max_connections))
        } else if per_address > 0 && *of_address >= per_address {
            Some(("max-connections-per-address", per_address))
        } else {
            None
        };
        if let Some((limit, value)) = refused {
            if *of_address == 0 {
                by_address.remove(&peer.ip());
            }
            drop(by_address);
            Stats::add(&self.face.stats.connections_refused, 1);
            let face = &self.face;
            face.complain(peer, format_args!("connection refused: {limit} is {value}"));
            return;
        }
        *of_address += 1;
        drop(by_address);
        Stats::add(&self.face.stats.connections_accepted, 1);
        let seat = Seat {
            by_address: self.by_address.clone(),
            address: peer.ip(),
        };
        let face = self.face.clone();
        to.spawn(async move {
            let _seat = seat;
            connection::serve(stream, face).await;
        });
    }
}

/// Returns when the server stops (or is gone).
async fn stop(stopping: &mut watch::Receiver<bool>) {
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// A connection's place in the count of its address; given back when the connection ends, however it does.
struct Seat {
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
    address: IpAddr,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut by_address = self.by_address.lock();
        if let Some(count) = by_address.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                by_address.remove(&self.address);
            }
        }
    }
}

//! Serves on one port: accepts connections, and leaves without losing a call.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use ahash::AHashMap;
use orana_core::{Invoker, RpcError, ServiceUrl};
use orana_wire::dubbo::frame::DEFAULT_LIMIT;
use parking_lot::Mutex;
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep};

use super::connection::{Connection, LINGER};
use super::line::Line;
use crate::exporter::{Exported, Exporter};
use crate::local::LocalInvoker;
use crate::service::{Service, ServiceDefinition};

/// Once in so long is enough to know of a nuisance.
const COMPLAIN: Duration = Duration::from_secs(60);

/// How often it is looked whether all calls are done.
const LOOK: Duration = Duration::from_millis(5);

/// What holds for all connections of a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerOptions {
    /// The most bytes of a request or an answer (`payload`).
    pub payload: usize,
    /// How many calls may be performed at once; more are refused with status 100, as by a Java provider without a free
    /// thread.
    pub calls: usize,
    /// How many connections may be open at once; more are closed as they come (`accepts`).
    pub connections: usize,
    /// How many bytes of answers may wait for one consumer; one that does not read them is closed.
    pub queued: usize,
    /// A connection over which nothing came or went for so long is closed, also if answers wait that are not read.
    pub idle: Duration,
    /// When stopping: how long no request must have come before it is believed that none will.
    pub quiet: Duration,
}

/// A port at which services are called over `dubbo://`. Dropping it closes everything at once; see [`DubboServer::stop`].
pub struct DubboServer {
    shared: Arc<Shared>,
    address: SocketAddr,
    task: JoinHandle<()>,
}

/// What came of stopping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Calls that were not done when the time was over; they were given up.
    pub unfinished: usize,
}

/// What the connections of a server have in common.
pub(super) struct Shared {
    pub(super) exporter: Exporter,
    pub(super) options: ServerOptions,
    /// Calls that have paused and are not done.
    pub(super) busy: AtomicUsize,
    /// Requests that have come, ever.
    pub(super) arrivals: AtomicU64,
    lines: Mutex<Lines>,
    draining: AtomicBool,
    /// When it was last said that a consumer does not read.
    complained: Mutex<Option<Instant>>,
    /// Nobody is let in any more.
    shut: Notify,
}

#[derive(Default)]
struct Lines {
    open: AHashMap<u64, Weak<Line>>,
    next: u64,
}

impl Default for ServerOptions {
    fn default() -> ServerOptions {
        ServerOptions {
            payload: DEFAULT_LIMIT,
            calls: 16_384,
            connections: 16_384,
            queued: 128 << 20,
            idle: Duration::from_secs(180),
            quiet: Duration::from_millis(300),
        }
    }
}

impl DubboServer {
    /// Listens at `address`; port 0 is any free one.
    pub async fn bind(address: impl ToSocketAddrs, options: ServerOptions) -> io::Result<DubboServer> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            exporter: Exporter::default(),
            options,
            busy: AtomicUsize::new(0),
            arrivals: AtomicU64::new(0),
            lines: Mutex::default(),
            draining: AtomicBool::new(false),
            complained: Mutex::default(),
            shut: Notify::new(),
        });
        let task = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(DubboServer { shared, address, task })
    }

    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// What is exported at this port.
    pub fn exporter(&self) -> &Exporter {
        &self.shared.exporter
    }

    /// Makes an invoker callable under the path, group and version of its URL; see [`Exporter::export`].
    pub fn export(&self, definition: ServiceDefinition, invoker: Arc<dyn Invoker>) -> Result<Exported, RpcError> {
        self.shared.exporter.export(definition, invoker)
    }

    /// Makes a service callable, without filters.
    pub fn serve(&self, url: ServiceUrl, service: Arc<dyn Service>) -> Result<Exported, RpcError> {
        let definition = service.definition().clone();
        self.export(definition, Arc::new(LocalInvoker::new(url, service)))
    }

    /// How many connections are open.
    pub fn connections(&self) -> usize {
        self.shared.lines.lock().open.len()
    }

    /// How many calls have begun and are not done. (Those that never pause are not seen.)
    pub fn calls(&self) -> usize {
        self.shared.busy.load(Ordering::Acquire)
    }

    /// Tells all consumers that calls are no longer welcome (or are again); those that come are served nevertheless.
    pub fn announce(&self, read_only: bool) {
        self.shared.draining.store(read_only, Ordering::Release);
        self.shared.each_line(|line| line.announce(read_only));
    }

    /// Leaves without losing a call, if that takes no longer than `limit`: consumers are told, calls under way and those
    /// that still come are performed, and when none has come for a while the connections are closed.
    ///
    /// The services should have been taken out of the registry before.
    pub async fn stop(self, limit: Duration) -> Stopped {
        let end = Instant::now() + limit;
        self.announce(true);
        let shared = &self.shared;
        let mut arrivals = shared.arrivals.load(Ordering::Relaxed);
        let mut quiet_since = Instant::now();
        while Instant::now() < end {
            let now_arrived = shared.arrivals.load(Ordering::Relaxed);
            if now_arrived != arrivals || shared.busy.load(Ordering::Acquire) > 0 {
                arrivals = now_arrived;
                quiet_since = Instant::now();
            }
            if self.connections() == 0 || quiet_since.elapsed() >= shared.options.quiet {
                break;
            }
            sleep(LOOK).await;
        }
        let unfinished = shared.busy.load(Ordering::Acquire);
        // First the door, or those who are closed come back at once.
        shared.shut.notify_one();
        shared.each_line(Line::close);
        // A connection closes by itself unless a call keeps it, which has had its time.
        let end = end.max(Instant::now() + 2 * LINGER);
        while self.connections() > 0 && unfinished == 0 && Instant::now() < end {
            sleep(LOOK).await;
            // Also those that came in through the door as it closed.
            shared.each_line(Line::close);
        }
        Stopped { unfinished }
    }
}

impl Drop for DubboServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Shared {
    /// Notes a new connection.
    pub(super) fn enter(&self, line: &Arc<Line>) -> u64 {
        let mut lines = self.lines.lock();
        let number = lines.next;
        lines.next += 1;
        lines.open.insert(number, Arc::downgrade(line));
        drop(lines);
        if self.draining.load(Ordering::Acquire) {
            line.announce(true);
        }
        number
    }

    fn each_line(&self, each: impl FnMut(&Line)) {
        let lines: Vec<Arc<Line>> = self.lines.lock().open.values().filter_map(Weak::upgrade).collect();
        lines.iter().map(|line| &**line).for_each(each);
    }

    /// Says that `peer` does not read its answers, unless the same was said of somebody a short while ago.
    pub(super) fn complain_of_slow(&self, peer: SocketAddr, waiting: usize) {
        let now = Instant::now();
        let mut complained = self.complained.lock();
        if complained.is_none_or(|at| now.saturating_duration_since(at) > COMPLAIN) {
            *complained = Some(now);
            drop(complained);
            tracing::warn!(%peer, waiting, "connection closed: the consumer does not read its answers");
        }
    }

    /// Forgets a connection.
    pub(super) fn leave(&self, number: u64) {
        self.lines.lock().open.remove(&number);
    }
}

/// Accepts connections and owns their tasks.
async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    let mut complained = None::<Instant>;
    let mut complain = |words: &str| {
        if complained.is_none_or(|at| at.elapsed() > COMPLAIN) {
            complained = Some(Instant::now());
            tracing::warn!("{words}");
        }
    };
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = shared.shut.notified() => break,
            Some(ended) = connections.join_next() => {
                if let Err(error) = ended {
                    tracing::error!(%error, "a connection's task failed");
                }
                continue;
            }
        };
        match accepted {
            Ok((socket, peer)) => {
                if connections.len() >= shared.options.connections {
                    complain(&format!(
                        "{} connections are open, {peer} is turned away",
                        connections.len()
                    ));
                    continue;
                }
                if let Err(error) = socket.set_nodelay(true) {
                    tracing::debug!(%peer, %error, "connection broke at once");
                    continue;
                }
                connections.spawn(Connection::new(Arc::clone(&shared), socket, peer));
            }
            Err(error) => {
                // Mostly no more file descriptors; some may be free a little later.
                complain(&format!("no connection was accepted: {error}"));
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

impl fmt::Debug for DubboServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DubboServer")
            .field("address", &self.address)
            .field("exporter", &self.shared.exporter)
            .finish_non_exhaustive()
    }
}

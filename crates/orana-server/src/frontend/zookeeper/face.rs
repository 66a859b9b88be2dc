//! What all connections of the face share: the door to the member, limits, counters, who is connected.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use orana_node::Centre;
use parking_lot::Mutex;

use super::answers::Answers;
use super::conversation::{Conversation, Eviction};
use super::outbox::Ending;
use super::stats::{Counts, Stats};
use super::unread::Unread;
use crate::config::Config;
use crate::quiet::RateLimit;

/// The settings of the face.
#[derive(Clone, Debug)]
pub struct FaceConfig {
    /// Unit of session expiry, shown by `conf`.
    pub tick: Duration,
    /// Shortest session time-out granted.
    pub min_session: Duration,
    /// Longest session time-out granted.
    pub max_session: Duration,
    /// Longest frame accepted.
    pub max_request: usize,
    /// Connections in all.
    pub max_connections: usize,
    /// Connections of one address; 0: no limit.
    pub max_connections_per_address: usize,
    /// Bytes of requests that are being received, over all connections.
    pub max_buffered: usize,
    /// Requests of one connection that are not answered yet.
    pub max_in_flight: usize,
    /// Bytes waiting for one connection.
    pub max_out_queue: usize,
    /// Bytes waiting for all connections together.
    pub max_unread: usize,
    /// Watches of one connection.
    pub max_watches: usize,
    /// Time for a connection to say what it wants.
    pub handshake_timeout: Duration,
    /// Words that are answered.
    pub four_letter_words: crate::config::FourLetterWords,
    /// Digest of the all-powerful identity.
    pub super_digest: Option<String>,
    /// Shown by `conf`.
    pub data_dir: std::path::PathBuf,
}

impl FaceConfig {
    /// The part of the configuration that concerns the face.
    pub fn of(config: &Config) -> FaceConfig {
        FaceConfig {
            tick: config.tick_time,
            min_session: config.min_session_timeout(),
            max_session: config.max_session_timeout(),
            max_request: config.max_request_bytes as usize,
            max_connections: config.max_connections as usize,
            max_connections_per_address: config.max_connections_per_address as usize,
            max_buffered: config.max_outstanding_bytes as usize,
            max_in_flight: config.max_requests_per_connection as usize,
            max_out_queue: config.max_out_queue_bytes as usize,
            max_unread: config.max_unread_bytes as usize,
            max_watches: config.max_watches_per_connection as usize,
            handshake_timeout: config.handshake_timeout,
            four_letter_words: config.four_letter_words.clone(),
            super_digest: config.super_digest.clone(),
            data_dir: config.data.clone(),
        }
    }
}

/// The face: one per listening address.
pub struct Face {
    pub(super) centre: Centre,
    pub(super) config: FaceConfig,
    pub(super) stats: Stats,
    pub(super) answers: Answers,
    pub(super) conversations: Mutex<HashMap<u64, Arc<Conversation>, ahash::RandomState>>,
    complaints: RateLimit,
    pub(super) buffered: AtomicUsize,
    pub(super) unread: Arc<Unread>,
    /// True while a connection is going that left too much unread.
    relieving: AtomicBool,
    pub(super) started: Instant,
    stopping: AtomicBool,
    next_number: AtomicU64,
}

impl Face {
    /// A face of this member.
    pub fn new(centre: Centre, config: FaceConfig) -> Arc<Face> {
        let unread = Unread::new(config.max_unread);
        Arc::new(Face {
            centre,
            config,
            stats: Stats::default(),
            answers: Answers::new(unread.clone()),
            unread,
            relieving: AtomicBool::new(false),
            conversations: Mutex::default(),
            complaints: RateLimit::new(),
            buffered: AtomicUsize::new(0),
            started: Instant::now(),
            stopping: AtomicBool::new(false),
            next_number: AtomicU64::new(1),
        })
    }

    pub(super) fn next_number(&self) -> u64 {
        self.next_number.fetch_add(1, Ordering::Relaxed)
    }

    /// Lets every connection finish what it has begun and end.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        for conversation in self.conversations.lock().values() {
            conversation.alarm.ring();
        }
    }

    /// Ends the connection whose unfinished request is the oldest, so that somebody else's fits; false if that is the
    /// asker's own.
    pub(super) fn evict_slowest(&self, asker: &Conversation) -> bool {
        let slowest = {
            let conversations = self.conversations.lock();
            let waiting = conversations.values().filter(|one| one.evicted.get().is_none());
            let waiting = waiting.filter_map(|one| Some((one.unfinished_since_ms()?, one)));
            waiting.min_by_key(|(since, _)| *since).map(|(_, one)| one.clone())
        };
        match slowest {
            Some(slowest) if slowest.number != asker.number => {
                // If it is going already its bytes are coming back as well.
                slowest.evict(Eviction::Unfinished);
                true
            }
            _ => false,
        }
    }

    /// Ends the connection that leaves the most unread if all together leave too much. One after the other: what the
    /// first one gives back may be enough.
    pub(super) fn relieve(&self) {
        if !self.unread.is_too_much() || self.relieving.swap(true, Ordering::AcqRel) {
            return;
        }
        let stale = self.unread.is_mostly_stale();
        let waiting_for = |one: &Conversation| {
            let out = one.outbox.lock();
            let (own, shared) = out.unread();
            let bytes = if stale { shared } else { own };
            (bytes > 0 && out.ending == Ending::Open).then_some(bytes)
        };
        let fullest = {
            let conversations = self.conversations.lock();
            let unread = conversations.values().filter_map(|one| Some((waiting_for(one)?, one)));
            unread.max_by_key(|(bytes, _)| *bytes).map(|(_, one)| one.clone())
        };
        // Without one they are all going already.
        if !fullest.is_some_and(|fullest| fullest.evict(Eviction::Unread)) {
            self.relieving.store(false, Ordering::Release);
        }
    }

    /// This connection has gone and given back what it left unread.
    pub(super) fn relieved_by(&self, gone: &Conversation) {
        if gone.evicted.get() == Some(&Eviction::Unread) {
            self.relieving.store(false, Ordering::Release);
            self.relieve();
        }
    }

    /// Tells the log that a client does what it must not: one line per address and while.
    pub(super) fn complain(&self, peer: SocketAddr, what: std::fmt::Arguments<'_>) {
        if let Some(withheld) = self.complaints.allow(peer.ip(), Instant::now()) {
            tracing::warn!(%peer, withheld, "{what}");
        }
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// What the face has counted.
    pub fn counts(&self) -> Counts {
        let stats = &self.stats;
        let (_, average_latency_ms, max_latency_ms) = stats.latency.millis();
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            connections: self.conversations.lock().len() as u64,
            requests: of(&stats.received),
            responses: of(&stats.sent),
            events: of(&stats.events),
            events_joined: of(&stats.events_joined),
            bytes_received: of(&stats.bytes_received),
            bytes_sent: of(&stats.bytes_sent),
            bytes_unread: self.unread.bytes() as u64,
            accepted: of(&stats.connections_accepted),
            refused: of(&stats.connections_refused),
            dropped: of(&stats.connections_dropped),
            malformed: of(&stats.malformed),
            auth_failed: of(&stats.auth_failed),
            average_latency_ms,
            max_latency_ms,
        }
    }
}

//! One session: keeps the watches of all places, reads their lists, and hands lists and changes to the [`Watchlist`].
//!
//! One task for all of it, however many interfaces are watched: what is under way are futures of one set. This is the
//! doing half; what it means is decided in the watchlist. It ends with the session.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{AbortHandle, Abortable, FutureExt};
use futures_util::stream::{FuturesUnordered, StreamExt};
use orana_core::{BoxFuture, UrlPool};
use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior, interval, sleep};
use zookeeper_client::{Client, Error, EventType, PersistentWatcher, StateWatcher, WatchedEvent};

use super::arming::{Reading, Style, Watcher, arm, existing};
use super::audit::Audit;
use super::connection::{Connection, End, is_too_large, judge};
use super::failure::is_loss;
use super::keeper::Service;
use super::layout::Place;
use super::listing::Change;
use super::settings::Settings;
use super::watchlist::{Ready, Turnover, Watchlist};
use crate::backend::Feed;
use crate::error::RegistryErrorKind;
use crate::query::Query;

/// How long a list waits to be read again after the server could not give it.
const AGAIN: Duration = Duration::from_millis(500);

/// How often the readers that are gone are forgotten, and some places are audited.
const BEAT: Duration = Duration::from_secs(1);

/// The most that is taken in before the readers are told: a burst is told once, a lone change at once.
const BURST: usize = 4096;

/// A wish for a watch.
pub(super) struct Order {
    pub(super) query: Query,
    pub(super) feed: Feed,
    pub(super) ready: Ready,
}

/// The lists that a registry's back-end watches in each session.
pub(super) struct Lists {
    pub(super) settings: Arc<Settings>,
    pub(super) pool: Arc<UrlPool>,
}

/// The places under watch and all that is under way for them.
pub(super) struct Session {
    settings: Arc<Settings>,
    client: Client,
    states: StateWatcher,
    connected: bool,
    style: Style,
    list: Watchlist,
    watches: HashMap<Place, Watch>,
    audit: Audit,
    work: FuturesUnordered<BoxFuture<'static, Outcome>>,
    generation: u64,
}

/// The watch of one place.
struct Watch {
    /// Counts how often it was armed; what belongs to an earlier time is void.
    generation: u64,
    /// Ends the waiting for the next event.
    waiting: Option<AbortHandle>,
    /// Whether a list is being read.
    reading: bool,
    /// Whether something happened since the list that is being read was asked for.
    again: bool,
}

/// Something that was under way and is done.
enum Outcome {
    Read {
        place: Place,
        generation: u64,
        result: Result<Reading, Error>,
    },
    Event {
        place: Place,
        generation: u64,
        event: WatchedEvent,
        /// The same watcher, unless it fires only once.
        watcher: Option<PersistentWatcher>,
    },
    Again {
        place: Place,
        generation: u64,
    },
    Audited {
        place: Place,
        generation: u64,
        children: usize,
    },
    /// It was called off.
    Void,
}

impl Service for Lists {
    type Order = Order;

    async fn serve(
        &self,
        client: Client,
        style: Style,
        orders: mpsc::Receiver<Order>,
        told: impl FnMut(Connection),
    ) -> End {
        let session = Session::new(Arc::clone(&self.settings), Arc::clone(&self.pool), client, style);
        session.serve(orders, told).await
    }
}

impl Session {
    /// A session in which nothing is watched yet.
    fn new(settings: Arc<Settings>, pool: Arc<UrlPool>, client: Client, style: Style) -> Session {
        let states = client.state_watcher();
        Session {
            // With a server that hung up when it was asked for its style, the connection is still to be mended.
            connected: judge(states.peek_state()) == Ok(Connection::Mended),
            states,
            client,
            style,
            list: Watchlist::new(Arc::clone(&settings), pool),
            settings,
            watches: HashMap::new(),
            audit: Audit::default(),
            work: FuturesUnordered::new(),
            generation: 0,
        }
    }

    /// Serves orders until the session ends, or until nobody can order any more.
    async fn serve(mut self, mut orders: mpsc::Receiver<Order>, mut told: impl FnMut(Connection)) -> End {
        if self.connected {
            told(Connection::Mended);
        }
        let mut beat = beat();
        loop {
            tokio::select! {
                biased;
                state = self.states.changed() => match judge(state) {
                    Ok(Connection::Mended) => {
                        self.mended();
                        told(Connection::Mended);
                    }
                    Ok(Connection::Cut) => {
                        self.cut();
                        told(Connection::Cut);
                        if is_too_large(self.named()) {
                            return End::Abandoned;
                        }
                    }
                    Err(end) => return end,
                },
                order = orders.recv() => match order {
                    Some(order) => self.order(order),
                    None => return End::Closed,
                },
                Some(outcome) = self.work.next() => self.done(outcome),
                _ = beat.tick() => self.beat(),
            }
            for _ in 0..BURST {
                match self.work.next().now_or_never() {
                    Some(Some(outcome)) => self.done(outcome),
                    _ => break,
                }
            }
            self.list.tell();
        }
    }

    fn order(&mut self, order: Order) {
        if !self.connected {
            // Nobody may be waiting any more.
            let _ = order.ready.send(Err(self.settings.unreachable("it was cut")));
            return;
        }
        let turnover = self.list.enter(order.query, order.feed, order.ready);
        self.turn(turnover);
    }

    /// The connection is back. A persistent watch tells nothing of what happened meanwhile, and this client does not even
    /// arm it again: every place is watched and read anew.
    fn mended(&mut self) {
        self.connected = true;
        let places: Vec<_> = self.list.places().cloned().collect();
        for place in places {
            self.begin(place);
        }
    }

    fn cut(&mut self) {
        self.connected = false;
        let turnover = self.list.give_up(&self.settings.unreachable("it was cut"));
        self.turn(turnover);
    }

    /// How many bytes of paths are watched.
    fn named(&self) -> usize {
        self.watches.keys().map(|place| self.settings.path(place).len()).sum()
    }

    fn turn(&mut self, turnover: Turnover) {
        for place in turnover.end {
            self.audit.forget(&place);
            if let Some(Watch {
                waiting: Some(waiting), ..
            }) = self.watches.remove(&place)
            {
                waiting.abort();
            }
        }
        for place in turnover.begin {
            self.begin(place);
        }
    }

    /// Arms the watch of a place and reads its list behind it.
    fn begin(&mut self, place: Place) {
        self.generation += 1;
        let generation = self.generation;
        let watch = Watch {
            generation,
            waiting: None,
            reading: true,
            again: false,
        };
        if let Some(Watch {
            waiting: Some(waiting), ..
        }) = self.watches.insert(place.clone(), watch)
        {
            waiting.abort();
        }
        let style = if self.audit.is_opaque(&place) {
            Style::OneShot
        } else {
            self.style
        };
        let client = self.client.clone();
        let path = self.settings.path(&place);
        self.work.push(Box::pin(async move {
            let result = arm(&client, &path, &place, style).await;
            Outcome::Read {
                place,
                generation,
                result,
            }
        }));
    }

    /// Reads the list of a place whose watch stays armed.
    fn read(&mut self, place: Place) {
        let Some(watch) = self.watches.get_mut(&place) else {
            return;
        };
        if std::mem::replace(&mut watch.reading, true) {
            watch.again = true;
            return;
        }
        let generation = watch.generation;
        let client = self.client.clone();
        let path = self.settings.path(&place);
        self.work.push(Box::pin(async move {
            let names = existing(client.list_children(&path).await);
            Outcome::Read {
                place,
                generation,
                result: names.map(|names| Reading { watcher: None, names }),
            }
        }));
    }

    fn done(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Read {
                place,
                generation,
                result,
            } if self.is_current(&place, generation) => match result {
                Ok(reading) => self.has_read(place, generation, reading),
                Err(error) => self.has_not_read(place, generation, error),
            },
            Outcome::Event {
                place,
                generation,
                event,
                watcher,
            } if self.is_current(&place, generation) => {
                if event.event_type == EventType::Session && event.session_state.is_terminated() {
                    // The last event; the state itself says what to do.
                    return;
                }
                match watcher {
                    Some(watcher) => {
                        self.happened(&place, &event);
                        self.attend(place, generation, watcher);
                    }
                    None => self.begin(place),
                }
            }
            Outcome::Again { place, generation } if self.is_current(&place, generation) => self.begin(place),
            Outcome::Audited {
                place,
                generation,
                children,
            } if self.is_current(&place, generation) => self.counted(place, children),
            _ => {}
        }
    }

    fn is_current(&self, place: &Place, generation: u64) -> bool {
        self.watches
            .get(place)
            .is_some_and(|watch| watch.generation == generation)
    }

    fn has_read(&mut self, place: Place, generation: u64, reading: Reading) {
        let turnover = self.list.read(&place, reading.names.as_deref());
        self.turn(turnover);
        match reading.watcher {
            Some(Watcher::Persistent(watcher)) => self.attend(place.clone(), generation, watcher),
            Some(Watcher::OneShot(watcher)) => {
                self.await_event(
                    place.clone(),
                    generation,
                    async move { (watcher.changed().await, None) },
                )
            }
            None => {}
        }
        let Some(watch) = self.watches.get_mut(&place) else {
            return;
        };
        watch.reading = false;
        if std::mem::take(&mut watch.again) {
            self.read(place);
        }
    }

    fn has_not_read(&mut self, place: Place, generation: u64, error: Error) {
        if matches!(error, Error::Unimplemented | Error::BadArguments(_)) && self.style == Style::Persistent {
            // Another member of the ensemble, an older one, has taken over.
            self.style = Style::OneShot;
            self.begin(place);
            return;
        }
        let lost = is_loss(&error);
        let error = self.settings.failure("cannot read", &self.settings.path(&place), error);
        if error.kind() == RegistryErrorKind::Refused {
            let turnover = self.list.refuse(&place, &error);
            self.turn(turnover);
        } else if self.connected || !lost {
            tracing::debug!(%error, "a list is read again soon");
            self.work.push(Box::pin(async move {
                sleep(AGAIN.mul_f64(0.75 + fastrand::f64() / 2.0)).await;
                Outcome::Again { place, generation }
            }));
        }
        // Otherwise it is read when the connection is mended.
    }

    /// Takes in what a persistent watch has told already, then waits for more.
    ///
    /// This comes right after the list that was read behind the arming. All that the list may contain was told before it,
    /// so it is here by now: taken in at once, it cannot make a reader see an older state after a newer one.
    fn attend(&mut self, place: Place, generation: u64, mut watcher: PersistentWatcher) {
        for _ in 0..BURST {
            let Some(event) = watcher.changed().now_or_never() else {
                break;
            };
            if event.event_type == EventType::Session && event.session_state.is_terminated() {
                // To ask such a watcher for more is an error.
                return;
            }
            self.happened(&place, &event);
        }
        self.await_event(
            place,
            generation,
            async move { (watcher.changed().await, Some(watcher)) },
        );
    }

    fn await_event(
        &mut self,
        place: Place,
        generation: u64,
        event: impl Future<Output = (WatchedEvent, Option<PersistentWatcher>)> + Send + 'static,
    ) {
        let (stop, stopped) = AbortHandle::new_pair();
        let Some(watch) = self.watches.get_mut(&place) else {
            return;
        };
        watch.waiting = Some(stop);
        let event = Abortable::new(event, stopped).map(move |event| match event {
            Ok((event, watcher)) => Outcome::Event {
                place,
                generation,
                event,
                watcher,
            },
            Err(_) => Outcome::Void,
        });
        self.work.push(Box::pin(event));
    }

    /// What a persistent watch told.
    fn happened(&mut self, place: &Place, event: &WatchedEvent) {
        if event.event_type == EventType::Session {
            // The state of the connection is followed on its own.
            return;
        }
        if *place == Place::Root {
            // It names no child, so that nothing is heard of what happens deeper down.
            self.read(Place::Root);
            return;
        }
        let path = self.settings.path(place);
        let name = match event.path.strip_prefix(path.as_str()) {
            Some("") => None,
            Some(rest) => rest.strip_prefix('/').filter(|name| !name.contains('/')),
            None => return,
        };
        match (event.event_type, name) {
            (EventType::NodeCreated, Some(name)) => self.list.change(place, Change::Came(name)),
            (EventType::NodeDeleted, Some(name)) => self.list.change(place, Change::Went(name)),
            (EventType::NodeCreated, None) if event.path == path => self.list.appeared(place),
            (EventType::NodeDeleted, None) if event.path == path => self.list.change(place, Change::Vanished),
            _ => {}
        }
    }

    fn beat(&mut self) {
        let turnover = self.list.sweep();
        self.turn(turnover);
        if self.connected && self.style == Style::Persistent {
            for place in self.audit.due(self.list.places()) {
                self.count(place);
            }
        }
    }

    /// Asks how many children a place has, for the audit.
    fn count(&mut self, place: Place) {
        let Some(watch) = self.watches.get(&place).filter(|watch| !watch.reading) else {
            return;
        };
        let generation = watch.generation;
        let client = self.client.clone();
        let path = self.settings.path(&place);
        self.work.push(Box::pin(async move {
            match client.check_stat(&path).await {
                Ok(stat) => Outcome::Audited {
                    place,
                    generation,
                    children: stat.map_or(0, |stat| usize::try_from(stat.num_children).unwrap_or(0)),
                },
                Err(_) => Outcome::Void,
            }
        }));
    }

    fn counted(&mut self, place: Place, children: usize) {
        if self.audit.is_over(&place, self.list.count(&place) == Some(children)) {
            tracing::debug!(
                registry = &*self.settings.address,
                path = self.settings.path(&place),
                "a watch is not told of all children; from now on the whole list is read at each change"
            );
            self.begin(place);
        }
    }
}

fn beat() -> Interval {
    let mut beat = interval(BEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    beat
}

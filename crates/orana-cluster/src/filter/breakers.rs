//! The circuit breakers of one endpoint: one for each method, shared by the calls of many threads.
//!
//! A call that meets a closed breaker takes no lock to begin. Settings are in the endpoint's URL, see [`Breakers::of`]. Time is an argument.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use orana_core::ServiceUrl;
use parking_lot::Mutex;

use super::breaker::{Breaker, BreakerSettings, BreakerState, Ticket};
use super::outcome::Outcome;
use super::slots::Slots;
use super::tally::Window;

/// The breakers of an endpoint.
///
/// Who chooses passes over endpoints whose breaker does not admit the call; who calls begins and ends it:
///
/// ```
/// # use std::time::Instant;
/// # use orana_cluster::filter::{Breakers, Outcome};
/// # let url = orana_core::ServiceUrl::parse("dubbo://h:1/i?circuitbreaker=true").unwrap();
/// let breakers = Breakers::of(&url).expect("the url asks for them");
/// assert!(breakers.admits("say", Instant::now()));
/// if let Some(call) = breakers.begin("say", Instant::now()) {
///     // … the attempt; if its future is dropped, so is `call`, and a probe's place is free again …
///     call.end(Outcome::Success, Instant::now());
/// }
/// ```
pub struct Breakers {
    url: ServiceUrl,
    methods: Slots<Option<Arc<Circuit>>>,
}

/// The breaker of one method, and a note of it that can be read without the lock.
struct Circuit {
    breaker: Mutex<Breaker>,
    /// Twice the generation, and one more unless it is closed.
    note: AtomicU64,
}

/// A call that was let through. Dropping it without [`BreakerCall::end`] gives it up.
#[must_use = "a call that is dropped counts as given up"]
pub struct BreakerCall {
    /// None where nothing is to be told: there is no breaker, or the call has ended.
    circuit: Option<(Arc<Circuit>, Ticket)>,
    began: Instant,
}

impl Breakers {
    /// Those that the merged URL of an endpoint asks for by `circuitbreaker=true`, of the service or of a method; none if it does not.
    ///
    /// | key (also `METHOD.key`) | default | |
    /// |---|---|---|
    /// | `circuitbreaker` | `false` | whether there is one |
    /// | `circuitbreaker.window` | 10000 | milliseconds that are looked at |
    /// | `circuitbreaker.calls` | – | look at the last so many calls instead |
    /// | `circuitbreaker.minimum` | 20 | with fewer calls nothing is decided |
    /// | `circuitbreaker.faulty` | 50 | opens at so many faulty calls of a hundred |
    /// | `circuitbreaker.slow` | 101 | opens at so many slow calls of a hundred |
    /// | `circuitbreaker.slow.time` | 60000 | milliseconds from which on a call is slow |
    /// | `circuitbreaker.open` | 5000 | milliseconds that it stays open |
    /// | `circuitbreaker.probes` | 5 | calls that find out whether it may close |
    pub fn of(url: &ServiceUrl) -> Option<Breakers> {
        let asked = |(key, value): (&str, &str)| {
            let named = key == "circuitbreaker" || key.ends_with(".circuitbreaker");
            named && value.trim().eq_ignore_ascii_case("true")
        };
        url.parameters().any(asked).then(|| Breakers {
            url: url.clone(),
            methods: Slots::new(),
        })
    }

    /// Whether a call of `method` that begins now would be let through. For choosing among endpoints.
    pub fn admits(&self, method: &str, now: Instant) -> bool {
        match &*self.circuit(method, now) {
            Some(circuit) => circuit.is_closed().is_some() || circuit.breaker.lock().admits(now),
            None => true,
        }
    }

    /// Lets a call of `method` through, or does not.
    pub fn begin(&self, method: &str, now: Instant) -> Option<BreakerCall> {
        let circuit = match &*self.circuit(method, now) {
            Some(circuit) => {
                let ticket = circuit.begin(now)?;
                Some((Arc::clone(circuit), ticket))
            }
            None => None,
        };
        Some(BreakerCall { circuit, began: now })
    }

    /// Where the breaker of `method` stands; none if it has none.
    pub fn state(&self, method: &str, now: Instant) -> Option<BreakerState> {
        let circuit = self.circuit(method, now);
        circuit.as_ref().as_ref().map(|circuit| circuit.breaker.lock().state())
    }

    fn circuit(&self, method: &str, now: Instant) -> Arc<Option<Arc<Circuit>>> {
        self.methods.get(method, |name| {
            self.url.method_flag_or(name, "circuitbreaker", false).then(|| {
                Arc::new(Circuit {
                    breaker: Mutex::new(Breaker::new(settings(&self.url, name), now)),
                    note: AtomicU64::new(0),
                })
            })
        })
    }
}

/// As the URL says for that method; what it says wrong is as if it said nothing.
fn settings(url: &ServiceUrl, method: &str) -> BreakerSettings {
    let default = BreakerSettings::default();
    let millis = |key: &str, default: Duration| url.method_millis_or(method, key, default);
    let window = match url.method_number_or(method, "circuitbreaker.calls", 0_u32) {
        0 => Window::Time(millis("circuitbreaker.window", Duration::from_secs(10))),
        calls => Window::Calls(calls),
    };
    BreakerSettings {
        window,
        minimum_calls: url.method_number_or(method, "circuitbreaker.minimum", default.minimum_calls),
        faulty_percent: url.method_number_or(method, "circuitbreaker.faulty", default.faulty_percent),
        slow_percent: url.method_number_or(method, "circuitbreaker.slow", default.slow_percent),
        slow: millis("circuitbreaker.slow.time", default.slow),
        open_for: millis("circuitbreaker.open", default.open_for),
        probes: url.method_number_or(method, "circuitbreaker.probes", default.probes),
    }
}

impl Circuit {
    /// The generation, if it is closed as far as the note says.
    fn is_closed(&self) -> Option<u64> {
        let note = self.note.load(Ordering::Acquire);
        (note & 1 == 0).then_some(note >> 1)
    }

    fn begin(&self, now: Instant) -> Option<Ticket> {
        match self.is_closed() {
            Some(generation) => Some(Ticket::of_closed(generation)),
            None => self.change(|breaker| breaker.begin(now)),
        }
    }

    fn change<T>(&self, act: impl FnOnce(&mut Breaker) -> T) -> T {
        let mut breaker = self.breaker.lock();
        let before = breaker.generation();
        let result = act(&mut breaker);
        if breaker.generation() != before {
            let closed = breaker.state() == BreakerState::Closed;
            let note = (breaker.generation() << 1) | u64::from(!closed);
            self.note.store(note, Ordering::Release);
        }
        result
    }
}

impl BreakerCall {
    /// Tells what came of it.
    pub fn end(mut self, outcome: Outcome, now: Instant) {
        if let Some((circuit, ticket)) = self.circuit.take() {
            let took = now.saturating_duration_since(self.began);
            circuit.change(|breaker| breaker.end(ticket, outcome.verdict(), took, now));
        }
    }
}

impl Drop for BreakerCall {
    fn drop(&mut self) {
        if let Some((circuit, ticket)) = self.circuit.take()
            && ticket.is_probe()
        {
            circuit.change(|breaker| breaker.cancel(ticket));
        }
    }
}

impl fmt::Debug for Breakers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        self.methods.for_each(|name, circuit| {
            if let Some(circuit) = circuit {
                map.entry(&name, &circuit.breaker.lock().state());
            }
        });
        map.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::url;
    use super::*;

    const EASY: &str = "circuitbreaker=true&circuitbreaker.calls=4&circuitbreaker.minimum=4&circuitbreaker.open=1000\
                        &circuitbreaker.probes=2&hear.circuitbreaker=false";

    fn fail(breakers: &Breakers, method: &str, times: u32, now: Instant) {
        for _ in 0..times {
            breakers.begin(method, now).unwrap().end(Outcome::Network, now);
        }
    }

    #[test]
    fn each_method_has_its_own_and_one_may_have_none() {
        let (breakers, now) = (Breakers::of(&url(EASY)).unwrap(), Instant::now());
        fail(&breakers, "say", 4, now);
        assert!(!breakers.admits("say", now) && breakers.begin("say", now).is_none());
        assert!(breakers.admits("see", now));
        fail(&breakers, "hear", 100, now);
        assert!(breakers.admits("hear", now));
        assert_eq!(breakers.state("hear", now), None);
    }

    #[test]
    fn an_endpoint_that_asks_for_none_has_none() {
        assert!(Breakers::of(&url("")).is_none() && Breakers::of(&url("circuitbreaker=false")).is_none());
        let (breakers, now) = (Breakers::of(&url("say.circuitbreaker=true")).unwrap(), Instant::now());
        assert!(breakers.state("say", now).is_some() && breakers.state("hear", now).is_none());
    }

    #[test]
    fn exceptions_of_the_service_and_limits_do_not_open_it() {
        let (breakers, now) = (Breakers::of(&url(EASY)).unwrap(), Instant::now());
        for outcome in [Outcome::Business, Outcome::Limit, Outcome::Refused, Outcome::Codec] {
            (0..10).for_each(|_| breakers.begin("say", now).unwrap().end(outcome, now));
        }
        assert_eq!(breakers.state("say", now), Some(BreakerState::Closed));
    }

    #[test]
    fn a_dropped_probe_gives_its_place_back() {
        let (breakers, now) = (Breakers::of(&url(EASY)).unwrap(), Instant::now());
        fail(&breakers, "say", 4, now);
        let later = now + Duration::from_secs(1);
        let probes = [
            breakers.begin("say", later).unwrap(),
            breakers.begin("say", later).unwrap(),
        ];
        assert!(!breakers.admits("say", later));
        drop(probes);
        for _ in 0..2 {
            breakers.begin("say", later).unwrap().end(Outcome::Success, later);
        }
        assert_eq!(breakers.state("say", later), Some(BreakerState::Closed));
        assert!(breakers.admits("say", later));
    }

    #[test]
    fn no_more_than_the_probes_pass_under_eight_threads() {
        let now = Instant::now();
        for _ in 0..50 {
            let breakers = Breakers::of(&url(EASY)).unwrap();
            fail(&breakers, "say", 4, now);
            let later = now + Duration::from_secs(1);
            let passed = Mutex::new(Vec::new());
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| passed.lock().extend(breakers.begin("say", later)));
                }
            });
            assert_eq!(passed.lock().len(), 2);
        }
    }
}

//! The load balances of one reference, by name: each is made when it is first asked for and keeps what it learns.

use std::sync::Arc;

use ahash::HashMap;
use parking_lot::Mutex;

use super::{ALIASES, DEFAULT, LOAD_BALANCES, LoadBalance, Random};

/// The load balances of one reference.
#[derive(Default)]
pub struct Balances {
    own: HashMap<Box<str>, Arc<dyn LoadBalance>>,
    made: Mutex<HashMap<&'static str, Arc<dyn LoadBalance>>>,
    complained: Mutex<Vec<Box<str>>>,
}

/// The most unknown names that are complained of; more come of a mistake in what writes rules, and that is said by then.
const MOST_COMPLAINTS: usize = 16;

impl Balances {
    /// The built-in ones.
    pub fn new() -> Balances {
        Balances::default()
    }

    /// One more, or another one in place of a built-in one.
    #[must_use]
    pub fn with(mut self, name: &str, balance: Arc<dyn LoadBalance>) -> Balances {
        self.own.insert(name.into(), balance);
        self
    }

    /// Whether there is one of that name.
    pub fn is_known(&self, name: &str) -> bool {
        self.own.contains_key(name) || LOAD_BALANCES.iter().any(|(known, _)| *known == meant(name))
    }

    /// All names; those of dubbo-go are not repeated.
    pub fn names(&self) -> Vec<&str> {
        let built_in = LOAD_BALANCES.iter().map(|(name, _)| *name);
        built_in.chain(self.own.keys().map(|name| &**name)).collect()
    }

    /// The one of that name. A rule may name one that does not exist at any time: then calls are shared by chance, and that is said once.
    pub fn named(&self, name: &str) -> Arc<dyn LoadBalance> {
        if let Some(own) = self.own.get(name) {
            return Arc::clone(own);
        }
        let row = LOAD_BALANCES.iter().find(|(known, _)| *known == meant(name));
        let Some((name, make)) = row else {
            self.complain(name);
            return Arc::new(Random);
        };
        Arc::clone(self.made.lock().entry(name).or_insert_with(make))
    }

    fn complain(&self, name: &str) {
        let mut complained = self.complained.lock();
        if complained.len() >= MOST_COMPLAINTS || complained.iter().any(|known| **known == *name) {
            return;
        }
        complained.push(name.into());
        let known = self.names().join(", ");
        tracing::warn!(name, known, instead = DEFAULT, "there is no load balance of that name");
    }
}

/// The name under which it stands here.
fn meant(name: &str) -> &str {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    alias.map_or(name, |(_, meant)| meant)
}

//! One value for each name that was seen, with a bound: what a filter keeps for each method of a service.
//!
//! Reading takes no lock. Knows nothing of what the names are; they may come from outside, so they are few and short.

use std::sync::{Arc, OnceLock};

use ahash::AHashMap;
use arc_swap::ArcSwap;
use parking_lot::Mutex;

/// So many names have a value of their own; those that come later share one.
pub(super) const MOST_NAMES: usize = 1_024;

/// A longer name has no value of its own.
const LONGEST_NAME: usize = 256;

/// What the shared value stands under where names are listed.
pub(super) const OTHERS: &str = "(others)";

/// Values by name. Names are added and never taken out, so the map is copied for each new one and read without a lock.
pub(super) struct Slots<T> {
    by_name: ArcSwap<AHashMap<Box<str>, Arc<T>>>,
    others: OnceLock<Arc<T>>,
    growing: Mutex<()>,
}

impl<T> Slots<T> {
    pub(super) fn new() -> Slots<T> {
        Slots {
            by_name: ArcSwap::default(),
            others: OnceLock::new(),
            growing: Mutex::new(()),
        }
    }

    /// The value of `name`; `make` makes it the first time, and is told [`OTHERS`] for the shared one.
    pub(super) fn get(&self, name: &str, make: impl FnOnce(&str) -> T) -> Arc<T> {
        let known = self.by_name.load();
        if let Some(known) = known.get(name) {
            return Arc::clone(known);
        }
        if known.len() >= MOST_NAMES || name.len() > LONGEST_NAME || name == OTHERS {
            return Arc::clone(self.others.get_or_init(|| Arc::new(make(OTHERS))));
        }
        drop(known);
        self.add(name, make)
    }

    /// The value of `name`, if it has one of its own.
    pub(super) fn find(&self, name: &str) -> Option<Arc<T>> {
        self.by_name.load().get(name).cloned()
    }

    #[cold]
    fn add(&self, name: &str, make: impl FnOnce(&str) -> T) -> Arc<T> {
        let _one_at_a_time = self.growing.lock();
        let known = self.by_name.load_full();
        if let Some(known) = known.get(name) {
            return Arc::clone(known);
        }
        if known.len() >= MOST_NAMES {
            return Arc::clone(self.others.get_or_init(|| Arc::new(make(OTHERS))));
        }
        let value = Arc::new(make(name));
        let mut grown = AHashMap::clone(&known);
        grown.insert(name.into(), Arc::clone(&value));
        self.by_name.store(Arc::new(grown));
        value
    }

    /// Every name that has a value, with it.
    pub(super) fn for_each(&self, mut visit: impl FnMut(&str, &T)) {
        for (name, value) in self.by_name.load().iter() {
            visit(name, value);
        }
        if let Some(others) = self.others.get() {
            visit(OTHERS, others);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_name_keeps_its_value_and_names_beyond_the_bound_share_one() {
        let slots = Slots::new();
        let number = |name: &str| String::clone(&slots.get(name, |name| name.to_owned()));
        for index in 0..MOST_NAMES {
            let name = format!("m{index}");
            assert_eq!(number(&name), name);
        }
        assert_eq!(number("one more"), OTHERS);
        assert_eq!(number("another"), OTHERS);
        assert_eq!((number("m0").as_str(), number(OTHERS).as_str()), ("m0", OTHERS));
        let mut seen = 0;
        slots.for_each(|_, _| seen += 1);
        assert_eq!(seen, MOST_NAMES + 1);
    }

    #[test]
    fn a_name_too_long_is_not_kept() {
        let slots = Slots::new();
        let long = "x".repeat(LONGEST_NAME + 1);
        assert_eq!(*slots.get(&long, |name| name.to_owned()), OTHERS);
    }

    #[test]
    fn threads_that_meet_at_a_new_name_get_the_same_value() {
        let (slots, made) = (Slots::new(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for index in 0..100 {
                        slots.get(&format!("m{index}"), |_| made.fetch_add(1, Ordering::Relaxed));
                    }
                });
            }
        });
        assert_eq!(made.load(Ordering::Relaxed), 100);
    }
}

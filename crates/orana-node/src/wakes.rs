//! Whom to wake once a batch was applied. Waking is put off to the end of the batch, so that a connection that
//! was told of a hundred things is woken once and the state is not held meanwhile.

use std::sync::Arc;

use tokio::sync::Notify;

/// Collects whoever has something new to send.
#[derive(Default)]
pub struct Wakes(Vec<Arc<Notify>>);

impl Wakes {
    /// Remembers somebody; the caller sees to it that nobody is remembered twice in a row.
    pub fn push(&mut self, who: Arc<Notify>) {
        self.0.push(who);
    }

    pub(crate) fn wake(&mut self) {
        for who in self.0.drain(..) {
            who.notify_one();
        }
    }
}

//! Wakes one task, from anywhere, any number of times.

use std::task::{Context, Waker};

use parking_lot::Mutex;

/// The task that looks after something.
#[derive(Debug, Default)]
pub(super) struct TaskWaker(Mutex<Slot>);

#[derive(Debug, Default)]
struct Slot {
    task: Option<Waker>,
    woken: bool,
}

impl TaskWaker {
    /// Makes the task that is polled now the one to wake. Returns whether it has been woken since it last asked.
    pub(super) fn register(&self, cx: &Context<'_>) -> bool {
        let mut slot = self.0.lock();
        match &mut slot.task {
            Some(task) => task.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        std::mem::take(&mut slot.woken)
    }

    /// Wakes it. A second time before it has asked does nothing.
    pub(super) fn wake(&self) {
        let mut slot = self.0.lock();
        if std::mem::replace(&mut slot.woken, true) {
            return;
        }
        let task = slot.task.clone();
        drop(slot);
        if let Some(task) = task {
            task.wake();
        }
    }
}

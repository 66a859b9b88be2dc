//! Threads that let crowds act: a thousand clients that wait for one change are written to from here, one after the
//! other, instead of each waking its task. Applying commands goes on meanwhile. What acting means is not known here.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;

use parking_lot::Mutex;

use crate::wakes::Told;

/// Parts of crowds that wait at most, each of [`BURST`](crate::wakes::BURST): everybody of a full house once. Who does
/// not fit is woken.
const WAITING: usize = 512;

/// Threads at most.
const THREADS: usize = 8;

type Crowd = Vec<Arc<dyn Told>>;

/// The way to the threads. They end when the last one of these is dropped.
#[derive(Clone)]
pub(crate) struct Crowds(SyncSender<Crowd>);

impl Crowds {
    /// Starts the threads: half as many as there are processors, because those who are told need some, too.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn start() -> std::io::Result<Crowds> {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let (to_threads, crowds) = sync_channel(WAITING);
        let crowds = Arc::new(Mutex::new(crowds));
        for _ in 0..(processors / 2).clamp(1, THREADS) {
            let crowds = crowds.clone();
            thread::Builder::new()
                .name("orana-fan-out".to_owned())
                .spawn(move || run(&crowds))?;
        }
        Ok(Crowds(to_threads))
    }

    /// Lets them act soon; gives them back if too many wait already.
    pub(crate) fn take(&self, crowd: Crowd) -> Crowd {
        match self.0.try_send(crowd) {
            Ok(()) => Crowd::new(),
            Err(TrySendError::Full(crowd) | TrySendError::Disconnected(crowd)) => crowd,
        }
    }
}

fn run(crowds: &Mutex<Receiver<Crowd>>) {
    loop {
        // The others wait for the lock instead of for the crowd.
        let crowd = crowds.lock().recv();
        let Ok(crowd) = crowd else { return };
        crowd.iter().for_each(|who| who.act_in_crowd());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::wakes::{BURST, Wakes};

    #[derive(Default)]
    struct Client {
        woken: AtomicUsize,
        acted: AtomicUsize,
    }

    impl Told for Client {
        fn wake(&self) {
            self.woken.fetch_add(1, Ordering::SeqCst);
        }

        fn act_in_crowd(&self) {
            self.acted.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Tells so many; how many of them were woken, and how many have acted without it.
    fn tell(count: usize) -> (usize, usize) {
        let client = Arc::new(Client::default());
        let mut wakes = Wakes::new(Crowds::start().expect("threads"));
        (0..count).for_each(|_| wakes.push(client.clone()));
        wakes.wake();
        let sums = || (client.woken.load(Ordering::SeqCst), client.acted.load(Ordering::SeqCst));
        let deadline = Instant::now() + Duration::from_secs(10);
        while sums().0 + sums().1 < count {
            assert!(Instant::now() < deadline, "{:?} of {count}", sums());
            thread::yield_now();
        }
        sums()
    }

    #[test]
    fn a_few_are_woken_and_of_a_crowd_everybody_acts_once() {
        assert_eq!(tell(BURST - 1), (BURST - 1, 0));
        assert_eq!(tell(3 * BURST + 5), (0, 3 * BURST + 5));
    }

    #[test]
    fn who_finds_no_place_in_the_crowd_is_woken() {
        let (to_threads, waiting) = sync_channel(1);
        let client = Arc::new(Client::default());
        let mut wakes = Wakes::new(Crowds(to_threads));
        (0..2 * BURST).for_each(|_| wakes.push(client.clone()));
        assert_eq!(client.woken.load(Ordering::SeqCst), BURST);
        assert_eq!(waiting.recv().map(|crowd| crowd.len()), Ok(BURST));
    }
}

//! A program of several parts: started in order, stopped in the reverse order when the system says so (`com.alibaba.dubbo.container.Main`).

use std::fmt;
use std::time::Duration;

use orana_core::BoxFuture;
use tokio::signal::unix::{SignalKind, signal};

use crate::Result;

/// How long all parts together may take to stop.
const DEFAULT_LIMIT: Duration = Duration::from_secs(15);

/// Something that is started and stopped.
pub trait Part: Send + 'static {
    /// Its name in the log.
    fn name(&self) -> &str;

    /// Starts it; returns when it serves.
    fn start(&mut self) -> BoxFuture<'_, Result<()>>;

    /// Stops it; returns when it is quiet. Also called after a start that failed.
    fn stop(&mut self) -> BoxFuture<'_, ()>;
}

/// Parts that belong together.
#[derive(Default)]
pub struct Container {
    parts: Vec<Box<dyn Part>>,
    limit: Option<Duration>,
}

impl Container {
    /// No parts.
    pub fn new() -> Container {
        Container::default()
    }

    /// And that part, after those before it.
    #[must_use]
    pub fn part(mut self, part: impl Part) -> Container {
        self.parts.push(Box::new(part));
        self
    }

    /// How long stopping all parts may take; what is not quiet by then is left behind.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Container {
        self.limit = Some(limit);
        self
    }

    /// Starts the parts, waits for SIGTERM or SIGINT, stops them. A part that does not start ends it, with the parts before it stopped in
    /// order.
    pub async fn run(self) -> Result<()> {
        self.run_until(ended()).await
    }

    /// The same, with `end` in place of the signals.
    pub async fn run_until(mut self, end: impl Future<Output = ()>) -> Result<()> {
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        tokio::pin!(end);
        let mut outcome = Ok(());
        let mut begun = 0;
        for part in &mut self.parts {
            begun += 1;
            tracing::info!(part = part.name(), "starting");
            let started = tokio::select! {
                started = part.start() => Some(started),
                () = &mut end => None,
            };
            match started {
                Some(Ok(())) => tracing::info!(part = part.name(), "started"),
                Some(Err(error)) => {
                    tracing::error!(part = part.name(), %error, "does not start");
                    outcome = Err(error);
                    break;
                }
                // Told to end while starting: nothing more is begun.
                None => {
                    stop(self.parts.iter_mut().take(begun), limit).await;
                    return Ok(());
                }
            }
        }
        if outcome.is_ok() {
            end.await;
            tracing::info!("asked to end");
        }
        stop(self.parts.iter_mut().take(begun), limit).await;
        outcome
    }
}

/// Stops parts, the last first.
async fn stop<'a>(parts: impl DoubleEndedIterator<Item = &'a mut Box<dyn Part>>, limit: Duration) {
    let until = tokio::time::Instant::now() + limit;
    for part in parts.rev() {
        tracing::info!(part = part.name(), "stopping");
        if tokio::time::timeout_at(until, part.stop()).await.is_err() {
            tracing::warn!(part = part.name(), limit = ?limit, "is not quiet in time and is left behind");
        } else {
            tracing::info!(part = part.name(), "stopped");
        }
    }
}

/// When the system says that the program is to end. A second signal ends it at once.
async fn ended() {
    let (Ok(mut terminate), Ok(mut interrupt)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        tracing::error!("signals cannot be listened to; the program ends only by force");
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::warn!("asked to end a second time: ending at once");
        std::process::exit(130);
    });
}

impl fmt::Debug for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.parts.iter().map(|part| part.name()))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use orana_core::{RpcError, RpcErrorCode};

    use super::*;

    type Log = Arc<Mutex<Vec<String>>>;

    struct Told {
        name: &'static str,
        log: Log,
        fails: bool,
        hangs: bool,
    }

    impl Part for Told {
        fn name(&self) -> &str {
            self.name
        }

        fn start(&mut self) -> BoxFuture<'_, Result<()>> {
            Box::pin(async {
                self.log.lock().unwrap().push(format!("start {}", self.name));
                match self.fails {
                    true => Err(RpcError::new(RpcErrorCode::Network, "taken")),
                    false => Ok(()),
                }
            })
        }

        fn stop(&mut self) -> BoxFuture<'_, ()> {
            Box::pin(async {
                self.log.lock().unwrap().push(format!("stop {}", self.name));
                if self.hangs {
                    std::future::pending::<()>().await;
                }
            })
        }
    }

    fn container(log: &Log, fails: &str, hangs: &str) -> Container {
        ["a", "b", "c"].into_iter().fold(Container::new(), |container, name| {
            container.part(Told {
                name,
                log: Arc::clone(log),
                fails: fails == name,
                hangs: hangs == name,
            })
        })
    }

    #[tokio::test]
    async fn parts_stop_in_the_reverse_of_the_order_in_which_they_started() {
        let log = Log::default();
        container(&log, "", "").run_until(async {}).await.unwrap();
        let log = log.lock().unwrap().join(", ");
        // The end was there before the first part had started or after the last one had.
        assert!(
            log == "start a, start b, start c, stop c, stop b, stop a" || log.ends_with("stop a"),
            "{log}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_part_that_does_not_start_ends_those_before_it() {
        let log = Log::default();
        let error = container(&log, "b", "")
            .run_until(std::future::pending())
            .await
            .unwrap_err();
        assert_eq!(error.message(), "taken");
        assert_eq!(log.lock().unwrap().join(", "), "start a, start b, stop b, stop a");
    }

    #[tokio::test(start_paused = true)]
    async fn a_part_that_hangs_does_not_keep_the_others_from_being_asked() {
        let log = Log::default();
        container(&log, "", "c")
            .limit(Duration::from_secs(2))
            .run_until(tokio::time::sleep(Duration::from_secs(1)))
            .await
            .unwrap();
        assert_eq!(
            log.lock().unwrap().join(", "),
            "start a, start b, start c, stop c, stop b, stop a"
        );
    }
}

//! Calls at a steady rate, half of them with a tag, and what came of each.

use std::time::{Duration, Instant};

use orana::{Client, ErrorCode};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::MissedTickBehavior;

use crate::sdk_drill::greeter::{Greeter, GreeterClient};

/// So many calls wait to be looked at; whoever calls waits when there are more, and the rate suffers, which the scenario sees.
const WAITING: usize = 4_096;

/// What came of one call.
#[derive(Debug, Clone)]
pub struct Call {
    /// When it began.
    pub begun: Instant,
    /// Whether it has the tag `gray`.
    pub gray: bool,
    /// The port of who answered; nobody if rules forbid the call; what else went wrong.
    pub answer: Result<Option<u16>, String>,
}

/// Calls that are being made; they end with this.
pub struct Calls {
    made: mpsc::Receiver<Call>,
    task: AbortHandle,
}

impl Calls {
    /// `rate` in a second from now on, whatever comes of them.
    pub fn begin(greeter: &GreeterClient, rate: u32) -> Calls {
        let (told, made) = mpsc::channel(WAITING);
        let plain = greeter.with(|calls| calls);
        let gray = greeter.with(|calls| calls.attachment("dubbo.tag", "gray"));
        let task = tokio::spawn(async move {
            let mut tick = tokio::time::interval(Duration::from_secs(1) / rate.max(1));
            tick.set_missed_tick_behavior(MissedTickBehavior::Burst);
            for number in 0_u64.. {
                tick.tick().await;
                let tagged = number % 2 == 0;
                let greeter = if tagged { &gray } else { &plain }.with(|calls| calls);
                let Ok(place) = told.clone().reserve_owned().await else {
                    return;
                };
                tokio::spawn(async move {
                    let begun = Instant::now();
                    let answer = greeter.greet("again".to_owned(), 0).await;
                    place.send(Call {
                        begun,
                        gray: tagged,
                        answer: read(answer),
                    });
                });
            }
        });
        Calls {
            made,
            task: task.abort_handle(),
        }
    }

    /// The next one that is over; nothing if there will be none.
    pub async fn next(&mut self) -> Option<Call> {
        self.made.recv().await
    }

    /// The same, if there is one now.
    pub fn try_next(&mut self) -> Option<Call> {
        self.made.try_recv().ok()
    }
}

impl Drop for Calls {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn read(answer: orana::Result<String>) -> Result<Option<u16>, String> {
    match answer {
        Ok(text) => {
            let port = text.split(' ').next().and_then(|port| port.parse().ok());
            port.map(Some).ok_or_else(|| format!("`{text}` names no port"))
        }
        Err(error) if error.code() == ErrorCode::NoInvokerAfterFilter => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

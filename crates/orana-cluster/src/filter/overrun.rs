//! `timeout` at a provider: says in the log that a call took longer than its caller waits
//! (`org.apache.dubbo.rpc.filter.TimeoutFilter`). It interrupts nothing.

use std::time::Duration;

use orana_core::{BoxFuture, Filter, Invocation, Invoker, Reply, RpcError, ServiceUrl};
use tokio::time::Instant;

/// Warns of calls of the service of the URL.
pub(super) struct Overrun {
    url: ServiceUrl,
}

impl Overrun {
    pub(super) fn new(url: &ServiceUrl) -> Overrun {
        Overrun { url: url.clone() }
    }
}

/// When the caller of a call that came at `now` stops waiting, if it said so: its deadline, else what it says to wait for one attempt.
fn due(invocation: &Invocation, now: Instant) -> Option<Instant> {
    if let Some(deadline) = invocation.options.deadline {
        return Some(Instant::from_std(deadline));
    }
    let millis: u64 = invocation.attachments.get("timeout")?.parse().ok()?;
    now.checked_add(Duration::from_millis(millis)).filter(|_| millis > 0)
}

impl Filter for Overrun {
    fn invoke<'a>(
        &'a self,
        next: &'a dyn Invoker,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<Reply, RpcError>> {
        let began = Instant::now();
        let Some(due) = due(invocation, began) else {
            return next.invoke(invocation);
        };
        Box::pin(async move {
            let result = next.invoke(invocation).await;
            let ended = Instant::now();
            if ended > due {
                let elapsed = ended.saturating_duration_since(began).as_millis();
                tracing::warn!(
                    "invoke timed out. method: {} url is {}, invoke elapsed {elapsed} ms.",
                    invocation.method_name(),
                    super::shown(&self.url),
                );
            }
            result
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::call;
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_callers_deadline_counts_before_the_time_of_an_attempt() {
        let now = Instant::now();
        let mut say = call("say");
        assert_eq!(due(&say, now), None);
        say.attachments.set("timeout", "250");
        assert_eq!(due(&say, now), Some(now + Duration::from_millis(250)));
        say.options.deadline = Some((now + Duration::from_millis(100)).into_std());
        assert_eq!(due(&say, now), Some(now + Duration::from_millis(100)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_time_that_cannot_be_read_is_no_time() {
        for text in ["", "soon", "-5", "0", "99999999999999999999"] {
            let mut say = call("say");
            say.attachments.set("timeout", text);
            assert_eq!(due(&say, Instant::now()), None, "{text}");
        }
    }
}

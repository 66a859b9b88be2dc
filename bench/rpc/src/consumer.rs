//! The consumer: callers that call, wait for the answer, and call again. It obeys the same lines as the Java side.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use orana_core::{Connector, Invocation, Invoker, Method, RpcError, ServiceKey, ServiceUrl};
use orana_rpc::dubbo::DubboConnector;
use orana_rpc::{encode_arguments, value_of};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::order::Order;
use crate::provider::INTERFACE;

const WARMING: u8 = 0;
const MEASURING: u8 = 1;
const OVER: u8 = 2;

/// What is called: the stub that a macro would write.
struct Echo {
    invoker: Arc<dyn Invoker>,
    text: Arc<Method>,
    order: Arc<Method>,
}

impl Echo {
    async fn text(&self, text: &str) -> Result<String, RpcError> {
        let arguments = encode_arguments(|arguments| arguments.push(text))?;
        let invocation = Invocation::new(Arc::clone(&self.text), arguments);
        value_of(&self.invoker.invoke(&invocation).await?)
    }

    async fn order(&self, order: &Order) -> Result<Order, RpcError> {
        let arguments = encode_arguments(|arguments| arguments.push(order))?;
        let invocation = Invocation::new(Arc::clone(&self.order), arguments);
        value_of(&self.invoker.invoke(&invocation).await?)
    }
}

/// Obeys lines `RUN text|order CALLERS WARM_SECONDS SECONDS` until there are no more.
pub(crate) async fn run(address: &str) -> Result<()> {
    let url = ServiceUrl::parse(&format!("dubbo://{address}/{INTERFACE}?timeout=10000"))?;
    let invoker = DubboConnector::default().connect(&url).await?;
    let method = |name, descriptor| Arc::new(Method::new(ServiceKey::parse(INTERFACE), name, descriptor));
    let echo = Arc::new(Echo {
        invoker,
        text: method("text", "Ljava/lang/String;"),
        order: method("order", "Lorg/example/peer/Order;"),
    });
    let sample = Order::sample();
    ensure!(echo.text("hi").await? == "hi", "the provider answers something else");
    ensure!(
        echo.order(&sample).await? == sample,
        "the provider answers another object"
    );
    crate::say("READY");
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let words: Vec<&str> = line.split(' ').collect();
        let ["RUN", what, callers, warm, seconds] = words[..] else {
            bail!("unknown command {line}");
        };
        let number = |text: &str| text.parse::<u64>().with_context(|| format!("{text} is no number"));
        measure(
            &echo,
            what == "order",
            number(callers)?,
            number(warm)?,
            number(seconds)?,
        )
        .await?;
    }
    Ok(())
}

async fn measure(echo: &Arc<Echo>, orders: bool, callers: u64, warm: u64, seconds: u64) -> Result<()> {
    let phase = Arc::new(AtomicU8::new(WARMING));
    let callers: Vec<_> = (0..callers)
        .map(|_| tokio::spawn(caller(Arc::clone(echo), orders, Arc::clone(&phase))))
        .collect();
    tokio::time::sleep(Duration::from_secs(warm)).await;
    crate::say("MEASURING");
    let start = Instant::now();
    phase.store(MEASURING, Ordering::Relaxed);
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    phase.store(OVER, Ordering::Relaxed);
    let took = start.elapsed().as_secs_f64();
    let (mut nanos, mut failed) = (Vec::new(), 0_u64);
    for caller in callers {
        let (mine, wrong) = caller.await?;
        nanos.extend(mine);
        failed += wrong;
    }
    nanos.sort_unstable();
    let micros = |quantile: f64| {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss
        )]
        let index = ((quantile * nanos.len() as f64).ceil() as usize).saturating_sub(1);
        f64::from(nanos.get(index).copied().unwrap_or(0)) / 1e3
    };
    #[allow(clippy::cast_precision_loss, reason = "a rate")]
    let rate = nanos.len() as f64 / took;
    let result = serde_json::json!({
        "calls": nanos.len(), "failed": failed, "seconds": took, "calls_per_second": rate,
        "p50_us": micros(0.5), "p99_us": micros(0.99), "max_us": micros(1.0),
    });
    crate::say(&format!("RESULT {result}"));
    Ok(())
}

/// Calls and waits, again and again. Says how long each call took, in nanoseconds, and how many went wrong.
async fn caller(echo: Arc<Echo>, orders: bool, phase: Arc<AtomicU8>) -> (Vec<u32>, u64) {
    let text = "x".repeat(100);
    let order = Order::sample();
    let (mut nanos, mut failed) = (Vec::with_capacity(1 << 12), 0);
    loop {
        let begun = phase.load(Ordering::Relaxed);
        let start = Instant::now();
        let right = match orders {
            true => echo
                .order(&order)
                .await
                .is_ok_and(|back| back.lines.len() == order.lines.len()),
            false => echo.text(&text).await.is_ok_and(|back| back.len() == text.len()),
        };
        let took = start.elapsed();
        let ended = phase.load(Ordering::Relaxed);
        // Only what lies wholly within the measured time counts.
        if (begun, ended) == (MEASURING, MEASURING) {
            match right {
                true => nanos.push(u32::try_from(took.as_nanos()).unwrap_or(u32::MAX)),
                false => failed += 1,
            }
        }
        if ended == OVER {
            return (nanos, failed);
        }
    }
}

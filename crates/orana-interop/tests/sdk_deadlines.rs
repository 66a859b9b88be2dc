//! What is left of a Java consumer's time, through a Rust provider to the one behind it.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use orana::{Application, Context, Export, Provider};
use orana_interop::{
    drill,
    sdk::peers::{Built, Kind},
};

const PATIENCE: Duration = Duration::from_secs(90);

/// How long the Java consumer waits for an answer, in milliseconds, and how long the first provider takes before it asks.
const TIMEOUT: u64 = 4_000;
const PAUSE: Duration = Duration::from_millis(300);

#[orana::service(interface = "org.example.peer.Greeter")]
trait Greeter {
    async fn say_hello(&self, name: String) -> orana::Result<String>;
}

/// Asks the one behind, after a while.
struct Between(GreeterClient);

impl Greeter for Between {
    async fn say_hello(&self, name: String) -> orana::Result<String> {
        tokio::time::sleep(PAUSE).await;
        self.0.say_hello(name).await
    }
}

/// Says how many milliseconds its caller has left.
struct Last;

impl Greeter for Last {
    async fn say_hello(&self, _: String) -> orana::Result<String> {
        let deadline = Context::current().and_then(|context| context.deadline());
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()).as_millis());
        Ok(left.map_or("left nothing said".to_owned(), |left| format!("left {left}")))
    }
}

#[test]
fn a_provider_behind_a_rust_one_has_what_is_left_of_a_java_consumer_s_time() {
    drill("sdk-countdown", 1, |drill| {
        let runtime = tokio::runtime::Runtime::new()?;
        let [front, _back] = runtime.block_on(chain())?;
        let flags = format!(
            "--application java --address dubbo://{} --timeout {TIMEOUT} --calls 1",
            front.address()
        );
        let left = |name: &str, flags: String| {
            let flags: Vec<String> = flags.split(' ').map(str::to_owned).collect();
            let rust = Built(PathBuf::new());
            let mut consumer = Kind::Java33.start(drill, &rust, name, &flags)?;
            consumer.expect("left", PATIENCE)
        };
        let said = left("greeter-consumer", format!("{flags} --countdown true"))?;
        let millis: u64 = said.parse().with_context(|| format!("a number: {said}"))?;
        let most = TIMEOUT - u64::try_from(PAUSE.as_millis())?;
        ensure!((1..=most).contains(&millis), "{millis} of {TIMEOUT} ms are left");
        let said = left("greeter-consumer", flags)?;
        ensure!(said == "nothing said", "without a countdown: {said}");
        Ok(())
    });
}

/// A provider that asks another one.
async fn chain() -> Result<[Provider; 2]> {
    let application = Application::new("chain");
    let listen = || application.provider().listen("127.0.0.1:0");
    let back = listen()
        .export(Export::new(GreeterService::new(Last)).group("back"))
        .start()
        .await?;
    // Its own time-out is longer than what Java leaves it.
    let behind = application
        .consumer()
        .refer::<GreeterClient>()
        .group("back")
        .direct(&back.address().to_string())
        .timeout(Duration::from_secs(60))
        .await?;
    let front = listen().export(GreeterService::new(Between(behind))).start().await?;
    Ok([front, back])
}

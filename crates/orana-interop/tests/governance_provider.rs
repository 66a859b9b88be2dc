//! Rules for those who provide, while they are called 200 times a second: a Rust provider takes another weight, a limit, and gives them back,
//! and a consumer in Java and one in Rust see it. No call fails, and the last rule that goes leaves the URL that was.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use orana_core::percent;
use orana_interop::{
    Tree, drill,
    dubbo::{Application, Consumer, Dubbo, SERVICE},
    sdk::peers::Built,
    sdk_drill::fleet::{self, SESSION},
};

const RATE: u32 = 200;

/// How long it may take until others see a rule: a second, and what a busy machine adds.
const SEEN: Duration = Duration::from_secs(3);

/// Dubbo Java hands one list out at once and holds further ones back until five seconds after it; a change makes two lists.
const PACE: Duration = Duration::from_secs(5);
const HELD_BACK: Duration = Duration::from_secs(20);

/// Changes of a rule in a row.
const CHANGES: u32 = 60;

#[test]
fn a_provider_obeys_rules_while_it_is_called() {
    drill("governance-provider", 1, |drill| {
        let rust = Built(env!("CARGO_BIN_EXE_sdk-drill").into());
        let registry = drill.server(fleet::registry()?)?;
        let applications = Application::of(drill, &rust, registry.address()).with(format!("rate={RATE}"));
        let starting = ["provider-1", "provider-2"].map(|name| applications.provider(name));
        let [first, second] = starting.map(|starting| starting?.ready());
        let (first, second) = (first?, second?);
        let both = [first.port, second.port];
        let java = Application::new(drill, Dubbo::Java33, registry.address()).bare(SESSION);
        let java = java.with(format!("rate={RATE}")).consumer("java")?;
        let mut consumers = [applications.consumer("rust")?.ready()?, java.ready()?];
        for consumer in &mut consumers {
            consumer.until_answered_by(&both)?;
            consumer.settle()?;
        }
        let rules = Rules(Tree::at(registry.address())?);
        let original = rules.registered()?;
        ensure!(original.len() == 2, "{original:?}");

        thread::sleep(PACE + Duration::from_secs(1));
        rules.document(first.port, "weight: 0")?;
        rules.until("it is registered with the weight", |urls| {
            urls.len() == 2 && urls.iter().filter(|url| url.contains("weight=0")).count() == 1
        })?;
        let [rust_consumer, _] = &mut consumers;
        answered_by(
            std::slice::from_mut(rust_consumer),
            &[second.port],
            SEEN,
            "the first has weight 0",
        )?;
        // The list with both URLs of the first may come to Java by itself, and then the next one is held back.
        answered_by(&mut consumers, &[second.port], HELD_BACK, "the first has weight 0")?;
        rules.no_document()?;
        rules.until("the original is back", |urls| *urls == original)?;
        answered_by(&mut consumers, &both, HELD_BACK, "the rule is gone")?;

        // The same by a URL, as Dubbo 2.6 has it.
        let url = format!(
            "override://127.0.0.1:{}/{SERVICE}?category=configurators&dynamic=false&enabled=true&weight=0",
            second.port
        );
        rules.url(&url)?;
        rules.until("it is registered with the weight", |urls| {
            urls.iter().any(|url| url.contains("weight=0"))
        })?;
        answered_by(&mut consumers, &[first.port], HELD_BACK, "the second has weight 0")?;
        rules.no_url(&url)?;
        rules.until("the original is back", |urls| *urls == original)?;
        answered_by(&mut consumers, &both, HELD_BACK, "the url is gone")?;

        for weight in 1..=CHANGES {
            rules.document(first.port, &format!("weight: {weight}"))?;
            thread::sleep(Duration::from_millis(20));
        }
        rules.no_document()?;
        rules.until("the original is back after many changes", |urls| *urls == original)?;
        answered_by(&mut consumers, &both, HELD_BACK, "many changes are over")?;
        for consumer in &mut consumers {
            let calls = consumer.lost_nothing()?;
            eprintln!("    {}: {calls}", consumer.peer.name());
        }

        for consumer in &mut consumers {
            consumer.delay(Duration::from_millis(50))?;
        }
        rules.documents(&both, "executes: 1")?;
        for consumer in &mut consumers {
            // Ten calls at a time have room for two.
            consumer.until("calls beyond the limit are refused", |calls| {
                calls.failed > 0 && calls.ok > 0
            })?;
        }
        rules.no_document()?;
        rules.until("the original is back after the limit", |urls| *urls == original)?;
        for consumer in &mut consumers {
            consumer.until_answered_by(&both)?;
            consumer.settle()?;
        }
        let mut leaving = first;
        fleet::stop(&mut leaving)?;
        answered_by(&mut consumers, &[second.port], HELD_BACK, "the first is gone")?;
        consumers
            .iter_mut()
            .try_for_each(|consumer| consumer.lost_nothing().map(drop))
    });
}

/// What an operator writes.
struct Rules(Tree);

impl Rules {
    fn document(&self, port: u16, parameters: &str) -> Result<()> {
        self.documents(&[port], parameters)
    }

    fn documents(&self, ports: &[u16], parameters: &str) -> Result<()> {
        let addresses: Vec<String> = ports.iter().map(|port| format!("'127.0.0.1:{port}'")).collect();
        let text = format!(
            "configVersion: v3.0\nscope: service\nkey: {SERVICE}\nenabled: true\nconfigs:\n- side: provider\n  addresses: [{}]\n  parameters: {{ {parameters} }}\n",
            addresses.join(", ")
        );
        self.0.put(&Rules::place(), &text)
    }

    fn no_document(&self) -> Result<()> {
        self.0.delete(&Rules::place())
    }

    fn url(&self, url: &str) -> Result<()> {
        self.0.put(&Rules::node(url), "")
    }

    fn no_url(&self, url: &str) -> Result<()> {
        self.0.delete(&Rules::node(url))
    }

    fn place() -> String {
        format!("/dubbo/config/dubbo/{SERVICE}::.configurators")
    }

    fn node(url: &str) -> String {
        format!("/dubbo/{SERVICE}/configurators/{}", percent::encode(url))
    }

    /// The providers' URLs as they stand in the registry, sorted.
    fn registered(&self) -> Result<Vec<String>> {
        let names = self.0.children(&format!("/dubbo/{SERVICE}/providers"))?;
        names
            .iter()
            .map(|name| Ok(percent::decode(name)?.into_owned()))
            .collect()
    }

    fn until(&self, what: &str, is: impl Fn(&Vec<String>) -> bool) -> Result<()> {
        let start = Instant::now();
        loop {
            let urls = self.registered()?;
            ensure!(!urls.is_empty(), "{what}: nobody is registered");
            if is(&urls) {
                eprintln!("    {what}: after {:?}", start.elapsed());
                return Ok(());
            }
            ensure!(start.elapsed() < SEEN, "{what}: not within {SEEN:?}, but {urls:#?}");
        }
    }
}

/// Waits until exactly these answer each consumer, and says how long that took.
fn answered_by(consumers: &mut [Consumer], ports: &[u16], limit: Duration, what: &str) -> Result<()> {
    let mut wanted = ports.to_vec();
    wanted.sort_unstable();
    let start = Instant::now();
    for consumer in consumers {
        loop {
            let before = start.elapsed();
            let calls = consumer.during(Duration::from_millis(100))?;
            if calls.by.keys().copied().eq(wanted.iter().copied()) {
                eprintln!("    {}, {what}: within {before:?}", consumer.peer.name());
                break;
            }
            ensure!(
                start.elapsed() < limit,
                "{}, {what}: {calls} instead of {wanted:?}",
                consumer.peer.name()
            );
        }
    }
    Ok(())
}

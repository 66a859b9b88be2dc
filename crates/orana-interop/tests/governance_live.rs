//! An operator changes rules of every kind while a Rust consumer calls four providers 500 times a second without retries: nothing
//! fails but what a rule forbids, every change shows within a second, no connection is made anew, and nothing is left over.

use std::{
    collections::BTreeSet,
    env,
    net::Ipv4Addr,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use orana::{Application, Client, Export, Provider};
use orana_interop::{
    Drill, drill,
    live_rules::{
        Act, Calls, Expected, Operator, Place, Verdict,
        changes::{CONSUMER, PROVIDER, REGIONS},
        connections, cycle,
    },
    sdk_drill::greeter::{At, GreeterClient, GreeterService},
    subject::{Product, Setup},
    vitals::resident_mib,
};

/// Calls in a second.
const RATE: u32 = 500;

/// A thousand changes in a minute.
const PACE: Duration = Duration::from_millis(60);

/// A change shows by then.
const SHOWN: Duration = Duration::from_secs(1);

/// How much more memory there may be at the end than when everything had happened once.
const FLAT_MIB: u64 = 24;

/// Changes of one document without a pause, after the others.
const BURST: usize = 100;

#[test]
fn rules_that_change_all_the_time_fail_no_call_and_show_within_a_second() {
    drill("governance-live", 0, |drill| {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?;
        runtime.block_on(live(drill))
    });
}

async fn live(drill: &Drill) -> Result<()> {
    let changes: usize = env::var("CHANGES")
        .map_or(Ok(60), |text| text.parse())
        .context("CHANGES is a number")?;
    let registry = drill.server(Setup::new(Product::chosen()?))?;
    let mut providers = Vec::new();
    for region in REGIONS {
        providers.push(provider(&registry.address(), drill.port()?, region).await?);
    }
    let ports = ports(&providers)?;
    let url = format!("zookeeper://{}", registry.address());
    let application = Application::new(CONSUMER).registry(&url);
    let refer = application.consumer().refer::<GreeterClient>().retries(0);
    let greeter = refer.timeout(Duration::from_secs(5)).await?;
    let mut scene = Scene::begin(greeter, Operator::at(&registry.address()).await?, ports).await?;
    scene.changes(changes).await?;
    scene.burst().await?;
    scene.end().await?;
    drop(scene);
    application.close().await;
    for provider in providers {
        let stopped = provider.stop().await;
        ensure!(stopped.unfinished == 0, "a provider gave calls up");
    }
    Ok(())
}

async fn provider(registry: &str, port: u16, region: &str) -> Result<Provider> {
    let application = Application::new(PROVIDER).registry(&format!("zookeeper://{registry}"));
    let export = Export::from(GreeterService::new(At(port))).parameter("region", region);
    let builder = application.provider().listen(format!("{}:{port}", Ipv4Addr::LOCALHOST));
    // Else a provider that was just started gets few calls in its first ten minutes.
    Ok(builder.parameter("warmup", 1).export(export).start().await?)
}

fn ports(providers: &[Provider]) -> Result<[u16; 4]> {
    let ports: Vec<u16> = providers.iter().map(|provider| provider.address().port()).collect();
    ports.try_into().ok().context("four providers")
}

/// Everything that happens.
struct Scene {
    greeter: GreeterClient,
    operator: Operator,
    ports: [u16; 4],
    calls: Calls,
    made: u64,
    verdict: Verdict,
    /// Providers and connections as they were before the first change.
    providers: Vec<String>,
    connected: BTreeSet<(u16, u16)>,
}

impl Scene {
    /// Calls are being made and reach everybody.
    async fn begin(greeter: GreeterClient, operator: Operator, ports: [u16; 4]) -> Result<Scene> {
        let all = everybody(ports);
        let began = Instant::now();
        while greeter.reference().providers().len() < ports.len() {
            ensure!(began.elapsed() < Duration::from_secs(20), "not everybody is known");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let mut scene = Scene {
            providers: known(&greeter),
            connected: connections::with(&ports)?,
            calls: Calls::begin(&greeter, RATE),
            verdict: Verdict::new(all.clone(), Instant::now()),
            made: 0,
            greeter,
            operator,
            ports,
        };
        ensure!(scene.connected.len() == ports.len(), "{:?}", scene.connected);
        let mut missing = all.plain;
        while !missing.is_empty() {
            let call = scene.calls.next().await.context("calls go on")?;
            scene.verdict.take(&call)?;
            if let Ok(Some(port)) = call.answer {
                missing.remove(&port);
            }
        }
        Ok(scene)
    }

    /// One change after the other, at the pace, each when the one before has shown.
    async fn changes(&mut self, count: usize) -> Result<()> {
        let cycle = cycle(self.ports);
        let began = Instant::now();
        let mut shown = Vec::new();
        let mut before = 0;
        // The last cycle is brought to its end, so that no rule is left.
        let count = count.max(cycle.len()).next_multiple_of(cycle.len());
        for (number, change) in cycle.iter().cycle().take(count).enumerate() {
            let due = began + PACE * u32::try_from(number)?;
            self.listen_until(due).await?;
            self.verdict.change(change.then.clone(), Instant::now());
            self.operator.perform(change).await?;
            let took = self
                .until_shown()
                .await
                .with_context(|| format!("change {number}, {}", change.what))?;
            if self.verdict.moves() {
                shown.push(took);
            }
            if number + 1 == cycle.len() {
                before = resident_mib(std::process::id())?;
            }
            if (number + 1) % cycle.len() == 0 {
                self.as_at_the_start().await?;
            }
        }
        let took = began.elapsed();
        shown.sort_unstable();
        let part = |share: f64| {
            shown
                .get((shown.len() as f64 * share) as usize)
                .copied()
                .unwrap_or_default()
        };
        let now = resident_mib(std::process::id())?;
        eprintln!(
            "    {count} changes in {:.1} s, {} calls: shown after p50 {:.1?}, p99 {:.1?}, at most {:.1?}; {before} MiB, then {now} MiB",
            took.as_secs_f64(),
            self.made,
            part(0.5),
            part(0.99),
            shown.last().copied().unwrap_or_default(),
        );
        ensure!(now <= before + FLAT_MIB, "{before} MiB became {now}");
        let asked = f64::from(RATE) * took.as_secs_f64();
        ensure!(
            self.made as f64 > asked * 0.8,
            "{} calls, {asked:.0} were asked for",
            self.made
        );
        ensure!(took < PACE * u32::try_from(count)? * 3 / 2, "too slow: {took:?}");
        Ok(())
    }

    /// Many changes at once, of which the last counts.
    async fn burst(&mut self) -> Result<()> {
        let place = Place::Document(format!("{CONSUMER}.condition-router"));
        let [first, .., last] = self.ports;
        let mut some = everybody(self.ports);
        for number in 0..BURST {
            let region = REGIONS.get(number % REGIONS.len()).context("a region")?;
            let act = Act::Write(format!("conditions: [ '=> region={region}' ]\n").into_bytes());
            self.operator.act(&place, &act).await?;
            self.catch_up(&some)?;
        }
        let only = |port: u16| Expected {
            plain: [port].into(),
            gray: [port].into(),
        };
        some = only(last);
        let shown = self.settles(&some).await?;
        eprintln!("    of {BURST} changes at once the last shows after {shown:.1?}");
        self.verdict = Verdict::new(some, Instant::now());
        for then in [only(first), everybody(self.ports)] {
            self.verdict.change(then.clone(), Instant::now());
            let act = match then.plain.len() {
                1 => Act::Write(b"conditions: [ '=> region=east' ]\n".to_vec()),
                _ => Act::Delete,
            };
            self.operator.act(&place, &act).await?;
            self.until_shown().await?;
        }
        Ok(())
    }

    async fn end(&mut self) -> Result<()> {
        self.listen_until(Instant::now() + Duration::from_secs(1)).await?;
        self.as_at_the_start().await
    }

    /// No rule, the same providers with the same parameters, the same connections.
    async fn as_at_the_start(&mut self) -> Result<()> {
        let left = self.operator.rules().await?;
        ensure!(left.is_empty(), "rules are left: {left:?}");
        let began = Instant::now();
        while known(&self.greeter) != self.providers {
            ensure!(
                began.elapsed() < SHOWN,
                "{:?} are left of {:?}",
                known(&self.greeter),
                self.providers
            );
            self.listen_until(Instant::now() + Duration::from_millis(5)).await?;
        }
        let connected = connections::with(&self.ports)?;
        ensure!(
            connected == self.connected,
            "connections {connected:?} instead of {:?}",
            self.connected
        );
        Ok(())
    }

    /// Judges calls until the change shows; returns how long that took.
    async fn until_shown(&mut self) -> Result<Duration> {
        let began = Instant::now();
        loop {
            if let Some(shown) = self.verdict.shown_after() {
                ensure!(shown < SHOWN, "it shows only after {shown:?}");
                return Ok(shown);
            }
            // What is excluded shows by many calls, of which the first counts.
            ensure!(began.elapsed() < SHOWN * 2, "it does not show: {:?}", self.verdict);
            self.listen_until(Instant::now() + Duration::from_millis(2)).await?;
        }
    }

    async fn listen_until(&mut self, moment: Instant) -> Result<()> {
        loop {
            let next = tokio::time::timeout_at(moment.into(), self.calls.next()).await;
            let Ok(call) = next else { return Ok(()) };
            self.made += 1;
            self.verdict.take(&call.context("calls go on")?)?;
        }
    }

    /// Takes the calls that are over; they may go to any of these.
    fn catch_up(&mut self, to: &Expected) -> Result<()> {
        while let Some(call) = self.calls.try_next() {
            self.made += 1;
            Verdict::new(to.clone(), call.begun).take(&call)?;
        }
        Ok(())
    }

    /// Waits until calls go to exactly these and keep to that.
    async fn settles(&mut self, to: &Expected) -> Result<Duration> {
        let began = Instant::now();
        let mut since: Option<Instant> = None;
        let mut kept = 0;
        while kept < 50 {
            let call = self.calls.next().await.context("calls go on")?;
            self.made += 1;
            match Verdict::new(to.clone(), call.begun).take(&call) {
                Ok(()) => {
                    since.get_or_insert(call.begun);
                    kept += 1;
                }
                Err(error) => {
                    ensure!(call.answer.is_ok(), error);
                    (since, kept) = (None, 0);
                }
            }
            let waited = since.unwrap_or(call.begun).saturating_duration_since(began);
            ensure!(waited < SHOWN, "the last of many changes does not show");
        }
        Ok(since.unwrap_or(began).saturating_duration_since(began))
    }
}

/// The providers as the consumer has them, with all that rules lay over them, sorted: their order says nothing.
fn known(greeter: &GreeterClient) -> Vec<String> {
    let providers = greeter.reference().providers().into_iter();
    let mut known: Vec<String> = providers.map(|url| url.to_string()).collect();
    known.sort_unstable();
    known
}

fn everybody(ports: [u16; 4]) -> Expected {
    Expected {
        plain: ports.into(),
        gray: ports.into(),
    }
}

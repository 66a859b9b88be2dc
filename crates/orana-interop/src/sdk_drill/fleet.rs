//! What an outage drill begins with: a registry, providers, and a consumer that calls them 500 times a second without
//! retries; and the account of its calls that each drill ends with.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::{
    drill::Drill,
    dubbo::{Application, Calls, Consumer, Provider, await_registered},
    program::Program,
    subject::{Product, Setup, Subject},
    tree::Tree,
};

/// How often a consumer calls in a second.
pub const RATE: u32 = 500;

/// The session that every application asks for.
pub const SESSION: Duration = Duration::from_secs(4);

/// How long it may take until an application that is ready is registered as far as others see.
const REGISTERED: Duration = Duration::from_secs(15);

/// A registry, providers and a consumer, all in Rust but for the registry.
pub struct Fleet<'a> {
    /// The applications.
    pub application: Application<'a>,
    /// The registry.
    pub registry: Subject,
    /// Who is called.
    pub providers: Vec<Provider>,
    /// Who calls.
    pub consumer: Consumer,
    began: Instant,
}

/// The server under test, with sessions as short as [`SESSION`].
pub fn registry() -> Result<Setup> {
    Ok(Setup::new(Product::chosen()?).tick(Duration::from_secs(1)))
}

/// The applications of a program, with short sessions and the steady rate.
pub fn applications<'a>(drill: &'a Drill, program: &'a dyn Program, registry: &Subject) -> Application<'a> {
    applications_at(drill, program, &registry.address())
}

/// The same with the registry at that address, for instance that of a path to it.
pub fn applications_at<'a>(drill: &'a Drill, program: &'a dyn Program, registry: &str) -> Application<'a> {
    Application::of(drill, program, registry)
        .bare(SESSION)
        .with(format!("rate={RATE}"))
}

impl<'a> Fleet<'a> {
    /// Starts everything, with `providers` providers, and waits until all of them are called. `options` are arguments for the
    /// programs.
    pub fn start(drill: &'a Drill, program: &'a dyn Program, providers: usize, options: &[&str]) -> Result<Fleet<'a>> {
        let registry = drill.server(registry()?)?;
        let application = options
            .iter()
            .fold(applications(drill, program, &registry), |application, option| {
                application.with(*option)
            });
        let starting = (1..=providers).map(|number| application.provider(&format!("provider-{number}")));
        let starting = starting.collect::<Result<Vec<_>>>()?;
        let providers = starting.into_iter().map(|starting| starting.ready());
        Fleet::of(registry, application, providers.collect::<Result<_>>()?)
    }

    /// The same with providers that run already.
    pub fn of(registry: Subject, application: Application<'a>, providers: Vec<Provider>) -> Result<Fleet<'a>> {
        let consumer = application.consumer("consumer")?.ready()?;
        let mut fleet = Fleet {
            application,
            registry,
            providers,
            consumer,
            began: Instant::now(),
        };
        fleet.until_all_answer()?;
        fleet.begin()?;
        Ok(fleet)
    }

    /// The ports of all providers.
    pub fn ports(&self) -> Vec<u16> {
        self.providers.iter().map(|provider| provider.port).collect()
    }

    /// Starts one more provider and waits until it is called like the others.
    pub fn welcome(&mut self) -> Result<()> {
        let late = self.application.provider("late")?.ready()?;
        self.providers.push(late);
        self.until_all_answer()
    }

    /// Waits until exactly the providers answer, and no call fails.
    pub fn until_all_answer(&mut self) -> Result<()> {
        let ports = self.ports();
        self.consumer.until_answered_by(&ports).map(drop)
    }

    /// Waits until exactly the providers are registered; returns how long that took.
    pub fn until_registered(&self) -> Result<Duration> {
        await_registered(&self.tree()?, &self.ports(), REGISTERED)
    }

    /// A look at the registry, by a client of its own.
    pub fn tree(&self) -> Result<Tree> {
        Tree::at(self.registry.address())
    }

    /// Kills the provider of that place in the list without a word to anybody.
    pub fn kill(&mut self, place: usize) -> Result<()> {
        self.provider(place)?.peer.process().kill()
    }

    /// Asks the provider of that place to end, and waits until it has; an error if it gave calls up.
    pub fn stop(&mut self, place: usize) -> Result<()> {
        stop(self.provider(place)?)
    }

    /// Starts the provider of that place again, at its port.
    pub fn start_again(&mut self, place: usize) -> Result<()> {
        let port = self.provider(place)?.port;
        let name = format!("provider-{}", place + 1);
        *self.provider(place)? = self.application.provider_at(&name, port)?.ready()?;
        Ok(())
    }

    /// The provider of that place in the list.
    pub fn provider(&mut self, place: usize) -> Result<&mut Provider> {
        self.providers.get_mut(place).context("no such provider")
    }

    /// Begins a new account.
    pub fn begin(&mut self) -> Result<()> {
        self.began = Instant::now();
        self.consumer.settle().map(drop)
    }

    /// Says what came of all calls since the account began, `what` it was about, and begins a new one. An error if more than
    /// `bound` failed, or if fewer were made than the rate asks for.
    pub fn account(&mut self, what: &str, bound: u64) -> Result<Calls> {
        let calls = self.consumer.settle()?;
        let took = self.began.elapsed();
        self.began = Instant::now();
        account(self.consumer.peer.name(), what, &calls, took, bound)?;
        let asked = f64::from(RATE) * took.as_secs_f64();
        ensure!(
            (calls.ok + calls.failed) as f64 >= asked * 0.8,
            "{what}: too few calls were made, {asked:.0} were asked for: {calls}"
        );
        Ok(calls)
    }
}

/// Asks a provider to end, and waits until it has; an error if it gave calls up.
pub fn stop(provider: &mut Provider) -> Result<()> {
    let status = provider.peer.process().terminate(Duration::from_secs(20))?;
    ensure!(status.success(), "the provider ended with {status}");
    let unfinished = provider.peer.expect("STOPPED unfinished=", Duration::from_secs(1))?;
    ensure!(unfinished == "0", "the provider gave {unfinished} calls up");
    Ok(())
}

/// Says what came of the calls that `who` made within `took`; an error if more than `bound` failed.
pub fn account(who: &str, what: &str, calls: &Calls, took: Duration, bound: u64) -> Result<()> {
    let made = calls.ok + calls.failed;
    let seconds = took.as_secs_f64();
    eprintln!(
        "    {who}, {what}: {made} calls made in {seconds:.1} s, {} failed",
        calls.failed
    );
    ensure!(
        calls.failed <= bound,
        "{what}: {} of {made} calls failed, at most {bound} may: {calls}",
        calls.failed
    );
    Ok(())
}

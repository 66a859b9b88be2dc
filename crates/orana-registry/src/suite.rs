//! The contract of a back-end as a suite of scenarios: every product passes the same ones.
//!
//! A [`Product`] says how to get clients of it and how to disturb it; a scenario says what must hold. What a product has
//! no notion of (a server that restarts, credentials) it declares, and the scenarios about it are reported as such, so
//! that a test can state exactly which are missing and why. Knows no product.

pub(crate) mod asking;
#[cfg(test)]
mod memory;
mod scenarios;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use orana_core::BoxFuture;

use crate::backend::RegistryBackend;
use crate::error::RegistryError;

pub use scenarios::SCENARIOS;

/// A registry product under test.
pub trait Product: Send + Sync {
    /// A client with a session of its own. All clients of one login see one another.
    fn connect(&self, login: Login) -> Result<Arc<dyn Client>, RegistryError>;

    /// Whether it has this notion at all. What it has not is not asked of it.
    fn has(&self, notion: Notion) -> bool;

    /// The longest time after which a client that died without a word is gone from the lists.
    fn mourning(&self) -> Duration;

    /// Stops the product in the middle of everything and starts it again with its data.
    fn restart(&self) -> BoxFuture<'_, Result<(), String>>;
}

/// One client of a product, and what can happen to it.
pub trait Client: Send + Sync {
    /// Its back-end.
    fn backend(&self) -> Arc<dyn RegistryBackend>;

    /// Cuts its connection, and perhaps those of others, until it is mended.
    fn cut(&self);

    /// Undoes the cut.
    fn mend(&self);

    /// Lets its session end without its doing, and returns when it is connected anew or is trying to be.
    fn expire(&self) -> BoxFuture<'_, Result<(), String>>;

    /// Lets it die without a word: its session stays open as far as the product knows.
    fn die(&self);
}

/// With what a client comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Login {
    /// With nothing.
    Open,
    /// With credentials, to a part of the registry that belongs to them.
    Owner,
    /// To the same part with other credentials.
    Stranger,
}

/// What a product may have a notion of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notion {
    /// A connection that can be cut and mended while the session lasts.
    Connection,
    /// A session that can end while the client lives.
    Session,
    /// A server that can be stopped and started.
    Server,
    /// Credentials.
    Credentials,
    /// A client that can die while the product does not notice at once.
    Death,
}

/// One scenario.
#[derive(Clone, Copy)]
pub struct Scenario {
    /// A sentence about the product.
    pub name: &'static str,
    /// What it needs.
    pub needs: &'static [Notion],
    play: for<'p> fn(&'p dyn Product) -> BoxFuture<'p, Result<(), String>>,
}

/// How a scenario went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it must.
    Passed(Duration),
    /// Not as it must, and how.
    Failed(String),
    /// The product has no such notion.
    Foreign(Notion),
}

/// The longest that one scenario may take, on a machine with other work.
const PATIENCE: Duration = Duration::from_secs(90);

impl Scenario {
    /// Plays it.
    pub async fn play(&self, product: &dyn Product) -> Outcome {
        play(self.needs, |notion| product.has(notion), || (self.play)(product)).await
    }
}

/// Plays what a product has all notions of.
pub(crate) async fn play<'p>(
    needs: &[Notion],
    has: impl Fn(Notion) -> bool,
    scenario: impl FnOnce() -> BoxFuture<'p, Result<(), String>>,
) -> Outcome {
    if let Some(foreign) = needs.iter().find(|notion| !has(**notion)) {
        return Outcome::Foreign(*foreign);
    }
    let start = tokio::time::Instant::now();
    match tokio::time::timeout(PATIENCE, scenario()).await {
        Ok(Ok(())) => Outcome::Passed(start.elapsed()),
        Ok(Err(reason)) => Outcome::Failed(reason),
        Err(_) => Outcome::Failed(format!("it is stuck after {PATIENCE:?}")),
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Passed(took) => write!(f, "passed in {:.3} s", took.as_secs_f64()),
            Outcome::Failed(reason) => write!(f, "failed: {reason}"),
            Outcome::Foreign(notion) => write!(f, "not asked: the product has no {notion:?}"),
        }
    }
}

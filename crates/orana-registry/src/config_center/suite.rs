//! The contract of a configuration centre as a suite of scenarios: every product passes the same ones, its back-end alone
//! and with the policy above it. As with registries ([`crate::suite`]), what a product has no notion of is reported as such.
//! Knows no product.

mod asking;
#[cfg(test)]
mod memory;
mod texts;
mod trouble;

use std::sync::Arc;

use orana_core::BoxFuture;

use super::ConfigBackend;
use crate::error::RegistryError;
use crate::suite::{Login, Notion, Outcome, play};

/// A configuration centre under test.
pub trait Product: Send + Sync {
    /// A client with a session of its own. All clients of one login see one another's texts.
    fn connect(&self, login: Login) -> Result<Arc<dyn Client>, RegistryError>;

    /// Whether it has this notion at all. What it has not is not asked of it.
    fn has(&self, notion: Notion) -> bool;

    /// Stops the product in the middle of everything and starts it again with its data.
    fn restart(&self) -> BoxFuture<'_, Result<(), String>>;
}

/// One client of a product, and what can happen to it.
pub trait Client: Send + Sync {
    /// Its back-end.
    fn backend(&self) -> Arc<dyn ConfigBackend>;

    /// Cuts its connection, and perhaps those of others, until it is mended.
    fn cut(&self);

    /// Undoes the cut.
    fn mend(&self);

    /// Lets its session end without its doing, and returns when it is connected anew or is trying to be.
    fn expire(&self) -> BoxFuture<'_, Result<(), String>>;
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

impl Scenario {
    /// Plays it.
    pub async fn play(&self, product: &dyn Product) -> Outcome {
        play(self.needs, |notion| product.has(notion), || (self.play)(product)).await
    }
}

/// Every scenario, from the plain ones to those that disturb.
pub const SCENARIOS: &[Scenario] = &[
    scenario(
        "a text that is made, changed, taken away and made again is seen within a second",
        &[],
        |p| Box::pin(texts::seen(p)),
    ),
    scenario("the first word is there before a watch begins, absence too", &[], |p| {
        Box::pin(texts::first_word(p))
    }),
    scenario("a question without a watch gets the same answer", &[], |p| {
        Box::pin(texts::asked(p))
    }),
    scenario("an empty text is an absent one", &[], |p| Box::pin(texts::empty(p))),
    scenario("two hundred keys are followed, each for itself", &[], |p| {
        Box::pin(texts::many(p))
    }),
    scenario(
        "of a storm of changes the last is seen, and none after a newer one",
        &[],
        |p| Box::pin(texts::storm(p)),
    ),
    scenario("a long text comes back as it went", &[], |p| Box::pin(texts::long(p))),
    scenario(
        "a text over the limit is reported and the one before it stays",
        &[],
        |p| Box::pin(texts::over_the_limit(p)),
    ),
    scenario("odd characters come back as they went", &[], |p| {
        Box::pin(texts::odd(p))
    }),
    scenario("a key may stand below another", &[], |p| Box::pin(texts::below(p))),
    scenario("whoever does not subscribe any more costs nothing", &[], |p| {
        Box::pin(texts::unsubscribed(p))
    }),
    scenario("a key that leads elsewhere is refused as invalid", &[], |p| {
        Box::pin(trouble::invalid(p))
    }),
    scenario("a closed centre says so", &[], |p| Box::pin(trouble::closed(p))),
    scenario(
        "wrong credentials are a clear error and no endless loop",
        &[Notion::Credentials],
        |p| Box::pin(trouble::credentials(p)),
    ),
    scenario(
        "without a connection a request fails at once and as unreachable",
        &[Notion::Connection],
        |p| Box::pin(trouble::unreachable(p)),
    ),
    scenario(
        "over a cut what is known stays, stale, and what has changed is seen when it is mended",
        &[Notion::Connection],
        |p| Box::pin(trouble::cut(p)),
    ),
    scenario(
        "a session that has expired ends the watches, and the next one brings the texts back",
        &[Notion::Session],
        |p| Box::pin(trouble::expired(p)),
    ),
    scenario("a server that restarts is as good as before", &[Notion::Server], |p| {
        Box::pin(trouble::restart(p))
    }),
];

const fn scenario(
    name: &'static str,
    needs: &'static [Notion],
    play: for<'p> fn(&'p dyn Product) -> BoxFuture<'p, Result<(), String>>,
) -> Scenario {
    Scenario { name, needs, play }
}

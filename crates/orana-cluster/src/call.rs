//! One call as those see it who choose: what is called, by whom, when.

use std::borrow::Cow;

use orana_core::{Invocation, ServiceUrl};

use crate::clock::EpochMillis;

/// What routers and load balances decide by. Time and chance enter here and nowhere else.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// The call itself.
    pub invocation: &'a Invocation,
    /// The method that is meant; of a generic call, the one that it names ([`Invocation::called_name`]).
    pub method: Cow<'a, str>,
    /// The consumer's own URL, with configurators laid over it.
    pub consumer: &'a ServiceUrl,
    /// The moment.
    pub now: EpochMillis,
    /// A uniformly distributed number.
    pub chance: u64,
}

impl<'a> Call<'a> {
    /// A call of `invocation` by `consumer`.
    pub fn new(invocation: &'a Invocation, consumer: &'a ServiceUrl, now: EpochMillis, chance: u64) -> Call<'a> {
        Call {
            method: invocation.called_name(),
            invocation,
            consumer,
            now,
            chance,
        }
    }

    /// The same call with another chance: for a further choice that must not depend on the one before.
    pub fn with_chance(&self, chance: u64) -> Call<'a> {
        Call { chance, ..self.clone() }
    }
}

/// The chance for a further choice within the same one: as good as independent of `chance` (the steps of SplitMix64).
pub(crate) fn another(chance: u64) -> u64 {
    let mut mixed = chance.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// `chance` as a number below `bound`.
pub(crate) fn scaled(chance: u64, bound: u64) -> u64 {
    ((u128::from(chance) * u128::from(bound)) >> 64) as u64
}

/// `chance` as a number from 0 to less than 1.
pub(crate) fn fraction(chance: u64) -> f64 {
    // 53 bits are what a double keeps.
    (chance >> 11) as f64 / (1_u64 << 53) as f64
}

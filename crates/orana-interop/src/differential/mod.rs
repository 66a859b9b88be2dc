//! One script, two servers: what each connection sees must be the same, except ids, times and absolute zxids.
//!
//! An [`author`] writes episodes of requests over several sessions, led by what the [`coverage`] still lacks; two
//! [`side`]s perform them step by step; what they [`seen`] is compared; a difference is cut down to the shortest
//! script that still shows it ([`shrink`]). [`left_out`] holds what is not asked and where we mean to differ.

pub mod author;
pub mod coverage;
pub mod dice;
pub mod goals;
pub mod left_out;
pub mod phrases;
pub mod recipes;
pub mod run;
pub mod script;
pub mod seen;
pub mod shrink;
pub mod side;
pub mod vocabulary;

pub use run::{Outcome, Run};

//! Does what was acknowledged survive `kill -9`? Several sessions write at once, the server is killed in the middle and
//! started again, and then everything that a client can see is held against a model, field by field.
//!
//! ```text
//! worker: deed ─▶ wire ─▶ answer ─▶ the same deed on its model ─▶ do both agree?
//! kill -9: what has no answer stays in the worker's hand, in its order
//! audit:  the tree = model + the first n of those deeds, for some n ─▶ the model goes on from what was found
//! ```
//!
//! Each worker writes below a directory of its own, so its model is exact. What all write to at once (a queue and a
//! counter) is checked by what must hold whatever the order was ([`shared`]). Transactions are compared over everything
//! ([`ledger`]).

pub mod audit;
pub mod deed;
pub mod ledger;
pub mod model;
pub mod shared;
pub mod trial;
pub mod worker;

pub use trial::{Trial, Verdict};

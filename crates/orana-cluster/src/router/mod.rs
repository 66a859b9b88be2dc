//! Routers: each looks at those who are left for a call and takes away. One file each; the chain of a directory is made of them.
//!
//! ```text
//!   all that serve the method ─▶ Router ─▶ Router ─▶ …       each says what it took away, and by which line of which rule
//! ```

mod chain;
mod condition;
mod mock;
mod noted;
mod pattern;
mod report;
mod tag;

use crate::aspect::Aspect;
use crate::call::Call;
use crate::candidates::Candidates;

pub use chain::Routers;
pub use condition::ConditionRouter;
pub use mock::MockSelector;
pub use noted::Noted;
pub use report::{Report, Stage};
pub use tag::TagRouter;

/// A rule about who may be called (`org.apache.dubbo.rpc.cluster.router.state.StateRouter`).
///
/// It never adds anybody. What it decides may depend on the call, its consumer and the list, and on nothing else that changes: a
/// rule that changes becomes another router.
pub trait Router: Send + Sync + 'static {
    /// What it is called in explanations: `condition`, `tag`, …
    fn name(&self) -> &str;

    /// Writes down what of the call decides. For calls with the same aspect, consumer and list the answer of [`Router::route`] is worked out
    /// once. A router that looks at nothing in the call writes nothing.
    fn aspect(&self, call: &Call<'_>, aspect: &mut Aspect);

    /// Who of `set` is left. Says to `report` which part of a rule took whom away.
    ///
    /// # Errors
    /// The reason why it cannot decide. It is logged, and the call goes on as if this router did not exist.
    fn route<'l>(&self, call: &Call<'_>, set: Candidates<'l>, report: &mut Report) -> Result<Routed<'l>, String>;
}

/// What a router leaves.
#[derive(Clone, Debug)]
pub enum Routed<'l> {
    /// These.
    Set(Candidates<'l>),
    /// One of these sets for each call, by chance in proportion to the numbers. None or only zeros: nobody.
    Shares(Vec<(u32, Candidates<'l>)>),
}

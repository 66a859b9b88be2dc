//! `mock`: providers of the protocol `mock` answer only calls that ask for them (`MockInvokersSelector`).

use super::{Report, Routed, Router};
use crate::aspect::Aspect;
use crate::call::Call;
use crate::candidates::Candidates;

const PROTOCOL: &str = "mock";

/// Where a call says that it wants a mock: `true`, and only mocks are called; absent, and none is; anything else, and both are.
const ASKED: &str = "invocation.need.mock";

/// Keeps mocks and real providers apart. Always first in a chain.
#[derive(Clone, Copy, Debug, Default)]
pub struct MockSelector;

impl Router for MockSelector {
    fn name(&self) -> &str {
        "mock"
    }

    fn aspect(&self, call: &Call<'_>, aspect: &mut Aspect) {
        aspect.text(call.invocation.attachments.get(ASKED));
    }

    fn route<'l>(&self, call: &Call<'_>, set: Candidates<'l>, report: &mut Report) -> Result<Routed<'l>, String> {
        let wanted = match call.invocation.attachments.get(ASKED) {
            None => false,
            Some(asked) if asked.eq_ignore_ascii_case("true") => true,
            Some(_) => return Ok(Routed::Set(set)),
        };
        let mut left = set.clone();
        left.retain(|endpoint| (endpoint.url().protocol() == Some(PROTOCOL)) == wanted);
        if left.len() != set.len() {
            report.step(
                || {
                    format!(
                        "mock providers are {} this call",
                        if wanted { "all for" } else { "not for" }
                    )
                },
                &set,
                &left,
            );
        }
        Ok(Routed::Set(left))
    }
}

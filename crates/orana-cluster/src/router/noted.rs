//! A rule that is there and has no effect: it stands in the chain so that an explanation names it.

use super::{Report, Routed, Router};
use crate::aspect::Aspect;
use crate::call::Call;
use crate::candidates::Candidates;

/// Takes nobody away; says why.
#[derive(Clone, Debug)]
pub struct Noted {
    name: String,
    note: String,
}

impl Noted {
    /// A rule for the router `name`; `note` says which rule it is and why it has no effect.
    pub fn new(name: &str, note: &str) -> Noted {
        Noted {
            name: name.to_owned(),
            note: note.to_owned(),
        }
    }
}

impl Router for Noted {
    fn name(&self) -> &str {
        &self.name
    }

    fn aspect(&self, _: &Call<'_>, _: &mut Aspect) {}

    fn route<'l>(&self, _: &Call<'_>, set: Candidates<'l>, report: &mut Report) -> Result<Routed<'l>, String> {
        report.step(|| self.note.clone(), &set, &set);
        Ok(Routed::Set(set))
    }
}

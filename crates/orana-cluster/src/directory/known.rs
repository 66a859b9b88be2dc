//! What a directory has been told, for explanations: what is published says who is there and not who is not.

use std::sync::Arc;

use orana_core::{Connector, ServiceUrl};

use super::{Directory, List};
use crate::governance::Governance;

/// What a directory has been told, and what calls see of it. The former may be a moment ahead.
pub(crate) struct Known {
    /// The list of the registry; `None` if it told none.
    pub(crate) told: Option<Arc<[ServiceUrl]>>,
    /// What is laid over it.
    pub(crate) governance: Governance,
    /// What calls choose from.
    pub(crate) list: List,
}

impl Directory {
    /// What it knows, whether calls find a list or not.
    pub(crate) fn known(&self) -> Known {
        let list = List(self.published.load());
        let update = self.updates.borrow();
        Known {
            told: update.providers.clone(),
            governance: update.governance.clone(),
            list,
        }
    }

    /// Who opens its connections.
    pub(crate) fn connector(&self) -> &dyn Connector {
        &*self.connector
    }
}

//! One service to provide, and how.

use std::sync::Arc;

use orana_core::Filter;
use orana_rpc::Service;

/// A service with what its registration says beyond the definition. Made of a service by itself, or by hand:
/// `Export::new(GreeterService::new(Polite)).group("blue").parameter("weight", 50)`.
pub struct Export {
    pub(crate) service: Arc<dyn Service>,
    pub(crate) group: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) parameters: Vec<(String, String)>,
    pub(crate) filters: Vec<Arc<dyn Filter>>,
    pub(crate) register: bool,
}

impl Export {
    /// `service` with the group and version of its definition.
    pub fn new(service: impl Service) -> Export {
        let definition = service.definition();
        let own = |name: &Option<std::borrow::Cow<'static, str>>| name.as_deref().map(str::to_owned);
        Export {
            group: own(&definition.group),
            version: own(&definition.version),
            service: Arc::new(service),
            parameters: Vec::new(),
            filters: Vec::new(),
            register: true,
        }
    }

    /// In that group; empty for none.
    #[must_use]
    pub fn group(mut self, group: &str) -> Export {
        self.group = Some(group.to_owned()).filter(|group| !group.is_empty());
        self
    }

    /// Of that version; empty for none.
    #[must_use]
    pub fn version(mut self, version: &str) -> Export {
        self.version = Some(version.to_owned()).filter(|version| !version.is_empty());
        self
    }

    /// Puts a parameter into the URL: `weight`, `timeout`, `say.retries`, … For consumers it is a default.
    #[must_use]
    pub fn parameter(mut self, key: &str, value: impl ToString) -> Export {
        self.parameters.push((key.to_owned(), value.to_string()));
        self
    }

    /// Puts a filter before its calls, behind those of the application.
    #[must_use]
    pub fn filter(mut self, filter: impl Filter) -> Export {
        self.filters.push(Arc::new(filter));
        self
    }

    /// Whether registries are to know of it. Otherwise only those find it who know the address.
    #[must_use]
    pub fn register(mut self, register: bool) -> Export {
        self.register = register;
        self
    }
}

impl<S: Service> From<S> for Export {
    fn from(service: S) -> Export {
        Export::new(service)
    }
}

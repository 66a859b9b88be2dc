//! A typed client: what `#[service]` makes of a trait for those who call.

use orana_rpc::ServiceDefinition;

use crate::reference::Reference;

/// A struct that calls a service by way of a [`Reference`]; written by `#[service]`.
pub trait Client: Sized {
    /// The interface and its methods.
    fn definition() -> &'static ServiceDefinition;

    /// A client over a reference to that interface.
    fn over(reference: Reference) -> Self;

    /// The reference it calls by.
    fn reference(&self) -> &Reference;

    /// The same client, with calls changed by `change`:
    /// `greeter.with(|calls| calls.timeout(Duration::from_millis(50)).attachment("dubbo.tag", "gray")).say_hello(…)`.
    #[must_use]
    fn with(&self, change: impl FnOnce(Reference) -> Reference) -> Self {
        Self::over(change(self.reference().clone()))
    }
}

//! Which entries of a registry's list can be called, and by which URL. Decides only, each entry by itself.

use orana_core::{Connector, ServiceUrl};

use crate::governance::Governance;
use crate::merge::merged;

/// Why a URL is no provider for `consumer`.
pub(crate) fn unusable(url: &ServiceUrl, consumer: &ServiceUrl, connector: &dyn Connector) -> Option<&'static str> {
    let Some(protocol) = url.protocol() else {
        return Some("it names no protocol");
    };
    if protocol == "empty" {
        return Some("it stands for an empty list and stands beside others");
    }
    if url.host().is_none() || url.port().is_none() {
        return Some("it names no host and port");
    }
    let wanted = consumer.parameter("protocol").filter(|wanted| !wanted.is_empty());
    if let Some(wanted) = wanted
        && !wanted.split(',').any(|one| one.trim() == protocol)
    {
        return Some("the consumer asks for other protocols");
    }
    if !connector.supports(protocol) {
        return Some("its protocol is not supported");
    }
    None
}

/// The URL by which `consumer` calls a provider: the two merged, with rules laid over that. A mock is the consumer's own matter: neither a
/// provider nor a rule about one can impose it.
pub(crate) fn as_called(provider: &ServiceUrl, consumer: &ServiceUrl, governance: &Governance) -> ServiceUrl {
    let url = governance.configured(merged(provider, consumer));
    match url.parameter("mock") {
        Some(_) => url.edit().remove("mock").build(),
        None => url,
    }
}

/// Whether a merged URL says that it is not to be called; a rule may say so, too.
pub(crate) fn is_disabled(url: &ServiceUrl) -> bool {
    match url.parameter("disabled") {
        Some(disabled) => disabled == "true",
        None => url.parameter("enabled") == Some("false"),
    }
}

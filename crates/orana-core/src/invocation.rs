//! One call: what is called, with what, and how long it may take.
//!
//! Arguments and results are carried as bytes of a serialisation that this crate does not understand: they are written once, by the
//! one who has the typed values, and stay the same bytes through choice, retries and filters.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::attachments::Attachments;
use crate::key::ServiceKey;

/// A method of a service, as a caller knows it. Made once for many calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Method {
    /// The service; its group and version may be patterns (`*`, `a,b`) when a consumer asked for any of several.
    pub service: Arc<ServiceKey>,
    /// The name, as Java spells it.
    pub name: Box<str>,
    /// The parameter types as joined JVM descriptors: `Ljava/lang/String;I`; empty for no parameters.
    pub descriptor: Box<str>,
}

/// Values in the bytes of a serialisation, and the function that finds one of them again.
#[derive(Clone)]
pub struct Encoded {
    bytes: Bytes,
    count: usize,
    text: fn(&[u8], usize) -> Option<Cow<'_, str>>,
}

/// One call on its way.
///
/// Immutable while it is under way; who wants to add something (a filter an attachment) makes a changed copy, which shares
/// method and arguments with the original.
#[derive(Clone, Debug)]
pub struct Invocation {
    method: Arc<Method>,
    arguments: Encoded,
    /// What travels beside the arguments.
    pub attachments: Attachments,
    /// What the caller wants of this one call.
    pub options: CallOptions,
}

/// What a caller may settle for one call; what is left open is settled by configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallOptions {
    /// How long one attempt may take, if not as long as configured.
    pub timeout: Option<Duration>,
    /// The moment at which nobody waits for the answer any more, whatever attempt it is; no attempt waits longer. Travels with the call.
    pub deadline: Option<Instant>,
    /// The one provider to call, `host:port`; no other is tried.
    pub target: Option<Arc<str>>,
    /// Whether no answer is wanted.
    pub one_way: bool,
}

impl Method {
    /// The method `name` of `service` with parameters of `descriptor`.
    pub fn new(service: impl Into<Arc<ServiceKey>>, name: &str, descriptor: &str) -> Method {
        Method {
            service: service.into(),
            name: name.into(),
            descriptor: descriptor.into(),
        }
    }
}

/// `group/interface:version.name`
impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.service, self.name)
    }
}

impl Encoded {
    /// `count` values in `bytes`; `text` gives the text of the value at an index the way Java's `String.valueOf` would, for
    /// rules and rings that look at arguments, and `None` for what has no such text or is not there.
    pub fn new(bytes: Bytes, count: usize, text: fn(&[u8], usize) -> Option<Cow<'_, str>>) -> Encoded {
        Encoded { bytes, count, text }
    }

    /// No values.
    pub const fn none() -> Encoded {
        Encoded {
            bytes: Bytes::new(),
            count: 0,
            text: |_, _| None,
        }
    }

    /// The values, one after the other.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// How many values there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The text of one value.
    pub fn text(&self, index: usize) -> Option<Cow<'_, str>> {
        (self.text)(&self.bytes, index)
    }
}

impl fmt::Debug for Encoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} values in {} bytes", self.count, self.bytes.len())
    }
}

impl Invocation {
    /// A call of `method` with `arguments`.
    pub fn new(method: Arc<Method>, arguments: Encoded) -> Invocation {
        Invocation {
            method,
            arguments,
            attachments: Attachments::new(),
            options: CallOptions::default(),
        }
    }

    /// The method and its service.
    pub fn method(&self) -> &Arc<Method> {
        &self.method
    }

    /// The name of the method.
    pub fn method_name(&self) -> &str {
        &self.method.name
    }

    /// The name of the method that is meant, by which its settings are found: of a generic call, the name that it carries as
    /// its first argument (`RpcUtils.getMethodName`).
    pub fn called_name(&self) -> Cow<'_, str> {
        match self.is_generic() {
            true => self.argument_text(0).unwrap_or(Cow::Borrowed(self.method_name())),
            false => Cow::Borrowed(self.method_name()),
        }
    }

    /// Whether this is a call of `$invoke` or `$invokeAsync`, which carries the method that is meant among its arguments.
    pub fn is_generic(&self) -> bool {
        matches!(self.method_name(), "$invoke" | "$invokeAsync")
    }

    /// The service.
    pub fn service(&self) -> &ServiceKey {
        &self.method.service
    }

    /// The arguments.
    pub fn arguments(&self) -> &Encoded {
        &self.arguments
    }

    /// The text of one argument, see [`Encoded::text`].
    pub fn argument_text(&self, index: usize) -> Option<Cow<'_, str>> {
        self.arguments.text(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, first: &'static str) -> Invocation {
        let text: fn(&[u8], usize) -> Option<Cow<'_, str>> = |bytes, index| {
            let text = std::str::from_utf8(bytes).ok()?;
            (index == 0).then_some(Cow::Borrowed(text))
        };
        let method = Method::new(ServiceKey::new("i", None, None), name, "");
        Invocation::new(Arc::new(method), Encoded::new(first.into(), 1, text))
    }

    #[test]
    fn a_generic_call_is_of_the_method_that_its_first_argument_names() {
        assert_eq!(named("say", "bob").called_name(), "say");
        assert_eq!(named("$invoke", "say").called_name(), "say");
        assert_eq!(named("$invokeAsync", "say").called_name(), "say");
        let method = Method::new(ServiceKey::new("i", None, None), "$invoke", "");
        let empty = Invocation::new(Arc::new(method), Encoded::none());
        assert_eq!(empty.called_name(), "$invoke");
    }
}

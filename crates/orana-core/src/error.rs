//! Why a call failed, in Dubbo's own codes, with what a person needs to act on it.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::invocation::Invocation;

/// The codes of `org.apache.dubbo.rpc.RpcException`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RpcErrorCode {
    /// 0: none of the others.
    Unknown,
    /// 1: the provider was not reached, or the connection broke before the answer came.
    Network,
    /// 2: the answer did not come in time.
    Timeout,
    /// 3: the service's own code raised an exception; see [`RpcError::exception`].
    Business,
    /// 4: nobody may be called: the registry lists no provider.
    Forbidden,
    /// 5: a value could not be written or read.
    Serialization,
    /// 6: providers are registered, and rules left none of them.
    NoInvokerAfterFilter,
    /// 7: a limit on calls was reached.
    LimitExceeded,
    /// 8: the time of the whole chain of calls was over before this one began.
    TimeoutTerminate,
    /// 9: the registry could not be asked.
    Registry,
    /// 10: the rules are not computed yet.
    RouterCacheNotBuild,
    /// 11: the service has no such method.
    MethodNotFound,
    /// 12: arguments did not pass validation.
    Validation,
    /// 13: the caller is not allowed to call.
    Authorization,
}

/// An exception of the service's own code: what a Java program would catch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// The Java class.
    pub class: Arc<str>,
    /// `getMessage()`.
    pub message: Option<Arc<str>>,
    /// The exception object in the bytes of the serialisation, a stream of its own, if it is more than class and message.
    pub object: Option<Bytes>,
}

/// A call that failed, or a reference or export that could not be made.
///
/// One pointer wide, so that results stay small. Printing it with `{}` gives one line with everything but the sources, which are found by
/// [`Error::source`].
#[derive(Clone)]
pub struct RpcError(Box<Parts>);

#[derive(Clone)]
struct Parts {
    code: RpcErrorCode,
    message: Box<str>,
    call: Option<Box<str>>,
    address: Option<Box<str>>,
    rule: Option<Box<str>>,
    exception: Option<Exception>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl RpcErrorCode {
    /// Every code.
    pub const ALL: [RpcErrorCode; 14] = [
        RpcErrorCode::Unknown,
        RpcErrorCode::Network,
        RpcErrorCode::Timeout,
        RpcErrorCode::Business,
        RpcErrorCode::Forbidden,
        RpcErrorCode::Serialization,
        RpcErrorCode::NoInvokerAfterFilter,
        RpcErrorCode::LimitExceeded,
        RpcErrorCode::TimeoutTerminate,
        RpcErrorCode::Registry,
        RpcErrorCode::RouterCacheNotBuild,
        RpcErrorCode::MethodNotFound,
        RpcErrorCode::Validation,
        RpcErrorCode::Authorization,
    ];

    /// Dubbo's number.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The code of that number.
    pub fn from_number(number: i64) -> Option<RpcErrorCode> {
        let index = usize::try_from(number).ok()?;
        RpcErrorCode::ALL.get(index).copied()
    }

    /// A short name, in the words of a log line.
    pub fn name(self) -> &'static str {
        match self {
            RpcErrorCode::Unknown => "unknown",
            RpcErrorCode::Network => "network",
            RpcErrorCode::Timeout => "timeout",
            RpcErrorCode::Business => "business",
            RpcErrorCode::Forbidden => "forbidden",
            RpcErrorCode::Serialization => "serialization",
            RpcErrorCode::NoInvokerAfterFilter => "no-invoker-after-filter",
            RpcErrorCode::LimitExceeded => "limit-exceeded",
            RpcErrorCode::TimeoutTerminate => "timeout-terminate",
            RpcErrorCode::Registry => "registry",
            RpcErrorCode::RouterCacheNotBuild => "router-cache-not-build",
            RpcErrorCode::MethodNotFound => "method-not-found",
            RpcErrorCode::Validation => "validation",
            RpcErrorCode::Authorization => "authorization",
        }
    }
}

impl fmt::Display for RpcErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl RpcError {
    /// A failure of that kind; `message` says what happened and, where there is something to do, what.
    pub fn new(code: RpcErrorCode, message: impl Into<Box<str>>) -> RpcError {
        RpcError(Box::new(Parts {
            code,
            message: message.into(),
            call: None,
            address: None,
            rule: None,
            exception: None,
            source: None,
        }))
    }

    /// An exception that the service's own code raised, or raises: the far side sees that Java class with that message.
    pub fn exception_of(exception: Exception) -> RpcError {
        let message = match &exception.message {
            Some(message) => format!("{}: {message}", exception.class),
            None => exception.class.to_string(),
        };
        let mut error = RpcError::new(RpcErrorCode::Business, message);
        error.0.exception = Some(exception);
        error
    }

    /// An exception of the Java class `class`, see [`RpcError::exception_of`].
    pub fn thrown(class: impl Into<Arc<str>>, message: impl Into<Arc<str>>) -> RpcError {
        RpcError::exception_of(Exception {
            class: class.into(),
            message: Some(message.into()),
            object: None,
        })
    }

    /// Says which call it was, unless that is known already.
    pub fn calling(mut self, invocation: &Invocation) -> RpcError {
        self.0
            .call
            .get_or_insert_with(|| invocation.method().to_string().into());
        self
    }

    /// Says which service (or method) it was about, unless that is known already.
    pub fn about(mut self, subject: impl fmt::Display) -> RpcError {
        self.0.call.get_or_insert_with(|| subject.to_string().into());
        self
    }

    /// Says under which name the caller knows what it was about, in the place of what is known.
    pub fn known_as(mut self, subject: impl fmt::Display) -> RpcError {
        self.0.call = Some(subject.to_string().into());
        self
    }

    /// Says which address was called, unless that is known already.
    pub fn at(mut self, address: impl fmt::Display) -> RpcError {
        self.0.address.get_or_insert_with(|| address.to_string().into());
        self
    }

    /// Says which rule decided.
    pub fn by_rule(mut self, rule: impl Into<Box<str>>) -> RpcError {
        self.0.rule = Some(rule.into());
        self
    }

    /// Adds to the message.
    pub fn adding(mut self, more: impl fmt::Display) -> RpcError {
        self.0.message = format!("{}; {more}", self.0.message).into();
        self
    }

    /// Says what was behind it.
    pub fn because(mut self, source: impl Error + Send + Sync + 'static) -> RpcError {
        self.0.source = Some(Arc::new(source));
        self
    }

    /// Its kind.
    pub fn code(&self) -> RpcErrorCode {
        self.0.code
    }

    /// What happened, without the places.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The call, or what else it was about.
    pub fn call(&self) -> Option<&str> {
        self.0.call.as_deref()
    }

    /// The provider that was called.
    pub fn address(&self) -> Option<&str> {
        self.0.address.as_deref()
    }

    /// The rule that decided.
    pub fn rule(&self) -> Option<&str> {
        self.0.rule.as_deref()
    }

    /// The exception of the service's own code, if it is one.
    pub fn exception(&self) -> Option<&Exception> {
        self.0.exception.as_ref()
    }

    /// Whether another provider may be tried (Dubbo's failover tries for everything but an exception of the service; kinds that
    /// every other provider would answer the same, or that leave nobody to try, are left out here too).
    pub fn retryable(&self) -> bool {
        matches!(
            self.0.code,
            RpcErrorCode::Unknown
                | RpcErrorCode::Network
                | RpcErrorCode::Timeout
                | RpcErrorCode::LimitExceeded
                | RpcErrorCode::RouterCacheNotBuild
        )
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = &*self.0;
        if let Some(call) = &parts.call {
            write!(f, "`{call}`")?;
            match &parts.address {
                Some(address) => write!(f, " at {address}: ")?,
                None => f.write_str(": ")?,
            }
        } else if let Some(address) = &parts.address {
            write!(f, "{address}: ")?;
        }
        f.write_str(&parts.message)?;
        if let Some(rule) = &parts.rule {
            write!(f, " (by {rule})")?;
        }
        if parts.code != RpcErrorCode::Business {
            write!(f, " [{}]", parts.code)?;
        }
        Ok(())
    }
}

impl fmt::Debug for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RpcError({self}")?;
        let mut source = self.source();
        while let Some(cause) = source {
            write!(f, ", because {cause}")?;
            source = cause.source();
        }
        f.write_str(")")
    }
}

impl Error for RpcError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_ref().map(|source| &**source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invocation::{Encoded, Method};
    use crate::key::ServiceKey;

    #[test]
    fn every_code_is_found_by_its_number() {
        for (number, code) in RpcErrorCode::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(code.number()), number);
            assert_eq!(RpcErrorCode::from_number(number as i64), Some(code));
        }
        assert_eq!(RpcErrorCode::from_number(-1), None);
        assert_eq!(RpcErrorCode::from_number(14), None);
    }

    #[test]
    fn one_line_says_what_happened_to_which_call_where_and_by_which_rule() {
        let method = Method::new(ServiceKey::new("org.Shop", None, Some("1.0")), "buy", "");
        let invocation = Invocation::new(method.into(), Encoded::none());
        let error = RpcError::new(RpcErrorCode::Network, "connection refused")
            .calling(&invocation)
            .at("127.0.0.1:1")
            .by_rule("tag gray")
            .because(std::io::Error::other("os error 111"));
        assert_eq!(
            error.to_string(),
            "`org.Shop:1.0.buy` at 127.0.0.1:1: connection refused (by tag gray) [network]"
        );
        assert!(format!("{error:?}").contains("because os error 111"));
        assert!(error.retryable());
    }

    #[test]
    fn an_exception_of_the_service_is_never_tried_again() {
        let error = RpcError::thrown("org.shop.SoldOut", "none left");
        assert_eq!(error.to_string(), "org.shop.SoldOut: none left");
        assert_eq!(error.code(), RpcErrorCode::Business);
        assert!(!error.retryable());
    }
}

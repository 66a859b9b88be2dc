//! What a call came to, in the few kinds that breakers, outlier detection and metrics tell apart.
//!
//! One place decides it, so that a dashboard and a breaker never disagree on what a failure is. Knows nothing of who counts.

use orana_core::{Reply, RpcError, RpcErrorCode};

/// Dubbo's own exception, under its names of today and of 2.6: a failure of the machinery that was carried inside a result.
const RPC_EXCEPTIONS: [&str; 2] = [
    "org.apache.dubbo.rpc.RpcException",
    "com.alibaba.dubbo.rpc.RpcException",
];

/// The kind of end of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// A result.
    Success,
    /// An exception of the service's own code: the provider works.
    Business,
    /// No answer in time.
    Timeout,
    /// A limit refused it, here or there.
    Limit,
    /// The provider was not reached, or did not perform the call.
    Network,
    /// A value could not be written or read.
    Codec,
    /// The registry lists nobody (code 4).
    Unavailable,
    /// The provider said no for good reason: no such method, invalid arguments, no permission.
    Refused,
    /// Nobody was called: rules left nobody, the registry was not reached, the time of the whole chain was over.
    NotCalled,
    /// Any other failure.
    Unknown,
}

/// What an outcome says of the health of the provider that was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It answered as it should.
    Healthy,
    /// It did not.
    Faulty,
    /// Nothing: it was not asked, or the fault is the caller's.
    Neutral,
}

impl Outcome {
    /// The kind of that result.
    pub fn of(result: &Result<Reply, RpcError>) -> Outcome {
        match result {
            Ok(_) => Outcome::Success,
            Err(error) => Outcome::of_error(error),
        }
    }

    /// The kind of that failure.
    pub fn of_error(error: &RpcError) -> Outcome {
        if let Some(exception) = error.exception()
            && RPC_EXCEPTIONS.contains(&&*exception.class)
        {
            return Outcome::Unknown;
        }
        match error.code() {
            RpcErrorCode::Business => Outcome::Business,
            RpcErrorCode::Timeout => Outcome::Timeout,
            RpcErrorCode::LimitExceeded => Outcome::Limit,
            RpcErrorCode::Network => Outcome::Network,
            RpcErrorCode::Serialization => Outcome::Codec,
            RpcErrorCode::Forbidden => Outcome::Unavailable,
            RpcErrorCode::MethodNotFound | RpcErrorCode::Validation | RpcErrorCode::Authorization => Outcome::Refused,
            RpcErrorCode::NoInvokerAfterFilter
            | RpcErrorCode::RouterCacheNotBuild
            | RpcErrorCode::Registry
            | RpcErrorCode::TimeoutTerminate => Outcome::NotCalled,
            _ => Outcome::Unknown,
        }
    }

    /// What it says of the provider.
    pub fn verdict(self) -> Verdict {
        match self {
            Outcome::Success | Outcome::Business | Outcome::Refused => Verdict::Healthy,
            Outcome::Timeout | Outcome::Network | Outcome::Unknown => Verdict::Faulty,
            Outcome::Limit | Outcome::Codec | Outcome::Unavailable | Outcome::NotCalled => Verdict::Neutral,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_kind() {
        use Outcome::*;
        let kinds = RpcErrorCode::ALL.map(|code| Outcome::of_error(&RpcError::new(code, "x")));
        let expected = [
            Unknown,
            Network,
            Timeout,
            Business,
            Unavailable,
            Codec,
            NotCalled,
            Limit,
            NotCalled,
            NotCalled,
            NotCalled,
            Refused,
            Refused,
            Refused,
        ];
        assert_eq!(kinds, expected);
        assert_eq!(Outcome::of(&Ok(Reply::null())), Success);
    }

    #[test]
    fn an_exception_of_the_service_is_no_fault_of_the_provider_but_dubbos_own_is() {
        let business = Outcome::of_error(&RpcError::thrown("org.shop.SoldOut", "none left"));
        assert_eq!((business, business.verdict()), (Outcome::Business, Verdict::Healthy));
        for class in RPC_EXCEPTIONS {
            let failed = Outcome::of_error(&RpcError::thrown(class, "refused"));
            assert_eq!((failed, failed.verdict()), (Outcome::Unknown, Verdict::Faulty));
        }
    }

    #[test]
    fn a_limit_on_the_callers_own_side_says_nothing_of_the_provider() {
        let limited = Outcome::of_error(&RpcError::new(RpcErrorCode::LimitExceeded, "x"));
        assert_eq!(limited.verdict(), Verdict::Neutral);
    }
}

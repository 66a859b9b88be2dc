//! Whether a provider is to be left alone for a while: its circuit breakers, and its record among its neighbours. Off unless a URL asks for it.

use std::sync::Arc;
use std::time::Instant;

use orana_core::{RpcError, RpcErrorCode, ServiceUrl};

use crate::endpoint::Endpoint;
use crate::filter::{BreakerCall, Breakers, Outcome, OutlierDetector, OutlierRecord, OutlierSettings};

/// What is known of the health of one endpoint.
pub(crate) struct Health {
    breakers: Option<Breakers>,
    /// Kept when the URL changes.
    record: Arc<OutlierRecord>,
}

/// Compares the endpoints of one reference, if its consumer asks for that (`outlier=true`).
#[derive(Default)]
pub(crate) struct Neighbours(Option<OutlierDetector>);

impl Health {
    /// Of an endpoint with that merged URL.
    pub(crate) fn of(url: &ServiceUrl, record: Arc<OutlierRecord>) -> Health {
        Health {
            breakers: Breakers::of(url),
            record,
        }
    }

    /// Whether a call of `method` is welcome now.
    pub(crate) fn admits(&self, method: &str, now: Instant) -> bool {
        !self.record.is_ejected(now)
            && self
                .breakers
                .as_ref()
                .is_none_or(|breakers| breakers.admits(method, now))
    }

    /// Begins a call; an error if its breaker is open. Somebody who is only ejected may be called: nobody else may be left.
    pub(crate) fn begin(&self, method: &str, now: Instant) -> Result<Option<BreakerCall>, RpcError> {
        let Some(breakers) = &self.breakers else {
            return Ok(None);
        };
        breakers.begin(method, now).map(Some).ok_or_else(|| {
            let message = format!("the circuit breaker of {method} is open here: too many calls failed or were slow, and it is tried again soon");
            RpcError::new(RpcErrorCode::LimitExceeded, message)
        })
    }
}

impl Neighbours {
    /// As the consumer's URL says.
    pub(crate) fn of(consumer: &ServiceUrl, now: Instant) -> Neighbours {
        Neighbours(OutlierSettings::of(consumer).map(|settings| OutlierDetector::new(settings, now)))
    }

    /// Takes how a call ended; `fleet` gives everybody that is listed, when that is needed.
    pub(crate) fn ended(
        &self,
        endpoint: &Endpoint,
        outcome: Outcome,
        now: Instant,
        fleet: impl Fn() -> Vec<Arc<Endpoint>>,
    ) {
        let Some(detector) = &self.0 else { return };
        let record = &endpoint.health().record;
        let records = || {
            fleet()
                .iter()
                .map(|one| Arc::clone(&one.health().record))
                .collect::<Vec<_>>()
        };
        let mut all = Vec::new();
        let ejected = detector.end(record, outcome, now, || {
            all = records();
            all.iter().map(|record| &**record)
        });
        if ejected {
            tracing::warn!(provider = %endpoint.address(), "a provider failed too often in a row and is left out for a while");
        }
        if detector.sweep_due(now) {
            let all = records();
            let all: Vec<&OutlierRecord> = all.iter().map(|record| &**record).collect();
            let ejected = detector.sweep(&all, now);
            if ejected > 0 {
                tracing::warn!(
                    ejected,
                    of = all.len(),
                    "providers do far worse than the others and are left out for a while"
                );
            }
        }
    }
}

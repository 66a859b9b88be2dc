//! What a program can say of a product that it cannot reach, and how long it waits for it: the words and the waiting that
//! registries and configuration centres share.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::backend::Link;
use crate::error::{RegistryError, RegistryErrorKind};
use crate::topic::Progress;

/// One product at one address.
pub(crate) struct Contact<'a> {
    /// `registry`, `configuration centre`.
    pub(crate) what: &'static str,
    /// Without credentials.
    pub(crate) address: &'a Arc<str>,
    pub(crate) link: &'a watch::Receiver<Link>,
}

/// How waiting for progress ended.
pub(crate) enum Waited {
    Settled,
    /// It failed, or nobody can tell in time.
    Not(RegistryError),
}

impl Contact<'_> {
    /// Waits for an item until `until`. While `patient`, troubles that may pass are waited out; otherwise the first sign of
    /// one ends the waiting.
    pub(crate) async fn wait(&self, mut progress: watch::Receiver<Progress>, until: Instant, patient: bool) -> Waited {
        let mut link = self.link.clone();
        let mut last = None;
        loop {
            match progress.borrow_and_update().clone() {
                Progress::Settled | Progress::Gone => return Waited::Settled,
                Progress::Pending => {}
                Progress::Failed { error, again } => {
                    use RegistryErrorKind::{TimedOut, Unreachable};
                    if !(patient && again && matches!(error.kind(), TimedOut | Unreachable)) {
                        return Waited::Not(error);
                    }
                    last = Some(error);
                }
            }
            let trouble = match &*link.borrow_and_update() {
                Link::Refused { reason } => Some((RegistryErrorKind::Refused, reason.clone())),
                Link::Down { reason } if !patient => Some((RegistryErrorKind::Unreachable, reason.clone())),
                _ => None,
            };
            if let Some((kind, reason)) = trouble {
                return Waited::Not(self.error(kind, reason));
            }
            tokio::select! {
                changed = progress.changed() => {
                    if changed.is_err() {
                        return Waited::Not(self.closed());
                    }
                }
                Ok(()) = link.changed() => {}
                () = tokio::time::sleep_until(until) => {
                    return Waited::Not(last.unwrap_or_else(|| self.unreachable()));
                }
            }
        }
    }

    /// Waits until a request can be made; not longer than `limit`.
    ///
    /// # Errors
    /// What keeps it from being made.
    pub(crate) async fn reach(&self, limit: Duration) -> Result<(), RegistryError> {
        let mut link = self.link.clone();
        let decided = link.wait_for(|link| *link != Link::Connecting);
        let up = timeout(limit, decided)
            .await
            .is_ok_and(|link| link.is_ok_and(|link| link.is_up()));
        if up { Ok(()) } else { Err(self.unreachable()) }
    }

    /// A request of the back-end, for at most `limit`.
    pub(crate) async fn in_time<T>(
        &self,
        limit: Duration,
        request: impl Future<Output = Result<T, RegistryError>>,
    ) -> Result<T, RegistryError> {
        match timeout(limit, request).await {
            Ok(outcome) => outcome,
            Err(_) => {
                let what = format!("the {} did not answer within {limit:?}", self.what);
                Err(self.error(RegistryErrorKind::TimedOut, what))
            }
        }
    }

    /// Why nothing is answered at the moment.
    pub(crate) fn unreachable(&self) -> RegistryError {
        let product = self.what;
        let what = match &*self.link.borrow() {
            Link::Up { .. } => format!("the {product} did not answer in time"),
            Link::Connecting => format!("the {product} cannot be reached in time"),
            Link::Down { reason } => format!("the {product} cannot be reached: {reason}"),
            Link::Refused { reason } => {
                return self.error(
                    RegistryErrorKind::Refused,
                    format!("the {product} refuses us: {reason}"),
                );
            }
        };
        self.error(RegistryErrorKind::Unreachable, what)
    }

    pub(crate) fn closed(&self) -> RegistryError {
        let what = format!("the {} was closed by this program", self.what);
        self.error(RegistryErrorKind::Closed, what)
    }

    pub(crate) fn error(&self, kind: RegistryErrorKind, what: impl Into<Arc<str>>) -> RegistryError {
        RegistryError::new(kind, Arc::clone(self.address), what)
    }
}

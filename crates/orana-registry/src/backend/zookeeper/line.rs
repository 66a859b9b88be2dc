//! A back-end's end of its connection to a ZooKeeper: the session while there is one, and why not while there is none. At
//! the other end is the keeper. Knows nothing of what the session is used for.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::timeout;

use super::keeper::{self, Board, Live, Service};
use super::settings::Settings;
use crate::backend::Link;
use crate::error::{RegistryError, RegistryErrorKind};

/// The line of one back-end; `O` is what its sessions can be asked for. Dropping it closes the session.
pub(crate) struct Line<O> {
    settings: Arc<Settings>,
    link: watch::Receiver<Link>,
    live: watch::Receiver<Option<Live<O>>>,
    closing: watch::Sender<bool>,
}

impl<O: Send + 'static> Line<O> {
    /// Begins to connect; in each session `service` does what it is asked for.
    ///
    /// # Errors
    /// [`RegistryErrorKind::Failed`] when the system has no thread for it.
    pub(crate) fn open<S: Service<Order = O>>(settings: Arc<Settings>, service: S) -> Result<Line<O>, RegistryError> {
        let (link_sender, link) = watch::channel(Link::Connecting);
        let (live_sender, live) = watch::channel(None);
        let (closing, asked_to_close) = watch::channel(false);
        let board = Board {
            link: link_sender,
            live: live_sender,
        };
        keeper::start(Arc::clone(&settings), service, board, asked_to_close)?;
        Ok(Line {
            settings,
            link,
            live,
            closing,
        })
    }

    /// The session, if there is one; the verdict of the very first attempt is waited for.
    async fn live(&self) -> Result<Live<O>, RegistryError> {
        let mut link = self.link.clone();
        let closed = || {
            let address = Arc::clone(&self.settings.address);
            RegistryError::new(
                RegistryErrorKind::Closed,
                address,
                "the registry was closed by this program",
            )
        };
        let link = match link.wait_for(|link| *link != Link::Connecting).await {
            Ok(link) if !*self.closing.borrow() => link.clone(),
            _ => return Err(closed()),
        };
        match (self.live.borrow().clone(), link) {
            (Some(live), _) => Ok(live),
            (None, Link::Down { reason }) => Err(self.settings.unreachable(&reason)),
            (None, Link::Refused { reason }) => {
                let address = Arc::clone(&self.settings.address);
                Err(RegistryError::new(RegistryErrorKind::Refused, address, reason))
            }
            (None, Link::Connecting | Link::Up { .. }) => Err(self.settings.unreachable("it was cut")),
        }
    }

    /// Does something with the session, within the time that a request may take.
    pub(crate) async fn with<T, F>(&self, what: &str, request: impl FnOnce(Live<O>) -> F) -> Result<T, RegistryError>
    where
        F: Future<Output = Result<T, RegistryError>>,
    {
        let patience = self.settings.patience;
        let served = async { request(self.live().await?).await };
        timeout(patience, served).await.unwrap_or_else(|_| {
            let kind = RegistryErrorKind::TimedOut;
            let what = format!("{what}: no answer within {patience:?}");
            Err(RegistryError::new(kind, Arc::clone(&self.settings.address), what))
        })
    }

    /// How the connection is.
    pub(crate) fn link(&self) -> watch::Receiver<Link> {
        self.link.clone()
    }

    /// Closes the session, and waits until it is.
    pub(crate) async fn close(&self) {
        self.closing.send_replace(true);
        let mut link = self.link.clone();
        // The keeper holds the other end until it has closed the session.
        while link.changed().await.is_ok() {}
    }
}

impl<O> Drop for Line<O> {
    fn drop(&mut self) {
        // The keeper closes the session and ends.
        self.closing.send_replace(true);
    }
}

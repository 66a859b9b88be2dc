//! What a registry and a configuration centre say about one service, carried to a directory for as long as somebody has the reference.
//!
//! One task listens to all of it. Rules reach the directory before the list that they are about: the documents of the application that
//! provides are read, with a limit of time, before its first list is told.

use std::sync::{Arc, Weak};

use futures_util::stream::StreamExt;
use orana_cluster::Directory;
use orana_core::{Category, ServiceKey};
use orana_registry::config_center::ConfigCenter;
use orana_registry::{Notification, Subscription};
use parking_lot::Mutex;
use tokio::task::AbortHandle;

use super::keys::Slot;
use super::listening::{Changes, Word, listen};
use super::rules::Rules;

/// What a reference holds; dropping it ends the subscriptions.
pub(crate) struct Steered {
    task: AbortHandle,
}

/// A directory that is about to be steered.
pub(crate) struct Steering {
    reader: Reader,
    documents: Documents,
}

/// Who reads documents and tells the directory.
struct Reader {
    directory: Weak<Directory>,
    centre: Option<ConfigCenter>,
    service: ServiceKey,
    rules: Arc<Mutex<Rules>>,
}

/// Subscriptions to documents: those that are the same for ever, and those of the application that provides now.
#[derive(Default)]
struct Documents {
    of_consumer: Changes,
    of_provider: Changes,
    provider: Option<Box<str>>,
}

impl Steering {
    /// Reads the documents whose keys are known already, with whatever `rules` has from the start.
    pub(crate) async fn new(
        directory: &Arc<Directory>,
        service: ServiceKey,
        application: &str,
        rules: Rules,
        centre: Option<ConfigCenter>,
    ) -> Steering {
        let reader = Reader {
            directory: Arc::downgrade(directory),
            centre,
            service,
            rules: Arc::new(Mutex::new(rules)),
        };
        let documents = Documents {
            of_consumer: reader.subscribe(&Slot::OF_CONSUMER, application).await,
            ..Documents::default()
        };
        reader.govern();
        Steering { reader, documents }
    }

    /// Carries what `subscription` says, now and with every change.
    pub(crate) async fn start(mut self, mut subscription: Subscription) -> Steered {
        let first = subscription.current();
        self.tell(&first).await;
        let task = tokio::spawn(async move {
            loop {
                tokio::select! {
                    notification = subscription.changed() => {
                        let Some(notification) = notification else { return };
                        if !self.tell(&notification).await {
                            return;
                        }
                    }
                    Some(word) = self.documents.of_consumer.next() => self.reader.take(&word),
                    Some(word) = self.documents.of_provider.next() => self.reader.take(&word),
                }
            }
        });
        Steered {
            task: task.abort_handle(),
        }
    }

    /// Whether the directory is still there to be told.
    async fn tell(&mut self, notification: &Notification) -> bool {
        let providers = notification.providers().cloned();
        if let Some(first) = providers.as_ref().and_then(|providers| providers.first()) {
            self.follow(first.parameter("application")).await;
        }
        let Some(directory) = self.reader.directory.upgrade() else {
            return false;
        };
        self.reader.take_urls(notification);
        // Nothing said about providers leaves those that are known.
        if let Some(providers) = providers {
            directory.notify(providers);
        }
        true
    }

    /// Reads the documents of the application that provides, if it is another one than before.
    async fn follow(&mut self, application: Option<&str>) {
        let Some(application) = application.filter(|application| !application.is_empty()) else {
            return;
        };
        if self.documents.provider.as_deref() == Some(application) {
            return;
        }
        self.documents.provider = Some(application.into());
        self.documents.of_provider = self.reader.subscribe(&Slot::OF_PROVIDER, application).await;
        self.reader.govern();
    }
}

impl Reader {
    /// Takes the rules that a registry lists as URLs.
    fn take_urls(&self, notification: &Notification) {
        let mut notes = Vec::new();
        let mut changed = false;
        {
            let mut rules = self.rules.lock();
            for category in [Category::Configurators, Category::Routers] {
                let list = notification.list(category);
                if let Some(new) = list.and_then(|list| rules.take_urls(category, &list.urls)) {
                    changed = true;
                    notes.extend(new);
                }
            }
        }
        self.warn(notes);
        // Compiling many rules for a provider that came or went would hold calls up.
        if changed {
            self.govern();
        }
    }

    /// Subscribes to the documents in these slots, takes what they are now, and gives what they become.
    async fn subscribe(&self, slots: &[Slot], application: &str) -> Changes {
        let Some(centre) = &self.centre else {
            return Changes::new();
        };
        let (now, changes) = listen(centre, slots, application, &self.service).await;
        now.iter().for_each(|word| self.learn(word));
        changes
    }

    /// Takes a change of a document.
    fn take(&self, word: &Word) {
        self.learn(word);
        self.govern();
    }

    fn learn(&self, word: &Word) {
        let value = &word.value;
        if !value.is_known() {
            return;
        }
        let notes = {
            let mut rules = self.rules.lock();
            match &value.problem {
                Some(problem) => {
                    rules.cannot_be_had(word.slot, &word.key, problem);
                    Vec::new()
                }
                None => rules.take(word.slot, &word.key, value.text.as_deref()),
            }
        };
        match value.text {
            Some(_) => tracing::info!(rule = %word.key, service = %self.service, "a rule is there"),
            None => tracing::debug!(rule = %word.key, service = %self.service, "there is no such rule"),
        }
        self.warn(notes);
    }

    fn govern(&self) {
        if let Some(directory) = self.directory.upgrade() {
            directory.govern(self.rules.lock().governance());
        }
    }

    fn warn(&self, notes: Vec<String>) {
        for note in notes {
            tracing::warn!(service = %self.service, "{note}");
        }
    }
}

impl Drop for Steered {
    fn drop(&mut self) {
        self.task.abort();
    }
}

//! One service under the rules of registries and configuration centre, for as long as it is provided.
//!
//! ```text
//!   documents ─┐                                            ┌─▶ Exposed: the filters before it
//!   URLs of    ├─▶ Rules ─ over(original) ─▶ another URL? ──┤
//!   registries ┘                                            └─▶ one registrar for each registry
//! ```

use std::sync::Arc;

use futures_util::future::join_all;
use futures_util::stream::{self, BoxStream, SelectAll, StreamExt};
use orana_core::{Category, ServiceUrl};
use orana_registry::config_center::ConfigCenter;
use orana_registry::{Notification, Registration, Registry, Subscription};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinHandle};

use super::exposed::{Exposed, Followed};
use super::rules::Rules;
use super::{registrar, token};
use crate::governance::{Slot, Word, listen};
use crate::provider_url;

/// The documents that a provider obeys.
const DOCUMENTS: [Slot; 2] = [Slot::ApplicationOverrides, Slot::ServiceOverrides];

/// What a service says of itself: what every URL of it is made of.
pub(super) struct Origin {
    pub(super) url: ServiceUrl,
    /// For `token=true`: always the same, so that a rule that comes and goes leaves what was.
    pub(super) token: String,
}

/// Where a service learns of rules, and what is known of them.
pub(super) struct Sources {
    rules: Rules,
    news: SelectAll<BoxStream<'static, News>>,
}

/// Something said by one of them.
enum News {
    Document(Word),
    Urls {
        registry: usize,
        notification: Arc<Notification>,
    },
}

/// A service that follows its rules until this is dropped, and is registered as they have it.
pub(super) struct Governed {
    exposed: Arc<Exposed>,
    wanted: watch::Receiver<ServiceUrl>,
    follower: AbortHandle,
    registrars: Vec<JoinHandle<Registration>>,
}

impl Origin {
    /// The URL under these rules.
    pub(super) fn under(&self, rules: &Rules) -> ServiceUrl {
        token::settled(&rules.over(&self.url), &self.token)
    }

    /// The URL under no rule.
    pub(super) fn alone(&self) -> ServiceUrl {
        token::settled(&self.url, &self.token)
    }
}

impl Sources {
    /// Learns of the rules that are there already; waits a little for who does not answer.
    pub(super) async fn open(
        origin: &Origin,
        application: &str,
        centre: Option<&ConfigCenter>,
        registries: &[Registry],
    ) -> Sources {
        let url = &origin.url;
        let service = url.service_key();
        let documents = async {
            match centre.zip(service.as_ref()) {
                Some((centre, service)) => Some(listen(centre, &DOCUMENTS, application, service).await),
                None => None,
            }
        };
        let asked = asking(url);
        let lists = join_all(registries.iter().map(|registry| registry.subscribe(&asked)));
        let (documents, lists) = tokio::join!(documents, lists);

        let mut sources = Sources {
            rules: Rules::default(),
            news: SelectAll::new(),
        };
        if let Some((now, changes)) = documents {
            for word in now {
                sources.take(url, News::Document(word));
            }
            sources.news.push(changes.map(News::Document).boxed());
        }
        for (registry, subscription) in lists.into_iter().enumerate() {
            match subscription {
                Ok(subscription) => {
                    let notification = subscription.current();
                    sources.take(url, News::Urls { registry, notification });
                    sources.news.push(becoming(registry, subscription));
                }
                Err(error) => tracing::warn!(%error, service = %asked, "rules of the registry cannot be read"),
            }
        }
        sources
    }

    pub(super) fn rules(&self) -> &Rules {
        &self.rules
    }

    fn take(&mut self, of: &ServiceUrl, news: News) {
        let notes = match &news {
            News::Document(word) => self.rules.take(word),
            News::Urls { registry, notification } => match notification.list(Category::Configurators) {
                Some(list) => self.rules.take_urls(*registry, &list.urls),
                // Nothing said leaves what is known.
                None => return,
            },
        };
        for note in notes {
            tracing::warn!(service = of.path().unwrap_or_default(), "{note}");
        }
    }
}

impl Governed {
    /// Follows `sources` from now on, not yet registered.
    pub(super) fn new(origin: Origin, exposed: Arc<Exposed>, sources: Sources) -> Governed {
        let (tell, wanted) = watch::channel(provider_url::registered(&exposed.url()));
        let follower = tokio::spawn(follow(origin, Arc::clone(&exposed), sources, tell));
        Governed {
            exposed,
            wanted,
            follower: follower.abort_handle(),
            registrars: Vec::new(),
        }
    }

    /// Keeps it registered in one registry more.
    pub(super) fn registered(&mut self, registry: Registry, registration: Registration) {
        let keeping = registrar::keep(registry, registration, self.wanted.clone());
        self.registrars.push(tokio::spawn(keeping));
    }

    /// The URL that registries are to have.
    pub(super) fn url(&self) -> ServiceUrl {
        self.wanted.borrow().clone()
    }

    /// Follows no more rules. The service can be called until what is given first is dropped; the others give what is registered.
    pub(super) fn settle(mut self) -> (Arc<Exposed>, Vec<JoinHandle<Registration>>) {
        self.follower.abort();
        (Arc::clone(&self.exposed), std::mem::take(&mut self.registrars))
    }
}

/// Without the one who wants something, registrars end as well, and what they hold goes.
impl Drop for Governed {
    fn drop(&mut self) {
        self.follower.abort();
    }
}

/// Takes all news, for ever: what is registered is wanted for as long as this runs.
async fn follow(origin: Origin, exposed: Arc<Exposed>, mut sources: Sources, wanted: watch::Sender<ServiceUrl>) {
    let service = origin.url.path().unwrap_or_default();
    let mut refused = None;
    while let Some(news) = sources.news.next().await {
        sources.take(&origin.url, news);
        let next = origin.under(sources.rules());
        match exposed.follow(&next) {
            Ok(Followed::Now) => {
                let registered = provider_url::registered(&next);
                let changed = *wanted.borrow() != registered;
                tracing::info!(service, registered = changed, "rules have changed how it is provided");
                if changed {
                    wanted.send_replace(registered);
                }
                refused = None;
            }
            Ok(Followed::Already) => refused = None,
            Ok(Followed::Declined) => tracing::debug!(service, "it is not to be exported anew"),
            Err(error) if refused.as_ref() != Some(&next) => {
                tracing::warn!(service, %error, "what rules say cannot be done; it is provided as before");
                refused = Some(next);
            }
            Err(_) => {}
        }
    }
    // There is nobody left who could say anything, and the service is provided as it is.
    std::future::pending().await
}

/// How a provider asks for its rules: it is not seen by others.
fn asking(url: &ServiceUrl) -> ServiceUrl {
    url.edit()
        .protocol("provider")
        .set("category", Category::Configurators.name())
        .set("check", false)
        .build()
}

/// What a list becomes, for as long as the stream is held.
fn becoming(registry: usize, subscription: Subscription) -> BoxStream<'static, News> {
    let next = move |mut subscription: Subscription| async move {
        let notification = subscription.changed().await?;
        Some((News::Urls { registry, notification }, subscription))
    };
    stream::unfold(subscription, next).boxed()
}

//! Why a call of a reference goes where it goes: asks the code that calls use, and knows where the consumer's own values came from. Also a way
//! to ask without connecting to anybody.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use orana_cluster::EpochMillis;
use orana_cluster::cluster::{self, registry_shares};
use orana_cluster::explain::{Asking, Decided, Explanation};
use orana_core::{BoxFuture, Connector, Invocation, Invoker, Method, Reply, RpcError, RpcErrorCode, ServiceUrl};
use orana_rpc::encode_arguments;
use orana_wire::hessian::Value;

use crate::Result;
use crate::path::Path;
use crate::reference::Reference;

/// Opens nothing: whoever is listed counts as reachable.
pub(crate) struct Nowhere {
    /// Says what could be called.
    like: Arc<dyn Connector>,
}

/// A provider that nobody connects to.
struct Unconnected(ServiceUrl);

impl Nowhere {
    /// For the protocols of another connector.
    pub(crate) fn like(connector: Arc<dyn Connector>) -> Nowhere {
        Nowhere { like: connector }
    }
}

impl Connector for Nowhere {
    fn connect<'a>(&'a self, url: &'a ServiceUrl) -> BoxFuture<'a, Result<Arc<dyn Invoker>>> {
        Box::pin(async { Ok(Arc::new(Unconnected(url.clone())) as Arc<dyn Invoker>) })
    }

    fn connected(&self, url: &ServiceUrl) -> Option<Arc<dyn Invoker>> {
        Some(Arc::new(Unconnected(url.clone())))
    }

    fn supports(&self, protocol: &str) -> bool {
        self.like.supports(protocol)
    }
}

impl Invoker for Unconnected {
    fn url(&self) -> &ServiceUrl {
        &self.0
    }

    fn invoke<'a>(&'a self, invocation: &'a Invocation) -> BoxFuture<'a, Result<Reply>> {
        let message = "the consumer connects nowhere; it is for explanations only";
        Box::pin(async move { Err(RpcError::new(RpcErrorCode::Network, message).calling(invocation)) })
    }
}

impl Reference {
    /// Why a call of `method` with these arguments, made now, would go where it would go: what rules leave of the registry's list and how probable
    /// each provider is. Attachments, time-out and target of this reference count. Nobody is called, and nothing changes.
    ///
    /// Of several registries each has its stages, with its address in their rules; the values are those of the one that most calls go through.
    ///
    /// ```no_run
    /// # async fn run(greeter: impl orana::Client) -> orana::Result<()> {
    /// let calls = greeter.reference().clone().attachment("dubbo.tag", "gray");
    /// println!("{}", calls.explain("sayHello", &["Ada".into()])?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The arguments cannot be encoded; the reference was closed.
    pub fn explain(&self, method: &str, arguments: &[Value]) -> Result<Explanation> {
        let bound = self.bound();
        let encoded = encode_arguments(|out| arguments.iter().try_for_each(|argument| out.push(argument)))?;
        let known = bound.methods.iter().find(|known| &*known.name == method);
        let method = match known {
            Some(known) => Arc::clone(known),
            None => Arc::new(Method::new(Arc::clone(&bound.service), method, "")),
        };
        let invocation = self.invocation(method, encoded, false);
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let asking = Asking {
            invocation: &invocation,
            now: EpochMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX)),
            cluster: self.cluster(),
            said: &|key| bound.settings.get(key).map(|setting| setting.origin.to_string()),
            connects: bound.connects,
        };
        let explanations: Vec<Explanation> = bound.paths.iter().map(|path| path.invoker.explain(&asking)).collect();
        let shares = registry_shares(self.url(), &availability(&bound.paths, self.url()), &invocation);
        joined(explanations, &shares).ok_or_else(|| {
            RpcError::new(RpcErrorCode::Registry, "the reference has no registry to call through").calling(&invocation)
        })
    }

    /// Returns once the list of each registry has been worked through: somebody of it can be called, or everybody was tried, or nobody is there.
    pub async fn settled(&self) {
        for path in &self.bound().paths {
            path.directory().settled().await;
        }
    }

    /// The strategy that this reference was made with.
    fn cluster(&self) -> Decided<String> {
        let bound = self.bound();
        if bound
            .service
            .group()
            .is_some_and(|group| group == "*" || group.contains(','))
        {
            return Decided::new("mergeable".to_owned(), "several groups are asked for");
        }
        match bound.settings.get("cluster") {
            Some(setting) => Decided::new(setting.value.clone(), setting.origin.to_string()),
            None => Decided::default_of(cluster::DEFAULT.to_owned()),
        }
    }
}

/// The URL of each way's registry, and whether somebody is up there.
fn availability<'a>(paths: &'a [Path], own: &'a ServiceUrl) -> Vec<(&'a ServiceUrl, bool)> {
    let one = |path: &'a Path| (path.registry.as_ref().unwrap_or(own), path.invoker.is_available());
    paths.iter().map(one).collect()
}

/// Explanations through several registries, each with its share of the calls, as one; `None` if there are none.
fn joined(explanations: Vec<Explanation>, shares: &[f64]) -> Option<Explanation> {
    if explanations.len() <= 1 {
        return explanations.into_iter().next();
    }
    let most = shares.iter().copied().fold(0.0, f64::max);
    let leading = shares.iter().position(|share| *share == most).unwrap_or(0);
    let mut whole = explanations.get(leading)?.clone();
    whole.registered = explanations.iter().map(|one| one.registered).sum();
    whole.stages.clear();
    whole.candidates.clear();
    let mut registries = Vec::new();
    for (one, share) in explanations.into_iter().zip(shares) {
        registries.push(format!(
            "{:.1} % of the calls go through registry {}",
            share * 100.0,
            one.registry
        ));
        whole.stages.extend(one.stages.into_iter().map(|mut stage| {
            stage.rule = format!("{} (registry {})", stage.rule, one.registry);
            stage
        }));
        for mut candidate in one.candidates {
            candidate.probability = candidate.probability.map(|own| own * share);
            // The same provider may be registered at several.
            match whole
                .candidates
                .iter_mut()
                .find(|known| known.address == candidate.address)
            {
                Some(known) => known.probability = known.probability.zip(candidate.probability).map(|(a, b)| a + b),
                None => whole.candidates.push(candidate),
            }
        }
        let news = one.notes.into_iter().filter(|note| !whole.notes.contains(note));
        registries.extend(news.collect::<Vec<_>>());
    }
    whole.notes.extend(registries);
    if !whole.candidates.is_empty() {
        whole.nobody = None;
    }
    Some(whole)
}

//! A service as a program calls it: each method by its number, or any method by name.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use orana_cluster::Endpoint;
use orana_core::{
    Attachments, CallOptions, Encoded, Invocation, Invoker, Method, Reply, RpcError, RpcErrorCode, ServiceKey,
    ServiceUrl,
};
use orana_rpc::{Context, ServiceDefinition, encode_arguments, value_of};
use orana_wire::dubbo::Descriptor;
use orana_wire::hessian::{FromHessian, Value};

use crate::Result;
use crate::config::Settings;
use crate::exception::behind_generic;
use crate::inherited::{Forward, out_of_time, take_over};
use crate::path::Path;
use crate::received;

/// The descriptor of `$invoke`.
const GENERIC: &str = "Ljava/lang/String;[Ljava/lang/String;[Ljava/lang/Object;";

/// A service of others. Cheap to clone; when the last clone goes, its connections close, and the registry forgets the consumer.
///
/// A call that is made while a call is served, on the same task, has no more time than that one has left, if its caller said how
/// much that is (`enable-timeout-countdown`, or a [deadline](Reference::deadline)), and takes its attachments along. The parameter
/// `enable-timeout-countdown=false`, also of a method, and [`Reference::forward`] settle it otherwise. A task that is spawned
/// takes nothing over unless it runs in the [scope](Context::scope) of the call.
#[derive(Clone)]
pub struct Reference {
    bound: Arc<Bound>,
    options: CallOptions,
    attachments: Attachments,
    forward: Forward,
}

/// What all clones share.
pub(crate) struct Bound {
    pub(crate) service: Arc<ServiceKey>,
    pub(crate) methods: Vec<Arc<Method>>,
    /// Which of the methods want no answer.
    pub(crate) one_way: Vec<bool>,
    /// Filters, then the cluster.
    pub(crate) invoker: Arc<dyn Invoker>,
    /// The ways to providers; what keeps lists coming and registries knowing of the consumer goes with them when the last clone goes.
    pub(crate) paths: Vec<Path>,
    /// What the consumer says, and where, for explanations.
    pub(crate) settings: Settings,
    /// Whether providers are connected to.
    pub(crate) connects: bool,
}

impl Bound {
    /// The methods of an interface, for a consumer who asks for `service`.
    pub(crate) fn methods(definition: &ServiceDefinition, service: &Arc<ServiceKey>) -> (Vec<Arc<Method>>, Vec<bool>) {
        let method = |method: &orana_rpc::MethodDefinition| {
            let known = Method::new(Arc::clone(service), &method.name, &method.descriptor);
            (Arc::new(known), method.one_way)
        };
        definition.methods.iter().map(method).unzip()
    }
}

impl Reference {
    /// A reference of the application of that name.
    pub(crate) fn new(bound: Bound, application: &str) -> Reference {
        Reference {
            forward: Forward::of(bound.invoker.url()),
            bound: Arc::new(bound),
            options: CallOptions::default(),
            attachments: Attachments::from_iter([("remote.application", application)]),
        }
    }

    /// The service it calls.
    pub fn service(&self) -> &ServiceKey {
        &self.bound.service
    }

    /// The consumer's own URL: what was asked for.
    pub fn url(&self) -> &ServiceUrl {
        self.bound.invoker.url()
    }

    /// Whether somebody is there to be called.
    pub fn is_available(&self) -> bool {
        self.bound.invoker.is_available()
    }

    /// The addresses that can be called now, `host:port`.
    pub fn addresses(&self) -> Vec<String> {
        self.endpoints(|endpoint| endpoint.address().to_string())
    }

    /// The URLs of the providers that can be called now, with this consumer's parameters and the rules about them laid over them.
    pub fn providers(&self) -> Vec<ServiceUrl> {
        self.endpoints(|endpoint| endpoint.url().clone())
    }

    /// Something of each provider that can be called now.
    fn endpoints<T>(&self, of: impl Fn(&Endpoint) -> T) -> Vec<T> {
        let lists = self.bound.paths.iter().filter_map(|path| path.directory().list().ok());
        lists
            .flat_map(|list| list.endpoints().iter().map(|endpoint| of(endpoint)).collect::<Vec<_>>())
            .collect()
    }

    /// The same reference; each attempt of its calls takes no longer than `timeout`.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Reference {
        self.options.timeout = Some(timeout);
        self
    }

    /// The same reference; at `deadline` nobody waits for its calls any more, whatever attempt they are in. The provider is told how
    /// much time is left (`_TO`), and calls that it makes meanwhile end then, too. A call that would begin later fails with the code
    /// [`TimeoutTerminate`](RpcErrorCode::TimeoutTerminate).
    #[must_use]
    pub fn deadline(mut self, deadline: Instant) -> Reference {
        self.options.deadline = Some(deadline);
        self
    }

    /// The same reference; of the attachments of a call that is being served, calls made meanwhile take `forward` along. Otherwise the
    /// parameter `forward-attachments` of the consumer says what, and without it all travel on.
    #[must_use]
    pub fn forward(mut self, forward: Forward) -> Reference {
        self.forward = forward;
        self
    }

    /// The same reference; its calls go to the provider at `address` (`host:port`) and to no other.
    #[must_use]
    pub fn target(mut self, address: &str) -> Reference {
        self.options.target = Some(address.into());
        self
    }

    /// The same reference; `text` travels under `name` with each of its calls.
    #[must_use]
    pub fn attachment(mut self, name: &str, text: &str) -> Reference {
        self.attachments.set(name, text);
        self
    }

    /// The same reference; its calls do not wait for an answer and give null.
    #[must_use]
    pub fn one_way(mut self) -> Reference {
        self.options.one_way = true;
        self
    }

    /// Calls a method by its number in the definition. What `#[service]` writes calls this.
    pub async fn call_method<T: FromHessian>(&self, method: usize, arguments: Encoded) -> Result<T> {
        let bound = &self.bound;
        let Some(known) = bound.methods.get(method) else {
            return Err(crate::macros::no_such_method(method).about(&bound.service));
        };
        let one_way = bound.one_way.get(method).copied().unwrap_or(false);
        let reply = self.invoke(Arc::clone(known), arguments, one_way).await?;
        value_of(&reply).map_err(|error| error.about(known))
    }

    /// Calls a method by name, with parameter types in Java's notation (`java.lang.String`, `int`, `long[]`).
    pub async fn call(&self, method: &str, types: &[&str], arguments: &[Value]) -> Result<Value> {
        if types.len() != arguments.len() {
            let message = format!("{} types are given for {} arguments", types.len(), arguments.len());
            return Err(RpcError::new(RpcErrorCode::Validation, message).about(format!("{}.{method}", self.service())));
        }
        let descriptor = Descriptor::of_java_names(types);
        let method = Arc::new(Method::new(
            Arc::clone(&self.bound.service),
            method,
            descriptor.as_str(),
        ));
        let encoded = encode_arguments(|out| arguments.iter().try_for_each(|argument| out.push(argument)))?;
        let reply = self.invoke(Arc::clone(&method), encoded, false).await?;
        value_of(&reply).map_err(|error| error.about(method))
    }

    /// Calls a method through `$invoke`, where the provider finds classes: objects go and come as maps with a key `class`. Without types the
    /// method must not be overloaded. An exception is told by its class and message; its fields do not come along.
    pub async fn call_generic(&self, method: &str, types: Option<&[&str]>, arguments: &[Value]) -> Result<Value> {
        let invoke = Arc::new(Method::new(Arc::clone(&self.bound.service), "$invoke", GENERIC));
        let types = match types {
            Some(types) => Value::typed_list("[string", types.iter().map(|name| Value::from(*name))),
            None => Value::Null,
        };
        let encoded = encode_arguments(|out| {
            out.push(method)?;
            out.push(&types)?;
            out.push(&Value::typed_list("[object", arguments.iter().cloned()))
        })?;
        let generic = self.clone().attachment("generic", "true");
        let reply = generic.invoke(invoke, encoded, false).await;
        let named = format!("{}.{method}", self.service());
        let reply = reply.map_err(|error| behind_generic(error).known_as(&named))?;
        value_of(&reply).map_err(|error| error.known_as(named))
    }

    async fn invoke(&self, method: Arc<Method>, arguments: Encoded, one_way: bool) -> Result<Reply> {
        let invocation = self.invocation(method, arguments, one_way);
        if invocation.options.deadline.is_some()
            && let Some(over) = out_of_time(&invocation, Instant::now())
        {
            return Err(over);
        }
        let reply = self.bound.invoker.invoke(&invocation).await?;
        received::note(&reply);
        Ok(reply)
    }

    pub(crate) fn bound(&self) -> &Bound {
        &self.bound
    }

    /// A call as this reference makes it, with what it takes over from a call that is being served.
    pub(crate) fn invocation(&self, method: Arc<Method>, arguments: Encoded, one_way: bool) -> Invocation {
        let mut invocation = Invocation::new(method, arguments);
        invocation.attachments = self.attachments.clone();
        invocation.options = self.options.clone();
        invocation.options.one_way |= one_way;
        if let Some(served) = Context::current() {
            take_over(&mut invocation, &served, self.url(), &self.forward);
        }
        invocation
    }
}

impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reference")
            .field("service", &self.bound.service.to_string())
            .field("addresses", &self.addresses())
            .field("options", &self.options)
            .field("attachments", &self.attachments)
            .field("forward", &self.forward)
            .finish()
    }
}

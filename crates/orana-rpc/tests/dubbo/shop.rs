//! The service that the tests call, and what they need to call it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use orana_core::{
    BoxFuture, CallOptions, Connector, Encoded, Invocation, Invoker, Method, Reply, RpcError, ServiceKey, ServiceUrl,
};
use orana_rpc::dubbo::{ClientOptions, DubboConnector, DubboServer, ServerOptions};
use orana_rpc::{
    Context, Exported, MethodDefinition, Service, ServiceDefinition, decode_arguments, encode_arguments, reply_of,
    value_of,
};
use orana_wire::hessian::{ToHessian, Value};

pub(crate) const INTERFACE: &str = "org.example.Shop";
pub(crate) const TEXT: &str = "Ljava/lang/String;";

/// Every kind of behaviour as a method.
pub(crate) struct Shop {
    definition: ServiceDefinition,
    /// Calls of `note`, which is called one-way.
    pub(crate) notes: Arc<AtomicUsize>,
    /// Calls of `pause` that have run to their end.
    pub(crate) paused: Arc<AtomicUsize>,
    /// Calls of `megabyte` that have run to their end.
    pub(crate) megabytes: Arc<AtomicUsize>,
    megabyte: Reply,
}

impl Shop {
    pub(crate) fn new() -> Shop {
        let text = "java.lang.String";
        let method = |name: &'static str, parameters: &[&'static str], returns: &'static str| {
            MethodDefinition::new(name, parameters.iter().copied(), returns)
        };
        Shop {
            definition: ServiceDefinition::new(
                INTERFACE,
                vec![
                    method("echo", &[text], text),
                    method("echo", &["int"], text),
                    method("pause", &["long"], "void"),
                    method("throw", &[text, text], "void"),
                    method("fail", &[], "void"),
                    method("panic", &[], "void"),
                    method("context", &[text], text),
                    method("note", &[text], "void"),
                    method("large", &["int"], text),
                    method("large", &["int", "long"], text),
                    method("megabyte", &[text], text),
                    method("value", &["java.lang.Object"], "java.lang.Object"),
                    method("block", &["long"], "void"),
                    method("block_declared", &["long"], "void").blocking(),
                ],
            ),
            notes: Arc::default(),
            paused: Arc::default(),
            megabytes: Arc::default(),
            megabyte: reply_of(&"x".repeat(1 << 20)).unwrap(),
        }
    }
}

impl Service for Shop {
    fn definition(&self) -> &ServiceDefinition {
        &self.definition
    }

    fn call<'a>(&'a self, number: usize, arguments: &'a Encoded) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async move {
            let method = &self.definition.methods[number];
            let mut arguments = decode_arguments(arguments, Some(method));
            match &*method.name {
                "echo" if *method.descriptor == *TEXT => reply_of(&arguments.next::<String>()?),
                "echo" => reply_of(&format!("int {}", arguments.next::<i32>()?)),
                "pause" => {
                    tokio::time::sleep(Duration::from_millis(arguments.next()?)).await;
                    self.paused.fetch_add(1, Ordering::Relaxed);
                    reply_of(&())
                }
                "throw" => Err(RpcError::thrown(
                    arguments.next::<String>()?,
                    arguments.next::<String>()?,
                )),
                "fail" => Err(RpcError::new(orana_core::RpcErrorCode::Validation, "not like this")),
                "panic" => panic!("over budget"),
                "context" => {
                    let context = Context::current().expect("a call is being served");
                    let wanted: String = arguments.next()?;
                    tokio::task::yield_now().await;
                    context.answer_with("seen", context.attachments().get(&wanted).unwrap_or("nothing"));
                    let caller = context.caller().expect("the call came over a connection");
                    reply_of(&format!(
                        "{} {} {}",
                        caller.ip(),
                        context.application().unwrap_or("-"),
                        context.deadline().is_some()
                    ))
                }
                "note" => {
                    arguments.next::<String>()?;
                    self.notes.fetch_add(1, Ordering::Relaxed);
                    reply_of(&())
                }
                "large" => {
                    let length = arguments.next::<i32>()?.unsigned_abs() as usize;
                    if *method.descriptor == *"IJ" {
                        tokio::time::sleep(Duration::from_millis(arguments.next()?)).await;
                    }
                    reply_of(&"x".repeat(length))
                }
                // Made beforehand, so that it takes no time.
                "megabyte" => {
                    self.megabytes.fetch_add(1, Ordering::Relaxed);
                    Ok(self.megabyte.clone())
                }
                "value" => match arguments.next::<Value>()? {
                    // A hundred lists, each of which holds the next one twice.
                    Value::Text(text) if &*text == "dense" => {
                        reply_of(&(0..100).fold(Value::list([]), |inner, _| Value::list([inner.clone(), inner])))
                    }
                    value => reply_of(&value),
                },
                "block" | "block_declared" => {
                    std::thread::sleep(Duration::from_millis(arguments.next()?));
                    reply_of(&())
                }
                other => panic!("no method {other}"),
            }
        })
    }
}

/// A server with one shop.
pub(crate) struct Served {
    pub(crate) server: DubboServer,
    pub(crate) exported: Exported,
    pub(crate) notes: Arc<AtomicUsize>,
    pub(crate) paused: Arc<AtomicUsize>,
    pub(crate) megabytes: Arc<AtomicUsize>,
}

pub(crate) async fn serve() -> Served {
    serve_with(ServerOptions::default(), "").await
}

pub(crate) async fn serve_with(options: ServerOptions, parameters: &str) -> Served {
    let server = DubboServer::bind("127.0.0.1:0", options).await.unwrap();
    let shop = Shop::new();
    let (notes, paused) = (Arc::clone(&shop.notes), Arc::clone(&shop.paused));
    let megabytes = Arc::clone(&shop.megabytes);
    let url = url(server.local_addr().port(), parameters);
    let exported = server.serve(url, Arc::new(shop)).unwrap();
    Served {
        server,
        exported,
        notes,
        paused,
        megabytes,
    }
}

impl Served {
    pub(crate) fn port(&self) -> u16 {
        self.server.local_addr().port()
    }

    /// An invoker of the shop with a connector of its own.
    pub(crate) async fn invoker(&self, parameters: &str) -> Arc<dyn Invoker> {
        connect(self.port(), parameters).await.unwrap()
    }
}

pub(crate) fn url(port: u16, parameters: &str) -> ServiceUrl {
    ServiceUrl::parse(&format!(
        "dubbo://127.0.0.1:{port}/{INTERFACE}?interface={INTERFACE}&{parameters}"
    ))
    .unwrap()
}

pub(crate) async fn connect(port: u16, parameters: &str) -> Result<Arc<dyn Invoker>, RpcError> {
    connect_with(ClientOptions::default(), port, parameters).await
}

pub(crate) async fn connect_with(
    options: ClientOptions,
    port: u16,
    parameters: &str,
) -> Result<Arc<dyn Invoker>, RpcError> {
    DubboConnector::new(options).connect(&url(port, parameters)).await
}

pub(crate) fn method(name: &str, descriptor: &str) -> Arc<Method> {
    Arc::new(Method::new(ServiceKey::parse(INTERFACE), name, descriptor))
}

pub(crate) fn call(name: &str, descriptor: &str, arguments: &[&dyn Argument]) -> Invocation {
    let encoded = encode_arguments(|push| arguments.iter().try_for_each(|argument| argument.push(push)));
    Invocation::new(method(name, descriptor), encoded.unwrap())
}

pub(crate) fn with_options(mut invocation: Invocation, options: CallOptions) -> Invocation {
    invocation.options = options;
    invocation
}

/// Anything with a wire form, as a trait object.
pub(crate) trait Argument {
    fn push(&self, out: &mut orana_rpc::ArgumentEncoder<'_, '_>) -> Result<(), orana_wire::hessian::EncodeError>;
}

impl<T: ToHessian> Argument for T {
    fn push(&self, out: &mut orana_rpc::ArgumentEncoder<'_, '_>) -> Result<(), orana_wire::hessian::EncodeError> {
        out.push(self)
    }
}

pub(crate) async fn echo(invoker: &dyn Invoker, text: &str) -> Result<String, RpcError> {
    let invocation = call("echo", TEXT, &[&text]);
    value_of(&invoker.invoke(&invocation).await?)
}

pub(crate) async fn pause(invoker: &dyn Invoker, millis: i64) -> Result<(), RpcError> {
    let invocation = with_options(
        call("pause", "J", &[&millis]),
        CallOptions {
            timeout: Some(Duration::from_secs(60)),
            ..CallOptions::default()
        },
    );
    value_of(&invoker.invoke(&invocation).await?)
}

/// Waits until it is so.
pub(crate) async fn until(what: &str, mut is: impl FnMut() -> bool) {
    until_async(what, async || is()).await;
}

/// Waits until it is so.
pub(crate) async fn until_async(what: &str, mut is: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !is().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(20), waiting).await;
    assert!(waited.is_ok(), "waited in vain until {what}");
}

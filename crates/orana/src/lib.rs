//! The SDK of Orana: a Rust application provides and consumes Dubbo services, found through a registry, with Java on the other side.
//!
//! A service is a trait with one attribute; see [`service`]. A program is an [`Application`]: it [provides](Application::provider) services
//! at a port and [consumes](Application::consumer) those of others.
//!
//! ```no_run
//! #[orana::service(interface = "org.example.Greeter", version = "1.0.0")]
//! trait Greeter {
//!     async fn say_hello(&self, name: String) -> orana::Result<String>;
//! }
//!
//! struct Polite;
//!
//! impl Greeter for Polite {
//!     async fn say_hello(&self, name: String) -> orana::Result<String> {
//!         Ok(format!("Hello {name}"))
//!     }
//! }
//!
//! # async fn run() -> orana::Result<()> {
//! let app = orana::Application::new("shop").registry("zookeeper://127.0.0.1:2181");
//!
//! let provider = app.provider().listen("127.0.0.1:20880").export(GreeterService::new(Polite)).start().await?;
//!
//! let greeter = app.consumer().refer::<GreeterClient>().await?;
//! assert_eq!(greeter.say_hello("Ada".into()).await?, "Hello Ada");
//!
//! provider.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! What goes wrong is an [`Error`]: it names the call, the provider, the rule and what was behind it, and
//! [`Error::exception`](orana_core::RpcError::exception) holds what the far side's own code threw.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

mod advertise;
mod application;
mod client;
pub mod config;
mod consumer;
mod container;
mod exception;
mod explain;
mod export;
mod external;
mod governance;
mod inherited;
#[doc(hidden)]
pub mod macros;
mod merger;
mod mock;
mod path;
mod provider;
mod provider_url;
mod received;
mod reference;

pub use advertise::{ADDRESS_VARIABLES, PORT_VARIABLES};
pub use application::Application;
pub use client::Client;
pub use consumer::{Consumer, Refer};
pub use container::{Container, Part};
pub use exception::{caught, throw};
pub use export::Export;
pub use inherited::Forward;
pub use orana_cluster as cluster;
pub use orana_cluster::explain::{Candidate, Decided, Explanation, Stage};
pub use orana_core::{
    Attachments, BoxFuture, Exception, Filter, RpcError as Error, RpcErrorCode as ErrorCode, ServiceUrl,
};
pub use orana_macros::HessianOfOrana as Hessian;
/// ```
/// #[orana::service(interface = "org.example.Archive", version = "1.0.0")]
/// trait Archive {
///     async fn find(&self, name: String) -> orana::Result<Option<Vec<u8>>>;
///     #[method(blocking)]
///     async fn compress(&self, #[java("java.lang.Integer")] level: i32) -> orana::Result<i64>;
///     #[method(name = "log", one_way)]
///     async fn note(&self, line: String) -> orana::Result<()>;
/// }
/// ```
pub use orana_macros::service;
pub use orana_registry as registry;
pub use orana_rpc::dubbo::{Refused, ServerOptions, Stopped};
pub use orana_rpc::{Context, MethodDefinition, Service, ServiceDefinition};
pub use orana_wire::hessian::{self, Value};
pub use provider::{Provider, ProviderBuilder};
pub use received::{Answered, observed};
pub use reference::Reference;

/// What a call, a reference or an export comes to.
pub type Result<T, E = Error> = std::result::Result<T, E>;

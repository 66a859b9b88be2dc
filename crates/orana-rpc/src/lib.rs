//! Performs a call and serves one: what a program offers ([`Service`]), the bytes of its arguments and results, and the
//! protocol `dubbo://` on both sides of a connection.
//!
//! ```text
//!   caller ─▶ Invoker (dubbo::DubboConnector) ─▶ socket ─▶ dubbo::DubboServer ─▶ filters ─▶ LocalInvoker ─▶ Service
//! ```
//!
//! Knows nothing of registries, and nothing of the choice among providers: an address is given, and one provider is
//! there.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

mod arguments;
mod context;
pub mod dubbo;
mod exception;
mod exporter;
mod generic;
mod json;
mod local;
mod overload;
mod pace;
mod plain;
mod reserved;
mod scratch;
mod service;
mod values;

pub use arguments::{ArgumentDecoder, ArgumentEncoder, ArgumentError, decode_arguments, encode_arguments};
pub use context::Context;
pub use exporter::{Exported, Exporter};
pub use generic::{generic_invocation, untyped_invocation};
pub use json::{to_text as json_text, to_value as json_value};
pub use local::LocalInvoker;
pub use service::{MethodDefinition, Service, ServiceDefinition};
pub use values::{attachments_of, reply_of, value_of};

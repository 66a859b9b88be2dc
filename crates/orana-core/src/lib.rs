//! The vocabulary of Orana: what a service is called, where it is, what is said about it; a call and what comes of it.
//!
//! Plain immutable values. Knows no I/O, no clock and no protocol; the text forms here are those of the field itself
//! (a service URL, a service key, a node name), which every protocol carries unchanged.

mod attachments;
mod category;
mod error;
mod invocation;
mod invoker;
mod key;
pub mod percent;
mod reply;
pub mod rule;
mod url;

pub use attachments::Attachments;
pub use category::Category;
pub use error::{Exception, RpcError, RpcErrorCode};
pub use invocation::{CallOptions, Encoded, Invocation, Method};
pub use invoker::{BoxFuture, Connector, Filter, Invoker, filtered};
pub use key::ServiceKey;
pub use reply::{Reply, ReplyShape};
pub use url::{Mismatch, ParameterError, ServiceUrl, UrlBuilder, UrlError, UrlPool, category_matches};

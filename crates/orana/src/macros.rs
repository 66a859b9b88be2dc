//! What `#[service]` writes mentions these; nothing here is meant to be used by hand.

use std::borrow::Cow;

pub use orana_core::{BoxFuture, Encoded, Reply};
use orana_core::{RpcError, RpcErrorCode};
pub use orana_rpc::{MethodDefinition, ServiceDefinition, decode_arguments, encode_arguments, reply_of};
pub use orana_wire::hessian::java::JavaType;

/// The name of a Java type.
pub type Name = Cow<'static, str>;

/// The error of a call with a number that no method has.
pub fn no_such_method(number: usize) -> RpcError {
    RpcError::new(
        RpcErrorCode::MethodNotFound,
        format!("there is no method number {number}"),
    )
}

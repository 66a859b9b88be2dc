//! Exceptions of Java and errors of Rust, both ways.
//!
//! Knows nothing of where in an answer an exception stands.

use bytes::Bytes;
use orana_core::{Exception, RpcError};
use orana_wire::hessian::java::Throwable;
use orana_wire::hessian::{Encoder, FromHessian, ToHessian, Value};

use crate::scratch;

/// Dubbo's own exception, which every Java consumer knows and may read.
const RPC_EXCEPTION: &str = "org.apache.dubbo.rpc.RpcException";

/// The exception that a Java program sees of an error that is none: Dubbo's own, with the code in it.
pub(crate) fn of_rpc_error(error: &RpcError) -> RpcError {
    let message = error.to_string();
    let throwable = Throwable {
        fields: vec![("code".to_owned(), Value::Int(i32::from(error.code().number())))],
        ..Throwable::new(RPC_EXCEPTION, &message)
    };
    let object = scratch::cut(|out| throwable.to_hessian(&mut Encoder::new(out)));
    RpcError::exception_of(Exception {
        class: RPC_EXCEPTION.into(),
        message: Some(message.into()),
        object: object.ok(),
    })
}

/// The exception whose object is in `bytes`, a stream of its own.
///
/// One that cannot be read is still an exception: which class and message it has is then what its bytes show.
pub(crate) fn received(bytes: Bytes) -> RpcError {
    let throwable = Throwable::from_hessian(&mut orana_wire::hessian::Decoder::new(&bytes)).unwrap_or_else(|error| {
        let value: Option<Value> = orana_wire::hessian::from_bytes(&bytes).ok();
        let message = match value.as_ref().and_then(Value::as_text) {
            Some(text) => text.to_owned(),
            None => format!("an exception that cannot be read: {error}"),
        };
        Throwable::new("java.lang.RuntimeException", message)
    });
    RpcError::exception_of(Exception {
        class: throwable.class.into(),
        message: throwable.message.map(Into::into),
        object: Some(bytes),
    })
}

/// The bytes of the object of an exception, a stream of its own.
pub(crate) fn object(exception: &Exception) -> Result<Bytes, orana_wire::hessian::EncodeError> {
    if let Some(object) = &exception.object {
        return Ok(object.clone());
    }
    let throwable = Throwable {
        class: exception.class.to_string(),
        message: exception.message.as_deref().map(str::to_owned),
        ..Throwable::default()
    };
    scratch::cut(|out| throwable.to_hessian(&mut Encoder::new(out)))
}

//! Exceptions of Java and errors of Rust, both ways.
//!
//! Knows nothing of where in an answer an exception stands.

use bytes::Bytes;
use orana_core::{Exception, RpcError, RpcErrorCode};
use orana_wire::hessian::java::Throwable;
use orana_wire::hessian::{Encoder, FromHessian, ToHessian, Value};

use crate::scratch;

/// Dubbo's own exception, which every Java consumer knows and may read.
const RPC_EXCEPTION: &str = "org.apache.dubbo.rpc.RpcException";

/// What a caller without types sees of any exception: one that it has, whatever was thrown
/// (`org.apache.dubbo.rpc.service.GenericException`).
const GENERIC_EXCEPTION: &str = "org.apache.dubbo.rpc.service.GenericException";

/// The exception that a Java program sees of an error that is none: Dubbo's own, with the code in it; or, if the service's own code
/// says that this is its business and names no class, a plain one.
pub(crate) fn of_rpc_error(error: &RpcError) -> RpcError {
    let message = error.to_string();
    if error.code() == RpcErrorCode::Business {
        return RpcError::thrown("java.lang.RuntimeException", message);
    }
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

/// The same failure for a caller without types, who has no exception classes but Dubbo's: class and message as texts.
pub(crate) fn generic(error: RpcError) -> RpcError {
    let Some(exception) = error.exception() else {
        return error;
    };
    if matches!(&*exception.class, RPC_EXCEPTION | GENERIC_EXCEPTION) {
        return error;
    }
    let message = exception.message.as_deref();
    let both = match message {
        Some(message) => format!("{}: {message}", exception.class),
        None => exception.class.to_string(),
    };
    let throwable = Throwable {
        fields: vec![
            ("exceptionClass".to_owned(), Value::from(&*exception.class)),
            ("exceptionMessage".to_owned(), message.map_or(Value::Null, Value::from)),
        ],
        ..Throwable::new(GENERIC_EXCEPTION, &both)
    };
    let object = scratch::cut(|out| throwable.to_hessian(&mut Encoder::new(out)));
    RpcError::exception_of(Exception {
        class: GENERIC_EXCEPTION.into(),
        message: Some(both.into()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_without_types_gets_class_and_message_as_texts() {
        let thrown = generic(RpcError::thrown("org.example.SoldOut", "none left"));
        let exception = thrown.exception().unwrap();
        assert_eq!(&*exception.class, GENERIC_EXCEPTION);
        let object: Throwable = orana_wire::hessian::from_bytes(exception.object.as_ref().unwrap()).unwrap();
        let text = |name| object.get(name).and_then(Value::as_text);
        assert_eq!(
            (text("exceptionClass"), text("exceptionMessage")),
            (Some("org.example.SoldOut"), Some("none left"))
        );
        let failed = of_rpc_error(&RpcError::new(RpcErrorCode::LimitExceeded, "full"));
        assert_eq!(&*generic(failed).exception().unwrap().class, RPC_EXCEPTION);
    }

    #[test]
    fn an_error_of_the_service_s_own_business_is_a_plain_exception() {
        let thrown = of_rpc_error(&RpcError::new(RpcErrorCode::Business, "no"));
        let exception = thrown.exception().unwrap();
        assert_eq!(&*exception.class, "java.lang.RuntimeException");
        assert!(exception.message.as_deref().unwrap().contains("no"));
    }
}

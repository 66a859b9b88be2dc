//! Exceptions with fields: a struct of the program as the Java exception that the interface declares, both ways.

use bytes::Bytes;
use orana_core::{Exception, RpcError, RpcErrorCode};
use orana_wire::hessian::java::{JavaType, Throwable};
use orana_wire::hessian::{FromHessian, ToHessian, from_bytes, to_bytes};

/// The error that makes the caller see `exception`, a struct with `#[derive(Hessian)]` that flattens
/// [`hessian::java::Exception`](crate::hessian::java::Exception): Java throws its class.
///
/// ```
/// #[derive(orana::Hessian)]
/// #[hessian(class = "org.example.SoldOut")]
/// struct SoldOut {
///     #[hessian(flatten)]
///     exception: orana::hessian::java::Exception,
///     left: i32,
/// }
///
/// fn buy(count: i32) -> orana::Result<()> {
///     Err(orana::throw(&SoldOut { exception: orana::hessian::java::Exception::new("too few"), left: count - 1 }))
/// }
///
/// let error = buy(3).unwrap_err();
/// assert_eq!(error.to_string(), "org.example.SoldOut: too few");
/// assert_eq!(orana::caught::<SoldOut>(&error).unwrap().left, 2);
/// ```
pub fn throw<E: ToHessian + JavaType>(exception: &E) -> RpcError {
    let refuse = |why: String| {
        RpcError::new(
            RpcErrorCode::Serialization,
            format!("an exception `{}` cannot be thrown: {why}", E::java_type()),
        )
    };
    let object: Bytes = match to_bytes(exception) {
        Ok(object) => object.freeze(),
        Err(error) => return refuse(error.to_string()),
    };
    match from_bytes::<Throwable>(&object) {
        Ok(throwable) => RpcError::exception_of(Exception {
            class: throwable.class.into(),
            message: throwable.message.map(Into::into),
            object: Some(object),
        }),
        Err(error) => refuse(error.to_string()),
    }
}

/// The exception in `error`, if it is one of the class that `E` stands for and can be read as it.
pub fn caught<E: FromHessian + JavaType>(error: &RpcError) -> Option<E> {
    let exception = error.exception()?;
    if *exception.class != *E::java_type() {
        return None;
    }
    from_bytes(exception.object.as_ref()?).ok()
}

//! The arguments of a call: typed values to bytes on the caller's side, bytes to typed values on the provider's.
//!
//! They are a Hessian stream of their own. In a request they stand between plain texts, which leave no trace in the
//! tables of a stream, so their bytes are put there as they are.

use std::borrow::Cow;

use orana_core::{Encoded, RpcError, RpcErrorCode};
use orana_wire::hessian::{Bookmark, DecodeError, Decoder, EncodeError, Encoder, FromHessian, Kind, ToHessian};

use crate::scratch;
use crate::service::MethodDefinition;

/// Writes the arguments of one call.
pub struct ArgumentEncoder<'e, 'b> {
    out: &'e mut Encoder<'b>,
    count: usize,
}

/// Reads the arguments of one call.
pub struct ArgumentDecoder<'a> {
    input: Decoder<'a>,
    count: usize,
    next: usize,
    method: Option<&'a MethodDefinition>,
}

/// An argument that is not what the method takes: the call is not performed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentError {
    /// Its bytes are not of that type.
    #[error(transparent)]
    Type(#[from] DecodeError),
    /// There are fewer arguments than parameters.
    #[error("only {0} arguments came")]
    Missing(usize),
}

/// The arguments that `push` pushes, encoded.
pub fn encode_arguments(
    push: impl FnOnce(&mut ArgumentEncoder<'_, '_>) -> Result<(), EncodeError>,
) -> Result<Encoded, RpcError> {
    let mut count = 0;
    let bytes = scratch::cut(|out| {
        let mut arguments = ArgumentEncoder {
            out: &mut Encoder::new(out),
            count: 0,
        };
        push(&mut arguments)?;
        count = arguments.count;
        Ok(())
    })
    .map_err(|error: EncodeError| {
        RpcError::new(
            RpcErrorCode::Serialization,
            format!("arguments cannot be written: {error}"),
        )
        .because(error)
    })?;
    Ok(Encoded::new(bytes, count, text))
}

/// Arguments whose bytes came from elsewhere.
pub(crate) fn received(bytes: bytes::Bytes, count: usize) -> Encoded {
    Encoded::new(bytes, count, text)
}

/// A reader of encoded arguments; errors name `method`, if one is given.
pub fn decode_arguments<'a>(arguments: &'a Encoded, method: Option<&'a MethodDefinition>) -> ArgumentDecoder<'a> {
    ArgumentDecoder {
        input: Decoder::new(arguments.bytes()),
        count: arguments.count(),
        next: 0,
        method,
    }
}

impl ArgumentEncoder<'_, '_> {
    /// Appends the next argument.
    pub fn push<T: ToHessian + ?Sized>(&mut self, argument: &T) -> Result<(), EncodeError> {
        argument.to_hessian(self.out)?;
        self.count += 1;
        Ok(())
    }
}

impl ArgumentDecoder<'_> {
    /// How many arguments came.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Reads the next argument. The error names the method, the argument, the type that Java declares, and what came.
    #[allow(clippy::should_implement_trait, reason = "an iterator has items of one type")]
    pub fn next<T: FromHessian>(&mut self) -> Result<T, RpcError> {
        let index = self.next;
        self.next += 1;
        if index >= self.count {
            return Err(self.refuse(index, None, ArgumentError::Missing(self.count)));
        }
        let here = self.input.mark();
        T::from_hessian(&mut self.input).map_err(|error| self.refuse(index, Some(here), error.into()))
    }

    fn refuse(&mut self, index: usize, at: Option<Bookmark>, error: ArgumentError) -> RpcError {
        let came = at.and_then(|mark| {
            self.input.rewind(mark).ok()?;
            let kind = self.input.peek().ok()?;
            let class = self.input.peek_type().ok().flatten();
            Some(class.map_or_else(|| kind.to_string(), |class| format!("{kind} of type {class}")))
        });
        let declared = self.method.and_then(|method| method.parameters.get(index));
        let mut message = format!("argument {}", index + 1);
        if let Some(declared) = declared {
            message.push_str(&format!(" of type `{declared}`"));
        }
        message.push_str(&format!(" does not fit: {error}"));
        if let Some(came) = came {
            message.push_str(&format!("; what came is {came}"));
        }
        let refused = RpcError::new(RpcErrorCode::Serialization, message).because(error);
        match self.method {
            Some(method) => refused.about(&method.name),
            None => refused,
        }
    }
}

/// The text of one of the values, as `String.valueOf` gives it; none for what is neither text nor number nor boolean.
fn text(bytes: &[u8], index: usize) -> Option<Cow<'_, str>> {
    let mut input = Decoder::new(bytes);
    for _ in 0..index {
        input.skip().ok()?;
    }
    plain_text(&mut input)
}

/// The next value as text, if it is a plain one.
pub(crate) fn plain_text<'a>(input: &mut Decoder<'a>) -> Option<Cow<'a, str>> {
    Some(match input.peek().ok()? {
        Kind::Null => Cow::Borrowed("null"),
        Kind::Bool => Cow::Borrowed(if input.bool().ok()? { "true" } else { "false" }),
        Kind::Int | Kind::Long => Cow::Owned(input.integer().ok()?.to_string()),
        Kind::Double => Cow::Owned(java_double(input.double().ok()?)),
        Kind::Text => input.text().ok()?,
        _ => return None,
    })
}

/// As `Double.toString` writes it.
fn java_double(number: f64) -> String {
    let magnitude = number.abs();
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if magnitude == 0.0 || (1e-3..1e7).contains(&magnitude) {
        return format!("{number:?}");
    }
    let text = format!("{number:E}");
    match text.split_once('E') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0E{exponent}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_as_they_were_written() {
        let encoded = encode_arguments(|arguments| {
            arguments.push("text")?;
            arguments.push(&7_i32)?;
            arguments.push(&vec![1_i64, 2])
        })
        .unwrap();
        assert_eq!(encoded.count(), 3);
        let mut arguments = decode_arguments(&encoded, None);
        assert_eq!(arguments.next::<String>().unwrap(), "text");
        assert_eq!(arguments.next::<i32>().unwrap(), 7);
        assert_eq!(arguments.next::<Vec<i64>>().unwrap(), [1, 2]);
        let error = arguments.next::<String>().unwrap_err();
        assert_eq!(error.message(), "argument 4 does not fit: only 3 arguments came");
    }

    #[test]
    fn an_argument_that_does_not_fit_is_named_with_its_method_and_both_types() {
        let method = MethodDefinition::new("buy", ["java.lang.String", "int"], "void");
        let encoded = encode_arguments(|arguments| {
            arguments.push("text")?;
            arguments.push(&Vec::<i32>::new())
        })
        .unwrap();
        let mut arguments = decode_arguments(&encoded, Some(&method));
        arguments.next::<String>().unwrap();
        assert_eq!(
            arguments.next::<i32>().unwrap_err().to_string(),
            "`buy`: argument 2 of type `int` does not fit: expected an integer, found a list; what came is a list \
             [serialization]"
        );
    }

    #[test]
    fn rules_see_arguments_as_java_prints_them() {
        let encoded = encode_arguments(|arguments| {
            arguments.push("tag")?;
            arguments.push(&-5_i64)?;
            arguments.push(&true)?;
            arguments.push(&1.5e10)?;
            arguments.push(&2.0)?;
            arguments.push(&1e-5)?;
            arguments.push(&vec![1])?;
            arguments.push(&Option::<i32>::None)
        })
        .unwrap();
        let texts: Vec<_> = (0..9).map(|index| encoded.text(index)).collect();
        let texts: Vec<_> = texts.iter().map(Option::as_deref).collect();
        assert_eq!(
            texts,
            [
                Some("tag"),
                Some("-5"),
                Some("true"),
                Some("1.5E10"),
                Some("2.0"),
                Some("1.0E-5"),
                None,
                Some("null"),
                None
            ]
        );
        assert!(matches!(encoded.text(0), Some(Cow::Borrowed(_))), "without a copy");
    }
}

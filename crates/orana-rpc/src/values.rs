//! The result of a call: a typed value to bytes on the provider's side, bytes to a typed value on the caller's.
//!
//! Whether the call went well is decided elsewhere; a [`Reply`] is what came of one that did.

use orana_core::{Attachments, Reply, ReplyShape, RpcError, RpcErrorCode};
use orana_wire::hessian::{DecodeError, Decoder, EncodeError, Encoder, FromHessian, Kind, ToHessian};

use crate::arguments::plain_text;
use crate::scratch;

/// The byte that is null.
const NULL: &[u8] = b"N";

/// The answer that is `value`.
pub fn reply_of<T: ToHessian + ?Sized>(value: &T) -> Result<Reply, RpcError> {
    let bytes = scratch::cut(|out| value.to_hessian(&mut Encoder::new(out))).map_err(|error: EncodeError| {
        RpcError::new(
            RpcErrorCode::Serialization,
            format!("result cannot be written: {error}"),
        )
        .because(error)
    })?;
    Ok(match &bytes[..] == NULL {
        true => Reply::null(),
        false => Reply::new(ReplyShape::Value, bytes),
    })
}

/// The value of an answer. Null is read as null is: into an `Option`, a `Value` or `()`.
pub fn value_of<T: FromHessian>(reply: &Reply) -> Result<T, RpcError> {
    let (bytes, null) = match reply.shape() {
        ReplyShape::Null | ReplyShape::NullWithAttachments => (NULL, true),
        ReplyShape::Value | ReplyShape::ValueWithAttachments => (&reply.bytes()[..], false),
    };
    T::from_hessian(&mut Decoder::new(bytes)).map_err(|error| {
        let came = match null {
            true => "null".to_owned(),
            false => kind_of(bytes),
        };
        let message = format!("result is no `{}`: {error}; what came is {came}", short_name::<T>());
        RpcError::new(RpcErrorCode::Serialization, message).because(error)
    })
}

/// What came with an answer; values that are no text and have none are left out, and so is everything if it cannot be
/// read. What a load balance was told is not among it.
pub fn attachments_of(reply: &Reply) -> Attachments {
    let mut attachments = all_attachments_of(reply);
    attachments.remove("lb_adaptive");
    attachments
}

/// The same with what concerns nobody but the protocol.
pub(crate) fn all_attachments_of(reply: &Reply) -> Attachments {
    let mut input = Decoder::new(reply.bytes());
    let read = match reply.shape() {
        ReplyShape::Null | ReplyShape::Value => return Attachments::new(),
        ReplyShape::NullWithAttachments => read_attachments(&mut input),
        ReplyShape::ValueWithAttachments => input.skip().and_then(|()| read_attachments(&mut input)),
    };
    read.unwrap_or_default()
}

/// Reads a map, or null, as attachments: what is no text and has none is left out.
pub(crate) fn read_attachments(input: &mut Decoder<'_>) -> Result<Attachments, DecodeError> {
    let mut attachments = Attachments::new();
    if input.null()? {
        return Ok(attachments);
    }
    input.map(|input| {
        if input.peek()? != Kind::Text {
            input.skip()?;
            return input.skip();
        }
        let name = input.text()?;
        match input.peek()? {
            Kind::Bool | Kind::Int | Kind::Long | Kind::Double | Kind::Text => {
                let text = plain_text(input).ok_or(DecodeError::Text)?;
                attachments.set(&*name, &*text);
                Ok(())
            }
            _ => input.skip(),
        }
    })?;
    Ok(attachments)
}

fn kind_of(bytes: &[u8]) -> String {
    let mut input = Decoder::new(bytes);
    let class = input.peek_type().ok().flatten().map(|class| class.to_string());
    match (input.peek(), class) {
        (Ok(kind), Some(class)) => format!("{kind} of type {class}"),
        (Ok(kind), None) => kind.to_string(),
        (Err(error), _) => error.to_string(),
    }
}

/// The name of a type without the modules.
fn short_name<T>() -> String {
    let name = std::any::type_name::<T>();
    let mut short = String::with_capacity(name.len());
    let mut start = 0;
    for (at, character) in name.char_indices() {
        if !(character.is_alphanumeric() || character == '_' || character == ':') {
            let word = name.get(start..at).unwrap_or_default();
            short.push_str(word.rsplit("::").next().unwrap_or(word));
            short.push(character);
            start = at + character.len_utf8();
        }
    }
    let word = name.get(start..).unwrap_or_default();
    short.push_str(word.rsplit("::").next().unwrap_or(word));
    short
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;

    use super::*;

    #[test]
    fn a_result_is_read_as_it_was_written_and_null_is_no_bytes() {
        assert_eq!(value_of::<String>(&reply_of("hi").unwrap()).unwrap(), "hi");
        let null = reply_of(&Option::<i32>::None).unwrap();
        assert_eq!((null.shape(), null.bytes().len()), (ReplyShape::Null, 0));
        assert_eq!(value_of::<Option<i32>>(&null).unwrap(), None);
        value_of::<()>(&reply_of(&()).unwrap()).unwrap();
    }

    #[test]
    fn a_result_of_another_type_says_which_types_met() {
        let error = value_of::<Option<String>>(&reply_of(&vec![1]).unwrap()).unwrap_err();
        assert_eq!(
            error.message(),
            "result is no `Option<String>`: expected a string, found a list; what came is a list"
        );
        let error = value_of::<i32>(&Reply::null()).unwrap_err();
        assert_eq!(
            error.message(),
            "result is no `i32`: expected an integer, found null; what came is null"
        );
    }

    #[test]
    fn what_came_with_a_result_is_found_behind_it() {
        let mut bytes = BytesMut::new();
        let mut out = Encoder::new(&mut bytes);
        out.text("value");
        out.begin_map(None);
        out.text("a");
        out.text("1");
        out.text("n");
        out.int(2);
        out.text("lb_adaptive");
        out.text("load:5");
        out.text("gone");
        out.begin_list(None, 0).unwrap();
        out.end_map();
        let reply = Reply::new(ReplyShape::ValueWithAttachments, bytes.freeze());
        assert_eq!(attachments_of(&reply), Attachments::from_iter([("a", "1"), ("n", "2")]));
        assert_eq!(all_attachments_of(&reply).get("lb_adaptive"), Some("load:5"));
        assert_eq!(value_of::<String>(&reply).unwrap(), "value");
    }
}

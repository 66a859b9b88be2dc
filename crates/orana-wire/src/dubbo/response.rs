//! The body of an answer: a value, nothing, an exception of the service's, or, with another status, a text.

use bytes::BytesMut;

use super::attachments::Attachments;
use super::foreign::fastjson2_text;
use super::header::{Header, Serialization, Status};
use super::request::{BodyError, WriteError, open, put_frame};
use super::version::PROTOCOL_VERSION;
use crate::hessian::java::Throwable;
use crate::hessian::{DecodeError, Decoder, EncodeError, Encoder, FromHessian, ToHessian};

/// The attachment by which the other side of an answer says its protocol version.
const VERSION_KEY: &str = "dubbo";

/// A longer error text is cut: it is meant for people.
const TEXT_MAX: usize = 64 << 10;

/// What a method came to. `T` is the type of its result.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome<T> {
    /// It returned a value.
    Value(T),
    /// It returned nothing, or null.
    Null,
    /// It threw an exception.
    Exception(Box<Throwable>),
}

/// The answer to a call that was performed.
#[derive(Debug, Clone, PartialEq)]
pub struct Response<T> {
    /// What the method came to.
    pub outcome: Outcome<T>,
    /// What goes along; empty if there is nothing, or the caller would not read it.
    pub attachments: Attachments,
}

impl<T: FromHessian> Response<T> {
    /// Reads the body of an answer of status OK. What follows it is ignored: some peers append a null.
    pub fn read(header: &Header, body: &[u8]) -> Result<Self, BodyError> {
        let mut input = open(header, body)?;
        let kind = input.integer()?;
        let outcome = match kind {
            0 | 3 => Outcome::Exception(Box::new(read_exception(&mut input)?)),
            1 | 4 => match input.null()? {
                true => Outcome::Null,
                false => Outcome::Value(T::from_hessian(&mut input)?),
            },
            2 | 5 => Outcome::Null,
            other => return Err(BodyError::Outcome(other)),
        };
        let attachments = match kind {
            3..=5 => Attachments::read(&mut input)?,
            _ => Attachments::EMPTY,
        };
        Ok(Response { outcome, attachments })
    }
}

/// Reads an exception; one that is none to us is still an exception, by what it shows of itself.
fn read_exception(input: &mut Decoder<'_>) -> Result<Throwable, DecodeError> {
    let here = input.mark();
    match Throwable::from_hessian(input) {
        Ok(throwable) => Ok(throwable),
        Err(DecodeError::Unexpected { .. } | DecodeError::Range(_)) => {
            input.rewind(here)?;
            let value = input.value()?;
            let message = value.as_text().map_or_else(|| format!("{value:?}"), str::to_owned);
            Ok(Throwable {
                message: Some(message),
                ..Throwable::default()
            })
        }
        Err(error) => Err(error),
    }
}

/// Appends the answer to a call; `with_attachments` is whether the caller's version reads them.
pub fn put_response<T: ToHessian>(
    id: i64,
    response: &Response<T>,
    with_attachments: bool,
    limit: usize,
    out: &mut BytesMut,
) -> Result<(), WriteError> {
    put_frame(&Header::response(id, Status::OK), limit, out, |out| {
        let kind = match response.outcome {
            Outcome::Exception(_) => 0,
            Outcome::Value(_) => 1,
            Outcome::Null => 2,
        };
        out.int(if with_attachments { kind + 3 } else { kind });
        match &response.outcome {
            Outcome::Exception(throwable) => throwable.to_hessian(out)?,
            Outcome::Value(value) => value.to_hessian(out)?,
            Outcome::Null => {}
        }
        match with_attachments {
            true => put_attachments(&response.attachments, out),
            false => Ok(()),
        }
    })
}

fn put_attachments(attachments: &Attachments, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
    out.begin_map(None);
    for (name, value) in attachments.iter().filter(|(name, _)| *name != VERSION_KEY) {
        out.text(name);
        out.value(value)?;
    }
    out.text(VERSION_KEY);
    out.text(PROTOCOL_VERSION);
    out.end_map();
    Ok(())
}

/// Appends the answer to a call that was not performed.
pub fn put_error(id: i64, status: Status, text: &str, out: &mut BytesMut) {
    let end = text.floor_char_boundary(TEXT_MAX);
    let header = Header::response(id, status);
    let written = put_frame(&header, usize::MAX, out, |out| {
        out.text(text.get(..end).unwrap_or(text));
        Ok(())
    });
    debug_assert_eq!(written, Ok(()), "a text has a wire form");
}

/// The text of an answer whose status is not OK, in whatever serialization its sender prefers; `None` if it has none
/// or it is not understood.
pub fn error_text(header: &Header, body: &[u8]) -> Option<String> {
    match header.serialization {
        Serialization::HESSIAN2 => Decoder::new(body).text().ok().map(|text| text.into_owned()),
        Serialization::FASTJSON2 => fastjson2_text(body),
        _ => None,
    }
}

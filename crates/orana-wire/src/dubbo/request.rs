//! The body of a call: which method of which service, its arguments, and what goes along with them.
//!
//! A server that knows its methods reads the [`InvocationHead`], decides, reads the arguments as the types that the
//! method has, and then the attachments. [`Invocation`] is the whole for those who know no types.

use bytes::BytesMut;

use super::attachments::Attachments;
use super::descriptor::{Descriptor, DescriptorError};
use super::frame::{begin_frame, end_frame};
use super::header::{Header, Serialization};
use super::version::PROTOCOL_VERSION;
use crate::hessian::{DecodeError, Decoder, EncodeError, Encoder, Value};

/// Why a body could not be read. The frame is complete, so the stream is in step whatever it holds: the answer is
/// [`BAD_REQUEST`](super::Status::BAD_REQUEST) with this as its text, and the connection goes on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// Encoded as we cannot read. The words are Java's.
    #[error("Unrecognized serialize type from consumer: {}", .0.id())]
    Serialization(Serialization),
    /// Not the values that stand here.
    #[error(transparent)]
    Malformed(#[from] DecodeError),
    /// Types that are none.
    #[error(transparent)]
    Descriptor(#[from] DescriptorError),
    /// A result of no known kind.
    #[error("unknown kind of result {0}")]
    Outcome(i64),
}

/// What a caller wants to call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvocationHead {
    /// Of the protocol; decides whether the answer may carry attachments.
    pub protocol_version: String,
    /// The interface; the attachment `path` is more exact where there is one.
    pub path: String,
    /// Of the service; `0.0.0` and empty mean none.
    pub version: String,
    /// The method.
    pub method: String,
    /// The types of its parameters.
    pub descriptor: Descriptor,
}

/// A call with arguments of any kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Invocation {
    /// What is called.
    pub head: InvocationHead,
    /// One for each parameter.
    pub arguments: Vec<Value>,
    /// What goes along.
    pub attachments: Attachments,
}

impl InvocationHead {
    /// A call in the version of the protocol that we speak. No version of the service is `0.0.0` on the wire.
    pub fn new(path: &str, version: Option<&str>, method: &str, descriptor: Descriptor) -> Self {
        InvocationHead {
            protocol_version: PROTOCOL_VERSION.to_owned(),
            path: path.to_owned(),
            version: version.unwrap_or("0.0.0").to_owned(),
            method: method.to_owned(),
            descriptor,
        }
    }

    /// Reads the head; `input` then stands at the first argument.
    pub fn read(input: &mut Decoder<'_>) -> Result<Self, BodyError> {
        let mut text = || -> Result<String, DecodeError> {
            if input.null()? {
                return Ok(String::new());
            }
            Ok(input.text()?.into_owned())
        };
        Ok(InvocationHead {
            protocol_version: text()?,
            path: text()?,
            version: text()?,
            method: text()?,
            descriptor: Descriptor::parse(&text()?)?,
        })
    }

    /// Reads the attachments, which stand after the arguments, and comes back to the first of these.
    pub fn peek_attachments(&self, input: &mut Decoder<'_>) -> Result<Attachments, DecodeError> {
        let arguments = input.mark();
        for _ in 0..self.descriptor.count() {
            input.skip()?;
        }
        let attachments = Attachments::read(input)?;
        input.rewind(arguments)?;
        Ok(attachments)
    }

    /// Appends the head; one value for each parameter must follow, then the attachments.
    pub fn write(&self, out: &mut Encoder<'_>) {
        out.text(&self.protocol_version);
        out.text(&self.path);
        out.text(&self.version);
        out.text(&self.method);
        out.text(self.descriptor.as_str());
    }
}

impl Invocation {
    /// Reads the body of a request.
    pub fn read(header: &Header, body: &[u8]) -> Result<Self, BodyError> {
        let mut input = open(header, body)?;
        let head = InvocationHead::read(&mut input)?;
        let mut arguments = Vec::new();
        for _ in 0..head.descriptor.count() {
            arguments.push(input.value()?);
        }
        let attachments = Attachments::read(&mut input)?;
        Ok(Invocation {
            head,
            arguments,
            attachments,
        })
    }
}

/// A decoder for a body, if it is in Hessian 2.
pub fn open<'b>(header: &Header, body: &'b [u8]) -> Result<Decoder<'b>, BodyError> {
    if header.is_hessian2() {
        Ok(Decoder::new(body))
    } else {
        Err(BodyError::Serialization(header.serialization))
    }
}

/// Why a frame was not written. Nothing of it is in the buffer then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// Something in it has no wire form.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The body is over the limit.
    #[error("Data length too large: {length}, max payload: {limit}")]
    TooLong {
        /// Of the body.
        length: usize,
        /// What may be sent.
        limit: usize,
    },
}

/// Appends a frame whose body is what `body` writes; if that fails or is over the limit, appends nothing.
pub fn put_frame(
    header: &Header,
    limit: usize,
    out: &mut BytesMut,
    body: impl FnOnce(&mut Encoder<'_>) -> Result<(), EncodeError>,
) -> Result<(), WriteError> {
    let start = out.len();
    let frame = begin_frame(header, out);
    if let Err(error) = body(&mut Encoder::new(out)) {
        out.truncate(start);
        return Err(error.into());
    }
    let ended = end_frame(out, frame, limit);
    ended.map(drop).map_err(|length| WriteError::TooLong { length, limit })
}

/// Appends a call; `arguments` writes one value for each parameter.
pub fn put_request(
    header: &Header,
    head: &InvocationHead,
    attachments: &Attachments,
    limit: usize,
    out: &mut BytesMut,
    arguments: impl FnOnce(&mut Encoder<'_>) -> Result<(), EncodeError>,
) -> Result<(), WriteError> {
    put_frame(header, limit, out, |out| {
        head.write(out);
        arguments(out)?;
        attachments.write(out)
    })
}

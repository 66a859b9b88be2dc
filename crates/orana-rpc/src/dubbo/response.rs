//! What a caller is answered: the result of its call in the kinds and statuses that a Java provider has for it.

use bytes::{BufMut, Bytes, BytesMut};
use orana_core::{Attachments, Exception, Reply, ReplyShape, RpcError, RpcErrorCode};
use orana_wire::dubbo::frame::{begin_frame, end_frame, oversize};
use orana_wire::dubbo::response::put_error;
use orana_wire::dubbo::version::PROTOCOL_VERSION;
use orana_wire::dubbo::{Header, Status};
use orana_wire::hessian::{Decoder, Encoder};

use crate::arguments::ArgumentError;
use crate::exception;
use crate::json::TooLong;
use crate::values::attachments_of;

/// How the answer to one request is put.
#[derive(Clone, Copy, Debug)]
pub(super) struct Envelope {
    /// The id of the request.
    pub(super) id: i64,
    /// Whether the caller reads attachments.
    pub(super) with_attachments: bool,
    /// The most bytes of a body.
    pub(super) limit: usize,
}

/// Appends the answer; `attachments` go beside the result.
pub(super) fn put(envelope: Envelope, result: &Result<Reply, RpcError>, attachments: &Attachments, out: &mut BytesMut) {
    match result {
        Ok(reply) => put_reply(envelope, reply, attachments, out),
        Err(error) => match error.exception() {
            Some(exception) => put_exception(envelope, exception, attachments, out),
            None => put_error(envelope.id, status(error), &error.to_string(), out),
        },
    }
}

/// What a call is answered with that was not performed, or not to its end.
fn status(error: &RpcError) -> Status {
    let source = std::error::Error::source(error);
    match error.code() {
        _ if source.is_some_and(|source| source.is::<ArgumentError>()) => Status::BAD_REQUEST,
        // As any other answer over the limit.
        _ if source.is_some_and(|source| source.is::<TooLong>()) => Status::SERIALIZATION_ERROR,
        RpcErrorCode::MethodNotFound => Status::BAD_REQUEST,
        RpcErrorCode::Serialization => Status::BAD_RESPONSE,
        RpcErrorCode::TimeoutTerminate => Status::SERVER_TIMEOUT,
        _ => Status::SERVICE_ERROR,
    }
}

fn put_reply(envelope: Envelope, reply: &Reply, attachments: &Attachments, out: &mut BytesMut) {
    let bytes = reply.bytes();
    let (with_value, with_map) = match reply.shape() {
        ReplyShape::Null => (false, false),
        ReplyShape::NullWithAttachments => (false, true),
        ReplyShape::Value => (true, false),
        ReplyShape::ValueWithAttachments => (true, true),
    };
    // The map that came with a result is sent on as it is, unless something must be added to it.
    if with_map && envelope.with_attachments && attachments.is_empty() {
        let kind = if with_value { 4 } else { 5 };
        return put_result(envelope, kind, bytes, None, out);
    }
    let value = match (with_value, with_map) {
        (false, _) => &[][..],
        (true, false) => bytes,
        (true, true) => value_alone(bytes),
    };
    let kind = if with_value { 1 } else { 2 };
    if !with_map {
        return put_result(envelope, kind, value, Some(attachments), out);
    }
    let mut all = attachments_of(reply);
    for (name, text) in attachments.iter() {
        all.set(name, text);
    }
    put_result(envelope, kind, value, Some(&all), out);
}

fn value_alone(bytes: &Bytes) -> &[u8] {
    let mut input = Decoder::new(bytes);
    match input.skip() {
        Ok(()) => bytes.get(..bytes.len() - input.rest().len()).unwrap_or(bytes),
        Err(_) => bytes,
    }
}

fn put_exception(envelope: Envelope, thrown: &Exception, attachments: &Attachments, out: &mut BytesMut) {
    match exception::object(thrown) {
        Ok(object) => put_result(envelope, 0, &object, Some(attachments), out),
        Err(error) => put_error(envelope.id, Status::BAD_RESPONSE, &error.to_string(), out),
    }
}

/// Appends a result of that kind; the numbers are those without attachments, unless `attachments` is none: then the map is
/// in `bytes` already.
fn put_result(envelope: Envelope, kind: i32, bytes: &[u8], attachments: Option<&Attachments>, out: &mut BytesMut) {
    out.reserve(64 + bytes.len());
    let frame = begin_frame(&Header::response(envelope.id, Status::OK), out);
    let attachments = attachments.filter(|_| envelope.with_attachments);
    Encoder::new(out).int(if attachments.is_some() { kind + 3 } else { kind });
    out.put_slice(bytes);
    if let Some(attachments) = attachments {
        let mut encoder = Encoder::new(out);
        encoder.begin_map(None);
        for (name, text) in attachments.iter().filter(|(name, _)| *name != "dubbo") {
            encoder.text(name);
            encoder.text(text);
        }
        encoder.text("dubbo");
        encoder.text(PROTOCOL_VERSION);
        encoder.end_map();
    }
    if let Err(length) = end_frame(out, frame, envelope.limit) {
        let text = oversize(u32::try_from(length).unwrap_or(u32::MAX), envelope.limit);
        put_error(envelope.id, Status::SERIALIZATION_ERROR, &text, out);
    }
}

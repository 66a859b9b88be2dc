//! What an answer means to the caller: a reply, an exception, or a failure with one of Dubbo's codes.

use bytes::Bytes;
use orana_core::{Reply, ReplyShape, RpcError, RpcErrorCode};
use orana_wire::dubbo::response::error_text;
use orana_wire::dubbo::{Direction, Serialization, Status};
use orana_wire::hessian::{Decoder, Kind};

use super::calls::Answer;
use crate::exception;
use crate::values::all_attachments_of;

/// A longer text is cut: Java sends whole stack traces.
const TEXT_MAX: usize = 2048;

/// What a provider said that did not perform a call, as it said it: the source of the [`RpcError`] of such a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", text.as_deref().unwrap_or("no reason was given"))]
pub struct Refused {
    /// With which status.
    pub status: Status,
    /// Why; from Java a whole stack trace.
    pub text: Option<Box<str>>,
}

/// The result of the call that was answered so.
pub(super) fn reply(answer: Answer) -> Result<Reply, RpcError> {
    let Answer { header, body } = answer;
    let status = match header.direction {
        Direction::Response { status } => status,
        Direction::Request { .. } => Status::CLIENT_ERROR,
    };
    if !status.is_ok() {
        return Err(refusal(status, error_text(&header, &body).as_deref()));
    }
    if header.serialization != Serialization::HESSIAN2 {
        let message = format!("the answer is in {}, which nobody asked for", header.serialization);
        return Err(RpcError::new(RpcErrorCode::Serialization, message));
    }
    let broken = |error: &dyn std::fmt::Display| {
        RpcError::new(RpcErrorCode::Serialization, format!("the answer is broken: {error}"))
    };
    let mut input = Decoder::new(&body);
    let kind = input.integer().map_err(|error| broken(&error))?;
    let null = matches!(kind, 1 | 4) && matches!(input.peek(), Ok(Kind::Null));
    let start = body.len() - input.rest().len();
    let rest = |from: usize| body.get(from..).map_or_else(Bytes::new, |rest| body.slice_ref(rest));
    let reply = match (kind, null) {
        (0 | 3, _) => Err(exception::received(rest(start))),
        (1, true) | (2, _) => Ok(Reply::null()),
        (1, false) => Ok(Reply::new(ReplyShape::Value, rest(start))),
        (4, true) => Ok(Reply::new(ReplyShape::NullWithAttachments, rest(start + 1))),
        (4, false) => Ok(Reply::new(ReplyShape::ValueWithAttachments, rest(start))),
        (5, _) => Ok(Reply::new(ReplyShape::NullWithAttachments, rest(start))),
        (other, _) => Err(broken(&format_args!("unknown kind of result {other}"))),
    };
    reply.map(|reply| reply.read_by(all_attachments_of))
}

/// What a status other than OK is: the codes that a Java consumer gives it.
fn refusal(status: Status, text: Option<&str>) -> RpcError {
    let code = match status {
        Status::SERIALIZATION_ERROR => RpcErrorCode::Serialization,
        Status::CLIENT_TIMEOUT | Status::SERVER_TIMEOUT => RpcErrorCode::Timeout,
        _ => RpcErrorCode::Network,
    };
    let refused = Refused {
        status,
        text: text.map(|text| {
            text.get(..text.floor_char_boundary(TEXT_MAX))
                .unwrap_or(text)
                .trim()
                .into()
        }),
    };
    RpcError::new(code, refused.summary()).because(refused)
}

impl Refused {
    /// The first line: what follows in Java's texts is where in its code that happened.
    fn summary(&self) -> String {
        let first = self.text.as_deref().and_then(|text| text.lines().next());
        match first {
            Some(first) => format!("refused with {}: {}", self.status, first.trim_end()),
            None => format!("refused with {}", self.status),
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;
    use orana_wire::dubbo::Header;
    use orana_wire::hessian::java::Throwable;
    use orana_wire::hessian::{Encoder, ToHessian};

    use super::*;
    use crate::{attachments_of, value_of};

    fn answer(status: Status, write: impl FnOnce(&mut Encoder<'_>)) -> Result<Reply, RpcError> {
        let mut body = BytesMut::new();
        write(&mut Encoder::new(&mut body));
        reply(Answer {
            header: Header::response(1, status),
            body: body.freeze(),
        })
    }

    #[test]
    fn every_kind_of_result_is_understood_and_what_follows_is_ignored() {
        let map = |out: &mut Encoder<'_>| {
            out.begin_map(None);
            out.text("a");
            out.text("1");
            out.end_map();
        };
        let value = answer(Status::OK, |out| {
            out.int(1);
            out.text("v");
            out.null();
        });
        assert_eq!(value_of::<String>(&value.unwrap()).unwrap(), "v");
        for kind in [4, 5] {
            let reply = answer(Status::OK, |out| {
                out.int(kind);
                if kind == 4 {
                    out.null();
                }
                map(out);
            });
            let reply = reply.unwrap();
            assert_eq!(value_of::<Option<String>>(&reply).unwrap(), None);
            assert_eq!(attachments_of(&reply).get("a"), Some("1"));
        }
        let reply = answer(Status::OK, |out| {
            out.int(4);
            out.text("v");
            map(out);
        });
        assert_eq!(attachments_of(&reply.unwrap()).get("a"), Some("1"));
        let error = answer(Status::OK, |out| out.int(9)).unwrap_err();
        assert_eq!(error.message(), "the answer is broken: unknown kind of result 9");
        assert_eq!(
            answer(Status::OK, |_| {}).unwrap_err().code(),
            RpcErrorCode::Serialization
        );
    }

    #[test]
    fn an_exception_keeps_its_class_its_message_and_its_bytes() {
        let thrown = Throwable::new("org.shop.SoldOut", "none left");
        let error = answer(Status::OK, |out| {
            out.int(0);
            thrown.to_hessian(out).unwrap();
        });
        let error = error.unwrap_err();
        let exception = error.exception().unwrap();
        assert_eq!(
            (&*exception.class, exception.message.as_deref()),
            ("org.shop.SoldOut", Some("none left"))
        );
        let object = exception.object.clone().unwrap();
        assert_eq!(orana_wire::hessian::from_bytes::<Throwable>(&object).unwrap(), thrown);
    }

    #[test]
    fn an_exception_that_is_none_is_one_nevertheless() {
        let error = answer(Status::OK, |out| {
            out.int(0);
            out.text("just words");
        });
        assert_eq!(error.unwrap_err().to_string(), "java.lang.RuntimeException: just words");
    }

    #[test]
    fn a_status_becomes_the_code_that_java_gives_it() {
        for (status, code) in [
            (Status::SERIALIZATION_ERROR, RpcErrorCode::Serialization),
            (Status::SERVER_TIMEOUT, RpcErrorCode::Timeout),
            (Status::BAD_REQUEST, RpcErrorCode::Network),
            (Status::SERVER_THREADPOOL_EXHAUSTED, RpcErrorCode::Network),
            (Status(99), RpcErrorCode::Network),
        ] {
            let error = answer(status, |out| out.text("why")).unwrap_err();
            assert_eq!(error.code(), code, "{status}");
            assert!(error.message().ends_with(": why"), "{error}");
        }
    }
}

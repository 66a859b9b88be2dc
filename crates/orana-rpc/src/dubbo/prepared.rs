//! What is the same in every call of one method at one provider, encoded once.
//!
//! Plain texts leave no trace in the tables of a stream, so they may be put together from pieces: head, arguments and
//! attachments of a request are three pieces of bytes, the last of which may be continued.

use std::sync::Arc;
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use orana_core::{Invocation, Method, ServiceUrl};
use orana_wire::dubbo::Header;
use orana_wire::dubbo::frame::{begin_frame, end_frame};
use orana_wire::dubbo::version::PROTOCOL_VERSION;
use orana_wire::hessian::Encoder;

use crate::reserved::is_said_by_the_call;

/// Dubbo's time-out of a call where nothing is configured.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(1);

/// The parameter that says whether a provider is told how much time is left.
const COUNTDOWN: &str = "enable-timeout-countdown";

/// One method at one provider.
#[derive(Debug)]
pub(super) struct Prepared {
    method: Arc<Method>,
    /// The name by which the settings are found; another than the method's in generic calls.
    called: Box<str>,
    head: Bytes,
    /// A map without its end.
    attachments: Bytes,
    /// Whether the token is among them.
    has_token: bool,
    /// How long an answer is awaited unless the call says.
    pub(super) timeout: Duration,
    /// Whether no answer is wanted (`return=false`).
    pub(super) one_way: bool,
    /// Whether the provider is told how much time is left (`enable-timeout-countdown`); if nothing is said, of a call that has
    /// a deadline.
    countdown: Option<bool>,
}

impl Prepared {
    /// `method` at the provider that `url` describes, with the settings of the method `called`.
    pub(super) fn new(method: &Arc<Method>, called: &str, url: &ServiceUrl) -> Prepared {
        let interface = match method.service.interface() {
            "" => url.interface().unwrap_or_default(),
            interface => interface,
        };
        let path = url.path().filter(|path| !path.is_empty()).unwrap_or(interface);
        // What a consumer asked for may be a pattern; what this provider has is none.
        let of_provider = |key, asked: Option<&str>| {
            let said = url.parameter(key).map(str::to_owned);
            said.or_else(|| asked.map(str::to_owned))
                .filter(|text| !text.is_empty() && text != "*")
        };
        let group = of_provider("group", method.service.group());
        let version = of_provider("version", method.service.version());
        let version = version.as_deref().unwrap_or("0.0.0");
        let mut head = BytesMut::new();
        let mut out = Encoder::new(&mut head);
        for text in [PROTOCOL_VERSION, interface, version, &method.name, &method.descriptor] {
            out.text(text);
        }
        let mut attachments = BytesMut::new();
        let mut out = Encoder::new(&mut attachments);
        out.begin_map(None);
        let token = url.parameter("token").filter(|token| !token.is_empty());
        let pairs = [
            ("path", Some(path)),
            ("interface", Some(interface)),
            ("version", Some(version)),
            ("group", group.as_deref()),
            ("token", token),
        ];
        for (name, text) in pairs {
            if let Some(text) = text {
                out.text(name);
                out.text(text);
            }
        }
        Prepared {
            has_token: token.is_some(),
            timeout: url.method_millis_or(called, "timeout", DEFAULT_TIMEOUT),
            one_way: !url.method_flag_or(called, "return", true),
            countdown: url
                .method_parameter(called, COUNTDOWN)
                .map(|_| url.method_flag_or(called, COUNTDOWN, false)),
            method: Arc::clone(method),
            called: called.into(),
            head: head.freeze(),
            attachments: attachments.freeze(),
        }
    }

    /// Whether this is for that method, the same one in memory, as methods are mostly made once for many calls.
    pub(super) fn is(&self, method: &Arc<Method>, called: &str) -> bool {
        Arc::ptr_eq(&self.method, method) && *self.called == *called
    }

    /// Whether this is for a method that is made alike.
    pub(super) fn is_like(&self, method: &Method, called: &str) -> bool {
        *self.called == *called && *self.method == *method
    }

    /// Appends the frame of a call that may take so long. If its body has more than `limit` bytes nothing is appended, and
    /// their number is the error.
    pub(super) fn put(
        &self,
        header: &Header,
        invocation: &Invocation,
        left: Duration,
        limit: usize,
        out: &mut BytesMut,
    ) -> Result<(), usize> {
        let arguments = invocation.arguments().bytes();
        out.reserve(64 + self.head.len() + arguments.len() + self.attachments.len());
        let frame = begin_frame(header, out);
        out.put_slice(&self.head);
        out.put_slice(arguments);
        out.put_slice(&self.attachments);
        let mut encoder = Encoder::new(out);
        let millis = u64::try_from(left.as_millis()).unwrap_or(u64::MAX).max(1);
        let mut digits = [0; 20];
        encoder.text("timeout");
        encoder.text(decimal(millis, &mut digits));
        if self.countdown.unwrap_or(invocation.options.deadline.is_some()) {
            encoder.text("_TO");
            encoder.int(i32::try_from(millis).unwrap_or(i32::MAX));
        }
        for (name, text) in invocation.attachments.iter() {
            // A reader takes the last of two entries.
            if is_said_by_the_call(name) || (self.has_token && name == "token") {
                continue;
            }
            encoder.text(name);
            encoder.text(text);
        }
        encoder.end_map();
        end_frame(out, frame, limit).map(drop)
    }
}

/// The number as text, without an allocation.
fn decimal(mut number: u64, digits: &mut [u8; 20]) -> &str {
    let mut start = digits.len();
    for (at, digit) in digits.iter_mut().enumerate().rev() {
        *digit = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
        start = at;
        if number == 0 {
            break;
        }
    }
    digits
        .get(start..)
        .and_then(|digits| std::str::from_utf8(digits).ok())
        .unwrap_or("0")
}

#[cfg(test)]
mod tests {
    use orana_core::{Encoded, ServiceKey};
    use orana_wire::dubbo::{self, header::HEADER_BYTES};

    use super::*;
    use crate::encode_arguments;

    fn read(url: &str, service: ServiceKey, invocation: impl FnOnce(&mut Invocation)) -> dubbo::Invocation {
        let method = Arc::new(Method::new(service, "say", "Ljava/lang/String;"));
        let prepared = Prepared::new(&method, &method.name, &ServiceUrl::parse(url).unwrap());
        let arguments = encode_arguments(|arguments| arguments.push("bob")).unwrap();
        let mut call = Invocation::new(method, arguments);
        invocation(&mut call);
        let (header, mut out) = (Header::request(7, true), BytesMut::new());
        prepared
            .put(&header, &call, Duration::from_millis(1500), usize::MAX, &mut out)
            .unwrap();
        dubbo::Invocation::read(&header, &out[HEADER_BYTES..]).unwrap()
    }

    #[test]
    fn a_request_says_what_the_provider_has_and_not_what_was_asked_for() {
        let url =
            "dubbo://h:1/shop/demo.Hi?interface=demo.Hi&group=g&version=1.0&token=t&enable-timeout-countdown=true";
        let call = read(url, ServiceKey::new("demo.Hi", Some("*"), Some("*")), |call| {
            call.attachments.set("trace", "x");
        });
        assert_eq!(
            (call.head.path.as_str(), call.head.version.as_str()),
            ("demo.Hi", "1.0")
        );
        let texts: Vec<_> = ["path", "interface", "version", "group", "token", "timeout", "trace"]
            .iter()
            .map(|name| call.attachments.text(name))
            .collect();
        let wanted = ["shop/demo.Hi", "demo.Hi", "1.0", "g", "t", "1500", "x"].map(Some);
        assert_eq!(texts, wanted);
        assert_eq!(call.attachments.get("_TO").unwrap().as_integer(), Some(1500));
        assert_eq!(call.arguments[0].as_text(), Some("bob"));
    }

    #[test]
    fn what_a_call_says_of_itself_is_not_put_aside_by_an_attachment() {
        let url = "dubbo://h:1/demo.Hi?token=t";
        let call = read(url, ServiceKey::parse("demo.Hi"), |call| {
            for name in ["path", "interface", "version", "group", "token", "timeout", "trace"] {
                call.attachments.set(name, "other");
            }
        });
        let texts = ["path", "interface", "version", "group", "token", "timeout", "trace"];
        let texts = texts.map(|name| call.attachments.text(name));
        let wanted = [
            Some("demo.Hi"),
            Some("demo.Hi"),
            Some("0.0.0"),
            None,
            Some("t"),
            Some("1500"),
            Some("other"),
        ];
        assert_eq!(texts, wanted);
        // Without a token in the provider's url the program may know one.
        let call = read("dubbo://h:1/demo.Hi", ServiceKey::parse("demo.Hi"), |call| {
            call.attachments.set("token", "known");
        });
        assert_eq!(call.attachments.text("token"), Some("known"));
    }

    #[test]
    fn a_provider_is_told_what_time_is_left_of_a_call_with_a_deadline_unless_that_is_turned_off() {
        let deadline = Some(std::time::Instant::now() + Duration::from_secs(9));
        for (parameters, deadline, told) in [
            ("", None, false),
            ("", deadline, true),
            ("?enable-timeout-countdown=true", None, true),
            ("?enable-timeout-countdown=false", deadline, false),
            ("?say.enable-timeout-countdown=false", deadline, false),
            ("?hear.enable-timeout-countdown=false", deadline, true),
        ] {
            let url = format!("dubbo://h:1/demo.Hi{parameters}");
            let call = read(&url, ServiceKey::parse("demo.Hi"), |call| {
                call.options.deadline = deadline
            });
            let left = call.attachments.get("_TO").and_then(|left| left.as_integer());
            assert_eq!(left, told.then_some(1500), "{parameters}");
        }
    }

    #[test]
    fn a_service_without_group_and_version_is_called_with_version_zero_and_no_group() {
        let call = read("dubbo://h:1/demo.Hi", ServiceKey::parse("demo.Hi"), |_| {});
        assert_eq!(call.head.version, "0.0.0");
        assert_eq!(
            (call.attachments.text("group"), call.attachments.text("path")),
            (None, Some("demo.Hi"))
        );
    }

    #[test]
    fn a_request_over_the_limit_leaves_nothing_behind() {
        let method = Arc::new(Method::new(ServiceKey::parse("demo.Hi"), "say", ""));
        let prepared = Prepared::new(&method, "say", &ServiceUrl::parse("dubbo://h:1/demo.Hi").unwrap());
        let call = Invocation::new(method, Encoded::none());
        let mut out = BytesMut::from(&b"before"[..]);
        let put = prepared.put(&Header::request(1, true), &call, Duration::ZERO, 10, &mut out);
        assert!(put.unwrap_err() > 10);
        assert_eq!(&out[..], b"before");
    }

    #[test]
    fn numbers_are_written_as_they_are_read() {
        for number in [0, 7, 10, 1500, u64::MAX] {
            assert_eq!(decimal(number, &mut [0; 20]), number.to_string());
        }
    }
}

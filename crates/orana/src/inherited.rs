//! What a call takes over from the call during which it is made: what is left of its time, and what its caller sent beside the
//! arguments (the part of `ConsumerContextFilter` that carries the context on).
//!
//! Decides only; which call is being served and what time it is are arguments.

use std::sync::Arc;
use std::time::Instant;

use orana_core::{Invocation, RpcError, RpcErrorCode, ServiceUrl};
use orana_rpc::Context;

/// The parameter of a consumer that says which attachments travel on.
const FORWARD: &str = "forward-attachments";

/// The parameter, also of a method, that says whether the time of the call that is being served counts.
const COUNTDOWN: &str = "enable-timeout-countdown";

/// Which attachments of the call that is being served travel on with the calls made meanwhile.
///
/// Whatever this says, what belongs to one hop alone does not travel on: what the protocol says of a call, its token, its tag
/// (`dubbo.tag`, `dubbo.force.tag`). What a call sets itself counts more than what it would take over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Forward {
    /// All, as Dubbo 3 does.
    #[default]
    All,
    /// None.
    Nothing,
    /// Those of these names (a `PenetrateAttachmentSelector` of Dubbo).
    Named(Arc<[Box<str>]>),
}

impl Forward {
    /// Those of these names.
    pub fn named<N: Into<Box<str>>>(names: impl IntoIterator<Item = N>) -> Forward {
        Forward::Named(names.into_iter().map(Into::into).collect())
    }

    /// What the consumer's URL says: `forward-attachments` is `true` (also when it is absent), `false`, or names with commas
    /// between them.
    pub(crate) fn of(consumer: &ServiceUrl) -> Forward {
        match consumer.parameter(FORWARD).map(str::trim) {
            None | Some("" | "true") => Forward::All,
            Some("false") => Forward::Nothing,
            Some(_) => Forward::named(consumer.list(FORWARD)),
        }
    }

    fn includes(&self, name: &str) -> bool {
        match self {
            Forward::All => true,
            Forward::Nothing => false,
            Forward::Named(names) => names.iter().any(|known| **known == *name),
        }
    }
}

/// Gives `invocation`, a call by `consumer`, what it takes over from the call that is `served` meanwhile. The time that this one
/// has left counts unless `enable-timeout-countdown=false` stands in the consumer's URL.
pub(crate) fn take_over(invocation: &mut Invocation, served: &Context, consumer: &ServiceUrl, forward: &Forward) {
    if let Some(theirs) = served.deadline()
        && consumer.method_flag_or(&invocation.called_name(), COUNTDOWN, true)
    {
        let own = invocation.options.deadline;
        invocation.options.deadline = Some(own.map_or(theirs, |own| own.min(theirs)));
    }
    for (name, text) in served.travelling() {
        if forward.includes(name) && invocation.attachments.get(name).is_none() {
            invocation.attachments.set(name, text);
        }
    }
}

/// The error that a call is whose time is over before it is made.
pub(crate) fn out_of_time(invocation: &Invocation, now: Instant) -> Option<RpcError> {
    invocation.options.deadline.filter(|deadline| *deadline <= now)?;
    let message = "no time is left for this call: nobody was called";
    Some(RpcError::new(RpcErrorCode::TimeoutTerminate, message).about(invocation.method()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use orana_core::{Attachments, Encoded, Method, ServiceKey};

    use super::*;

    fn call(attachments: &[(&str, &str)], deadline: Option<Instant>) -> Invocation {
        let method = Method::new(ServiceKey::parse("demo.Hi"), "say", "");
        let mut invocation = Invocation::new(Arc::new(method), Encoded::none());
        invocation.attachments = Attachments::from_iter(attachments.iter().copied());
        invocation.options.deadline = deadline;
        invocation
    }

    fn consumer(parameters: &str) -> ServiceUrl {
        ServiceUrl::parse(&format!("consumer://h/demo.Hi?{parameters}")).unwrap()
    }

    #[test]
    fn the_earlier_end_counts_unless_the_consumer_turned_the_countdown_off() {
        let now = Instant::now();
        let at = |second| Some(now + Duration::from_secs(second));
        for (parameters, theirs, own, expected) in [
            ("", at(5), None, at(5)),
            ("", at(5), at(3), at(3)),
            ("", at(5), at(9), at(5)),
            ("", None, at(9), at(9)),
            ("", None, None, None),
            ("enable-timeout-countdown=false", at(5), at(9), at(9)),
            ("say.enable-timeout-countdown=false", at(5), None, None),
            ("hear.enable-timeout-countdown=false", at(5), None, at(5)),
        ] {
            let served = Context::new(call(&[], theirs), None);
            let mut invocation = call(&[], own);
            take_over(&mut invocation, &served, &consumer(parameters), &Forward::All);
            assert_eq!(invocation.options.deadline, expected, "{parameters}");
        }
    }

    #[test]
    fn what_a_caller_sent_travels_on_as_far_as_it_is_not_of_one_hop() {
        let hop = [
            "path",
            "token",
            "_TO",
            "generic",
            "dubbo.tag",
            "return",
            "sys_callback_arg-1",
            "remote.application",
        ];
        let theirs: Vec<_> = hop.iter().map(|name| (*name, "theirs")).collect();
        let theirs = [
            &theirs[..],
            &[("trace", "theirs"), ("tenant", "theirs"), ("mine", "theirs")],
        ]
        .concat();
        let served = Context::new(call(&theirs, None), None);
        let forwarded = |forward: &Forward| {
            let mut invocation = call(&[("mine", "own")], None);
            take_over(&mut invocation, &served, &consumer(""), forward);
            invocation.attachments
        };
        let all = [("mine", "own"), ("trace", "theirs"), ("tenant", "theirs")];
        assert_eq!(forwarded(&Forward::All), Attachments::from_iter(all));
        assert_eq!(
            forwarded(&Forward::named(["tenant", "mine"])),
            Attachments::from_iter([("mine", "own"), ("tenant", "theirs")])
        );
        assert_eq!(forwarded(&Forward::Nothing), Attachments::from_iter([("mine", "own")]));
    }

    #[test]
    fn the_url_of_a_consumer_says_what_travels_on() {
        for (parameters, expected) in [
            ("", Forward::All),
            ("forward-attachments=true", Forward::All),
            ("forward-attachments=false", Forward::Nothing),
            ("forward-attachments=trace,tenant", Forward::named(["trace", "tenant"])),
        ] {
            assert_eq!(Forward::of(&consumer(parameters)), expected, "{parameters}");
        }
    }

    #[test]
    fn a_call_whose_time_is_over_ends_with_dubbo_s_code_for_that() {
        let now = Instant::now();
        assert!(out_of_time(&call(&[], None), now).is_none());
        assert!(out_of_time(&call(&[], Some(now + Duration::from_millis(1))), now).is_none());
        let error = out_of_time(&call(&[], Some(now)), now).unwrap();
        assert_eq!(
            (error.code(), error.code().number()),
            (RpcErrorCode::TimeoutTerminate, 8)
        );
    }
}

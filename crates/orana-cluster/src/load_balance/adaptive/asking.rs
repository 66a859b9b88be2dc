//! A consumer's half: asks with each call how busy the machine is, and takes the answer (`AdaptiveLoadBalanceFilter`).

use std::sync::Arc;

use orana_core::{Invocation, Reply};

use super::ATTACHMENT;
use crate::endpoint::Endpoint;
use crate::statistics::Statistics;

/// What is asked for, in Java's words; of the memory nobody says anything.
const ASKED: &str = "mem,load";

/// The name under which configuration asks for this load balance.
const NAME: &str = "adaptive";

/// The call with the question, if calls such as this one to `endpoint` are balanced by what machines say.
pub(crate) fn asking(endpoint: &Endpoint, invocation: &Invocation) -> Option<Invocation> {
    let balance = endpoint
        .url()
        .method_parameter(&invocation.called_name(), "loadbalance");
    (balance == Some(NAME)).then(|| {
        let mut asking = invocation.clone();
        asking.attachments.set(ATTACHMENT, ASKED);
        asking
    })
}

/// Takes what an answer says of the provider's machine, if it says something.
pub(crate) fn hear(statistics: &Arc<Statistics>, reply: &Reply) {
    if let Some(load) = reply.attachments().get(ATTACHMENT).and_then(load_in) {
        statistics.say_load(load);
    }
}

/// The load in `curTime:1700000000000,load:12.5`; other entries may stand there, too.
fn load_in(text: &str) -> Option<f64> {
    let mut entries = text.split(',').filter_map(|entry| entry.split_once(':'));
    let (_, load) = entries.find(|(name, _)| name.trim() == "load")?;
    load.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use orana_core::{Attachments, ReplyShape};

    use super::*;
    use crate::endpoint::tests::endpoint;
    use crate::testing::call_with;

    #[test]
    fn calls_ask_only_where_the_answer_decides() {
        let adaptive = endpoint("dubbo://h:1/i?say.loadbalance=adaptive");
        let asked = asking(&adaptive, &call_with("say", &[])).unwrap();
        assert_eq!(asked.attachments.get("lb_adaptive"), Some("mem,load"));
        assert!(asking(&adaptive, &call_with("hear", &[])).is_none());
        assert!(asking(&endpoint("dubbo://h:1/i"), &call_with("say", &[])).is_none());
    }

    #[test]
    fn what_a_machine_says_of_itself_is_taken_and_nonsense_is_not() {
        let statistics = Arc::<Statistics>::default();
        let says = |text: &'static str| {
            let read = |reply: &Reply| {
                let text = std::str::from_utf8(reply.bytes()).unwrap();
                Attachments::from_iter([("lb_adaptive", text)])
            };
            let reply = Reply::new(ReplyShape::NullWithAttachments, text.into()).read_by(read);
            hear(&statistics, &reply);
            statistics.said_load()
        };
        for nonsense in [
            "",
            "load",
            "load:",
            "load:x",
            "load:-1",
            "load:inf",
            "curTime:5",
            ",,:,",
        ] {
            assert_eq!(says(nonsense), None, "{nonsense}");
        }
        assert_eq!(says("curTime:1700000000000,load:12.5"), Some(12.5));
        assert_eq!(says("mem:1, load: 80"), Some(80.0));
        assert_eq!(says("load:NaN"), Some(80.0));
    }
}

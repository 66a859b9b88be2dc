//! Names of attachments that belong to the protocol: what a call says of itself beside its arguments.
//!
//! Programs neither see nor set them. Knows nothing of how attachments are written.

use orana_core::Attachments;

/// Whether a request says it of itself under that name, so that nothing of a program's may stand there. Where a provider has
/// no group, one from elsewhere would ask for another service.
pub(crate) fn is_said_by_the_call(name: &str) -> bool {
    matches!(
        name,
        "path" | "interface" | "group" | "version" | "timeout" | "_TO" | "_to" | "dubbo" | "input" | "output"
    )
}

/// Those of `all` that a program put there (what `org.apache.dubbo.rpc.filter.ContextFilter` leaves).
pub(crate) fn of_the_program(all: &Attachments) -> Attachments {
    let own = |name: &str| {
        let protocol = matches!(name, "token" | "async" | "generic" | "dubbo.tag" | "dubbo.force.tag");
        !protocol && !is_said_by_the_call(name)
    };
    all.iter().filter(|(name, _)| own(name)).collect()
}

/// Whether an attachment that programs see concerns the call that it came with and none that follows from it: how that one is
/// counted and answered, who made it, and where its caller can be called back.
pub(crate) fn is_of_one_hop(name: &str) -> bool {
    matches!(name, "id" | "return" | "remote.application" | "callback.service.instid")
        || name.starts_with("sys_callback_arg-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_see_what_programs_sent() {
        let all = Attachments::from_iter([("path", "p"), ("trace", "t"), ("token", "s3cret"), ("_TO", "5")]);
        assert_eq!(of_the_program(&all), Attachments::from_iter([("trace", "t")]));
    }
}

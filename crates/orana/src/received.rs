//! What comes back beside a result, for a caller who asks for it.

use std::cell::RefCell;
use std::sync::Arc;

use orana_core::{Attachments, Reply};

tokio::task_local! {
    static ANSWERED: RefCell<Option<Reply>>;
}

/// Who answered a call, and what came beside the result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answered {
    /// The provider, `host:port`; none if the call failed: then the error says whom it called.
    pub provider: Option<Arc<str>>,
    /// What the provider put beside the result.
    pub attachments: Attachments,
}

/// Performs `call`, and says who answered the last call in it and with what.
///
/// ```no_run
/// # async fn f(greeter: impl Future<Output = orana::Result<String>>) -> orana::Result<()> {
/// let (greeting, answered) = orana::observed(greeter).await;
/// println!("{} from {:?}", greeting?, answered.attachments.get("region"));
/// # Ok(())
/// # }
/// ```
pub async fn observed<F: Future>(call: F) -> (F::Output, Answered) {
    ANSWERED
        .scope(RefCell::new(None), async {
            let output = call.await;
            let reply = ANSWERED.with(RefCell::take);
            let answered = reply.map(|reply| Answered {
                provider: reply.provider().cloned(),
                attachments: orana_rpc::attachments_of(&reply),
            });
            (output, answered.unwrap_or_default())
        })
        .await
}

/// Keeps the answer for whoever asked for what came with it.
pub(crate) fn note(reply: &Reply) {
    // Nobody asked: there is no such place, and nothing is kept.
    let _ = ANSWERED.try_with(|answered| answered.replace(Some(reply.clone())));
}

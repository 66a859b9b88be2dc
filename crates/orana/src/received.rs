//! What comes back beside a result, for a caller who asks for it.

use std::cell::RefCell;

use orana_core::{Attachments, Reply};

tokio::task_local! {
    static RECEIVED: RefCell<Option<Reply>>;
}

/// Performs `call`, and gives what came beside the result of the last call in it.
///
/// ```no_run
/// # async fn f(greeter: impl std::future::Future<Output = orana::Result<String>>) -> orana::Result<()> {
/// let (greeting, attachments) = orana::with_attachments(greeter).await;
/// println!("{} from {}", greeting?, attachments.get("region").unwrap_or("nowhere"));
/// # Ok(())
/// # }
/// ```
pub async fn with_attachments<F: Future>(call: F) -> (F::Output, Attachments) {
    RECEIVED
        .scope(RefCell::new(None), async {
            let output = call.await;
            let attachments = RECEIVED.with(|received| received.take().map(|reply| orana_rpc::attachments_of(&reply)));
            (output, attachments.unwrap_or_default())
        })
        .await
}

/// Keeps the answer for whoever asked for what came with it.
pub(crate) fn note(reply: &Reply) {
    // Nobody asked: there is no such place, and nothing is kept.
    let _ = RECEIVED.try_with(|received| *received.borrow_mut() = Some(reply.clone()));
}

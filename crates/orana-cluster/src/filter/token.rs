//! `token`: only who knows the service's token may call it (`org.apache.dubbo.rpc.filter.TokenFilter`).
//!
//! Consumers know it from the registry and send it along. The `dubbo://` server looks at it before the arguments are read; this filter is
//! for calls that come in any other way.

use std::sync::Arc;

use orana_core::{BoxFuture, Filter, Invocation, Invoker, Reply, RpcError, RpcErrorCode, ServiceUrl};

use super::parts::CallContext;

/// Compares what callers send with the token of the URL.
pub(super) struct Token {
    url: ServiceUrl,
    token: Box<str>,
    context: Arc<dyn CallContext>,
}

impl Token {
    /// None if the URL has no token.
    pub(super) fn new(url: &ServiceUrl, context: &Arc<dyn CallContext>) -> Option<Token> {
        let token = url.parameter("token").filter(|token| !token.is_empty())?;
        Some(Token {
            url: url.clone(),
            token: token.into(),
            context: Arc::clone(context),
        })
    }

    fn refusal(&self, invocation: &Invocation) -> RpcError {
        let consumer = self.context.caller().map(|caller| caller.ip().to_string());
        let message = format!(
            "Invalid token! Forbid invoke remote service {} method {} from consumer {} to provider {}",
            self.url.interface().unwrap_or_default(),
            invocation.called_name(),
            consumer.as_deref().unwrap_or("unknown"),
            self.url.address(),
        );
        RpcError::new(RpcErrorCode::Unknown, message).calling(invocation)
    }
}

/// Whether they are equal, in a time that does not tell where they differ.
fn same(known: &[u8], shown: &[u8]) -> bool {
    let differences = known.iter().zip(shown).fold(0, |all, (a, b)| all | (a ^ b));
    known.len() == shown.len() && std::hint::black_box(differences) == 0
}

impl Filter for Token {
    fn invoke<'a>(
        &'a self,
        next: &'a dyn Invoker,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<Reply, RpcError>> {
        let shown = invocation.attachments.get("token").unwrap_or_default();
        if same(self.token.as_bytes(), shown.as_bytes()) {
            return next.invoke(invocation);
        }
        // Who calls is known only once the call is under way, within its context.
        Box::pin(async { Err(self.refusal(invocation)) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::parts::NoContext;
    use super::super::testing::{answering, call, url};
    use super::*;

    #[tokio::test]
    async fn only_the_same_token_opens_the_door() {
        let context: Arc<dyn CallContext> = Arc::new(NoContext);
        let token = Token::new(&url("token=s3cret"), &context).unwrap();
        let service = answering(|| Ok(Reply::null()));
        for (shown, admitted) in [
            (Some("s3cret"), true),
            (Some("s3cre"), false),
            (Some("s3cretx"), false),
            (Some(""), false),
            (None, false),
        ] {
            let mut say = call("say");
            if let Some(shown) = shown {
                say.attachments.set("token", shown);
            }
            let result = token.invoke(&service, &say).await;
            assert_eq!(result.is_ok(), admitted, "{shown:?}");
            if let Err(error) = result {
                assert_eq!(error.code(), RpcErrorCode::Unknown);
                assert!(
                    error
                        .message()
                        .starts_with("Invalid token! Forbid invoke remote service i method say")
                );
                assert!(!error.to_string().contains("s3cret"));
            }
        }
    }

    #[test]
    fn a_service_without_a_token_has_no_such_filter() {
        let context: Arc<dyn CallContext> = Arc::new(NoContext);
        assert!(Token::new(&url("token="), &context).is_none() && Token::new(&url(""), &context).is_none());
    }
}

//! `mock`: an answer without a provider, always or when a call fails (`MockClusterInvoker`, `MockInvoker`): how it is written, and when it is given.
//! Making a value of it is the matter of [`MockAnswers`].

use std::borrow::Cow;
use std::sync::Arc;

use orana_core::{BoxFuture, Invocation, Invoker, Reply, RpcError, RpcErrorCode, ServiceUrl, percent};

/// What `mock` says for a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mock {
    /// Nothing: calls are made.
    Off,
    /// `force:…`: no call is made.
    Force(Action),
    /// `fail:…`: when a call fails, other than by an exception of the service.
    Fail(Action),
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// `return …`
    Return(Returned),
    /// `throw`, `throw com.x.Exception`: without a class, an error of the framework.
    Throw(Option<Box<str>>),
    /// An implementation in the program: of this name, or the one that was given for the interface.
    Implementation(Option<Box<str>>),
}

/// A value to return, to be converted to what the method returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Returned {
    /// `null`, or nothing.
    Null,
    /// `empty`: an empty object or collection.
    Empty,
    /// Anything else: JSON, or, for a method that returns a text, the text itself.
    Text(Box<str>),
}

/// Makes answers.
pub trait MockAnswers: Send + Sync + 'static {
    /// The answer to `invocation`; an exception of the service is an error with its class.
    fn answer<'a>(&'a self, invocation: &'a Invocation, action: &'a Action) -> BoxFuture<'a, Result<Reply, RpcError>>;
}

/// A reference before which a mock stands.
pub struct Mocked {
    next: Arc<dyn Invoker>,
    consumer: Box<dyn Fn() -> ServiceUrl + Send + Sync>,
    answers: Arc<dyn MockAnswers>,
}

impl Mock {
    /// Takes the value of `mock` apart. A text that starts with `force`, whatever follows, forces, as in Dubbo, and one that is still
    /// encoded, as consoles write it into the URL of an override, is decoded.
    pub fn parse(text: &str) -> Mock {
        let text = text.trim();
        let decoded = percent::decode(text).unwrap_or(Cow::Borrowed(text));
        let text = decoded.trim();
        if text.is_empty() || text == "false" || text == "0" || text.eq_ignore_ascii_case("null") || text == "N/A" {
            return Mock::Off;
        }
        match text.strip_prefix("force") {
            Some(rest) => Mock::Force(Action::parse(rest.strip_prefix(':').unwrap_or(text))),
            None => Mock::Fail(Action::parse(text.strip_prefix("fail:").unwrap_or(text))),
        }
    }
}

impl Action {
    fn parse(text: &str) -> Action {
        // Rules are written where quotes are not welcome.
        let text = text.trim().replace('`', "\"");
        match &*text {
            "" | "true" | "default" | "fail" | "force" => return Action::Implementation(None),
            "return" => return Action::Return(Returned::Null),
            "throw" => return Action::Throw(None),
            _ => {}
        }
        if let Some(value) = text.strip_prefix("return ") {
            return Action::Return(match value.trim() {
                "" | "null" => Returned::Null,
                "empty" => Returned::Empty,
                value => Returned::Text(value.into()),
            });
        }
        if let Some(class) = text.strip_prefix("throw ") {
            let class = Some(class.trim()).filter(|class| !class.is_empty());
            return Action::Throw(class.map(Box::from));
        }
        Action::Implementation(Some(text.into()))
    }
}

impl Mocked {
    /// Before `next`. `consumer` gives the consumer's URL with configurators laid over it, where `mock` stands.
    pub fn new(
        next: Arc<dyn Invoker>,
        consumer: impl Fn() -> ServiceUrl + Send + Sync + 'static,
        answers: Arc<dyn MockAnswers>,
    ) -> Mocked {
        Mocked {
            next,
            consumer: Box::new(consumer),
            answers,
        }
    }

    async fn answer(
        &self,
        invocation: &Invocation,
        action: &Action,
        failed: Option<RpcError>,
    ) -> Result<Reply, RpcError> {
        match self.answers.answer(invocation, action).await {
            Ok(reply) => Ok(reply),
            Err(error) if error.exception().is_some() => Err(error),
            Err(error) => Err(match failed {
                None => error.calling(invocation).adding("by the rule `mock`"),
                Some(failed) => error
                    .calling(invocation)
                    .adding(format!("by the rule `mock`, because of: {failed}")),
            }),
        }
    }
}

impl Invoker for Mocked {
    fn url(&self) -> &ServiceUrl {
        self.next.url()
    }

    fn invoke<'a>(&'a self, invocation: &'a Invocation) -> BoxFuture<'a, Result<Reply, RpcError>> {
        let consumer = (self.consumer)();
        let mock = consumer
            .method_parameter(&invocation.called_name(), "mock")
            .map(Mock::parse);
        match mock {
            None | Some(Mock::Off) => self.next.invoke(invocation),
            Some(Mock::Force(action)) => Box::pin(async move {
                tracing::debug!(call = %invocation.method(), "a call is answered by `mock`");
                self.answer(invocation, &action, None).await
            }),
            Some(Mock::Fail(action)) => Box::pin(async move {
                match self.next.invoke(invocation).await {
                    Err(error) if error.code() != RpcErrorCode::Business => {
                        tracing::warn!(%error, "a call failed and is answered by `mock`");
                        self.answer(invocation, &action, Some(error)).await
                    }
                    outcome => outcome,
                }
            }),
        }
    }

    fn is_available(&self) -> bool {
        self.next.is_available()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Action {
        Action::Return(Returned::Text(text.into()))
    }

    #[test]
    fn every_form_of_mock_is_understood() {
        for off in ["", " ", "false", "0", "null", "N/A"] {
            assert_eq!(Mock::parse(off), Mock::Off, "{off}");
        }
        for (written, meant) in [
            ("force:return null", Mock::Force(Action::Return(Returned::Null))),
            ("force%3Areturn+null", Mock::Force(Action::Return(Returned::Null))),
            ("return 100%", Mock::Fail(text("100%"))),
            ("force:return", Mock::Force(Action::Return(Returned::Null))),
            ("force:return empty", Mock::Force(Action::Return(Returned::Empty))),
            ("force:return `a`", Mock::Force(text("\"a\""))),
            ("force: return 5", Mock::Force(text("5"))),
            ("force", Mock::Force(Action::Implementation(None))),
            ("force:true", Mock::Force(Action::Implementation(None))),
            ("fail:return {\"a\": 1}", Mock::Fail(text("{\"a\": 1}"))),
            ("return null", Mock::Fail(Action::Return(Returned::Null))),
            ("true", Mock::Fail(Action::Implementation(None))),
            ("default", Mock::Fail(Action::Implementation(None))),
            ("fail", Mock::Fail(Action::Implementation(None))),
            ("throw", Mock::Fail(Action::Throw(None))),
            (
                "force:throw com.x.Y",
                Mock::Force(Action::Throw(Some("com.x.Y".into()))),
            ),
            (
                "com.x.ShopMock",
                Mock::Fail(Action::Implementation(Some("com.x.ShopMock".into()))),
            ),
        ] {
            assert_eq!(Mock::parse(written), meant, "{written}");
        }
    }
}

//! Invokers and calls for the tests of filters.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use orana_core::{
    BoxFuture, Encoded, Filter, Invocation, Invoker, Method, Reply, RpcError, RpcErrorCode, ServiceKey, ServiceUrl,
};
use tokio::sync::Semaphore;

pub(super) fn url(parameters: &str) -> ServiceUrl {
    ServiceUrl::parse(&format!("dubbo://127.0.0.1:20880/i?interface=i&{parameters}")).unwrap()
}

pub(super) fn call(method: &str) -> Invocation {
    let method = Method::new(ServiceKey::new("i", None, None), method, "Ljava/lang/String;I");
    Invocation::new(Arc::new(method), Encoded::none())
}

/// Answers when it is let.
pub(super) struct Gate {
    url: ServiceUrl,
    begun: AtomicUsize,
    open: Semaphore,
}

impl Gate {
    pub(super) fn new() -> Gate {
        Gate {
            url: url(""),
            begun: AtomicUsize::new(0),
            open: Semaphore::new(0),
        }
    }

    /// How many calls have reached it.
    pub(super) fn begun(&self) -> usize {
        self.begun.load(Ordering::SeqCst)
    }

    /// Lets so many calls be answered.
    pub(super) fn open(&self, calls: usize) {
        self.open.add_permits(calls);
    }
}

impl Invoker for Gate {
    fn url(&self) -> &ServiceUrl {
        &self.url
    }

    fn invoke<'a>(&'a self, _: &'a Invocation) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async {
            self.begun.fetch_add(1, Ordering::SeqCst);
            self.open.acquire().await.unwrap().forget();
            Ok(Reply::null())
        })
    }
}

type Answer = Box<dyn Fn(&Invocation) -> Result<Reply, RpcError> + Send + Sync>;

/// Answers at once.
pub(super) struct Answering {
    url: ServiceUrl,
    answer: Answer,
}

pub(super) fn answering(answer: impl Fn() -> Result<Reply, RpcError> + Send + Sync + 'static) -> Answering {
    seeing(move |_| answer())
}

pub(super) fn seeing(answer: impl Fn(&Invocation) -> Result<Reply, RpcError> + Send + Sync + 'static) -> Answering {
    Answering {
        url: url(""),
        answer: Box::new(answer),
    }
}

pub(super) fn failing(code: RpcErrorCode) -> Answering {
    answering(move || Err(RpcError::new(code, "as told")))
}

impl Invoker for Answering {
    fn url(&self) -> &ServiceUrl {
        &self.url
    }

    fn invoke<'a>(&'a self, invocation: &'a Invocation) -> BoxFuture<'a, Result<Reply, RpcError>> {
        let answer = (self.answer)(invocation);
        Box::pin(async { answer })
    }
}

/// Does nothing but be one.
pub(super) struct Plain;

impl Filter for Plain {
    fn invoke<'a>(
        &'a self,
        next: &'a dyn Invoker,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<Reply, RpcError>> {
        next.invoke(invocation)
    }
}

/// What a future gives when it is asked once.
pub(super) fn polled<T>(future: &mut BoxFuture<'_, T>) -> Option<T> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(value) => Some(value),
        std::task::Poll::Pending => None,
    }
}

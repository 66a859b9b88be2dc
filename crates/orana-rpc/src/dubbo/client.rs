//! Calls providers: an [`Invoker`] for each provider URL, over connections that all services of an address share.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use ahash::AHashMap;
use orana_core::{BoxFuture, Connector, Invocation, Invoker, Method, Reply, RpcError, RpcErrorCode, ServiceUrl};
use orana_wire::dubbo::Header;
use orana_wire::dubbo::frame::DEFAULT_LIMIT;
use orana_wire::dubbo::frame::oversize;
use parking_lot::{Mutex, RwLock};
use tokio::time::Instant;

use super::answer;
use super::calls::{Failure, Refused};
use super::channel::{Channel, ChannelOptions, lost};
use super::link::{Link, LinkOptions};
use super::outbox::{Leave, Unsent};
use super::prepared::Prepared;

/// The port of a provider whose URL names none.
const DEFAULT_PORT: u16 = 20880;

/// So many methods of one provider are remembered.
const PREPARED_MAX: usize = 128;

/// More connections to one address than this are a mistake in a URL.
const CONNECTIONS_MAX: usize = 64;

/// What holds for all providers; what a provider's URL says of the same thing counts more.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientOptions {
    /// How many calls may wait for an answer on one connection; more fail with
    /// [`LimitExceeded`](RpcErrorCode::LimitExceeded).
    pub outstanding: usize,
    /// How many bytes may wait to be written on one connection; beyond that calls fail likewise.
    pub queued: usize,
    /// How long an attempt to connect may take (`connect.timeout`).
    pub connect: Duration,
    /// After so long without a word from a provider it is sent a heartbeat (`heartbeat`).
    pub heartbeat: Duration,
    /// How many connections the services of one address share (`shareconnections`).
    pub shared_connections: usize,
    /// The most bytes of a request or an answer (`payload`).
    pub payload: usize,
    /// A provider that speaks (it answers heartbeats) and lets so many calls in a row run out of time counts as lost; when it is
    /// connected again one call shows whether it answers.
    pub unanswered: u32,
    /// Provided that the oldest of those calls began so long ago.
    pub unanswered_for: Duration,
}

/// Opens invokers of `dubbo://` providers (the client side of `org.apache.dubbo.rpc.protocol.dubbo.DubboProtocol`).
///
/// The parameters of a provider's URL that count: `timeout` and `return`, also of a method, `connections`,
/// `shareconnections`, `lazy`, `connect.timeout`, `heartbeat`, `heartbeat.timeout`, `reconnect`, `payload`, `token`, `group`,
/// `version`, `enable-timeout-countdown`.
#[derive(Debug, Default)]
pub struct DubboConnector {
    options: ClientOptions,
    /// The connections that are shared, while somebody holds them.
    shared: Mutex<SharedLinks>,
}

/// By where they lead and how, and by their number.
type SharedLinks = AHashMap<(LinkOptions, usize), Weak<[Link]>>;

/// One service at one provider (`DubboInvoker`).
struct DubboInvoker {
    url: ServiceUrl,
    address: Arc<str>,
    links: Arc<[Link]>,
    next: AtomicUsize,
    prepared: RwLock<Vec<Arc<Prepared>>>,
}

impl Default for ClientOptions {
    fn default() -> ClientOptions {
        ClientOptions {
            outstanding: 65_536,
            queued: 64 << 20,
            connect: Duration::from_secs(3),
            heartbeat: Duration::from_secs(60),
            shared_connections: 1,
            payload: DEFAULT_LIMIT,
            unanswered: 10,
            unanswered_for: Duration::from_secs(5),
        }
    }
}

impl DubboConnector {
    /// A connector with these options.
    pub fn new(options: ClientOptions) -> DubboConnector {
        DubboConnector {
            options,
            shared: Mutex::default(),
        }
    }

    /// How and where to connect for that URL.
    fn link_options(&self, url: &ServiceUrl) -> Result<LinkOptions, RpcError> {
        let wrong = |message: String| RpcError::new(RpcErrorCode::Unknown, message);
        let millis = |key, default: Duration| {
            let said = url.try_millis(key).map_err(|error| wrong(error.to_string()))?;
            Ok::<_, RpcError>(said.unwrap_or(default))
        };
        let host = url.host().filter(|host| !host.is_empty());
        let host = host.ok_or_else(|| wrong("the url of the provider has no host".to_owned()))?;
        let port = url.port().unwrap_or(DEFAULT_PORT);
        let bare_ipv6 = host.contains(':') && !host.starts_with('[');
        let address = match bare_ipv6 {
            true => format!("[{host}]:{port}"),
            false => format!("{host}:{port}"),
        };
        let heartbeat = match millis("heartbeat", self.options.heartbeat)? {
            // As in Java zero turns it off; a day is as good as never.
            Duration::ZERO => Duration::from_secs(86_400),
            heartbeat => heartbeat,
        };
        let silence = millis("heartbeat.timeout", heartbeat * 3)?;
        if silence < heartbeat * 2 {
            let message = "the parameter `heartbeat.timeout` must be at least twice the heartbeat";
            return Err(wrong(message.to_owned()));
        }
        let payload = url
            .try_number::<i64>("payload")
            .map_err(|error| wrong(error.to_string()))?;
        Ok(LinkOptions {
            address: address.into(),
            connect: millis("connect.timeout", self.options.connect)?,
            lazy: url.flag_or("lazy", false),
            reconnect: url.flag_or("reconnect", true),
            channel: ChannelOptions {
                payload: match payload {
                    None => self.options.payload,
                    Some(limit) => usize::try_from(limit)
                        .ok()
                        .filter(|limit| *limit > 0)
                        .unwrap_or(i32::MAX as usize),
                },
                heartbeat,
                silence,
                outstanding: self.options.outstanding,
                queued: self.options.queued,
                unanswered: self.options.unanswered,
                unanswered_for: self.options.unanswered_for,
            },
        })
    }

    /// The connections that a provider's URL asks for: its own, or those that others have already.
    fn links(&self, url: &ServiceUrl, options: LinkOptions) -> Arc<[Link]> {
        let open = |count: usize| (0..count).map(|_| Link::new(options.clone())).collect::<Arc<[Link]>>();
        let own = url.number_or("connections", 0_usize).min(CONNECTIONS_MAX);
        if own > 0 {
            return open(own);
        }
        let count = self.shared_count(url);
        let mut shared = self.shared.lock();
        shared.retain(|_, links| links.strong_count() > 0);
        let key = (options.clone(), count);
        if let Some(links) = shared.get(&key).and_then(Weak::upgrade) {
            return links;
        }
        let links = open(count);
        shared.insert(key, Arc::downgrade(&links));
        links
    }
}

impl DubboConnector {
    /// How many connections are shared by those who ask for none of their own.
    fn shared_count(&self, url: &ServiceUrl) -> usize {
        let count = url.number_or("shareconnections", self.options.shared_connections);
        count.clamp(1, CONNECTIONS_MAX)
    }

    /// The connections that others have already where a URL asks for none of its own.
    fn open_links(&self, url: &ServiceUrl, options: &LinkOptions) -> Option<Arc<[Link]>> {
        if url.number_or("connections", 0_usize) > 0 {
            return None;
        }
        let key = (options.clone(), self.shared_count(url));
        self.shared.lock().get(&key).and_then(Weak::upgrade)
    }
}

impl Connector for DubboConnector {
    fn connect<'a>(&'a self, url: &'a ServiceUrl) -> BoxFuture<'a, Result<Arc<dyn Invoker>, RpcError>> {
        Box::pin(async move {
            let subject = url.interface().unwrap_or("a service without a name");
            let options = self.link_options(url).map_err(|error| error.about(subject))?;
            let (address, lazy) = (Arc::clone(&options.address), options.lazy);
            let links = self.links(url, options);
            if !lazy {
                for link in &*links {
                    link.connected()
                        .await
                        .map_err(|error| error.about(subject).at(&address))?;
                }
            }
            Ok(DubboInvoker::over(links, address, url))
        })
    }

    fn connected(&self, url: &ServiceUrl) -> Option<Arc<dyn Invoker>> {
        let options = self.link_options(url).ok()?;
        let address = Arc::clone(&options.address);
        let links = self.open_links(url, &options)?;
        let all_up = links.iter().all(Link::is_available);
        all_up.then(|| DubboInvoker::over(links, address, url))
    }

    fn supports(&self, protocol: &str) -> bool {
        protocol == "dubbo"
    }
}

// ---------------------------------------------------------------------------------------------------------------------

impl Invoker for DubboInvoker {
    fn url(&self) -> &ServiceUrl {
        &self.url
    }

    fn invoke<'a>(&'a self, invocation: &'a Invocation) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async move {
            let result = self.call(invocation).await;
            result.map_err(|error| error.calling(invocation).at(&self.address))
        })
    }

    fn is_available(&self) -> bool {
        self.links.iter().any(Link::is_available)
    }
}

impl DubboInvoker {
    fn over(links: Arc<[Link]>, address: Arc<str>, url: &ServiceUrl) -> Arc<dyn Invoker> {
        Arc::new(DubboInvoker {
            url: url.clone(),
            address,
            links,
            next: AtomicUsize::new(0),
            prepared: RwLock::default(),
        })
    }

    async fn call(&self, invocation: &Invocation) -> Result<Reply, RpcError> {
        let prepared = self.prepared(invocation.method(), &invocation.called_name());
        let now = Instant::now();
        let options = &invocation.options;
        let left = options.timeout.unwrap_or(prepared.timeout);
        let left = match options.deadline {
            None => left,
            Some(deadline) => match Instant::from_std(deadline).checked_duration_since(now) {
                Some(whole) if !whole.is_zero() => left.min(whole),
                _ => {
                    let message = "the time of the whole call was over before this attempt";
                    return Err(RpcError::new(RpcErrorCode::TimeoutTerminate, message));
                }
            },
        };
        let deadline = now.checked_add(left).unwrap_or(now + Duration::from_secs(1 << 30));
        let link = self.link().ok_or_else(|| lost("not connected"))?;
        let channel = link.channel(deadline).await?;
        if options.one_way || prepared.one_way {
            // The program may end next, so what nobody else is likely to send with leaves at once.
            let leave = match channel.calls.open() {
                0 => Leave::Now,
                _ => Leave::Together,
            };
            // Nobody waits for an answer, so any id will do.
            send(&channel, &prepared, Header::request(0, false), invocation, left, leave)?;
            return Ok(Reply::null());
        }
        let waiting = channel.calls.begin(now, deadline).map_err(|refused| match refused {
            Refused::Full(limit) => limited(format!("{limit} calls wait for an answer already")),
            Refused::Closed(reason) => reason,
        })?;
        let leave = if waiting.alone { Leave::Now } else { Leave::Together };
        send(
            &channel,
            &prepared,
            Header::request(waiting.id(), true),
            invocation,
            left,
            leave,
        )?;
        if waiting.hurried {
            channel.outbox.task().wake();
        }
        match waiting.await {
            Ok(answer) => answer::reply(answer),
            Err(Failure::Late) => {
                let message = format!("no answer within {left:?}");
                Err(RpcError::new(RpcErrorCode::Timeout, message))
            }
            Err(Failure::Oversized(header)) => Err(RpcError::new(
                RpcErrorCode::Serialization,
                oversize(header.length, channel.options.payload),
            )),
            Err(Failure::Lost(reason)) => Err(reason),
        }
    }

    /// The connection for the next call: each in turn, those that are down or unwelcome only if all are.
    fn link(&self) -> Option<&Link> {
        let count = self.links.len();
        let start = match count {
            1 => 0,
            _ => self.next.fetch_add(1, Ordering::Relaxed),
        };
        let links = || (0..count).filter_map(move |offset| self.links.get(start.wrapping_add(offset) % count));
        let available = links().find(|link| count == 1 || link.is_available());
        available.or_else(|| links().next())
    }

    fn prepared(&self, method: &Arc<Method>, called: &str) -> Arc<Prepared> {
        let known = self.prepared.read();
        let same = known.iter().find(|prepared| prepared.is(method, called));
        // Somebody may make a method for every call.
        let found = same.or_else(|| known.iter().find(|prepared| prepared.is_like(method, called)));
        if let Some(prepared) = found {
            return Arc::clone(prepared);
        }
        drop(known);
        let prepared = Arc::new(Prepared::new(method, called, &self.url));
        let mut known = self.prepared.write();
        if known.len() >= PREPARED_MAX {
            // The oldest are forgotten.
            known.remove(0);
        }
        known.push(Arc::clone(&prepared));
        prepared
    }
}

/// Puts a request where it will be sent from.
fn send(
    channel: &Channel,
    prepared: &Prepared,
    header: Header,
    invocation: &Invocation,
    left: Duration,
    leave: Leave,
) -> Result<(), RpcError> {
    let limit = channel.options.payload;
    match channel
        .outbox
        .put(leave, |out| prepared.put(&header, invocation, left, limit, out))
    {
        Ok(Ok(())) => Ok(()),
        Ok(Err(length)) => {
            let message = oversize(u32::try_from(length).unwrap_or(u32::MAX), limit);
            Err(RpcError::new(RpcErrorCode::Serialization, message))
        }
        Err(Unsent::Closed) => Err(lost("the connection was closed")),
        Err(Unsent::Full) => Err(limited(format!(
            "the provider does not read: {} bytes wait to be sent",
            channel.outbox.len()
        ))),
    }
}

fn limited(message: String) -> RpcError {
    RpcError::new(RpcErrorCode::LimitExceeded, message)
}

#[cfg(test)]
mod tests {
    use orana_core::ServiceKey;

    use super::*;

    #[tokio::test]
    async fn methods_that_are_made_alike_for_each_call_are_remembered_once() {
        let url = ServiceUrl::parse("dubbo://127.0.0.1:1/demo.Hi?lazy=true&say.timeout=7").unwrap();
        let invoker = DubboInvoker {
            links: Arc::new([]),
            address: "127.0.0.1:1".into(),
            next: AtomicUsize::new(0),
            prepared: RwLock::default(),
            url,
        };
        let made = |name| Arc::new(Method::new(ServiceKey::parse("demo.Hi"), name, ""));
        let typed = made("hear");
        invoker.prepared(&typed, "hear");
        for _ in 0..1000 {
            let prepared = invoker.prepared(&made("$invoke"), "say");
            assert_eq!(prepared.timeout, Duration::from_millis(7));
            invoker.prepared(&made("$invoke"), "hear");
        }
        assert_eq!(invoker.prepared.read().len(), 3);
        assert!(
            invoker
                .prepared
                .read()
                .iter()
                .any(|prepared| prepared.is(&typed, "hear"))
        );
    }
}

//! What a registry of a hundred thousand providers costs: the allocator counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};

use orana_core::{BoxFuture, Category, ServiceUrl};
use orana_registry::backend::{Feed, Link, RegistryBackend, Watching};
use orana_registry::{Query, Registry, RegistryError, Snapshot};
use parking_lot::Mutex;
use tokio::sync::watch;

const INTERFACES: usize = 1000;
const ADDRESSES: usize = 100;

#[allow(unsafe_code, reason = "an allocator that counts can be written in no other way")]
mod counting {
    use super::*;

    pub(super) static HELD: AtomicIsize = AtomicIsize::new(0);

    pub(super) struct Counting;

    // SAFETY: every request is handed to the system's allocator as it is.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            HELD.fetch_add(layout.size() as isize, Ordering::Relaxed);
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
            HELD.fetch_sub(layout.size() as isize, Ordering::Relaxed);
            unsafe { System.dealloc(pointer, layout) }
        }
    }
}

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

/// A product that has the same hundred providers for every interface and keeps nothing itself.
struct Fleet {
    link: watch::Sender<Link>,
    feeds: Mutex<Vec<Feed>>,
}

impl RegistryBackend for Fleet {
    fn publish<'a>(&'a self, _: &'a ServiceUrl) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(async { Ok(()) })
    }

    fn withdraw<'a>(&'a self, _: &'a ServiceUrl) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(async { Ok(()) })
    }

    fn watch<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Watching, RegistryError>> {
        Box::pin(async {
            let (feed, watching) = Watching::channel();
            feed.put(snapshot(query));
            self.feeds.lock().push(feed);
            Ok(watching)
        })
    }

    fn lookup<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Snapshot>, RegistryError>> {
        Box::pin(async { Ok(vec![snapshot(query)]) })
    }

    fn link(&self) -> watch::Receiver<Link> {
        self.link.subscribe()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

fn snapshot(query: &Query) -> Snapshot {
    let urls: Vec<_> = (0..ADDRESSES)
        .map(|address| provider(query.interface(), address))
        .collect();
    Snapshot::new(Arc::clone(query.interface())).with(Category::Providers, urls)
}

/// Shaped like one that Dubbo 3.3 registers for an interface of sixty methods: a kilobyte.
fn provider(interface: &str, address: usize) -> ServiceUrl {
    let methods: Vec<_> = (0..60).map(|method| format!("methodNumber{method:02}")).collect();
    let text = format!(
        "dubbo://10.0.{}.{}:20880/{interface}?application=demo-provider&deprecated=false&dubbo=2.0.2&dynamic=true&generic=false\
         &interface={interface}&methods={}&prefer.serialization=hessian2,fastjson2&release=3.3.6&service-name-mapping=true\
         &side=provider&timestamp={}",
        address / 250,
        address % 250,
        methods.join(","),
        1_764_500_000_000 + address
    );
    assert!(text.len() >= 1050, "{}", text.len());
    ServiceUrl::parse(&text).expect("a url")
}

#[tokio::test]
async fn a_provider_costs_no_more_than_three_hundred_bytes() {
    let url = ServiceUrl::parse("fleet://h:1").unwrap();
    let registry = Registry::builder(&url)
        .backend("fleet", |_| {
            Ok(Arc::new(Fleet {
                link: watch::Sender::new(Link::Up { epoch: 1 }),
                feeds: Mutex::default(),
            }))
        })
        .build()
        .unwrap();
    let before = counting::HELD.load(Ordering::Relaxed);
    let mut subscriptions = Vec::with_capacity(INTERFACES);
    for interface in 0..INTERFACES {
        let consumer = ServiceUrl::parse(&format!(
            "consumer://10.0.0.9/org.example.service.Service{interface:04}?side=consumer"
        ));
        subscriptions.push(registry.subscribe(&consumer.unwrap()).await.unwrap());
    }
    let held = counting::HELD.load(Ordering::Relaxed) - before;
    let urls: usize = subscriptions
        .iter()
        .map(|subscription| subscription.current().urls().count())
        .sum();
    assert_eq!(urls, INTERFACES * ADDRESSES);
    let each = held as usize / urls;
    println!("{urls} providers, {held} bytes held, {each} for each");
    assert!(each <= 300, "{each} bytes for each provider");
}

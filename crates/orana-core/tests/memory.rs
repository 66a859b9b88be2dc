//! What URLs cost in memory, counted at the allocator.
#![allow(unsafe_code, reason = "an allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use orana_core::{ServiceUrl, UrlPool};

/// Passes everything on and counts what this thread holds, with an allocator's usual cost of each block.
struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static BLOCKS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is the system allocator's, unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.set(HELD.get() + cost(layout));
        BLOCKS.set(BLOCKS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        HELD.set(HELD.get() - cost(layout));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// A block of the C library: eight bytes before it, and a multiple of sixteen in all.
fn cost(layout: Layout) -> isize {
    ((layout.size() + 8).next_multiple_of(16)).max(32) as isize
}

/// Ten times as many cost the same for each; this takes less time.
const INTERFACES: usize = 100;
const ADDRESSES: usize = 100;

/// The providers of an interface of 60 methods, as Dubbo 3.3 writes them: the path of such a node was 1,052 bytes long.
fn service(interface: usize) -> ServiceUrl {
    let methods: Vec<_> = (0..60).map(|method| format!("queryOrder{method:02}")).collect();
    let interface = format!("com.example.shop.orders.OrderService{interface:04}");
    ServiceUrl::builder("dubbo", "10.20.0.0")
        .port(20880)
        .path(&interface)
        .set("application", "order-service")
        .set("deprecated", "false")
        .set("dubbo", "2.0.2")
        .set("dynamic", "true")
        .set("generic", "false")
        .set("interface", &interface)
        .set("methods", methods.join(","))
        .set("prefer.serialization", "hessian2,fastjson2")
        .set("release", "3.3.6")
        .set("service-name-mapping", "true")
        .set("side", "provider")
        .build()
}

/// The name of the node of one provider of a service.
fn node(service: &ServiceUrl, address: usize) -> String {
    let host = format!("10.20.{}.{}", address / 250, address % 250 + 1);
    let timestamp = 1_796_093_839_018u64 + address as u64;
    service
        .edit()
        .host(&host)
        .set("timestamp", timestamp)
        .build()
        .to_node_name()
}

#[test]
fn providers_in_the_lists_of_a_registry_cost_at_most_200_bytes_each() {
    let length = node(&service(0), 0).len();
    assert!((1_000..1_300).contains(&length), "{length}");
    let pool = UrlPool::new();
    let before = HELD.get();
    // Complete lists, one per interface, as a registry keeps them.
    let lists: Vec<Arc<[ServiceUrl]>> = (0..INTERFACES)
        .map(|interface| {
            let service = service(interface);
            let urls = (0..ADDRESSES).map(|address| pool.from_node_name(&node(&service, address)).unwrap());
            urls.collect::<Vec<_>>().into()
        })
        .collect();
    let each = (HELD.get() - before) as usize / (INTERFACES * ADDRESSES);
    println!("{each} bytes for each of {} URLs", INTERFACES * ADDRESSES);
    assert!(each <= 200, "{each} bytes each");
    assert!(each >= 40, "{each} bytes each cannot be true");
    assert_eq!(pool.shapes(), INTERFACES);
    assert_eq!(lists[7][42].to_node_name(), node(&service(7), 42));
}

#[test]
fn a_clone_costs_nothing_and_a_pooled_url_few_blocks() {
    let name = node(&service(0), 0);
    let pool = UrlPool::new();
    let first = pool.from_node_name(&name).unwrap();
    let blocks = BLOCKS.get();
    let clone = first.clone();
    assert_eq!(BLOCKS.get(), blocks);
    assert_eq!(clone, first);

    let text = first.full_text();
    let blocks = BLOCKS.get();
    let second = pool.parse(&text).unwrap();
    // The list of its parameters while it is taken apart, its own text, and itself.
    assert_eq!(BLOCKS.get() - blocks, 3);
    assert_eq!(second, first);

    let blocks = BLOCKS.get();
    let alone = ServiceUrl::parse(&text).unwrap();
    // Those and its shape: the text, the places in it, and itself.
    assert_eq!(BLOCKS.get() - blocks, 6);
    assert_eq!(alone, first);

    let blocks = BLOCKS.get();
    assert_eq!(first.parameter("timestamp"), alone.parameter("timestamp"));
    assert_eq!(first.parameter("absent"), None);
    assert_eq!(first.method_parameter("queryOrder01", "timeout"), None);
    assert!(first == second && first == alone);
    assert_eq!(BLOCKS.get(), blocks, "reading and comparing allocate nothing");
}

#[test]
fn a_pool_forgets_what_nobody_uses() {
    let pool = UrlPool::new();
    let kept = pool.from_node_name(&node(&service(0), 0)).unwrap();
    for interface in 0..500 {
        pool.from_node_name(&node(&service(interface), 0)).unwrap();
    }
    assert!(pool.shapes() <= 200, "{} shapes", pool.shapes());
    assert_eq!(pool.from_node_name(&node(&service(0), 0)).unwrap(), kept);
}

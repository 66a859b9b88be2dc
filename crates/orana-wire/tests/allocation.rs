//! What decoding costs: nothing on the heap for plain requests, and never by what a client merely claims.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
// Counting allocations means standing in for the allocator, whose interface is unsafe; every call is passed on.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use bytes::BytesMut;
use orana_macros::Hessian;
use orana_wire::hessian::{DecodeError as HessianError, Decoder, Encoder, FromHessian, ToHessian, Value};
use orana_wire::zookeeper::request::*;
use orana_wire::zookeeper::*;

struct Counting;

thread_local! {
    static ALLOCATED: Cell<usize> = const { Cell::new(0) };
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.with(|bytes| bytes.set(bytes.get() + layout.size()));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes that `work` takes from the heap.
fn allocated(work: impl FnOnce()) -> usize {
    let before = ALLOCATED.with(Cell::get);
    work();
    ALLOCATED.with(Cell::get) - before
}

#[test]
fn a_list_that_claims_what_is_not_there_is_refused_without_allocating() {
    let claims = |prefix: &[u8]| [prefix, &i32::MAX.to_be_bytes(), &[0; 40]].concat();
    let set_watches = claims(&[0; 8]);
    let create = claims(b"\0\0\0\x02/a\0\0\0\0");
    let set_acl = claims(b"\0\0\0\x02/a");
    for (op, body) in [
        (101, &set_watches),
        (105, &set_watches),
        (1, &create),
        (21, &create),
        (7, &set_acl),
    ] {
        let bytes = allocated(|| {
            assert_eq!(
                decode_request(op, body),
                Err(DecodeError::Malformed(WireError::Truncated))
            );
        });
        assert_eq!(bytes, 0, "operation {op}");
    }
    let bytes = allocated(|| {
        for op in [
            OpCode::GetChildren,
            OpCode::GetAcl,
            OpCode::GetEphemerals,
            OpCode::WhoAmI,
        ] {
            assert_eq!(Reply::decode(op, &claims(&[])[..40]), Err(WireError::Truncated));
        }
    });
    assert!(
        bytes < 400,
        "only the input itself is allocated here, not {bytes} bytes"
    );
}

#[test]
fn plain_requests_are_read_without_the_heap() {
    let mut frame = BytesMut::new();
    let watched = PathAndWatch {
        path: Some("/dubbo/service/providers".into()),
        watch: true,
    };
    let written = SetData {
        path: Some("/dubbo".into()),
        data: Some(b"data"),
        version: -1,
    };
    for request in [
        Request::GetData(watched.clone()),
        Request::GetChildren2(watched),
        Request::SetData(written),
    ] {
        frame.clear();
        request.encode(1, &mut frame);
        let bytes = allocated(|| assert_eq!(decode_request(request.op().as_i32(), &frame[12..]), Ok(request)));
        assert_eq!(bytes, 0);
    }
}

#[test]
fn a_hessian_length_allocates_no_more_than_the_bytes_that_are_left() {
    // Each claims as many as there are bytes, which is the most that passes.
    let list = [&b"\x58\xd4\x10\x00"[..], &[0x4e; 4095]].concat();
    let string = [&b"\x53\xff\xff"[..], &[b'a'; 4096]].concat();
    let class = [&b"\x43\x01C\xd4\x10\x00"[..], &[0x4e; 4096]].concat();
    for (claim, most) in [(&list, 100), (&string, 0), (&class, 5000)] {
        let bytes = allocated(|| assert!(Value::from_hessian(&mut Decoder::new(claim)).is_err()));
        assert!(bytes <= claim.len() + most, "{bytes} bytes for {:02x?}", &claim[..4]);
    }
    let bytes = allocated(|| {
        let claim = b"\x58\x49\x7f\xff\xff\xff\x91\x92\x93";
        assert_eq!(
            Vec::<i64>::from_hessian(&mut Decoder::new(claim)),
            Err(HessianError::Truncated)
        );
    });
    assert!(bytes < 200, "{bytes} bytes for a claim of 2 Gi values");
}

#[test]
fn a_plain_hessian_string_is_read_without_the_heap() {
    let bytes = allocated(|| assert_eq!(Decoder::new(b"\x05hello").text().unwrap(), "hello"));
    assert_eq!(bytes, 0);
}

#[derive(Debug, PartialEq, Hessian)]
#[hessian(class = "org.example.Point")]
struct Point {
    x: i64,
    y: Option<f64>,
    next: (),
}

#[test]
fn an_object_costs_the_heap_only_what_it_holds() {
    let point = Point {
        x: 1,
        y: Some(2.5),
        next: (),
    };
    let mut out = BytesMut::with_capacity(100);
    let bytes = allocated(|| {
        let mut encoder = Encoder::new(&mut out);
        point.to_hessian(&mut encoder).unwrap();
        point.to_hessian(&mut encoder).unwrap();
    });
    assert_eq!(bytes, 0);
    let bytes = allocated(|| {
        let mut decoder = Decoder::new(&out);
        assert_eq!(Point::from_hessian(&mut decoder).as_ref(), Ok(&point));
        assert_eq!(Point::from_hessian(&mut decoder).as_ref(), Ok(&point));
        assert!(decoder.rest().is_empty());
    });
    assert_eq!(bytes, 0);
}

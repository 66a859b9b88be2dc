//! How a server writes its answers: straight into the connection's buffer, without temporaries.
//!
//! The bodies stand alone, so that an answer asked for by many is encoded once and shared behind a
//! [`frame_prefix`] of each request's own. The same bytes as values are [`Reply`](super::Reply).

use bytes::{BufMut, BytesMut};

use super::acl::{Acl, Identity};
use super::frame::LENGTH_BYTES;
use super::header::ReplyHeader;
use super::record::{Record, put_buffer, put_length, put_string, put_strings};
use super::stat::Stat;

/// Bytes of a reply header.
pub const HEADER_BYTES: usize = 16;

/// Bytes of a frame before its body: the length and the header.
pub const PREFIX_BYTES: usize = LENGTH_BYTES + HEADER_BYTES;

/// Appends a reply header, inside a frame begun with [`begin_frame`](super::frame::begin_frame).
#[inline]
pub fn reply_header(out: &mut BytesMut, xid: i32, zxid: i64, err: i32) {
    ReplyHeader { xid, zxid, err }.write(out);
}

/// What stands before a body of `body_len` bytes that was encoded elsewhere.
#[inline]
pub fn frame_prefix(xid: i32, zxid: i64, err: i32, body_len: usize) -> [u8; PREFIX_BYTES] {
    let mut prefix = [0; PREFIX_BYTES];
    let mut rest = &mut prefix[..];
    debug_assert!(
        i32::try_from(HEADER_BYTES + body_len).is_ok(),
        "a body of {body_len} bytes has no wire form"
    );
    rest.put_i32(i32::try_from(HEADER_BYTES + body_len).unwrap_or(i32::MAX));
    rest.put_i32(xid);
    rest.put_i64(zxid);
    rest.put_i32(err);
    prefix
}

/// Appends a whole frame that is a header and nothing more: an error, or an answer without a body.
#[inline]
pub fn put_header_frame(out: &mut BytesMut, xid: i32, zxid: i64, err: i32) {
    out.put_slice(&frame_prefix(xid, zxid, err, 0));
}

/// Appends a whole frame around a body that exists already.
#[inline]
pub fn put_body_frame(out: &mut BytesMut, xid: i32, zxid: i64, body: &[u8]) {
    out.reserve(PREFIX_BYTES + body.len());
    out.put_slice(&frame_prefix(xid, zxid, 0, body.len()));
    out.put_slice(body);
}

// ---------------------------------------------------------------------------------------------------------------------

/// Body of create and sync.
#[inline]
pub fn path_body(out: &mut BytesMut, path: &str) {
    put_string(out, path);
}

/// Body of create2, createContainer and createTTL.
#[inline]
pub fn path_stat_body(out: &mut BytesMut, path: &str, stat: &Stat) {
    put_string(out, path);
    stat.write(out);
}

/// Body of exists, setData and setACL.
#[inline]
pub fn stat_body(out: &mut BytesMut, stat: &Stat) {
    stat.write(out);
}

/// Body of getData and reconfig.
#[inline]
pub fn data_body(out: &mut BytesMut, data: Option<&[u8]>, stat: &Stat) {
    out.reserve(LENGTH_BYTES + data.map_or(0, <[u8]>::len) + Stat::LEN);
    put_buffer(out, data);
    stat.write(out);
}

/// Body of getACL.
pub fn acl_body<'a>(out: &mut BytesMut, acl: impl ExactSizeIterator<Item = Acl<'a>>, stat: &Stat) {
    put_length(out, acl.len());
    for entry in acl {
        entry.write(out);
    }
    stat.write(out);
}

/// Body of getChildren (without a stat) and getChildren2 (with one). Names are UTF-8.
pub fn children_body<S: AsRef<[u8]>>(out: &mut BytesMut, names: impl IntoIterator<Item = S>, stat: Option<&Stat>) {
    put_strings(out, names);
    if let Some(stat) = stat {
        stat.write(out);
    }
}

/// Body of getEphemerals.
pub fn paths_body<S: AsRef<[u8]>>(out: &mut BytesMut, paths: impl IntoIterator<Item = S>) {
    put_strings(out, paths);
}

/// Body of getAllChildrenNumber, and of addWatch, whose number is an error code and 0.
#[inline]
pub fn number_body(out: &mut BytesMut, number: i32) {
    out.put_i32(number);
}

/// Body of whoAmI.
pub fn identities_body<'a>(out: &mut BytesMut, identities: impl ExactSizeIterator<Item = Identity<'a>>) {
    put_length(out, identities.len());
    for identity in identities {
        identity.write(out);
    }
}

/// Body of sasl.
pub fn token_body(out: &mut BytesMut, token: Option<&[u8]>) {
    put_buffer(out, token);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zookeeper::frame::{begin_frame, end_frame};

    #[test]
    fn a_shared_body_makes_the_same_frame_as_a_direct_one() {
        let stat = Stat {
            pzxid: 7,
            ..Stat::default()
        };
        let mut direct = BytesMut::new();
        let frame = begin_frame(&mut direct);
        reply_header(&mut direct, 3, 9, 0);
        children_body(&mut direct, ["a", "b"], Some(&stat));
        end_frame(&mut direct, frame);

        let (mut body, mut shared) = (BytesMut::new(), BytesMut::new());
        children_body(&mut body, ["a", "b"], Some(&stat));
        put_body_frame(&mut shared, 3, 9, &body);
        assert_eq!(direct, shared);
    }
}

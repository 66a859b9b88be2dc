//! Input that no honest client sends, each kind by name and with what has to come of it. Who sends it and watches the
//! consequences is not known here.

use orana_wire::zookeeper::{ErrorCode, OpCode};

use crate::strangers::{framed, greeting, request};

/// What has to come of bad input.
#[derive(Debug, Clone, Copy)]
pub enum Fate {
    /// The connection ends without an answer.
    Close,
    /// This error, and the connection goes on.
    Error(ErrorCode),
    /// This error, as for a request that is merely wrong.
    NoOffence(ErrorCode),
    /// This error, and then the connection ends.
    ErrorAndClose(ErrorCode),
}

/// Bytes with which a connection begins, each time followed by its end.
pub fn bad_beginnings() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("a negative length", framed(-1, b"")),
        ("the least length", framed(i32::MIN, b"rest")),
        ("a length of zero", framed(0, b"")),
        ("the greatest length", framed(i32::MAX, b"rest")),
        ("a length one above the limit", framed(1_048_576, b"rest")),
        ("a connect request that ends early", framed(10, &[0; 10])),
        ("a password longer than the frame", {
            let mut bytes = greeting(4000, None).to_vec();
            bytes.splice(28..32, i32::MAX.to_be_bytes());
            bytes
        }),
        ("a request before the connect request", {
            request(1, OpCode::GetData.as_i32(), b"\0\0\0\x18/a/node/that/may/be/there\0")
        }),
        ("another protocol", b"GET / HTTP/1.1\r\nHost: there\r\n\r\n".to_vec()),
        ("a TLS hello", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec()),
        (
            "noise",
            (0..200u32)
                .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
                .collect(),
        ),
    ]
}

/// Requests within a session, and what has to come of each.
pub fn bad_requests() -> Vec<(&'static str, Vec<u8>, Fate)> {
    let op = |op: OpCode, record: &[u8]| request(7, op.as_i32(), record);
    let malformed = || Fate::Error(ErrorCode::MarshallingError);
    let many = i32::MAX.to_be_bytes();
    let path = b"\0\0\0\x02/x";
    let huge_acl = [&path[..], b"\0\0\0\x01d", &many, b"\0\0\0\x1f"].concat();
    let huge_data = [&path[..], &many, b"data"].concat();
    let negative_data = [&path[..], &(-2i32).to_be_bytes(), b"\0\0\0\0\0\0\0\0"].concat();
    let huge_watches = [&[0; 8][..], &many, b"\0\0\0\x01/"].concat();
    let anyone = b"\0\0\0\x01\0\0\0\x1f\0\0\0\x05world\0\0\0\x06anyone\0\0\0\0";
    let unreadable_name = [&b"\0\0\0\x02/\xff\0\0\0\0"[..], anyone].concat();
    let open_multi = [&1i32.to_be_bytes()[..], b"\0", &(-1i32).to_be_bytes(), path].concat();
    vec![
        ("a negative length", framed(-5, b""), Fate::Close),
        ("a length of zero", framed(0, b""), Fate::Close),
        ("a frame shorter than a header", framed(7, &[0; 7]), Fate::Close),
        ("the greatest length", framed(i32::MAX, b"rest"), Fate::Close),
        (
            "a record that ends early",
            op(OpCode::GetData, b"\0\0\0\x09/x"),
            malformed(),
        ),
        ("no record at all", op(OpCode::GetChildren2, b""), malformed()),
        ("a write that ends early", op(OpCode::SetData, path), malformed()),
        ("a list of 2^31 permissions", op(OpCode::Create, &huge_acl), malformed()),
        ("2^31 bytes of data", op(OpCode::SetData, &huge_data), malformed()),
        (
            "a list of 2^31 watches",
            op(OpCode::SetWatches, &huge_watches),
            malformed(),
        ),
        ("a multi without an end", op(OpCode::Multi, &open_multi), malformed()),
        (
            "a multi of an operation that cannot stand in one",
            op(OpCode::Multi, b"\0\0\0\x63\0\xff\xff\xff\xff"),
            malformed(),
        ),
        ("data of length -2", op(OpCode::SetData, &negative_data), malformed()),
        (
            "a path that is not UTF-8",
            op(OpCode::Exists, b"\0\0\0\x04/\xff\xfe\x80\0"),
            Fate::NoOffence(ErrorCode::NoNode),
        ),
        (
            "a new node whose name is not UTF-8",
            op(OpCode::Create, &unreadable_name),
            Fate::NoOffence(ErrorCode::BadArguments),
        ),
        (
            "an authentication that ends early",
            op(OpCode::Auth, b"\0\0\0\0\0\0\0\x09di"),
            Fate::Close,
        ),
        (
            "an unknown operation",
            request(7, 999, b"record"),
            Fate::ErrorAndClose(ErrorCode::Unimplemented),
        ),
        (
            "the least operation",
            request(7, i32::MIN, b""),
            Fate::ErrorAndClose(ErrorCode::Unimplemented),
        ),
        (
            "an identity that nobody can prove",
            op(OpCode::Auth, b"\0\0\0\0\0\0\0\x05magic\0\0\0\x01x"),
            Fate::ErrorAndClose(ErrorCode::AuthFailed),
        ),
    ]
}

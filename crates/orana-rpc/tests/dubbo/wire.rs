//! A peer by hand: bytes out, frames in.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use orana_wire::dubbo::{Direction, Frames, Header, Status, Step};
use orana_wire::hessian::Encoder;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::shop::INTERFACE;

/// One end of a connection, without manners.
pub(crate) struct Wire {
    socket: TcpStream,
    held: BytesMut,
}

impl Wire {
    pub(crate) fn new(socket: TcpStream) -> Wire {
        Wire {
            socket,
            held: BytesMut::new(),
        }
    }

    pub(crate) async fn connect(port: u16) -> Wire {
        Wire::new(TcpStream::connect(("127.0.0.1", port)).await.unwrap())
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        self.socket.write_all(bytes).await.unwrap();
    }

    /// The next frame; none at the end of the stream.
    pub(crate) async fn frame(&mut self) -> Option<(Header, Bytes)> {
        let read = async {
            loop {
                let mut frames = Frames::new(64 << 20);
                if let Step::Frame { header, body, consumed } = frames.next(&self.held).unwrap() {
                    let body = Bytes::copy_from_slice(body);
                    let _ = self.held.split_to(consumed);
                    return Some((header, body));
                }
                match self.socket.read_buf(&mut self.held).await {
                    Ok(0) | Err(_) => return None,
                    Ok(_) => {}
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(20), read)
            .await
            .expect("a frame or the end")
    }

    /// The status of the next answer, with its id and its text.
    pub(crate) async fn answer(&mut self) -> Option<(i64, Status, String)> {
        let (header, body) = self.frame().await?;
        let Direction::Response { status } = header.direction else {
            panic!("{header:?} is no answer");
        };
        let text = orana_wire::dubbo::response::error_text(&header, &body).unwrap_or_default();
        Some((header.id, status, text))
    }
}

/// A request to the shop, whose argument is one text.
pub(crate) fn request(id: i64, method: &str, text: &str) -> BytesMut {
    let mut out = BytesMut::new();
    let header = Header::request(id, true);
    orana_wire::dubbo::request::put_frame(&header, usize::MAX, &mut out, |out| {
        put_head(out, method, "Ljava/lang/String;");
        out.text(text);
        out.begin_map(None);
        out.end_map();
        Ok(())
    })
    .unwrap();
    out
}

/// A request for a text of so many letters, and if `pause` is not zero only after so many milliseconds.
pub(crate) fn request_large(id: i64, letters: i32, pause: i64) -> BytesMut {
    let mut out = BytesMut::new();
    let header = Header::request(id, true);
    orana_wire::dubbo::request::put_frame(&header, usize::MAX, &mut out, |out| {
        put_head(out, "large", if pause == 0 { "I" } else { "IJ" });
        out.int(letters);
        if pause != 0 {
            out.long(pause);
        }
        out.begin_map(None);
        out.end_map();
        Ok(())
    })
    .unwrap();
    out
}

/// A request that says that its caller waits for so many milliseconds.
pub(crate) fn request_with_budget(
    id: i64,
    method: &str,
    descriptor: &str,
    argument: impl FnOnce(&mut Encoder<'_>),
    millis: i32,
) -> BytesMut {
    let mut out = BytesMut::new();
    let header = Header::request(id, true);
    orana_wire::dubbo::request::put_frame(&header, usize::MAX, &mut out, |out| {
        put_head(out, method, descriptor);
        argument(out);
        out.begin_map(None);
        out.text("_TO");
        out.int(millis);
        out.end_map();
        Ok(())
    })
    .unwrap();
    out
}

pub(crate) fn put_head(out: &mut Encoder<'_>, method: &str, descriptor: &str) {
    for text in ["2.0.2", INTERFACE, "0.0.0", method, descriptor] {
        out.text(text);
    }
}

/// A good answer.
pub(crate) fn value(id: i64, text: &str) -> BytesMut {
    let mut out = BytesMut::new();
    let header = Header::response(id, Status::OK);
    orana_wire::dubbo::request::put_frame(&header, usize::MAX, &mut out, |out| {
        out.int(1);
        out.text(text);
        Ok(())
    })
    .unwrap();
    out
}

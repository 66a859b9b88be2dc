//! Servers that answer one client by a script, and the binary that asks them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use bytes::BytesMut;
use orana_wire::zookeeper::record::{Reader, Record};
use orana_wire::zookeeper::{ConnectRequest, ConnectResponse, Reply, ReplyHeader, RequestHeader};

/// What a scripted ZooKeeper does with the first question.
pub(crate) enum Answer {
    Reply(Reply<'static>),
    Error(i32),
    /// These bytes instead of the handshake's answer.
    Bytes(&'static [u8]),
    /// A session that is refused.
    Refuse,
    /// The end of the connection.
    Close,
}

/// Runs the binary without any environment: exit code, standard output, standard error.
pub(crate) fn orana(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_orana"))
        .args(arguments)
        .env_clear()
        .output()
        .expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (
        output.status.code().expect("it ends by itself"),
        text(output.stdout),
        text(output.stderr),
    )
}

/// A ZooKeeper for one client; returns its address.
pub(crate) fn zookeeper(answer: Answer) -> String {
    let (listener, address) = listener();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let hello = frame(&mut stream).expect("a connect request");
        let hello = ConnectRequest::decode(&hello).expect("a connect request");
        let mut out = BytesMut::new();
        let granted = ConnectResponse {
            timeout_ms: hello.timeout_ms,
            session_id: 7,
            password: [1; 16],
            read_only: hello.read_only,
        };
        match answer {
            Answer::Bytes(bytes) => out.extend_from_slice(bytes),
            Answer::Refuse => ConnectResponse::refused(hello.read_only).encode(&mut out),
            _ => granted.encode(&mut out),
        }
        stream.write_all(&out).expect("the client reads");
        while let Some(request) = frame(&mut stream) {
            let header: RequestHeader = Reader::new(&request).read().expect("a header");
            let mut out = BytesMut::new();
            match &answer {
                Answer::Reply(reply) if header.op > 0 => reply.encode(header.xid, 9, &mut out),
                Answer::Error(err) => {
                    let mut header_bytes = BytesMut::new();
                    ReplyHeader {
                        xid: header.xid,
                        zxid: 9,
                        err: *err,
                    }
                    .write(&mut header_bytes);
                    out.extend_from_slice(&(header_bytes.len() as i32).to_be_bytes());
                    out.extend_from_slice(&header_bytes);
                }
                Answer::Reply(_) => Reply::Empty.encode(header.xid, 9, &mut out),
                _ => return,
            }
            if stream.write_all(&out).is_err() {
                return;
            }
        }
    });
    address
}

/// An HTTP server that gives these answers, one a connection; returns its address and the request lines it gets.
pub(crate) fn http(answers: Vec<(u16, String)>) -> (String, Receiver<String>) {
    let (listener, address) = listener();
    let (sender, asked) = channel();
    thread::spawn(move || {
        for (status, body) in answers {
            let (stream, _) = listener.accept().expect("a client");
            let mut reader = BufReader::new(stream);
            let mut line = String::new();
            reader.read_line(&mut line).expect("a request line");
            sender.send(line.trim_end().to_owned()).ok();
            while line != "\r\n" {
                line.clear();
                reader.read_line(&mut line).expect("a header");
            }
            let head = format!(
                "HTTP/1.1 {status} Said\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            reader
                .get_mut()
                .write_all((head + &body).as_bytes())
                .expect("the client reads");
        }
    });
    (address, asked)
}

fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    (listener, address)
}

/// The next frame's body, until the client hangs up.
fn frame(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    let mut body = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut body).ok()?;
    Some(body)
}

//! Providers that break the protocol, each in its own way, as nobody but a test wants them.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread;

use anyhow::Result;

/// The length of a frame's header.
const HEADER: usize = 16;

/// How it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vice {
    /// With bytes that are no frame.
    Garbage,
    /// With an answer to another question.
    WrongId,
    /// With the beginning of an answer.
    HalfAFrame,
    /// With a header that promises two gigabytes.
    Huge,
    /// Not at all.
    Silence,
    /// By hanging up.
    HangingUp,
}

impl Vice {
    /// All of them.
    pub const ALL: [Vice; 6] = [
        Vice::Garbage,
        Vice::WrongId,
        Vice::HalfAFrame,
        Vice::Huge,
        Vice::Silence,
        Vice::HangingUp,
    ];

    /// Listens on loopback and answers whoever asks, until the process ends.
    pub fn listen(self) -> Result<SocketAddr> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        thread::Builder::new().name(format!("{self:?}")).spawn(move || {
            for stream in listener.incoming().flatten() {
                // Whoever is served so may hang up at any time.
                thread::spawn(move || drop(self.serve(stream)));
            }
        })?;
        Ok(address)
    }

    fn serve(self, mut stream: TcpStream) -> Result<()> {
        loop {
            let mut header = [0; HEADER];
            stream.read_exact(&mut header)?;
            let length = u32::from_be_bytes([header[12], header[13], header[14], header[15]]);
            std::io::copy(&mut Read::by_ref(&mut stream).take(length.into()), &mut std::io::sink())?;
            let answer = |id: u8, length: u32, body: &[u8]| {
                // Magic, a response in Hessian with status 20, the id of the request, the length.
                let mut frame = vec![0xda, 0xbb, 0x02, 20];
                frame.extend_from_slice(&header[4..11]);
                frame.push(header[11].wrapping_add(id));
                frame.extend_from_slice(&length.to_be_bytes());
                frame.extend_from_slice(body);
                frame
            };
            match self {
                Vice::Garbage => stream.write_all(&b"HTTP/1.1 400 Bad Request\r\n".repeat(2000))?,
                Vice::WrongId => stream.write_all(&answer(100, 3, b"\x91\x01x"))?,
                Vice::HalfAFrame => stream.write_all(&answer(0, 100, b"\x91\x05Hel"))?,
                Vice::Huge => stream.write_all(&answer(0, i32::MAX.cast_unsigned(), &[b'x'; 4096]))?,
                Vice::Silence => {}
                Vice::HangingUp => return Ok(()),
            }
        }
    }
}

//! Providers that break the protocol, each in its own way, as nobody but a test wants them.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::Result;

/// The length of a frame's header.
const HEADER: usize = 16;
/// The bit of its third byte that says that it is no call.
const EVENT: u8 = 0x20;

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
    /// Heartbeats as is right, and calls not at all, as one whose threads are all stuck.
    Mute,
}

/// A provider with a vice.
#[derive(Debug, Clone)]
pub struct Impostor {
    /// How it answers.
    pub vice: Vice,
    /// Where it listens.
    pub address: SocketAddr,
    calls: Arc<AtomicUsize>,
}

impl Impostor {
    /// How many calls it was asked for so far.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Vice {
    /// All of them.
    pub const ALL: [Vice; 7] = [
        Vice::Garbage,
        Vice::WrongId,
        Vice::HalfAFrame,
        Vice::Huge,
        Vice::Silence,
        Vice::HangingUp,
        Vice::Mute,
    ];

    /// Listens on loopback and answers whoever asks, until the process ends.
    pub fn listen(self) -> Result<Impostor> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let calls = Arc::<AtomicUsize>::default();
        let asked = Arc::clone(&calls);
        thread::Builder::new().name(format!("{self:?}")).spawn(move || {
            for stream in listener.incoming().flatten() {
                let asked = Arc::clone(&asked);
                // Whoever is served so may hang up at any time.
                thread::spawn(move || drop(self.serve(stream, &asked)));
            }
        })?;
        Ok(Impostor {
            vice: self,
            address,
            calls,
        })
    }

    fn serve(self, mut stream: TcpStream, calls: &AtomicUsize) -> Result<()> {
        loop {
            let mut header = [0; HEADER];
            stream.read_exact(&mut header)?;
            let length = u32::from_be_bytes([header[12], header[13], header[14], header[15]]);
            std::io::copy(&mut Read::by_ref(&mut stream).take(length.into()), &mut std::io::sink())?;
            let event = header[2] & EVENT != 0;
            calls.fetch_add(usize::from(!event), Ordering::Relaxed);
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
                Vice::Mute if event => {
                    let mut frame = answer(0, 1, b"N");
                    frame[2] |= EVENT;
                    stream.write_all(&frame)?;
                }
                Vice::Mute => {}
            }
        }
    }
}

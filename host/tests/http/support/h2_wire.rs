//! HTTP/2 frames as bytes (RFC 9113), for requests that no correct client sends.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::listening::PATIENCE;

pub(crate) const DATA: u8 = 0;

pub(crate) const HEADERS: u8 = 1;

pub(crate) const RESET: u8 = 3;

pub(crate) const SETTINGS: u8 = 4;

pub(crate) const PING: u8 = 6;

pub(crate) const GOAWAY: u8 = 7;

const WINDOW_UPDATE: u8 = 8;

/// Flag of SETTINGS and PING.
const ACK: u8 = 1;

const END_STREAM: u8 = 1;

const END_HEADERS: u8 = 4;

pub(crate) const REFUSED_STREAM: u32 = 7;

pub(crate) const CANCEL: u32 = 8;

pub(crate) const FLOW_CONTROL_ERROR: u32 = 3;

pub(crate) const ENHANCE_YOUR_CALM: u32 = 11;

/// A received frame.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) kind: u8,
    flags: u8,
    pub(crate) stream: u32,
    pub(crate) payload: Vec<u8>,
}

impl Frame {
    /// The error code of RST_STREAM or GOAWAY.
    pub(crate) fn reason(&self) -> u32 {
        let at = if self.kind == GOAWAY { 4 } else { 0 };
        u32::from_be_bytes(self.payload[at..at + 4].try_into().unwrap())
    }

    pub(crate) fn ends_stream(&self) -> bool {
        [DATA, HEADERS].contains(&self.kind) && self.flags & END_STREAM != 0
    }

    pub(crate) fn is_ack(&self) -> bool {
        [SETTINGS, PING].contains(&self.kind) && self.flags & ACK != 0
    }
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut bytes = length[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// The client preface, with the initial window of each stream.
pub(crate) fn preface(window: u32) -> Vec<u8> {
    let mut initial_window = vec![0, 4];
    initial_window.extend(window.to_be_bytes());
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    [preface, frame(SETTINGS, 0, 0, &initial_window)].concat()
}

/// A string literal of HPACK (RFC 7541, 5.2), without Huffman coding.
fn text(value: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut length = value.len();
    if length < 127 {
        bytes.push(length as u8);
    } else {
        bytes.push(127);
        length -= 127;
        while length >= 128 {
            bytes.push((length % 128) as u8 | 128);
            length /= 128;
        }
        bytes.push(length as u8);
    }
    bytes.extend(value.bytes());
    bytes
}

/// `:method: GET` in the static table of HPACK.
const METHOD_GET: u8 = 0x82;

const METHOD_POST: u8 = 0x83;

/// A GET request.
pub(crate) fn get(stream: u32, path: &str, headers: &[(&str, &str)]) -> Vec<u8> {
    let block = head(METHOD_GET, path, headers);
    frame(HEADERS, END_STREAM | END_HEADERS, stream, &block)
}

/// A GET request with a body.
pub(crate) fn get_with_body(stream: u32, path: &str) -> Vec<u8> {
    frame(HEADERS, END_HEADERS, stream, &head(METHOD_GET, path, &[]))
}

/// The head of a request with a JSON body.
pub(crate) fn post(stream: u32, path: &str) -> Vec<u8> {
    let block = head(METHOD_POST, path, &[("content-type", "application/json")]);
    frame(HEADERS, END_HEADERS, stream, &block)
}

/// A part of a body.
pub(crate) fn data(stream: u32, bytes: &[u8], is_last: bool) -> Vec<u8> {
    frame(DATA, if is_last { END_STREAM } else { 0 }, stream, bytes)
}

fn head(method: u8, path: &str, headers: &[(&str, &str)]) -> Vec<u8> {
    // `:scheme: http`, and the names `:path` and `:authority`.
    let mut block = vec![method, 0x86, 0x04];
    block.extend(text(path));
    block.push(0x01);
    block.extend(text("localhost"));
    for (name, value) in headers {
        block.push(0);
        block.extend(text(name));
        block.extend(text(value));
    }
    block
}

/// A request whose `:path` follows a header, which is a stream error.
pub(crate) fn get_malformed(stream: u32) -> Vec<u8> {
    let mut block = vec![0];
    block.extend(text("a"));
    block.extend(text("b"));
    block.extend([0x82, 0x86, 0x84]);
    frame(HEADERS, END_STREAM | END_HEADERS, stream, &block)
}

pub(crate) fn reset(stream: u32) -> Vec<u8> {
    frame(RESET, 0, stream, &CANCEL.to_be_bytes())
}

/// Extends the window of a stream or, with 0, of the connection.
pub(crate) fn window(stream: u32, bytes: u32) -> Vec<u8> {
    frame(WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes())
}

pub(crate) fn ping() -> Vec<u8> {
    frame(PING, 0, 0, &[7; 8])
}

/// A connection that acknowledges neither SETTINGS nor PING by itself.
pub(crate) struct Wire(pub(crate) TcpStream);

impl Wire {
    /// Sends [`preface`] and acknowledges the server's SETTINGS.
    pub(crate) async fn open(socket: TcpStream, window: u32) -> Self {
        let mut wire = Self(socket);
        wire.send(&preface(window)).await;
        let settings = wire.next().await.unwrap();
        assert_eq!(settings.kind, SETTINGS);
        wire.send(&frame(SETTINGS, ACK, 0, &[])).await;
        wire
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        // The server may have closed; its last frames are still read.
        let _ = self.0.write_all(bytes).await;
    }

    /// The next frame; `None` when the server has closed.
    pub(crate) async fn next(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        let read = timeout(PATIENCE, self.0.read_exact(&mut head)).await;
        read.expect("the server sends a frame in time").ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        self.0.read_exact(&mut payload).await.ok()?;
        Some(Frame {
            kind: head[3],
            flags: head[4],
            stream: u32::from_be_bytes(head[5..].try_into().unwrap()),
            payload,
        })
    }

    /// The next frame of this kind; `None` when the server has closed.
    pub(crate) async fn next_of(&mut self, kind: u8) -> Option<Frame> {
        loop {
            let frame = self.next().await?;
            if frame.kind == kind && !frame.is_ack() {
                return Some(frame);
            }
        }
    }

    /// Sends a PING and returns all frames before its acknowledgement.
    pub(crate) async fn frames_until_pong(&mut self) -> Vec<Frame> {
        self.send(&ping()).await;
        let mut frames = Vec::new();
        loop {
            let frame = self.next().await.expect("the connection is open");
            if frame.kind == PING && frame.is_ack() {
                return frames;
            }
            frames.push(frame);
        }
    }

    /// All frames until the server closes.
    pub(crate) async fn frames_to_the_end(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        while let Some(frame) = self.next().await {
            frames.push(frame);
        }
        frames
    }

    pub(crate) async fn answer_ping(&mut self, frame: &Frame) {
        let pong = self::frame(PING, ACK, 0, &frame.payload);
        self.send(&pong).await;
    }
}

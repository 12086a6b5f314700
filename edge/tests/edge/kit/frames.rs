//! HTTP/2 frame by frame, for requests that no proper client sends.

use super::{World, in_time, visitor};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::client::TlsStream;

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const PRIORITY: u8 = 2;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PUSH_PROMISE: u8 = 5;
pub(crate) const PING: u8 = 6;
pub(crate) const GOAWAY: u8 = 7;
pub(crate) const WINDOW_UPDATE: u8 = 8;
pub(crate) const CONTINUATION: u8 = 9;
/// The last frame of the stream.
pub(crate) const END_STREAM: u8 = 1;
/// The acknowledgement of SETTINGS or PING.
pub(crate) const ACK: u8 = 1;
/// The end of the header block.
pub(crate) const END_HEADERS: u8 = 4;
/// Padding follows its length.
pub(crate) const PADDED: u8 = 8;
/// A HEADERS frame begins with the fields of a PRIORITY frame.
pub(crate) const HAS_PRIORITY: u8 = 32;

/// What a client sends first (RFC 9113, section 3.4).
pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The settings that some tests change.
pub(crate) const INITIAL_WINDOW: u16 = 4;
pub(crate) const MAX_STREAMS: u16 = 3;

/// One frame as it was on the wire.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
    pub(crate) payload: Vec<u8>,
}

impl Frame {
    /// The error of a GOAWAY frame that ends the connection.
    pub(crate) fn connection_error(&self) -> Option<u32> {
        (self.kind == GOAWAY).then(|| number(&self.payload[4..])).filter(|error| *error != 0)
    }
}

/// Outcome of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// A response with this status.
    Responded(u16),
    /// The stream was reset with this error.
    Reset(u32),
    /// The connection ended, with the error of its GOAWAY frame if any.
    Closed(Option<u32>),
}

/// A visitor's connection.
pub(crate) struct Frames {
    stream: TlsStream<TcpStream>,
    /// Bytes of frames that are not complete.
    buffer: Vec<u8>,
}

/// A header block of literal fields without indexing (RFC 7541, section 6.2.2).
pub(crate) fn block(fields: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in fields {
        block.push(0);
        for text in [name, value] {
            length(&mut block, text.len());
            block.extend_from_slice(text);
        }
    }
    block
}

/// A frame as it is on the wire.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    frame.extend_from_slice(&[kind, flags]);
    frame.extend_from_slice(&stream.to_be_bytes());
    frame.extend_from_slice(payload);
    frame
}

/// The payload of a SETTINGS frame.
pub(crate) fn settings(settings: &[(u16, u32)]) -> Vec<u8> {
    let setting = |(name, value): &(u16, u32)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat();
    settings.iter().flat_map(setting).collect()
}

fn length(block: &mut Vec<u8>, length: usize) {
    if length < 127 {
        return block.push(length as u8);
    }
    block.push(127);
    let mut rest = length - 127;
    while rest >= 128 {
        block.push((rest % 128 + 128) as u8);
        rest /= 128;
    }
    block.push(rest as u8);
}

impl Frames {
    /// Connects and announces these settings.
    pub(crate) async fn open(world: &World, name: &str, settings: &[(u16, u32)]) -> Frames {
        let mut frames = Frames::connect(world, name).await;
        frames.send_bytes(PREFACE).await;
        frames.send(SETTINGS, 0, 0, &self::settings(settings)).await;
        frames
    }

    /// Connects and sends nothing.
    pub(crate) async fn connect(world: &World, name: &str) -> Frames {
        let stream = visitor::tls(world, name, &[b"h2"]).await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        Frames { stream, buffer: Vec::new() }
    }

    /// Sends a frame; the peer may have closed already.
    pub(crate) async fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> bool {
        self.send_bytes(&frame(kind, flags, stream, payload)).await
    }

    /// Sends bytes at once; the peer may have closed already.
    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) -> bool {
        let sent = async { self.stream.write_all(bytes).await.is_ok() && self.stream.flush().await.is_ok() };
        in_time(sent).await
    }

    /// Sends many frames of one kind at once, and drops what arrives meanwhile. The peer may have closed already.
    pub(crate) async fn send_many(&mut self, kind: u8, stream: u32, payload: &[u8], count: usize) -> bool {
        let frames = frame(kind, 0, stream, payload).repeat(count);
        let (mut reader, mut writer) = tokio::io::split(&mut self.stream);
        let sending = async { writer.write_all(&frames).await.is_ok() && writer.flush().await.is_ok() };
        let receiving = async {
            let mut piece = vec![0; 16 * 1024];
            while reader.read(&mut piece).await.is_ok_and(|size| size > 0) {}
        };
        let sent = async {
            tokio::select! {
                sent = sending => sent,
                () = receiving => false,
            }
        };
        in_time(sent).await
    }

    /// A whole request without a body.
    pub(crate) async fn request(&mut self, stream: u32, fields: &[(&[u8], &[u8])]) -> bool {
        self.send(HEADERS, END_STREAM | END_HEADERS, stream, &block(fields)).await
    }

    /// The next frame, or nothing at the end of the connection. No byte is lost when the future is dropped.
    pub(crate) async fn next(&mut self) -> Option<Frame> {
        loop {
            if let Some(frame) = first_frame(&mut self.buffer) {
                return Some(frame);
            }
            let mut piece = vec![0; 16 * 1024];
            match in_time(self.stream.read(&mut piece)).await {
                Ok(length) if length > 0 => self.buffer.extend_from_slice(&piece[..length]),
                _ => return None,
            }
        }
    }

    /// Waits until the edge has ended the connection.
    pub(crate) async fn ended(&mut self) {
        while self.next().await.is_some_and(|frame| frame.connection_error().is_none()) {}
    }

    /// Waits until the edge has closed the connection.
    pub(crate) async fn closed(&mut self) {
        while self.next().await.is_some() {}
    }

    /// Waits for the outcome of a request.
    pub(crate) async fn fate(&mut self, stream: u32) -> Fate {
        loop {
            let Some(frame) = self.next().await else { return Fate::Closed(None) };
            match frame.kind {
                HEADERS if frame.stream == stream => return Fate::Responded(status(&frame.payload)),
                RST_STREAM if frame.stream == stream => return Fate::Reset(number(&frame.payload)),
                // A graceful GOAWAY lets earlier requests finish.
                GOAWAY if frame.connection_error().is_some() => return Fate::Closed(frame.connection_error()),
                SETTINGS if frame.flags & 1 == 0 => {
                    self.send(SETTINGS, 1, 0, &[]).await;
                }
                _ => {}
            }
        }
    }
}

/// Takes the first frame from received bytes, if it is complete.
fn first_frame(bytes: &mut Vec<u8>) -> Option<Frame> {
    let head: [u8; 9] = *bytes.first_chunk()?;
    let end = head.len() + u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
    let payload = bytes.get(head.len()..end)?.to_vec();
    bytes.drain(..end);
    Some(Frame { kind: head[3], flags: head[4], stream: number(&head[5..]), payload })
}

pub(crate) fn number(bytes: &[u8]) -> u32 {
    u32::from_be_bytes(*bytes.first_chunk().expect("four bytes"))
}

/// The status at the beginning of the first header block of a connection.
pub(crate) fn status(block: &[u8]) -> u16 {
    match block {
        [0x88, ..] => 200,
        [0x89, ..] => 204,
        [0x8a, ..] => 206,
        [0x8b, ..] => 304,
        [0x8c, ..] => 400,
        [0x8d, ..] => 404,
        [0x8e, ..] => 500,
        // A literal with the name of static entry 8, `:status`.
        [0x48, length, rest @ ..] => {
            let text = &rest[..usize::from(length & 0x7f)];
            if length & 0x80 == 0 { std::str::from_utf8(text).unwrap().parse().unwrap() } else { huffman(text) }
        }
        other => panic!("no status: {other:02x?}"),
    }
}

/// Decodes Huffman-coded digits (RFC 7541, appendix B): 0 to 2 have five bits, the others six.
fn huffman(text: &[u8]) -> u16 {
    let bits: Vec<u16> = text.iter().flat_map(|byte| (0..8).rev().map(move |bit| u16::from(byte >> bit & 1))).collect();
    let (mut number, mut at) = (0, 0);
    for _ in 0..3 {
        let take = |count: usize| bits[at..at + count].iter().fold(0, |value, bit| value * 2 + bit);
        let (digit, length) = match take(5) {
            digit @ 0..=2 => (digit, 5),
            _ => (take(6) - 0b011001 + 3, 6),
        };
        number = number * 10 + digit;
        at += length;
    }
    number
}

//! The check of the fuzz target for HTTP/2 connections whose codec is released and made again.

use super::{
    frames::{
        ACK, CONTINUATION, END_HEADERS, END_STREAM, FrameScanner, GOAWAY, HEAD_BYTES, HEADERS, PING, PREFACE,
        RST_STREAM, SETTINGS, Scanned, WINDOW_UPDATE, encode,
    },
    test_server::{guard, paused, serve, serve_with_codec},
};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, body::Incoming};
use std::{
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, duplex, split},
    time,
};

/// Bytes that either side may send before the other has read any.
const ROOM: usize = 1 << 20;
/// Time after which a connection has ended that its client has left, on a clock that waits for nothing.
const DEADLINE: Duration = Duration::from_secs(3600);

/// A request as the service got it: its head, and its body if that was complete.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    head: String,
    body: Option<Bytes>,
}

/// All requests of a connection, in their order.
#[derive(Clone, Default)]
struct Record(Arc<Mutex<Vec<Seen>>>);

impl Record {
    fn change<T>(&self, change: impl FnOnce(&mut Vec<Seen>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn answer(self, request: Request<Incoming>) -> hyper::Result<Response<Full<Bytes>>> {
        let (parts, body) = request.into_parts();
        let head = format!("{} {} {:?}", parts.method, parts.uri, parts.headers);
        let number = self.change(|seen| {
            seen.push(Seen { head, body: None });
            seen.len() - 1
        });
        let body = body.collect().await.ok().map(http_body_util::Collected::to_bytes);
        self.change(|seen| seen[number].body.clone_from(&body));
        Ok(Response::new(Full::new(body.unwrap_or_default())))
    }
}

/// What a client does: the first byte says how it responds to the server, the others are read as steps. The service gets the
/// requests that it gets with one codec for the whole connection, and each with the same body. It may get more only of a client that
/// breaks the protocol, where the one codec notices it and the next one does not: in a frame for a stream that ended long ago.
pub fn http2(bytes: &[u8]) {
    let [manners, script @ ..] = bytes else { return };
    let (Some(released), Some(kept)) = (run(*manners, script, true), run(*manners, script, false)) else { return };
    assert!(kept.has_failed || released.seen.len() <= kept.seen.len(), "{released:?} instead of {kept:?}");
    for (ours, theirs) in released.seen.iter().zip(&kept.seen) {
        assert_eq!(ours.head, theirs.head);
        let is_complete = ours.body.is_some() && (theirs.body.is_some() || !kept.has_failed);
        assert!(!is_complete || ours.body == theirs.body, "{ours:?} instead of {theirs:?}");
    }
}

/// What the service got, and whether the client broke the protocol.
#[derive(Debug)]
struct Outcome {
    seen: Vec<Seen>,
    has_failed: bool,
}

/// The requests of a connection, unless its client said GOAWAY, with which one codec ends as soon as no stream is open, or made the
/// server reset a stream for an error, which one codec remembers.
fn run(manners: u8, script: &[u8], is_released: bool) -> Option<Outcome> {
    let record = Record::default();
    paused(async {
        let (mut near, far) = duplex(ROOM);
        let window = encode(WINDOW_UPDATE, 0, 0, &(1u32 << 20).to_be_bytes());
        let preface = [&PREFACE[..], &encode(SETTINGS, 0, 0, &[]), &window].concat();
        near.write_all(&preface).await.expect("room");
        let answer = |request| record.clone().answer(request);
        let serving = async {
            match is_released {
                true => serve(far, answer).await.is_err(),
                false => serve_with_codec(guard(far), answer, |_| Poll::Pending).await.is_err(),
            }
        };
        let (reader, writer) = split(near);
        let client = Client::new(writer);
        let exchange =
            async { tokio::join!(serving, respond(reader, &client, manners), send(&client, manners, script)) };
        let ended = time::timeout(DEADLINE, exchange).await;
        let (has_failed, (), ()) = ended.expect("the connection ends when its client has left");
        let is_comparable = !client.into_inner().is_set_aside;
        is_comparable.then(|| Outcome { seen: record.change(std::mem::take), has_failed })
    })
}

/// The client's side of a connection.
struct Client {
    /// Missing once the client has left.
    writer: Option<WriteHalf<DuplexStream>>,
    /// Of what it sent.
    scanner: FrameScanner,
    /// Whether it said GOAWAY, or the server reset one of its streams.
    is_set_aside: bool,
    /// Acknowledgements that it sends as soon as another frame may come.
    acks: Vec<u8>,
}

type SharedClient = tokio::sync::Mutex<Client>;

impl Client {
    fn new(writer: WriteHalf<DuplexStream>) -> SharedClient {
        SharedClient::new(Client {
            writer: Some(writer),
            scanner: FrameScanner::new(),
            is_set_aside: false,
            acks: Vec::new(),
        })
    }

    /// Sends a part of the script, unless either side has ended the connection.
    async fn write(&mut self, mut bytes: &[u8]) {
        let Some(writer) = self.writer.as_mut() else { return };
        let _ = writer.write_all(bytes).await;
        while let Some(scanned) = self.scanner.next(&mut bytes) {
            self.is_set_aside |= matches!(scanned, Scanned::Head(head) if head.kind == GOAWAY);
        }
        self.write_acks().await;
    }

    async fn write_acks(&mut self) {
        if let Some(writer) = self.writer.as_mut()
            && self.scanner.is_between_frames()
        {
            let _ = writer.write_all(&std::mem::take(&mut self.acks)).await;
        }
    }
}

/// Reads all frames of the server. With the first bit of `manners`, acknowledges SETTINGS; with the second, PING.
async fn respond(mut reader: ReadHalf<DuplexStream>, client: &SharedClient, manners: u8) {
    let (mut scanner, mut piece) = (FrameScanner::new(), [0; 4096]);
    while let Ok(count @ 1..) = reader.read(&mut piece).await {
        let mut bytes = &piece[..count];
        while let Some(scanned) = scanner.next(&mut bytes) {
            let Scanned::Head(head) = scanned else { continue };
            let mut client = client.lock().await;
            client.is_set_aside |= head.kind == RST_STREAM;
            let ack = match head.kind {
                SETTINGS if !head.is_settings_ack() && manners & 1 == 0 => encode(SETTINGS, ACK, 0, &[]),
                PING if !head.has(ACK) && manners & 2 == 0 => encode(PING, ACK, 0, &[0; 8]),
                _ => continue,
            };
            client.acks.extend(ack);
            client.write_acks().await;
        }
    }
}

/// Takes as many bytes of the script, or what is left of it.
fn take<'a>(script: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = script.split_at(count.min(script.len()));
    *script = rest;
    taken
}

/// The steps of a script: pauses, whole frames, requests, and bytes of any sort. The other bits of `manners` choose how much is
/// sent at once.
async fn send(client: &SharedClient, manners: u8, mut script: &[u8]) {
    let most = match manners >> 2 {
        0 => usize::MAX,
        size => usize::from(size),
    };
    let mut stream = 1u32;
    while let [step, rest @ ..] = script {
        script = rest;
        let value = step >> 2;
        let (bytes, most) = match step & 3 {
            0 => {
                time::sleep(Duration::from_millis(100) * u32::from(value)).await;
                continue;
            }
            1 => {
                let mut head = [0; 3];
                let given = take(&mut script, 3);
                head[..given.len()].copy_from_slice(given);
                (encode(head[0], head[1], u32::from(head[2]), take(&mut script, value.into())), most)
            }
            2 => {
                stream += 2;
                (request(stream - 2, value), most)
            }
            // At most one frame ends in each of these pieces.
            _ => (take(&mut script, value.into()).to_vec(), most.min(HEAD_BYTES)),
        };
        for bytes in bytes.chunks(most) {
            client.lock().await.write(bytes).await;
            // The clock goes on when the server has read all of it: an error of the next frame must not meet a request of this one.
            time::sleep(Duration::from_millis(1)).await;
        }
    }
    time::sleep(Duration::from_secs(3)).await;
    // Dropping both halves ends the connection; this one leaves first.
    if let Some(mut writer) = client.lock().await.writer.take() {
        let _ = writer.shutdown().await;
    }
}

/// Frames of a request whose fields use the table in various ways.
fn request(stream: u32, shape: u8) -> Vec<u8> {
    let mut block = Vec::new();
    if shape & 1 != 0 {
        // The table is emptied, and then as large as before.
        block.extend([0x20, 0x3f, 0xe1, 0x1f]);
    }
    block.extend([0x82, 0x87, 0x84, 0x41, 1, b'a']);
    if shape & 2 != 0 {
        // A field that is added to the table.
        block.extend([0x40, 3, b'x', b'-', b'0' + (stream % 10) as u8, 1, b'v']);
    }
    if shape & 4 != 0 {
        // The newest entry of the table.
        block.push(0xbe);
    }
    let end = if shape & 8 != 0 { END_STREAM } else { 0 };
    if shape & 16 == 0 {
        return encode(HEADERS, END_HEADERS | end, stream, &block);
    }
    let (first, rest) = block.split_at(block.len() / 2);
    [encode(HEADERS, end, stream, first), encode(CONTINUATION, END_HEADERS, stream, rest)].concat()
}

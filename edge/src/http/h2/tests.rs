//! Connections whose codec is released and made again, with a client that is a library, and with one that sends single frames.

use super::{
    frames::{
        self, ACK, DATA, END_HEADERS, END_STREAM, FrameHead, GOAWAY, HEADERS, PING, PREFACE, RST_STREAM, SETTINGS,
        WINDOW_UPDATE, encode,
    },
    test_server::{self, paused},
};
use bytes::Bytes;
use futures::future::join_all;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, body::Incoming, header::HeaderName};
use proptest::prelude::*;
use std::{future::poll_fn, time::Duration};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

const ROOM: usize = 16 * 1024;

/// Returns how many codecs the server took.
async fn serve(stream: DuplexStream) -> usize {
    test_server::serve(stream, echo).await.expect("a connection without errors")
}

/// Returns the body and the fields `x-…` of a request.
async fn echo(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let (head, body) = request.into_parts();
    let mut response = Response::new(Full::new(body.collect().await?.to_bytes()));
    let fields = head.headers.into_iter().filter_map(|(name, value)| Some((name?, value)));
    response.headers_mut().extend(fields.filter(|(name, _)| name.as_str().starts_with("x-")));
    Ok(response)
}

// === A client that is a library ===

#[derive(Clone, Debug)]
enum Step {
    /// Requests at the same time: the bytes of their bodies, and a field.
    Ask(Vec<(usize, u8, u8)>),
    Wait(Duration),
}

fn step() -> impl Strategy<Value = Step> {
    let bytes = prop_oneof![Just(0usize), 1usize..2000, 60_000usize..400_000];
    let request = (bytes, 0u8..4, 0u8..6);
    prop_oneof![
        2 => proptest::collection::vec(request, 1..4).prop_map(Step::Ask),
        2 => (0u64..5000).prop_map(|milliseconds| Step::Wait(Duration::from_millis(milliseconds))),
    ]
}

async fn ask(sender: h2::client::SendRequest<Bytes>, bytes: usize, name: u8, value: u8) {
    let mut sender = sender.ready().await.expect("a connection");
    let name = HeaderName::try_from(format!("x-{name}")).expect("a name");
    let value = format!("a value that is worth an entry {value}");
    let request = Request::post("https://site.localhost/").header(&name, &value).body(()).expect("a request");
    let body: Bytes = (0..bytes).map(|index| index as u8 ^ value.len() as u8).collect();
    let (response, mut stream) = sender.send_request(request, body.is_empty()).expect("a stream");
    let sending = async {
        let mut rest = body.clone();
        while !rest.is_empty() {
            stream.reserve_capacity(rest.len());
            let room = poll_fn(|cx| stream.poll_capacity(cx)).await.expect("an open stream").expect("room");
            let piece = rest.split_to(room);
            stream.send_data(piece, rest.is_empty()).expect("an open stream");
        }
    };
    let receiving = async {
        let response = response.await.expect("a response");
        assert_eq!(response.headers()[&name], value);
        let mut body = response.into_body();
        let mut received = Vec::new();
        while let Some(piece) = body.data().await {
            let piece = piece.expect("a whole body");
            body.flow_control().release_capacity(piece.len()).expect("released");
            received.extend_from_slice(&piece);
        }
        received
    };
    let ((), received) = tokio::join!(sending, receiving);
    assert!(received == body, "{} of {bytes} bytes came back", received.len());
}

/// Returns how many codecs the server took.
async fn run(steps: Vec<Step>, window: u32, table: u32, room: usize) -> usize {
    let (near, far) = duplex(room);
    let serving = tokio::spawn(serve(far));
    let (sender, mut connection) = h2::client::Builder::new()
        .initial_window_size(window.min(100_000))
        .initial_connection_window_size(window)
        .header_table_size(table)
        .handshake::<_, Bytes>(near)
        .await
        .expect("a connection");
    let mut pings = connection.ping_pong().expect("pings");
    let connecting = tokio::spawn(connection);
    for step in steps {
        match step {
            Step::Ask(requests) => {
                join_all(requests.into_iter().map(|(bytes, name, value)| ask(sender.clone(), bytes, name, value)))
                    .await;
            }
            Step::Wait(time) => tokio::time::sleep(time).await,
        }
    }
    // The server still answers.
    pings.ping(h2::Ping::opaque()).await.expect("a pong");
    drop(sender);
    connecting.await.expect("the client").expect("a connection without errors");
    serving.await.expect("the server")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever a client asks for, and however long it waits between, it notices nothing of codecs.
    #[test]
    fn requests_are_answered_by_any_codec(
        steps in proptest::collection::vec(step(), 1..12),
        window in prop_oneof![Just(65_535u32), Just(65_536), Just(1 << 20), Just(1 << 30)],
        table in prop_oneof![Just(0u32), Just(100), Just(4096), Just(65_536)],
        room in prop_oneof![Just(64usize), Just(5000), Just(1 << 20)],
    ) {
        paused(run(steps, window, table, room));
    }
}

#[test]
fn a_codec_lasts_until_its_connection_is_at_rest_for_a_second() {
    let (ask, wait) =
        (|bytes| Step::Ask(vec![(bytes, 1, 1)]), |milliseconds| Step::Wait(Duration::from_millis(milliseconds)));
    let table = [
        (vec![ask(0), wait(900), ask(0), wait(900), ask(0)], 1),
        (vec![ask(0), wait(1100), ask(0)], 2),
        (vec![ask(0), wait(1100), ask(300_000), wait(1100), ask(300_000), wait(1100), ask(0)], 4),
        // A client that has had no request is at rest, too.
        (vec![wait(1100), ask(0)], 2),
    ];
    for (steps, codecs) in table {
        let shown = format!("{steps:?}");
        assert_eq!(paused(run(steps, 1 << 20, 4096, ROOM)), codecs, "{shown}");
    }
}

// === A client that sends single frames ===

struct Client(DuplexStream);

impl Client {
    /// A client that has been at rest for so long that the server asks it to empty its table.
    async fn at_rest() -> (Self, tokio::task::JoinHandle<usize>) {
        let (near, far) = duplex(1 << 20);
        let serving = tokio::spawn(serve(far));
        let mut client = Client(near);
        let window = encode(WINDOW_UPDATE, 0, 0, &(1u32 << 20).to_be_bytes());
        client.send(&[&PREFACE[..], &encode(SETTINGS, 0, 0, &[]), &window].concat()).await;
        assert_eq!(client.frame().await.0.kind, SETTINGS);
        client.send(&encode(SETTINGS, ACK, 0, &[])).await;
        assert!(client.frame().await.0.is_settings_ack());
        assert_eq!(client.frame().await.0.kind, WINDOW_UPDATE);
        client.ask(1).await;
        client.response(1).await;
        let (head, setting) = client.frame().await;
        assert_eq!((head.kind, head.flags, setting), (SETTINGS, 0, vec![0, 1, 0, 0, 0, 0]));
        (client, serving)
    }

    /// A client that has emptied its table, so that the server has released its codec.
    async fn without_codec() -> (Self, tokio::task::JoinHandle<usize>) {
        let (mut client, serving) = Client::at_rest().await;
        client.send(&encode(SETTINGS, ACK, 0, &[])).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        (client, serving)
    }

    async fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).await.expect("room");
    }

    /// Asks with fields that need no table.
    async fn ask(&mut self, stream: u32) {
        self.send(&encode(HEADERS, END_HEADERS | END_STREAM, stream, &[0x82, 0x87, 0x84, 0x41, 1, b'a'])).await;
    }

    async fn frame(&mut self) -> (FrameHead, Vec<u8>) {
        let mut bytes = [0; 9];
        self.0.read_exact(&mut bytes).await.expect("a frame");
        let mut scanner = frames::FrameScanner::new();
        let Some(frames::Scanned::Head(head)) = scanner.next(&mut &bytes[..]) else { panic!("nine bytes are a head") };
        let mut payload = vec![0; head.length as usize];
        self.0.read_exact(&mut payload).await.expect("a payload");
        (head, payload)
    }

    /// Reads frames until this stream ends.
    async fn response(&mut self, stream: u32) {
        loop {
            let (head, payload) = self.frame().await;
            match head.kind {
                DATA | HEADERS if head.stream == stream && head.has(END_STREAM) => return,
                SETTINGS if !head.is_settings_ack() => self.send(&encode(SETTINGS, ACK, 0, &[])).await,
                DATA | HEADERS | SETTINGS | WINDOW_UPDATE => {}
                _ => panic!("{head:?} {:x?}", &payload[..payload.len().min(16)]),
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_next_codec_begins_with_settings() {
    let (mut client, serving) = Client::at_rest().await;
    client.send(&encode(SETTINGS, ACK, 0, &[])).await;
    client.ask(3).await;
    // The request came with the acknowledgement, so that the codec stayed, and the table can be used again.
    let (mut is_restored, mut is_answered) = (false, false);
    while !(is_restored && is_answered) {
        let (head, payload) = client.frame().await;
        match head.kind {
            SETTINGS => is_restored = payload == [0, 1, 0, 0, 0x10, 0],
            _ => is_answered |= head.stream == 3 && head.has(END_STREAM),
        }
    }
    client.send(&encode(SETTINGS, ACK, 0, &[])).await;
    assert_eq!(client.frame().await.1, [0, 1, 0, 0, 0, 0]);
    client.send(&encode(SETTINGS, ACK, 0, &[])).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    client.ask(5).await;
    let (head, settings) = client.frame().await;
    assert_eq!((head.kind, head.flags), (SETTINGS, 0));
    assert!(settings.chunks(6).any(|setting| setting == [0, 1, 0, 0, 0x10, 0]), "{settings:x?}");
    client.send(&encode(SETTINGS, ACK, 0, &[])).await;
    client.response(5).await;
    drop(client);
    assert_eq!(serving.await.expect("the server"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_acknowledge_keeps_its_codec() {
    let (mut client, serving) = Client::at_rest().await;
    for stream in [3, 5, 7] {
        tokio::time::sleep(Duration::from_secs(30)).await;
        client.send(&encode(PING, ACK, 0, &[0; 8])).await;
        client.ask(stream).await;
        let mut is_answered = false;
        while !is_answered {
            let (head, _) = client.frame().await;
            is_answered = head.stream == stream && head.has(END_STREAM);
        }
    }
    drop(client);
    assert_eq!(serving.await.expect("the server"), 1);
}

#[tokio::test(start_paused = true)]
async fn frames_for_streams_that_have_ended_are_ignored_by_the_next_codec() {
    let (mut client, serving) = Client::at_rest().await;
    client.send(&encode(SETTINGS, ACK, 0, &[])).await;
    let late = [encode(WINDOW_UPDATE, 0, 1, &[0, 0, 1, 0]), encode(RST_STREAM, 0, 1, &[0, 0, 0, 8])].concat();
    for (number, stream) in [3, 5, 7].into_iter().enumerate() {
        tokio::time::sleep(Duration::from_secs(2)).await;
        client.send(&late).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        // In single bytes, or together.
        for byte in late.chunks(1 + 100 * number) {
            client.send(byte).await;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        client.ask(stream).await;
        client.send(&late).await;
        client.response(stream).await;
        let (_, setting) = client.frame().await;
        assert_eq!(setting, [0, 1, 0, 0, 0, 0]);
        client.send(&encode(SETTINGS, ACK, 0, &[])).await;
    }
    drop(client);
    assert_eq!(serving.await.expect("the server"), 4);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_only_the_last_codec_could_read_may_be_sent_again() {
    for is_first in [true, false] {
        let (mut client, serving) = Client::without_codec().await;
        if !is_first {
            client.send(&encode(PING, 0, 0, &[1; 8])).await;
        }
        // The newest entry of a table that was to be emptied.
        client.send(&encode(HEADERS, END_HEADERS | END_STREAM, 3, &[0x82, 0x87, 0x84, 0xbe])).await;
        let last_stream = loop {
            let (head, payload) = client.frame().await;
            match head.kind {
                GOAWAY => break payload,
                SETTINGS | PING | WINDOW_UPDATE => {}
                _ => panic!("{head:?} {payload:x?}"),
            }
        };
        // Up to stream 1, and no error: the request on stream 3 was not processed (RFC 9113, section 6.8).
        assert_eq!(last_stream, [0, 0, 0, 1, 0, 0, 0, 0]);
        assert_eq!(client.0.read(&mut [0; 9]).await.expect("an end"), 0);
        serving.await.expect("the server");
    }
}

/// The client has not acknowledged the SETTINGS of the new codec yet, but knows its windows from the one before.
#[tokio::test(start_paused = true)]
async fn a_body_may_be_large_from_the_first_byte_on() {
    let (mut client, serving) = Client::without_codec().await;
    let head = encode(HEADERS, END_HEADERS, 3, &[0x20, 0x83, 0x87, 0x84, 0x41, 1, b'a']);
    let piece = encode(DATA, 0, 3, &[7; 16 * 1024]);
    // The response is as long, and no more than the stream's window of the client without this.
    let window = encode(WINDOW_UPDATE, 0, 3, &(1u32 << 20).to_be_bytes());
    client.send(&[head, piece.repeat(11), encode(DATA, END_STREAM, 3, &[]), window].concat()).await;
    client.response(3).await;
    drop(client);
    serving.await.expect("the server");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_resizes_the_table_of_the_server_keeps_its_codec() {
    let (near, far) = duplex(1 << 20);
    let serving = tokio::spawn(serve(far));
    let mut client = Client(near);
    let window = encode(WINDOW_UPDATE, 0, 0, &(1u32 << 20).to_be_bytes());
    let settings = encode(SETTINGS, 0, 0, &[0, 1, 0, 0, 0, 100]);
    client.send(&[&PREFACE[..], &settings, &window, &encode(SETTINGS, 0, 0, &[0, 1, 0, 0, 0x10, 0])].concat()).await;
    for stream in [1, 3] {
        client.ask(stream).await;
        client.response(stream).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    drop(client);
    assert_eq!(serving.await.expect("the server"), 1);
}

#[tokio::test(start_paused = true)]
async fn what_arrives_in_pieces_is_answered_by_the_next_codec() {
    let (mut client, serving) = Client::without_codec().await;
    let request = encode(HEADERS, END_HEADERS, 3, &[0x20, 0x83, 0x87, 0x84, 0x41, 1, b'a']);
    let body = encode(DATA, END_STREAM, 3, b"body");
    let ping = encode(PING, 0, 0, b"12345678");
    for byte in [ping, request, body].concat().chunks(1) {
        client.send(byte).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    let mut kinds = Vec::new();
    loop {
        let (head, payload) = client.frame().await;
        kinds.push(head.kind);
        if head.kind == PING && head.has(ACK) {
            assert_eq!(payload, b"12345678");
        }
        if head.kind == SETTINGS && !head.is_settings_ack() {
            client.send(&encode(SETTINGS, ACK, 0, &[])).await;
        }
        if head.has(END_STREAM) && matches!(head.kind, DATA | HEADERS) {
            break;
        }
    }
    assert!(kinds.contains(&PING), "{kinds:?}");
    drop(client);
    serving.await.expect("the server");
}

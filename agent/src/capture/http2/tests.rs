use super::{Http2Conversation, stream::Sender};
use crate::{
    capture::{
        CaptureStore, Exchange, TunnelTag,
        event::event_channel,
        sniffer::{ConnectTiming, Observer},
    },
    metrics::Meter,
};
use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

/// Bytes of a connection in the order in which they passed.
type Recording = Vec<(Sender, Vec<u8>)>;

fn conversation(store: &Arc<CaptureStore>, meter: &Arc<Meter>) -> Http2Conversation {
    let observer = Observer {
        store: Some(store.clone()),
        meter: meter.clone(),
        tunnel: Arc::new(TunnelTag { definition: "rpc".into(), proto: "https" }),
        remote: "192.0.2.1:1".into(),
        replay_of: None,
        through_edge: false,
        http2: true,
        notes: None,
    };
    Http2Conversation::new(observer, ConnectTiming::default())
}

fn store() -> Arc<CaptureStore> {
    Arc::new(CaptureStore::new(Some(50 << 20), 1 << 20, event_channel()))
}

fn feed(recording: &[(Sender, Vec<u8>)], step: usize) -> (Vec<Arc<Exchange>>, Arc<Meter>) {
    let (store, meter) = (store(), Arc::default());
    let mut conversation = conversation(&store, &meter);
    for (sender, bytes) in recording {
        bytes.chunks(step).for_each(|piece| conversation.follow(*sender, piece));
    }
    let mut captured = store.page(u64::MAX, 100);
    captured.reverse();
    (captured, meter)
}

/// Records what `visit` and `serve` say to each other.
async fn recorded<V, S>(visit: impl FnOnce(DuplexStream) -> V, serve: impl FnOnce(DuplexStream) -> S) -> Recording
where
    V: Future<Output = ()>,
    S: Future<Output = ()>,
{
    let ((near_visitor, mut visitor), (near_service, mut service)) = (duplex(1 << 16), duplex(1 << 16));
    let copy = async move {
        let mut recording = Recording::new();
        let (mut from_visitor, mut from_service) = ([0; 999], [0; 999]);
        loop {
            tokio::select! {
                read = visitor.read(&mut from_visitor) => match read {
                    Ok(count @ 1..) => {
                        recording.push((Sender::Visitor, from_visitor[..count].to_vec()));
                        let _ = service.write_all(&from_visitor[..count]).await;
                    }
                    _ => return recording,
                },
                read = service.read(&mut from_service) => match read {
                    Ok(count @ 1..) => {
                        recording.push((Sender::Service, from_service[..count].to_vec()));
                        let _ = visitor.write_all(&from_service[..count]).await;
                    }
                    _ => return recording,
                },
            }
        }
    };
    let (recording, (), ()) = tokio::join!(copy, visit(near_visitor), serve(near_service));
    recording
}

/// Answers every request: `/rpc` with data and trailers, `/length` with a declared length, `/empty` with a head only,
/// `/reset` not at all.
async fn serve(stream: DuplexStream) {
    let mut connection = h2::server::handshake(stream).await.expect("a client");
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        tokio::spawn(async move {
            let path = request.uri().path().to_owned();
            let mut body = request.into_body();
            while let Some(Ok(data)) = body.data().await {
                let _ = body.flow_control().release_capacity(data.len());
            }
            let _ = body.trailers().await;
            let response = Response::builder().header("x-path", &path);
            match path.as_str() {
                "/rpc" => {
                    let mut send = respond.send_response(response.body(()).expect("valid"), false).expect("open");
                    send.send_data(Bytes::from_static(b"\0\0\0\0\x02hi"), false).expect("open");
                    let trailers = [("grpc-status", "0")];
                    let trailers =
                        trailers.map(|(name, value)| (name.parse().expect("valid"), value.parse().expect("valid")));
                    send.send_trailers(HeaderMap::from_iter(trailers)).expect("open");
                }
                "/length" => {
                    let response = response.header("content-length", "4").body(()).expect("valid");
                    let mut send = respond.send_response(response, false).expect("open");
                    send.send_data(Bytes::from_static(b"four"), true).expect("open");
                }
                "/reset" => respond.send_reset(h2::Reason::INTERNAL_ERROR),
                _ => drop(respond.send_response(response.status(204).body(()).expect("valid"), true)),
            }
        });
    }
}

/// Sends a request and reads its response to the end.
async fn ask(send: &mut h2::client::SendRequest<Bytes>, path: &str, body: Option<&'static [u8]>) {
    let request = Request::post(format!("http://rpc.test{path}")).header("x-forwarded-for", "203.0.113.9");
    let (response, mut sender) = send.send_request(request.body(()).expect("valid"), body.is_none()).expect("open");
    if let Some(body) = body {
        sender.send_data(Bytes::from_static(body), true).expect("open");
    }
    let Ok(response) = response.await else { return };
    let mut body = response.into_body();
    while let Some(Ok(data)) = body.data().await {
        let _ = body.flow_control().release_capacity(data.len());
    }
    let _ = body.trailers().await;
}

async fn visits(stream: DuplexStream) {
    let (mut send, connection) = h2::client::handshake(stream).await.expect("a server");
    let asking = async move {
        for (path, body) in [
            ("/rpc", Some(b"\0\0\0\0\x03abc".as_slice())),
            ("/length", None),
            ("/empty", None),
            ("/reset", None),
            ("/rpc", Some(&[b'x'; 5000])),
        ] {
            ask(&mut send, path, body).await;
        }
    };
    let (_, _) = tokio::join!(asking, connection);
}

fn text(exchange: &Exchange) -> (String, String) {
    let (request, response) = exchange.messages();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(request.wire()), response.map(|response| text(response.wire())).unwrap_or_default())
}

#[tokio::test]
async fn streams_are_captured_as_exchanges_in_any_split() {
    let recording = recorded(visits, serve).await;
    for step in [1, 2, 7, 100, 10_000] {
        let (captured, meter) = feed(&recording, step);
        let paths: Vec<&str> = captured.iter().map(|exchange| exchange.info.target()).collect();
        assert_eq!(paths, ["/rpc", "/length", "/empty", "/reset", "/rpc"], "step {step}");
        assert_eq!(meter.snapshot().count, 4, "responses, without the stream that was reset");

        let (request, response) = text(&captured[0]);
        assert!(request.starts_with("POST /rpc HTTP/1.1\r\nhost: rpc.test\r\n"), "{request}");
        assert!(response.ends_with("\r\n0\r\ngrpc-status: 0\r\n\r\n"), "{response}");
        assert_eq!(captured[0].messages().0.content_bytes(), b"\0\0\0\0\x03abc");
        let body = captured[0].messages().1.expect("a response").content_bytes();
        assert_eq!(body, b"\0\0\0\0\x02hi");
        assert_eq!((captured[0].info.remote(), captured[0].info.host()), ("203.0.113.9", "rpc.test"));

        let (request, response) = text(&captured[1]);
        assert!(request.ends_with("\r\n\r\n") && !request.contains("chunked"), "{request}");
        assert!(response.ends_with("content-length: 4\r\n\r\nfour"), "{response}");
        assert_eq!(captured[2].facts().status, Some(204));
        let reset = captured[3].facts();
        assert_eq!(reset.error.as_deref(), Some("The local service reset the stream: INTERNAL_ERROR."));
        assert_eq!(captured[4].messages().0.content_bytes(), [b'x'; 5000], "step {step}");
        for exchange in [0, 1, 2, 4].map(|index| &captured[index]) {
            let facts = exchange.facts();
            assert!(facts.error.is_none() && facts.duration.is_some() && !facts.cut, "step {step}: {facts:?}");
        }
    }
}

#[tokio::test]
async fn bytes_that_are_not_http2_end_the_capture_of_the_connection() {
    let recording = recorded(visits, serve).await;
    for damage in [0, 10, 30, 60] {
        let mut recording = recording.clone();
        let visitor = recording.iter_mut().find(|(sender, _)| *sender == Sender::Visitor).expect("bytes");
        if let Some(byte) = visitor.1.get_mut(damage) {
            *byte ^= 0x55;
        }
        feed(&recording, 50);
    }
    let (captured, _) = feed(&[(Sender::Visitor, b"GET / HTTP/1.1\r\n\r\n".to_vec())], 100);
    assert!(captured.is_empty());
}

/// A frame as it is on the wire.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("short").to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// `POST /` of an authority `h`, with one more literal field.
fn post(name: &[u8], value: &[u8]) -> Vec<u8> {
    let length = |text: &[u8]| u8::try_from(text.len()).expect("short");
    [&b"\x83\x86\x84\x41\x01h\0"[..], &[length(name)], name, &[length(value)], value].concat()
}

/// The exchanges of a client that sends these frames, each with its body and its error.
fn sent(frames: &[Vec<u8>]) -> Vec<(String, String)> {
    let bytes = [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", &frames.concat()[..]].concat();
    let (captured, _) = feed(&[(Sender::Visitor, bytes)], 1000);
    let seen = captured.iter().map(|exchange| {
        let body = exchange.messages().0.content_bytes();
        let error = exchange.facts().error.map(|error| error.to_string());
        (String::from_utf8(body).expect("text"), error.unwrap_or_default())
    });
    seen.collect()
}

#[tokio::test]
async fn a_body_longer_than_declared_is_no_second_request() {
    let body = b"xGET /hidden HTTP/1.1\r\nhost: h\r\n\r\n";
    let frames = [frame(1, 4, 1, &post(b"content-length", b"1")), frame(0, 1, 1, body)];
    assert_eq!(sent(&frames), [("x".to_owned(), "The body is longer than declared.".to_owned())]);
}

#[tokio::test]
async fn a_head_too_long_to_be_kept_does_not_hide_where_its_body_ends() {
    let long = [&b"\0\x01a\x7f\xf9\xfd\x03"[..], &[b'x'; 65_400]].concat();
    let block = [&post(b"content-length", b"3")[..], &long].concat();
    let blocks: Vec<&[u8]> = block.chunks(16_000).collect();
    let mut frames = vec![frame(1, 0, 1, blocks[0])];
    frames.extend(blocks[1..].iter().map(|block| frame(9, 0, 1, block)));
    frames.extend([frame(9, 4, 1, b""), frame(0, 1, 1, b"GET /hidden HTTP/1.1\r\n\r\n")]);
    let seen = sent(&frames);
    assert_eq!(seen.iter().map(|(body, _)| body.as_str()).collect::<Vec<_>>(), ["GET /hidden HTTP/1.1\r\n\r\n"]);
}

#[tokio::test]
async fn a_promise_of_the_client_is_no_request() {
    let promise = [&b"\0\0\0\x02"[..], &post(b"x", b"y")].concat();
    assert_eq!(sent(&[frame(5, 4, 1, &promise), frame(1, 5, 0, &post(b"x", b"y"))]), []);
}

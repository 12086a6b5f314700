use super::*;
use tokio::{
    io::{DuplexStream, duplex},
    task::JoinHandle,
    time::timeout,
};
use tokio_tungstenite::tungstenite::protocol::frame::{
    Frame,
    coding::{Data, OpCode},
};

const WAIT_TIMEOUT: Duration = Duration::from_secs(10);

/// A visitor, a backend, and the edge between them.
struct World {
    visitor: WebSocketStream<DuplexStream>,
    backend: DuplexStream,
    carrying: JoinHandle<()>,
}

async fn world() -> World {
    let (visitor, backend, carrying) = raw();
    let visitor = WebSocketStream::from_raw_socket(visitor, Role::Client, None).await;
    World { visitor, backend, carrying }
}

fn raw() -> (DuplexStream, DuplexStream, JoinHandle<()>) {
    let ((visitor, near), (backend, far)) = (duplex(64 * 1024), duplex(1024));
    (visitor, backend, tokio::spawn(carry(near, far)))
}

impl World {
    async fn says(&mut self, message: Message) {
        timeout(WAIT_TIMEOUT, self.visitor.send(message)).await.expect("in time").expect("sent");
    }

    /// The next message; none when the connection is over.
    async fn hears(&mut self) -> Option<Message> {
        timeout(WAIT_TIMEOUT, self.visitor.next()).await.expect("in time").and_then(Result::ok)
    }

    async fn closed_with(&mut self) -> CloseCode {
        loop {
            match self.hears().await {
                Some(Message::Close(Some(frame))) => return frame.code,
                Some(_) => {}
                None => panic!("the connection ended without a word"),
            }
        }
    }

    async fn backend_hears(&mut self, size: usize) -> Vec<u8> {
        let mut bytes = vec![0; size];
        timeout(WAIT_TIMEOUT, self.backend.read_exact(&mut bytes)).await.expect("in time").expect("bytes");
        bytes
    }

    async fn backend_hears_the_rest(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        timeout(WAIT_TIMEOUT, self.backend.read_to_end(&mut bytes)).await.expect("in time").expect("an end");
        bytes
    }
}

fn numbers(size: usize) -> Vec<u8> {
    (0..size).map(|number| (number % 251) as u8).collect()
}

#[tokio::test]
async fn bytes_pass_both_ways_in_order_however_they_are_cut() {
    let mut world = world().await;
    for cut in [1, 125, 126, 900] {
        world.says(Message::binary(numbers(cut))).await;
        assert_eq!(world.backend_hears(cut).await, numbers(cut));
    }
    world.says(Message::binary(Vec::new())).await;
    for (code, last) in [(Data::Binary, false), (Data::Continue, false), (Data::Continue, true)] {
        world.says(Message::Frame(Frame::message(&b"piece"[..], OpCode::Data(code), last))).await;
    }
    assert_eq!(world.backend_hears(15).await, b"piecepiecepiece", "an empty message is nothing, fragments are one");

    let World { visitor, mut backend, carrying } = world;
    let (mut sink, mut source) = visitor.split();
    let sent = numbers(300_000);
    let echo = tokio::spawn(async move {
        let (mut reader, mut writer) = tokio::io::split(&mut backend);
        tokio::io::copy(&mut reader, &mut writer).await.expect("echoed");
        writer.shutdown().await.expect("ended");
    });
    let speaking = async {
        for piece in sent.chunks(7777) {
            sink.send(Message::binary(piece.to_vec())).await.expect("sent");
        }
    };
    let hearing = async {
        let mut heard = Vec::new();
        while heard.len() < sent.len() {
            match source.next().await.expect("more").expect("a message") {
                Message::Binary(bytes) => heard.extend_from_slice(&bytes),
                other => panic!("{other:?}"),
            }
        }
        heard
    };
    let ((), heard) = timeout(WAIT_TIMEOUT, async { tokio::join!(speaking, hearing) }).await.expect("in time");
    assert!(heard == sent, "the same bytes in the same order");
    sink.send(Message::Close(None)).await.expect("sent");
    timeout(WAIT_TIMEOUT, async { (echo.await, carrying.await) }).await.expect("in time").0.expect("no panic");
}

#[tokio::test]
async fn a_visitor_who_closes_is_answered_and_the_backend_hears_everything_first() {
    let mut world = world().await;
    world.says(Message::binary(numbers(5000))).await;
    world.says(close_frame(CloseCode::Away, "bye")).await;
    assert_eq!(world.backend_hears_the_rest().await, numbers(5000), "all of it, and then the end");
    assert_eq!(world.closed_with().await, CloseCode::Away, "the farewell comes back");
    drop(world.backend);
    timeout(WAIT_TIMEOUT, world.carrying).await.expect("in time").expect("no panic");
}

#[tokio::test]
async fn a_backend_that_ends_is_heard_to_its_last_byte_and_closes_the_connection() {
    let mut world = world().await;
    world.backend.write_all(&numbers(700)).await.expect("taken");
    world.backend.shutdown().await.expect("ended");
    let mut heard = Vec::new();
    while heard.len() < 700 {
        match world.hears().await {
            Some(Message::Binary(bytes)) => heard.extend_from_slice(&bytes),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(heard, numbers(700));
    assert_eq!(world.closed_with().await, CloseCode::Normal);
    assert_eq!(world.backend_hears_the_rest().await, b"", "the visitor has ended, too");
    assert!(world.hears().await.is_none());
    timeout(WAIT_TIMEOUT, world.carrying).await.expect("in time").expect("no panic");
}

#[tokio::test]
async fn pings_are_answered_and_never_reach_the_backend() {
    let mut world = world().await;
    world.says(Message::Ping(Bytes::from("are you there"))).await;
    world.says(Message::Pong(Bytes::from("unasked"))).await;
    assert_eq!(world.hears().await, Some(Message::Pong(Bytes::from("are you there"))));
    world.says(Message::binary(&b"x"[..])).await;
    assert_eq!(world.backend_hears(1).await, b"x");
}

#[tokio::test]
async fn text_and_messages_without_measure_end_the_connection_with_their_code() {
    for (message, code) in [
        (Message::text("words"), CloseCode::Unsupported),
        (Message::text(""), CloseCode::Unsupported),
        (Message::binary(vec![0; MAX_MESSAGE_BYTES + 1]), CloseCode::Size),
    ] {
        let mut world = world().await;
        world.says(Message::binary(&b"before"[..])).await;
        let (mut sink, source) = world.visitor.split();
        // The edge may stop reading before all of it is sent.
        let sending = tokio::spawn(async move {
            let _ = sink.send(message).await;
            sink
        });
        assert_eq!(world_end(source).await, code);
        let mut heard = Vec::new();
        timeout(WAIT_TIMEOUT, world.backend.read_to_end(&mut heard)).await.expect("in time").expect("an end");
        assert_eq!(heard, b"before");
        drop((world.backend, timeout(WAIT_TIMEOUT, sending).await.expect("in time")));
        timeout(WAIT_TIMEOUT, world.carrying).await.expect("in time").expect("no panic");
    }
}

async fn world_end(mut source: SplitStream<WebSocketStream<DuplexStream>>) -> CloseCode {
    loop {
        match timeout(WAIT_TIMEOUT, source.next()).await.expect("in time") {
            Some(Ok(Message::Close(Some(frame)))) => return frame.code,
            Some(Ok(_)) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn what_is_not_websocket_is_told_so() {
    let wrong: [(&str, &[u8]); 6] = [
        ("not masked", &[0x82, 0x01, b'x']),
        ("a reserved bit", &[0xc2, 0x81, 0, 0, 0, 0, b'x']),
        ("an unknown kind", &[0x83, 0x81, 0, 0, 0, 0, b'x']),
        ("a fragment of nothing", &[0x80, 0x81, 0, 0, 0, 0, b'x']),
        ("a ping in pieces", &[0x09, 0x81, 0, 0, 0, 0, b'x']),
        ("a close of one byte", &[0x88, 0x81, 0, 0, 0, 0, b'x']),
    ];
    for (what, bytes) in wrong {
        let (mut visitor, backend, carrying) = raw();
        visitor.write_all(bytes).await.expect("taken");
        let mut head = [0; 4];
        timeout(WAIT_TIMEOUT, visitor.read_exact(&mut head)).await.expect("in time").expect(what);
        assert_eq!((head[0], u16::from_be_bytes([head[2], head[3]])), (0x88, 1002), "{what}");
        drop((visitor, backend));
        timeout(WAIT_TIMEOUT, carrying).await.expect("in time").expect("no panic");
    }
}

#[tokio::test]
async fn frames_may_arrive_byte_by_byte() {
    let (mut visitor, mut backend, carrying) = raw();
    // Masked with 1, 2, 3, 4.
    for byte in [0x82, 0x85, 1, 2, 3, 4, b'h' ^ 1, b'e' ^ 2, b'l' ^ 3, b'l' ^ 4, b'o' ^ 1] {
        visitor.write_all(&[byte]).await.expect("taken");
        tokio::task::yield_now().await;
    }
    let mut heard = [0; 5];
    timeout(WAIT_TIMEOUT, backend.read_exact(&mut heard)).await.expect("in time").expect("bytes");
    assert_eq!(&heard, b"hello");
    // Gone without a word.
    drop(visitor);
    timeout(WAIT_TIMEOUT, backend.read_to_end(&mut Vec::new())).await.expect("in time").expect("an end");
    drop(backend);
    timeout(WAIT_TIMEOUT, carrying).await.expect("in time").expect("no panic");
}

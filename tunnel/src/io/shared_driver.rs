//! The task of a shared connection. What streams write in one turn of the runtime leaves with one write.

use super::{
    buffers::Buffer,
    stream_transport::{ConnectionOwner as _, SharedConnection, SharedStream, StreamTransport},
};
use crate::proto::shared_frame::{FrameHeader, HEADER};
use std::{
    future::{Future, poll_fn},
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Largest buffer that is kept for the frames of the next turn.
const MAX_KEPT_BYTES: usize = 64 * 1024;

/// Spawns the task of a connection, which drives it until it ends or breaks, and then calls `on_end`. `first` is sent first;
/// `on_stream` gets the streams that the peer opens.
pub(super) fn spawn(
    connection: Arc<SharedConnection>,
    transport: StreamTransport,
    first: Vec<u8>,
    on_stream: impl FnMut(SharedStream) + Send + 'static,
    on_end: impl FnOnce() + Send + 'static,
) {
    let runtime = connection.runtime().clone();
    let mut driver = Driver {
        connection,
        transport,
        incomplete: Vec::new(),
        sending: first,
        sent: 0,
        flushed: true,
        turn: None,
        on_stream,
    };
    runtime.spawn(async move {
        let reason = poll_fn(|cx| driver.poll(cx)).await;
        tracing::debug!(number = driver.connection.number(), ?reason, "a shared connection has ended");
        driver.connection.close();
        on_end();
    });
}

struct Driver<F> {
    connection: Arc<SharedConnection>,
    transport: StreamTransport,
    /// The beginning of a frame whose rest has not arrived.
    incomplete: Vec<u8>,
    sending: Vec<u8>,
    sent: usize,
    flushed: bool,
    /// Lets the other tasks of this turn run before what they wrote is sent.
    turn: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    on_stream: F,
}

impl<F: FnMut(SharedStream)> Driver<F> {
    /// Ready when the connection has ended; with an error if it broke.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.connection.poll_given_up(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        if let Poll::Ready(Err(error)) = self.poll_receive(cx) {
            return Poll::Ready(Err(error));
        }
        self.poll_send(cx)
    }

    /// Ready when the connection was closed; with an error if it broke.
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            while self.sent < self.sending.len() {
                let count = ready!(Pin::new(&mut self.transport).poll_write(cx, &self.sending[self.sent..]))?;
                if count == 0 {
                    return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                }
                self.sent += count;
                self.flushed = false;
            }
            if !self.flushed {
                ready!(Pin::new(&mut self.transport).poll_flush(cx))?;
                self.flushed = true;
            }
            self.sending.clear();
            self.sending.shrink_to(MAX_KEPT_BYTES);
            self.sent = 0;
            if !self.connection.has_work() {
                return Poll::Pending;
            }
            let turn = self.turn.get_or_insert_with(|| Box::pin(tokio::task::yield_now()));
            ready!(turn.as_mut().poll(cx));
            self.turn = None;
            self.connection.take_frames(&mut self.sending);
            if self.sending.is_empty() && self.connection.is_closed() {
                return Poll::Ready(Ok(()));
            }
        }
    }

    /// Never ready without an error.
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut buffer = Buffer::borrow();
            let before = self.incomplete.len();
            buffer[..before].copy_from_slice(&self.incomplete);
            let mut bytes = ReadBuf::new(&mut buffer[before..]);
            ready!(Pin::new(&mut self.transport).poll_read(cx, &mut bytes))?;
            let count = bytes.filled().len();
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
            }
            self.connection.record_received();
            let arrived = &buffer[..before + count];
            let used = self.receive(arrived)?;
            self.incomplete.clear();
            self.incomplete.extend_from_slice(&arrived[used..]);
        }
    }

    /// Hands all complete frames over. Returns the number of their bytes.
    fn receive(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some((header, after)) = rest.split_first_chunk::<HEADER>() {
            let malformed = |error| io::Error::new(io::ErrorKind::InvalidData, error);
            let header = FrameHeader::decode(header).map_err(malformed)?;
            let Some((payload, after)) = after.split_at_checked(header.length) else { break };
            if let Some(stream) = self.connection.receive(header, payload)? {
                (self.on_stream)(stream);
            }
            rest = after;
        }
        Ok(bytes.len() - rest.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        io::{cancellation::SessionCancellation, stream_transport::StreamTransport},
        proto::shared_frame::{FrameKind, SharedLimits, WINDOW},
    };
    use proptest::prelude::*;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, DuplexStream},
        runtime::Handle,
    };

    /// The agent's end of a connection, with the other end of its transport. Streams that are opened are kept, and not read.
    fn agent() -> (Arc<SharedConnection>, DuplexStream, Arc<std::sync::Mutex<Vec<SharedStream>>>) {
        let (here, there) = tokio::io::duplex(1 << 20);
        let connection = SharedConnection::new(1, SharedLimits::CURRENT, None, &Handle::current());
        let transport = StreamTransport::connection(Box::new(here), Arc::new(SessionCancellation::default()).token());
        let opened: Arc<std::sync::Mutex<Vec<SharedStream>>> = Arc::default();
        let kept = opened.clone();
        let on_stream = move |stream| kept.lock().expect("no panic").push(stream);
        spawn(connection.clone(), transport, Vec::new(), on_stream, || {});
        (connection, there, opened)
    }

    fn frame(stream: u32, kind: FrameKind, length: usize) -> Vec<u8> {
        let mut bytes = FrameHeader { stream, read: 0, kind, length }.encode().to_vec();
        bytes.resize(HEADER + length, 7);
        bytes
    }

    /// Sends bytes and waits until the agent's end has closed the connection.
    async fn is_refused(bytes: &[u8]) -> bool {
        let (connection, mut there, _opened) = agent();
        there.write_all(bytes).await.expect("there is room");
        let mut rest = Vec::new();
        let _ = there.read_to_end(&mut rest).await;
        connection.is_closed()
    }

    #[tokio::test]
    async fn a_peer_that_breaks_the_rules_is_cut_off() {
        let open = frame(1, FrameKind::Open, WINDOW);
        assert!(is_refused(&[open.clone(), frame(1, FrameKind::Data, 1)].concat()).await, "a window is exceeded");
        assert!(is_refused(&[open.clone(), frame(1, FrameKind::Open, 0)].concat()).await, "a stream is opened twice");
        let mut read_too_much = FrameHeader { stream: 1, read: 1 + WINDOW as u32, kind: FrameKind::Data, length: 0 };
        assert!(
            is_refused(&[open.clone(), read_too_much.encode().to_vec()].concat()).await,
            "it has read what was not sent"
        );
        read_too_much.stream = 2;
        let (connection, mut there, opened) = agent();
        there.write_all(&[open, read_too_much.encode().to_vec()].concat()).await.expect("there is room");
        let most = 2 * SharedLimits::CURRENT.max_streams as u32;
        let many: Vec<u8> = (2..most).flat_map(|stream| frame(stream, FrameKind::Open, 0)).collect();
        there.write_all(&many).await.expect("there is room");
        let all = || opened.lock().expect("no panic").len() as u32 == most - 1;
        postern_test_kit::until("all are open", all).await;
        assert!(!connection.is_closed(), "frames of streams that have ended are skipped");
        there
            .write_all(&[frame(most, FrameKind::Open, 0), frame(most + 1, FrameKind::Open, 0)].concat())
            .await
            .expect("room");
        postern_test_kit::until("it is closed", || connection.is_closed()).await;
    }

    /// Streams that the peer opens, of whose answers it reads nothing, and how many bytes of each it gets nevertheless.
    #[tokio::test]
    async fn what_is_not_read_of_one_stream_shrinks_with_the_number_of_streams() {
        const STREAMS: u32 = 600;
        let (_connection, mut there, opened) = agent();
        let all: Vec<u8> = (0..STREAMS).flat_map(|stream| frame(stream, FrameKind::Open, 1)).collect();
        there.write_all(&all).await.expect("there is room");
        postern_test_kit::until("all are open", || opened.lock().expect("no panic").len() == STREAMS as usize).await;
        for stream in opened.lock().expect("no panic").drain(..) {
            let token = Arc::new(SessionCancellation::default()).token();
            let mut transport = StreamTransport::shared(stream, token);
            tokio::spawn(async move { transport.write_all(&[7; 2 * WINDOW]).await });
        }
        let (mut received, mut asking) = (vec![0; STREAMS as usize], 0);
        while asking < STREAMS {
            let mut header = [0; HEADER];
            there.read_exact(&mut header).await.expect("a frame");
            let header = FrameHeader::decode(&header).expect("a header");
            asking += u32::from(header.kind == FrameKind::Move);
            received[header.stream as usize] += header.length;
            there.read_exact(&mut vec![0; header.length]).await.expect("its payload");
        }
        let (few, many) = received.split_at(512);
        assert!(few.iter().all(|bytes| *bytes == WINDOW) && many.iter().all(|bytes| *bytes == 5 * 1024));
    }

    #[tokio::test]
    async fn streams_that_were_broken_off_do_not_count() {
        let (connection, mut there, opened) = agent();
        for stream in 0..5_000 {
            let both = [frame(stream, FrameKind::Open, 10), frame(stream, FrameKind::Reset, 0)].concat();
            there.write_all(&both).await.expect("it is read");
        }
        postern_test_kit::until("all are open", || opened.lock().expect("no panic").len() == 5_000).await;
        assert_eq!((connection.len(), connection.is_closed()), (0, false));
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_does_not_answer_is_given_up() {
        let (connection, mut there, _opened) = agent();
        tokio::time::sleep(std::time::Duration::from_secs(4)).await;
        connection.check_silence();
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
        connection.check_silence();
        let mut asked = [0; HEADER];
        there.read_exact(&mut asked).await.expect("a frame");
        assert_eq!(FrameHeader::decode(&asked).map(|header| header.kind), Ok(FrameKind::Ping));
        there.write_all(&frame(0, FrameKind::Pong, 0)).await.expect("it is read");
        tokio::time::sleep(std::time::Duration::from_secs(14)).await;
        connection.check_silence();
        assert!(!connection.is_closed(), "it has answered");
        there.write_all(&frame(0, FrameKind::Ping, 0)).await.expect("it is read");
        there.read_exact(&mut asked).await.expect("the next question");
        there.read_exact(&mut asked).await.expect("an answer");
        assert_eq!(FrameHeader::decode(&asked).map(|header| header.kind), Ok(FrameKind::Pong));
        tokio::time::sleep(std::time::Duration::from_secs(15)).await;
        connection.check_silence();
        assert_eq!(there.read(&mut asked).await.expect("its end"), 0);
        assert!(connection.is_closed());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic_and_in_any_pieces(
            frames in prop::collection::vec((0u32..4, 0u32..3, 0usize..6, 0usize..200), 0..40),
            noise in prop::collection::vec(any::<u8>(), 0..30),
            piece in 1usize..64,
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            let _entered = runtime.enter();
            let kinds = [
                FrameKind::Open,
                FrameKind::Data,
                FrameKind::Reset,
                FrameKind::Move,
                FrameKind::Ping,
                FrameKind::Pong,
            ];
            let mut wire = Vec::new();
            for (stream, read, kind, length) in frames {
                let kind = kinds[kind];
                let length = if matches!(kind, FrameKind::Open | FrameKind::Data) { length } else { 0 };
                wire.extend_from_slice(&FrameHeader { stream, read, kind, length }.encode());
                wire.resize(wire.len() + length, 7);
            }
            wire.extend_from_slice(&noise);
            let outcome = |size: usize| {
                let connection = SharedConnection::new(1, SharedLimits::CURRENT, None, runtime.handle());
                let (here, _there) = tokio::io::duplex(64);
                let cancellation = Arc::new(SessionCancellation::default());
                let mut opened = Vec::new();
                let mut driver = Driver {
                    connection,
                    transport: StreamTransport::connection(Box::new(here), cancellation.token()),
                    incomplete: Vec::new(),
                    sending: Vec::new(),
                    sent: 0,
                    flushed: true,
                    turn: None,
                    on_stream: |stream: SharedStream| opened.push(stream),
                };
                let mut waiting = Vec::new();
                let mut is_valid = true;
                for piece in wire.chunks(size) {
                    waiting.extend_from_slice(piece);
                    match driver.receive(&waiting) {
                        Ok(used) => drop(waiting.drain(..used)),
                        Err(_) => {
                            is_valid = false;
                            break;
                        }
                    }
                }
                drop(driver);
                (is_valid, opened.len())
            };
            prop_assert_eq!(outcome(usize::MAX), outcome(piece));
        }
    }
}

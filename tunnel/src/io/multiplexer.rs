//! The control connection after the handshake: yamux, driven by one task.

use super::{CLOSE_TIMEOUT, cork::Cork, last_received::LastReceived, transport::BoxedTransport};
use std::{
    future::poll_fn,
    sync::{Arc, OnceLock},
    task::{Context, Poll},
};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
};
use yamux::{Config, Connection, Mode, Stream};

/// Most overflow streams that a server has open at the same time.
pub(crate) const MAX_OVERFLOW_STREAMS: usize = 8_000;
/// Most yamux streams of a connection; yamux closes a connection that exceeds it. Larger than [`MAX_OVERFLOW_STREAMS`],
/// because the agent may learn late that a stream has ended; with 256 KiB of credit each, the sum still fits 32 bits.
const MAX_STREAMS: usize = 16_000;
/// Queued requests to open a stream.
const MAX_QUEUED_OPENS: usize = 1024;

/// Opens yamux streams on the control connection.
#[derive(Clone)]
pub(crate) struct Multiplexer {
    open_requests: mpsc::Sender<oneshot::Sender<Stream>>,
}

/// Task that drives a [`Multiplexer`]. Dropping it cuts the connection.
pub(crate) struct Driver {
    task: JoinHandle<()>,
    close: Option<oneshot::Sender<()>>,
    loss: Arc<OnceLock<String>>,
}

/// Spawns the driver of a connection. `on_stream` is called with every stream that the peer opens.
pub(crate) fn start(
    transport: BoxedTransport,
    mode: Mode,
    last_received: Arc<LastReceived>,
    on_stream: impl FnMut(Stream) + Send + 'static,
) -> (Multiplexer, Driver) {
    let mut config = Config::default();
    // Yamux requires the connection window to cover all streams, so the number of streams is set after removing it.
    config.set_max_connection_receive_window(None);
    config.set_max_num_streams(MAX_STREAMS);
    config.set_split_send_size(64 * 1024);
    let cork = Cork::new(transport, last_received);
    let (open_requests, requests) = mpsc::channel(MAX_QUEUED_OPENS);
    let (close_sender, close) = oneshot::channel();
    let loss = Arc::new(OnceLock::new());
    let task = DriverTask {
        connection: Connection::new(cork.clone(), config, mode),
        cork,
        requests,
        opening: None,
        on_stream,
        loss: loss.clone(),
    };
    let task = tokio::spawn(task.run(close));
    (Multiplexer { open_requests }, Driver { task, close: Some(close_sender), loss })
}

impl Multiplexer {
    /// Opens a stream; `None` once the connection is closed.
    pub(crate) async fn open(&self) -> Option<Stream> {
        let (reply, stream) = oneshot::channel();
        self.open_requests.send(reply).await.ok()?;
        stream.await.ok()
    }
}

impl Driver {
    /// Reason why the connection broke, for display.
    pub(crate) fn loss(&self) -> Arc<OnceLock<String>> {
        self.loss.clone()
    }

    /// Flushes and closes the connection. A peer that does not read is cut off after [`CLOSE_TIMEOUT`].
    pub(crate) async fn close(mut self) {
        if let Some(close) = self.close.take() {
            let _ = close.send(());
        }
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, &mut self.task).await;
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct DriverTask<A> {
    connection: Connection<Cork>,
    cork: Cork,
    requests: mpsc::Receiver<oneshot::Sender<Stream>>,
    opening: Option<oneshot::Sender<Stream>>,
    on_stream: A,
    loss: Arc<OnceLock<String>>,
}

impl<A: FnMut(Stream)> DriverTask<A> {
    async fn run(mut self, close: oneshot::Receiver<()>) {
        let close_requested = tokio::select! {
            requested = close => requested.is_ok(),
            () = poll_fn(|cx| self.poll(cx)) => false,
        };
        if close_requested {
            let _ = poll_fn(|cx| self.connection.poll_close(cx)).await;
        }
    }

    /// Ready when the connection has ended.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if self.opening.is_none()
                && let Poll::Ready(Some(reply)) = self.requests.poll_recv(cx)
            {
                self.opening = Some(reply);
            }
            if self.opening.is_some() {
                match self.connection.poll_new_outbound(cx) {
                    Poll::Ready(Ok(stream)) => {
                        if let Some(reply) = self.opening.take() {
                            // The caller may be gone; the stream is dropped then.
                            let _ = reply.send(stream);
                        }
                        continue;
                    }
                    Poll::Ready(Err(error)) => {
                        self.lost(&error);
                        return Poll::Ready(());
                    }
                    Poll::Pending => {}
                }
            }
            match self.connection.poll_next_inbound(cx) {
                Poll::Ready(Some(Ok(stream))) => (self.on_stream)(stream),
                // The connection cleans up and yields `None` next.
                Poll::Ready(Some(Err(error))) => self.lost(&error),
                Poll::Ready(None) => return Poll::Ready(()),
                Poll::Pending => {
                    if let Poll::Ready(Err(error)) = self.cork.poll_release(cx) {
                        self.lost(&error);
                        return Poll::Ready(());
                    }
                    return Poll::Pending;
                }
            }
        }
    }

    fn lost(&self, error: &dyn std::error::Error) {
        // Only the first reason is kept.
        let _ = self.loss.set(error.to_string());
    }
}

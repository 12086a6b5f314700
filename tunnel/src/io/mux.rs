//! The control connection after the greeting: yamux, with one task that drives it.

use super::FAREWELL;
use super::cork::Cork;
use super::session::Heard;
use super::transport::BoxedTransport;
use std::future::poll_fn;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use yamux::{Config, Connection, Mode, Stream};

/// A server opens no more overflow streams than this at a time.
pub(crate) const MAX_OVERFLOW: usize = 8_000;
/// Yamux ends a connection with more streams. It is larger than [`MAX_OVERFLOW`], because the agent may learn late
/// that a stream is over; with 256 KiB of credit each, it still counts in 32 bits.
const MAX_STREAMS: usize = 16_000;
/// So many requests to open wait for the driver.
const OPENINGS: usize = 1024;

/// Opens streams on the control connection.
#[derive(Clone)]
pub(crate) struct Mux {
    openings: mpsc::Sender<oneshot::Sender<Stream>>,
}

/// The task behind a [`Mux`]. Dropping it cuts the connection.
pub(crate) struct Driver {
    task: JoinHandle<()>,
    farewell: Option<oneshot::Sender<()>>,
    loss: Arc<OnceLock<String>>,
}

/// Starts to drive a connection. `arrived` is called with every stream the peer opens.
pub(crate) fn start(
    transport: BoxedTransport,
    mode: Mode,
    heard: Arc<Heard>,
    arrived: impl FnMut(Stream) + Send + 'static,
) -> (Mux, Driver) {
    let mut config = Config::default();
    // The crate insists that the window of a connection covers all its streams, so the streams come first.
    config.set_max_connection_receive_window(None);
    config.set_max_num_streams(MAX_STREAMS);
    config.set_split_send_size(64 * 1024);
    let cork = Cork::new(transport, heard);
    let (openings, requests) = mpsc::channel(OPENINGS);
    let (farewell, leave) = oneshot::channel();
    let loss = Arc::new(OnceLock::new());
    let driving = Driving {
        connection: Connection::new(cork.clone(), config, mode),
        cork,
        requests,
        opening: None,
        arrived,
        loss: loss.clone(),
    };
    let task = tokio::spawn(driving.run(leave));
    (Mux { openings }, Driver { task, farewell: Some(farewell), loss })
}

impl Mux {
    /// A new stream; `None` once the connection is no more.
    pub(crate) async fn open(&self) -> Option<Stream> {
        let (reply, stream) = oneshot::channel();
        self.openings.send(reply).await.ok()?;
        stream.await.ok()
    }
}

impl Driver {
    /// Why the connection broke, for people to read.
    pub(crate) fn loss(&self) -> Arc<OnceLock<String>> {
        self.loss.clone()
    }

    /// Sends what is left to send, then closes. A peer that does not take it is cut off.
    pub(crate) async fn close(mut self) {
        if let Some(farewell) = self.farewell.take() {
            let _ = farewell.send(());
        }
        let _ = tokio::time::timeout(FAREWELL, &mut self.task).await;
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Driving<A> {
    connection: Connection<Cork>,
    cork: Cork,
    requests: mpsc::Receiver<oneshot::Sender<Stream>>,
    opening: Option<oneshot::Sender<Stream>>,
    arrived: A,
    loss: Arc<OnceLock<String>>,
}

impl<A: FnMut(Stream)> Driving<A> {
    async fn run(mut self, leave: oneshot::Receiver<()>) {
        let told = tokio::select! {
            told = leave => told.is_ok(),
            () = poll_fn(|cx| self.poll(cx)) => false,
        };
        if told {
            let _ = poll_fn(|cx| self.connection.poll_close(cx)).await;
        }
    }

    /// Ready when the connection is over.
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
                            // Who asked may have gone; the stream is dropped then.
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
                Poll::Ready(Some(Ok(stream))) => (self.arrived)(stream),
                // The connection cleans up and says `None` next.
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
        // Only the first reason counts.
        let _ = self.loss.set(error.to_string());
    }
}

//! What both ends of a session have in common: an outbox, a heartbeat, an end.

use super::FAREWELL;
use super::end::{EndReason, SessionEnd};
use super::life::Lives;
use crate::proto::codec::{Decoder, Message, encode};
use crate::proto::heartbeat::{Due, Heartbeat};
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;
use tokio_util::compat::{Compat, FuturesAsyncReadCompatExt};

/// So many messages wait for a peer that does not read. One more, and the session is over.
const OUTBOX: usize = 4096;

/// When the peer was last heard on the control connection.
pub(crate) struct Heard {
    start: Instant,
    last: AtomicU64,
}

impl Heard {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Heard { start: Instant::now(), last: AtomicU64::new(0) })
    }

    /// A sign of life arrives now.
    pub(crate) fn now(&self) {
        self.last.store(self.clock().as_nanos() as u64, Ordering::Relaxed);
    }

    fn clock(&self) -> Duration {
        self.start.elapsed()
    }

    fn last(&self) -> Duration {
        Duration::from_nanos(self.last.load(Ordering::Relaxed))
    }
}

/// A message on its way out.
pub(crate) struct Outgoing<M> {
    message: M,
    /// The session ends with this message.
    last: Option<EndReason>,
}

/// One session, seen from either end. `M` is what this end says.
pub(crate) struct Core<M> {
    outbox: mpsc::Sender<Outgoing<M>>,
    end: watch::Sender<Option<SessionEnd>>,
    latency: AtomicU64,
    heartbeat: Mutex<Heartbeat>,
    /// The heartbeat has something to do earlier than it thought.
    hurry: Notify,
    heard: Arc<Heard>,
    pub(crate) lives: Arc<Lives>,
    pub(crate) runtime: Handle,
}

impl<M: Message + Send + Sync + 'static> Core<M> {
    pub(crate) fn new(heard: Arc<Heard>, interval: Duration) -> (Arc<Self>, mpsc::Receiver<Outgoing<M>>) {
        let (outbox, outgoing) = mpsc::channel(OUTBOX);
        let heartbeat = Mutex::new(Heartbeat::new(interval, heard.clock()));
        let core = Core {
            outbox,
            end: watch::Sender::new(None),
            latency: AtomicU64::new(0),
            heartbeat,
            hurry: Notify::new(),
            heard,
            lives: Arc::new(Lives::default()),
            runtime: Handle::current(),
        };
        (Arc::new(core), outgoing)
    }

    /// Queues a message. A session whose peer lets thousands of them pile up is over.
    pub(crate) fn send(&self, message: M) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.outbox.try_send(Outgoing { message, last: None }) {
            self.finish(EndReason::Protocol("it does not read its messages".to_owned()));
        }
    }

    /// Queues the last message; the session ends when it has left, or soon in any case.
    pub(crate) fn send_last(self: &Arc<Self>, message: M, reason: EndReason) {
        if self.outbox.try_send(Outgoing { message, last: Some(reason.clone()) }).is_err() {
            return self.finish(reason);
        }
        let core = self.clone();
        self.runtime.spawn(async move {
            if tokio::time::timeout(FAREWELL, core.closed()).await.is_err() {
                core.finish(reason);
            }
        });
    }

    /// The session is over; only the first reason counts.
    pub(crate) fn finish(&self, reason: EndReason) {
        let first = self.end.send_if_modified(|end| {
            let first = end.is_none();
            if first {
                *end = Some(reason.into());
            }
            first
        });
        if first {
            self.lives.end();
        }
    }

    pub(crate) fn ended(&self) -> bool {
        self.end.borrow().is_some()
    }

    pub(crate) async fn closed(&self) -> SessionEnd {
        let mut end = self.end.subscribe();
        let end = end.wait_for(Option::is_some).await.map(|end| end.clone());
        end.ok().flatten().unwrap_or(SessionEnd::from(EndReason::Dropped))
    }

    pub(crate) fn latency(&self) -> Option<Duration> {
        match self.latency.load(Ordering::Relaxed) {
            0 => None,
            nanoseconds => Some(Duration::from_nanos(nanoseconds)),
        }
    }

    /// The peer answered a ping.
    pub(crate) fn answered(&self, nonce: u64) {
        if let Some(latency) = self.heartbeat().answered(nonce, self.heard.clock()) {
            self.latency.store((latency.as_nanos() as u64).max(1), Ordering::Relaxed);
        }
    }

    /// Pings the peer until it is dead.
    pub(crate) async fn beat(&self, ping: impl Fn(u64) -> M) -> EndReason {
        loop {
            let due = self.heartbeat().due(self.heard.clock(), self.heard.last());
            match due {
                Due::Ping(nonce) => self.send(ping(nonce)),
                Due::Dead => return EndReason::Dead,
                Due::Until(instant) => tokio::select! {
                    () = tokio::time::sleep_until(self.heard.start + instant) => {}
                    () = self.hurry.notified() => {}
                },
            }
        }
    }

    /// There is reason to think that the peer is gone: it must give a sign of life within `patience`.
    pub(crate) fn doubt(&self, patience: Duration) {
        self.heartbeat().doubt(self.heard.clock(), patience);
        self.hurry.notify_one();
    }

    fn heartbeat(&self) -> MutexGuard<'_, Heartbeat> {
        self.heartbeat.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The message stream, split into what is read and what is written.
pub(crate) fn messages<M>(stream: yamux::Stream, loss: Arc<OnceLock<String>>) -> (Reader<M>, Writer) {
    let (read, write) = tokio::io::split(stream.compat());
    let reader = Reader { stream: read, decoder: Decoder::default(), ready: VecDeque::new(), loss, of: PhantomData };
    (reader, Writer(write))
}

/// Reads the peer's messages.
pub(crate) struct Reader<M> {
    stream: ReadHalf<Compat<yamux::Stream>>,
    decoder: Decoder,
    ready: VecDeque<M>,
    loss: Arc<OnceLock<String>>,
    of: PhantomData<M>,
}

impl<M: Message> Reader<M> {
    /// The next message, or why there is none.
    pub(crate) async fn next(&mut self) -> Result<M, EndReason> {
        let mut piece = [0; 1024];
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Ok(message);
            }
            let count = self.stream.read(&mut piece).await.map_err(|error| EndReason::Lost(error.to_string()))?;
            if count == 0 {
                let loss = self.loss.get().cloned();
                return Err(EndReason::Lost(loss.unwrap_or_else(|| "the peer closed it".to_owned())));
            }
            let mut rest = &piece[..count];
            while !rest.is_empty() {
                let read = self.decoder.read(rest);
                let (used, message) = read.map_err(|error| EndReason::Protocol(error.to_string()))?;
                self.ready.extend(message);
                rest = &rest[used..];
            }
        }
    }
}

/// Writes this end's messages.
pub(crate) struct Writer(WriteHalf<Compat<yamux::Stream>>);

impl Writer {
    /// Writes until the last message has left. What breaks the writing is left for the reader to find.
    pub(crate) async fn run<M: Message>(mut self, mut outgoing: mpsc::Receiver<Outgoing<M>>) -> EndReason {
        while let Some(Outgoing { message, last }) = outgoing.recv().await {
            // A message too long to send is this end's own mistake and not worth the session.
            let Ok(bytes) = encode(&message).inspect_err(|error| tracing::error!(%error, "a message was not sent"))
            else {
                continue;
            };
            if self.0.write_all(&bytes).await.is_err() || self.0.flush().await.is_err() {
                break;
            }
            if let Some(reason) = last {
                let _ = self.0.shutdown().await;
                return reason;
            }
        }
        std::future::pending().await
    }
}

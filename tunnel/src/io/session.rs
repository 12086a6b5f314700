//! State shared by both ends of a session: message queue, heartbeat, end.

use super::{
    CLOSE_TIMEOUT,
    cancellation::SessionCancellation,
    last_received::LastReceived,
    overflow_credit::{Grants, OverflowCredits},
    session_end::{EndReason, SessionEnd},
};
use crate::proto::{
    codec::{Decoder, Message, encode},
    heartbeat::{Heartbeat, HeartbeatAction},
};
use std::{
    collections::VecDeque,
    marker::PhantomData,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf},
    runtime::Handle,
    sync::{Notify, mpsc, watch},
};
use tokio_util::compat::{Compat, FuturesAsyncReadCompatExt};

/// Messages queued for a peer that does not read; one more ends the session.
const MAX_QUEUED_MESSAGES: usize = 4096;

/// Interval at which senders of many messages look whether the peer has read them.
const ROOM_INTERVAL: Duration = Duration::from_millis(5);

/// A queued message.
pub(crate) struct OutgoingMessage<M> {
    message: M,
    /// Set on the last message: the session ends with it.
    end: Option<EndReason>,
}

/// State of one session at either end. `M` is the type of the messages sent by this end.
pub(crate) struct SessionCore<M> {
    outbox: mpsc::Sender<OutgoingMessage<M>>,
    end: watch::Sender<Option<SessionEnd>>,
    latency: AtomicU64,
    heartbeat: Mutex<Heartbeat>,
    /// Wakes the heartbeat task earlier than it planned.
    reschedule: Notify,
    last_received: Arc<LastReceived>,
    pub(crate) cancellation: Arc<SessionCancellation>,
    pub(crate) credits: Arc<OverflowCredits>,
    pub(crate) runtime: Handle,
}

impl<M: Message + Send + Sync + 'static> SessionCore<M> {
    pub(crate) fn new(
        last_received: Arc<LastReceived>,
        interval: Duration,
    ) -> (Arc<Self>, mpsc::Receiver<OutgoingMessage<M>>) {
        let (outbox, outgoing) = mpsc::channel(MAX_QUEUED_MESSAGES);
        let heartbeat = Mutex::new(Heartbeat::new(interval, last_received.now()));
        let core = SessionCore {
            outbox,
            end: watch::Sender::new(None),
            latency: AtomicU64::new(0),
            heartbeat,
            reschedule: Notify::new(),
            last_received,
            cancellation: Arc::new(SessionCancellation::default()),
            credits: Arc::default(),
            runtime: Handle::current(),
        };
        (Arc::new(core), outgoing)
    }

    /// Queues a message. Ends the session if the queue is full.
    pub(crate) fn send(&self, message: M) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.outbox.try_send(OutgoingMessage { message, end: None }) {
            self.finish(EndReason::Protocol("the peer does not read its messages".to_owned()));
        }
    }

    /// Whether the peer reads its messages as fast as they are queued.
    pub(crate) fn has_room(&self) -> bool {
        self.outbox.capacity() > MAX_QUEUED_MESSAGES / 2
    }

    /// Waits until the peer has read most of its messages, or the session has ended. For senders of many messages.
    pub(crate) async fn wait_for_room(&self) {
        while !self.has_room() && !self.ended() {
            tokio::time::sleep(ROOM_INTERVAL).await;
        }
    }

    /// Queues the last message. The session ends once it is sent, or after [`CLOSE_TIMEOUT`].
    pub(crate) fn send_last(self: &Arc<Self>, message: M, reason: EndReason) {
        if self.outbox.try_send(OutgoingMessage { message, end: Some(reason.clone()) }).is_err() {
            return self.finish(reason);
        }
        let core = self.clone();
        self.runtime.spawn(async move {
            if tokio::time::timeout(CLOSE_TIMEOUT, core.closed()).await.is_err() {
                core.finish(reason);
            }
        });
    }

    /// Ends the session; only the first reason is kept.
    pub(crate) fn finish(&self, reason: EndReason) {
        let first = self.end.send_if_modified(|end| {
            let first = end.is_none();
            if first {
                *end = Some(reason.into());
            }
            first
        });
        if first {
            self.cancellation.cancel();
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

    /// Handles a pong of the peer.
    pub(crate) fn pong_received(&self, nonce: u64) {
        if let Some(latency) = self.heartbeat().pong_received(nonce, self.last_received.now()) {
            self.latency.store((latency.as_nanos() as u64).max(1), Ordering::Relaxed);
        }
    }

    /// Sends pings until the peer is dead.
    pub(crate) async fn run_heartbeat(&self, ping: impl Fn(u64) -> M) -> EndReason {
        loop {
            let action = self.heartbeat().next_action(self.last_received.now(), self.last_received.last());
            match action {
                HeartbeatAction::Ping(nonce) => self.send(ping(nonce)),
                HeartbeatAction::PeerDead => return EndReason::Dead,
                HeartbeatAction::Wait(instant) => tokio::select! {
                    () = tokio::time::sleep_until(self.last_received.start + instant) => {}
                    () = self.reschedule.notified() => {}
                },
            }
        }
    }

    /// Probes a peer that may be gone: it must send something within `timeout`.
    pub(crate) fn probe(&self, timeout: Duration) {
        self.heartbeat().probe(self.last_received.now(), timeout);
        self.reschedule.notify_one();
    }

    fn heartbeat(&self) -> MutexGuard<'_, Heartbeat> {
        self.heartbeat.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Splits the message stream into reader and writer.
pub(crate) fn messages<M>(stream: yamux::Stream, loss: Arc<OnceLock<String>>) -> (MessageReader<M>, MessageWriter) {
    let (read, write) = tokio::io::split(stream.compat());
    let reader =
        MessageReader { stream: read, decoder: Decoder::default(), ready: VecDeque::new(), loss, message: PhantomData };
    (reader, MessageWriter(write))
}

/// Reads messages of the peer.
pub(crate) struct MessageReader<M> {
    stream: ReadHalf<Compat<yamux::Stream>>,
    decoder: Decoder,
    ready: VecDeque<M>,
    loss: Arc<OnceLock<String>>,
    message: PhantomData<M>,
}

impl<M: Message> MessageReader<M> {
    /// The next message.
    ///
    /// # Errors
    /// The reason for the end of the session.
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

/// Writes messages of this end.
pub(crate) struct MessageWriter(WriteHalf<Compat<yamux::Stream>>);

impl MessageWriter {
    /// Writes messages, and grants for overflow streams, until the last message is sent. Write errors are left for the
    /// reader to report.
    pub(crate) async fn run<M: Message>(
        mut self,
        mut outgoing: mpsc::Receiver<OutgoingMessage<M>>,
        credits: &OverflowCredits,
        to_message: impl Fn(Grants) -> M,
    ) -> EndReason {
        loop {
            let next = tokio::select! {
                biased;
                next = outgoing.recv() => next,
                grants = credits.grants() => Some(OutgoingMessage { message: to_message(grants), end: None }),
            };
            let Some(OutgoingMessage { message, end }) = next else { break };
            // A message that is too long is a bug of this end and does not end the session.
            let Ok(bytes) = encode(&message).inspect_err(|error| tracing::error!(%error, "a message was not sent"))
            else {
                continue;
            };
            if self.0.write_all(&bytes).await.is_err() || self.0.flush().await.is_err() {
                break;
            }
            if let Some(reason) = end {
                let _ = self.0.shutdown().await;
                return reason;
            }
        }
        std::future::pending().await
    }
}

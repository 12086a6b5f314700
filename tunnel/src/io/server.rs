//! The server's end of a session.

use super::PATIENCE;
use super::accept::DataConnection;
use super::carrier::Carrier;
use super::end::{EndReason, SessionEnd};
use super::greeting::ADOPTED;
use super::mux::{self, Driver, MAX_OVERFLOW, Mux};
use super::pool::Pool;
use super::session::{Core, Heard, Outgoing, Reader, messages};
use super::stream::TunnelStream;
use super::transport::BoxedTransport;
use crate::proto::message::{Bind, Bound, FromAgent, FromServer, Welcome};
use crate::proto::start::StreamStart;
use crate::proto::version::Versions;
use postern_api::{Error, Secret};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::timeout;

/// So many events wait for the server before the agent has to.
const EVENTS: usize = 64;

/// Why a stream could not be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The session is over.
    #[error("the session is over")]
    Ended,
    /// The session carries as many streams as it may.
    #[error("the session carries as many streams as it may")]
    Exhausted,
    /// The agent leaves too many streams without an answer.
    #[error("the agent takes no more streams at the moment")]
    Unanswered,
}

impl From<OpenError> for io::Error {
    fn from(error: OpenError) -> Self {
        io::Error::new(io::ErrorKind::NotConnected, error)
    }
}

/// Why a data connection was turned away.
#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    /// It does not know the secret of the session.
    #[error("the data connection does not know the secret of the session")]
    Denied,
    /// The session is over.
    #[error("the session is over")]
    Ended,
    /// The session has as many data connections as it may.
    #[error("the session has as many data connections as it may")]
    Full,
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Io(#[from] io::Error),
}

/// A running session; clones are the same session. It ends when the last clone is dropped.
#[derive(Clone)]
pub struct ServerSession(Arc<Session>);

struct Session {
    id: String,
    version: u16,
    data_secret: Secret,
    core: Arc<Core<FromServer>>,
    pool: Arc<Pool>,
    mux: Mux,
    overflow: Arc<Semaphore>,
}

/// What the agent asks for.
pub struct ServerEvents(mpsc::Receiver<ServerEvent>);

/// Something the agent asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerEvent {
    /// An address; answer with [`bound`](ServerSession::bound) or [`bind_refused`](ServerSession::bind_refused).
    Bind(Bind),
    /// The agent no longer serves the tunnel.
    Unbind {
        /// The tunnel.
        number: u32,
    },
    /// The agent leaves on purpose; the session ends cleanly right after.
    Goodbye,
}

/// How full the pool of a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolCounts {
    /// Data connections that wait for a stream.
    pub idle: usize,
    /// Data connections that carry one.
    pub busy: usize,
}

/// Starts a session on a control connection that was welcomed.
pub(crate) fn start(transport: BoxedTransport, welcome: Welcome) -> (ServerSession, ServerEvents) {
    let heard = Heard::new();
    let (core, outgoing) = Core::new(heard.clone(), interval(&welcome));
    let (first, message_stream) = oneshot::channel();
    let mut first = Some(first);
    let (mux, driver) = mux::start(transport, yamux::Mode::Server, heard, move |stream| {
        // The first stream carries messages; an agent has no business opening others.
        let _ = first.take().map(|first| first.send(stream));
    });
    let pool = Pool::new(core.clone());
    let (events, received) = mpsc::channel(EVENTS);
    tokio::spawn(run(core.clone(), pool.clone(), driver, message_stream, outgoing, events));
    let session = Session {
        id: welcome.session,
        version: welcome.protocol,
        data_secret: welcome.data_secret,
        core,
        pool,
        mux,
        overflow: Arc::new(Semaphore::new(MAX_OVERFLOW)),
    };
    (ServerSession(Arc::new(session)), ServerEvents(received))
}

/// The pause between heartbeats that a welcome names, within reason.
pub(crate) fn interval(welcome: &Welcome) -> Duration {
    Duration::from_millis(welcome.heartbeat.clamp(1_000, 60_000))
}

async fn run(
    core: Arc<Core<FromServer>>,
    pool: Arc<Pool>,
    driver: Driver,
    message_stream: oneshot::Receiver<yamux::Stream>,
    outgoing: mpsc::Receiver<Outgoing<FromServer>>,
    events: mpsc::Sender<ServerEvent>,
) {
    let conversation = async {
        let Ok(stream) = message_stream.await else {
            let loss = driver.loss().get().cloned();
            return EndReason::Lost(loss.unwrap_or_else(|| "the agent closed it".to_owned()));
        };
        let (reader, writer) = messages(stream, driver.loss());
        tokio::select! {
            reason = listen(&core, reader, events) => reason,
            reason = writer.run(outgoing) => reason,
        }
    };
    let reason = tokio::select! {
        reason = conversation => reason,
        reason = core.beat(|nonce| FromServer::Ping { nonce }) => reason,
        () = pool.look_after() => EndReason::Dropped,
        end = core.closed() => end.reason,
    };
    let clean = SessionEnd::from(reason.clone()).clean;
    tracing::debug!(%reason, "session over");
    core.finish(reason);
    pool.close();
    if clean {
        driver.close().await;
    }
}

async fn listen(
    core: &Core<FromServer>,
    mut reader: Reader<FromAgent>,
    events: mpsc::Sender<ServerEvent>,
) -> EndReason {
    loop {
        let event = match reader.next().await {
            Err(reason) => return reason,
            Ok(FromAgent::Ping { nonce }) => {
                core.send(FromServer::Pong { nonce });
                continue;
            }
            Ok(FromAgent::Pong { nonce }) => {
                core.answered(nonce);
                continue;
            }
            Ok(FromAgent::Bind(bind)) => ServerEvent::Bind(bind),
            Ok(FromAgent::Unbind { number }) => ServerEvent::Unbind { number },
            Ok(FromAgent::Goodbye) => ServerEvent::Goodbye,
            Ok(FromAgent::Hello(_)) => return EndReason::Protocol("a second hello".to_owned()),
            Ok(FromAgent::Unknown) => continue,
        };
        let leaves = event == ServerEvent::Goodbye;
        // A server that dropped its receiver wants no events.
        let _ = events.send(event).await;
        if leaves {
            return EndReason::Goodbye;
        }
    }
}

impl ServerEvents {
    /// The next one; `None` once the session is over.
    pub async fn next(&mut self) -> Option<ServerEvent> {
        self.0.recv().await
    }
}

impl ServerSession {
    /// The id of the session.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Whether the agent understands notes on its streams.
    pub fn has_notes(&self) -> bool {
        Versions::has_notes(self.0.version)
    }

    /// Opens a stream: on a warm data connection if one is idle, on the control connection otherwise.
    ///
    /// Nothing is dialled meanwhile. The start leaves with the stream's first write, flush or read.
    pub async fn open_stream(&self, start: StreamStart) -> Result<TunnelStream, OpenError> {
        let session = &*self.0;
        if session.core.ended() {
            return Err(OpenError::Ended);
        }
        if let Some(carrier) = session.pool.lease() {
            return Ok(TunnelStream::opened(carrier, Some(session.pool.clone()), None, start.encode()));
        }
        let permit = session.overflow.clone().try_acquire_owned().map_err(|_| OpenError::Exhausted)?;
        let stream = timeout(PATIENCE, session.mux.open()).await.map_err(|_| OpenError::Unanswered)?;
        let carrier = Carrier::overflow(stream.ok_or(OpenError::Ended)?, session.core.lives.enter());
        Ok(TunnelStream::opened(carrier, None, Some(permit), start.encode()))
    }

    /// Answers a [`Bind`].
    pub fn bound(&self, bound: Bound) {
        self.0.core.send(FromServer::Bound(bound));
    }

    /// Answers a [`Bind`].
    pub fn bind_refused(&self, request: u64, error: Error) {
        self.0.core.send(FromServer::BindRefused { request, error });
    }

    /// Tells the agent that the tunnel is no more.
    pub fn tunnel_closed(&self, number: u32, error: Error) {
        self.0.core.send(FromServer::TunnelClosed { number, error });
    }

    /// Tells the agent why and ends the session, after two seconds at the latest.
    pub fn end(&self, error: Error) {
        self.0.core.send_last(FromServer::End { error: error.clone() }, EndReason::Ended(error));
    }

    /// Tells the agent that the server goes away soon.
    pub fn drain(&self) {
        self.0.core.send(FromServer::Drain);
    }

    /// Takes one more data connection into the pool, if it knows the secret.
    pub async fn adopt(&self, connection: DataConnection) -> Result<(), AdoptError> {
        let session = &*self.0;
        // Comparing two secrets takes the same time wherever they differ.
        if connection.session != session.id || connection.secret != session.data_secret {
            return Err(AdoptError::Denied);
        }
        if session.core.ended() {
            return Err(AdoptError::Ended);
        }
        if !session.pool.has_room() {
            return Err(AdoptError::Full);
        }
        let mut carrier = Carrier::connection(connection.transport, session.core.lives.enter());
        let greeting = async {
            carrier.write_all(&[ADOPTED]).await?;
            carrier.flush().await
        };
        timeout(PATIENCE, greeting).await.map_err(io::Error::from)??;
        if session.pool.adopt(carrier) { Ok(()) } else { Err(AdoptError::Full) }
    }

    /// How full the pool is.
    pub fn pool(&self) -> PoolCounts {
        let (idle, busy) = self.0.pool.counts();
        PoolCounts { idle, busy }
    }

    /// How many streams travel on the control connection.
    pub fn overflowing(&self) -> usize {
        MAX_OVERFLOW - self.0.overflow.available_permits()
    }

    /// The latest measured way there and back, if there is one yet.
    pub fn latency(&self) -> Option<Duration> {
        self.0.core.latency()
    }

    /// Waits for the end.
    pub async fn closed(&self) -> SessionEnd {
        self.0.core.closed().await
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.core.finish(EndReason::Dropped);
    }
}

//! The server's end of a session.

use super::{
    HANDSHAKE_TIMEOUT,
    handshake::ADOPTED,
    last_received::LastReceived,
    multiplexer::{self, Driver, MAX_OVERFLOW_STREAMS, Multiplexer},
    pool::Pool,
    questions::Questions,
    session::{MessageReader, OutgoingMessage, SessionCore, messages},
    session_end::{EndReason, SessionEnd},
    shared_connections::SharedConnections,
    stream::TunnelStream,
    stream_transport::StreamTransport,
    transport::BoxedTransport,
    visitor_counts::{CountedVisitor, VisitorCounts},
};
use crate::proto::{
    codec::encode,
    message::{Bind, Bound, FromAgent, FromServer, UnsentRequest, VisitorChanges, Welcome},
    node_link::{Announcement, LinkCommand},
    pool_sizing::PoolLimits,
    stream_start::{StreamKind, StreamStart},
    version::VersionRange,
};
use postern_api::{Error, Secret};
use std::{io, sync::Arc, time::Duration};
use tokio::{
    io::AsyncWriteExt,
    sync::{Semaphore, mpsc, oneshot},
    time::timeout,
};

/// Events queued for the server; when the queue is full, the agent has to wait.
const MAX_QUEUED_EVENTS: usize = 64;

/// A stream could not be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The session has ended.
    #[error("the session has ended")]
    Ended,
    /// The session has reached its limit of streams.
    #[error("the session carries as many streams as it may")]
    Exhausted,
    /// The agent has too many unacknowledged streams.
    #[error("the agent accepts no more streams at the moment")]
    Unanswered,
}

impl From<OpenError> for io::Error {
    fn from(error: OpenError) -> Self {
        io::Error::new(io::ErrorKind::NotConnected, error)
    }
}

/// A data connection was rejected.
#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    /// Its session id or secret is wrong.
    #[error("the data connection has a wrong session id or secret")]
    Denied,
    /// The session has ended.
    #[error("the session has ended")]
    Ended,
    /// The session has reached its limit of data connections.
    #[error("the session has reached its limit of data connections")]
    Full,
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Io(#[from] io::Error),
}

/// A data connection that waits to be adopted by its session.
pub struct DataConnection {
    pub(crate) transport: BoxedTransport,
    pub(crate) session: String,
    pub(crate) secret: Secret,
}

/// Handle of a running session; clones share it. The session ends when the last clone is dropped.
#[derive(Clone)]
pub struct ServerSession(Arc<Session>);

struct Session {
    id: String,
    version: u16,
    data_secret: Secret,
    core: Arc<SessionCore<FromServer>>,
    pool: Arc<Pool>,
    shared: Arc<SharedConnections>,
    multiplexer: Multiplexer,
    overflow: Arc<Semaphore>,
    visitors: Arc<VisitorCounts>,
    questions: Arc<Questions>,
}

/// Receiver of the agent's events.
pub struct ServerEvents(mpsc::Receiver<ServerEvent>);

/// Event from the agent.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerEvent {
    /// Requests an address; respond with [`bound`](ServerSession::bound) or
    /// [`bind_refused`](ServerSession::bind_refused).
    Bind(Bind),
    /// Closes a tunnel.
    Unbind {
        /// Tunnel number.
        number: u32,
    },
    /// Lets the session go in peace: its open streams continue until it ends.
    Drain {
        /// Whether its names and ports are given up now, or when another session of the agent binds them.
        release: bool,
    },
    /// Of a node, on the link that it dialled.
    Announcement(Announcement),
    /// Ends the session on purpose; it ends cleanly right after.
    Goodbye,
}

/// Number of data connections of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolCounts {
    /// Idle data connections.
    pub idle: usize,
    /// Data connections that carry a stream.
    pub busy: usize,
    /// Data connections that streams share.
    pub shared: usize,
}

/// Starts a session on a control connection after the welcome.
pub(crate) fn start(transport: BoxedTransport, welcome: Welcome, limits: PoolLimits) -> (ServerSession, ServerEvents) {
    let last_received = LastReceived::new();
    let (core, outgoing) = SessionCore::new(last_received.clone(), welcome.heartbeat_interval());
    let (sender, message_stream) = oneshot::channel();
    let mut sender = Some(sender);
    let (multiplexer, driver) = multiplexer::start(transport, yamux::Mode::Server, last_received, move |stream| {
        // The first stream carries messages; an agent must not open others.
        let _ = sender.take().map(|sender| sender.send(stream));
    });
    let pool = Pool::new(core.clone(), limits);
    let shared_limits = VersionRange::shared_limits(welcome.protocol);
    let shared_connections = SharedConnections::new(pool.clone(), limits.max_shared, shared_limits, &core.runtime);
    let (events, received) = mpsc::channel(MAX_QUEUED_EVENTS);
    let visitors = Arc::new(VisitorCounts::default());
    let questions = Arc::new(Questions::default());
    let parts = SessionParts {
        pool: pool.clone(),
        shared: shared_connections.clone(),
        visitors: visitors.clone(),
        questions: questions.clone(),
    };
    tokio::spawn(run(core.clone(), parts, driver, message_stream, outgoing, events));
    let session = Session {
        id: welcome.session,
        version: welcome.protocol,
        data_secret: welcome.data_secret,
        core,
        pool,
        shared: shared_connections,
        multiplexer,
        overflow: Arc::new(Semaphore::new(MAX_OVERFLOW_STREAMS)),
        visitors,
        questions,
    };
    (ServerSession(Arc::new(session)), ServerEvents(received))
}

/// What the task of a session drives beside its messages.
struct SessionParts {
    pool: Arc<Pool>,
    shared: Arc<SharedConnections>,
    visitors: Arc<VisitorCounts>,
    questions: Arc<Questions>,
}

async fn run(
    core: Arc<SessionCore<FromServer>>,
    SessionParts { pool, shared, visitors, questions }: SessionParts,
    driver: Driver,
    message_stream: oneshot::Receiver<yamux::Stream>,
    outgoing: mpsc::Receiver<OutgoingMessage<FromServer>>,
    events: mpsc::Sender<ServerEvent>,
) {
    let conversation = async {
        let Ok(stream) = message_stream.await else {
            let loss = driver.loss().get().cloned();
            return EndReason::Lost(loss.unwrap_or_else(|| "the agent closed it".to_owned()));
        };
        let (reader, writer) = messages(stream, driver.loss());
        tokio::select! {
            reason = receive(&core, &questions, reader, events) => reason,
            reason = writer.run(outgoing, &core.credits, |grants| FromServer::Credit { grants }) => reason,
        }
    };
    let reason = tokio::select! {
        reason = conversation => reason,
        reason = core.run_heartbeat(|nonce| FromServer::Ping { nonce }) => reason,
        () = pool.maintain() => EndReason::Dropped,
        () = shared.maintain() => EndReason::Dropped,
        () = visitors.report(&core) => EndReason::Dropped,
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

async fn receive(
    core: &SessionCore<FromServer>,
    questions: &Questions,
    mut reader: MessageReader<FromAgent>,
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
                core.pong_received(nonce);
                continue;
            }
            Ok(FromAgent::Credit { grants }) => {
                core.credits.add(&grants);
                continue;
            }
            Ok(FromAgent::Bind(bind)) => ServerEvent::Bind(bind),
            Ok(FromAgent::Unbind { number }) => ServerEvent::Unbind { number },
            Ok(FromAgent::Drain { release }) => ServerEvent::Drain { release },
            Ok(FromAgent::Announce { announcement: Announcement::Answer { number, part, more } }) => {
                questions.receive(number, &part, more);
                continue;
            }
            Ok(FromAgent::Announce { announcement }) => ServerEvent::Announcement(announcement),
            Ok(FromAgent::Goodbye) => ServerEvent::Goodbye,
            Ok(FromAgent::Hello(_)) => return EndReason::Protocol("a second hello".to_owned()),
            Ok(FromAgent::Unknown) => continue,
        };
        let is_goodbye = event == ServerEvent::Goodbye;
        // A server that dropped its receiver is not interested in events.
        let _ = events.send(event).await;
        if is_goodbye {
            return EndReason::Goodbye;
        }
    }
}

impl ServerEvents {
    /// The next event; `None` once the session has ended.
    pub async fn next(&mut self) -> Option<ServerEvent> {
        self.0.recv().await
    }
}

impl DataConnection {
    /// Id of the session it claims to belong to. Not verified before [`ServerSession::adopt`].
    pub fn session(&self) -> &str {
        &self.session
    }
}

impl ServerSession {
    /// Session id.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Whether the agent supports stream metadata.
    pub fn supports_metadata(&self) -> bool {
        VersionRange::has_stream_metadata(self.0.version)
    }

    /// Whether the agent supports metadata about single requests on streams of HTTP/2.
    pub fn supports_request_notes(&self) -> bool {
        VersionRange::has_request_notes(self.0.version)
    }

    /// Opens a stream: on a data connection if one is idle, on the control connection otherwise. Never dials. While many
    /// streams are open, or no data connection is idle, further ones of HTTP share data connections.
    ///
    /// The start is sent with the stream's first write, flush or read.
    ///
    /// # Errors
    /// [`OpenError`] if the session has ended, has reached its limit of streams, or the agent has too many
    /// unacknowledged streams.
    pub async fn open_stream(&self, start: StreamStart) -> Result<TunnelStream, OpenError> {
        let session = &*self.0;
        if session.core.ended() {
            return Err(OpenError::Ended);
        }
        if start.kind == StreamKind::Http
            && let Some((stream, connection)) = session.shared.open()
        {
            let transport = StreamTransport::shared(stream, session.core.cancellation.token());
            return Ok(TunnelStream::opened(transport, Some(connection), None, start.encode()));
        }
        if let Some(transport) = session.pool.lease() {
            return Ok(TunnelStream::opened(transport, Some(session.pool.clone()), None, start.encode()));
        }
        let permit = session.overflow.clone().try_acquire_owned().map_err(|_| OpenError::Exhausted)?;
        let stream = timeout(HANDSHAKE_TIMEOUT, session.multiplexer.open()).await.map_err(|_| OpenError::Unanswered)?;
        let stream = stream.ok_or(OpenError::Ended)?;
        let has_credit = VersionRange::has_overflow_credit(session.version);
        let credit = has_credit.then(|| session.core.credits.stream(stream.id().val()));
        let transport = StreamTransport::overflow(stream, credit, session.core.cancellation.token());
        Ok(TunnelStream::opened(transport, None, Some(permit), start.encode()))
    }

    /// Grants the address of a [`Bind`].
    pub fn bound(&self, bound: Bound) {
        self.0.core.send(FromServer::Bound(bound));
    }

    /// Refuses the address of a [`Bind`].
    pub fn bind_refused(&self, request: u64, error: Error) {
        self.0.core.send(FromServer::BindRefused { request, error });
    }

    /// Notifies the agent that a tunnel is closed.
    pub fn tunnel_closed(&self, number: u32, error: Error) {
        self.0.core.send(FromServer::TunnelClosed { number, error });
    }

    /// Sends the reason to the agent and ends the session, within two seconds.
    pub fn end(&self, error: Error) {
        self.0.core.send_last(FromServer::End { error: error.clone() }, EndReason::Ended(error));
    }

    /// Notifies the agent that the server shuts down soon.
    pub fn drain(&self) {
        self.0.core.send(FromServer::Drain { error: None });
    }

    /// Asks the agent to open another session, for this reason.
    pub fn replace(&self, error: Error) {
        self.0.core.send(FromServer::Drain { error: Some(error) });
    }

    /// Counts a connection of a visitor to an HTTP tunnel until the result is dropped, and reports it to the agent;
    /// `None` if the agent does not support such reports.
    pub fn count_visitor(&self, number: u32) -> Option<CountedVisitor> {
        VersionRange::has_visitor_counts(self.0.version).then(|| self.0.visitors.open(number))
    }

    /// Passes on visitors' connections that another node has counted, at a tunnel of the agent. Dropped if the agent does
    /// not support such reports.
    pub fn pass_visitors(&self, changes: VisitorChanges) {
        if VersionRange::has_visitor_counts(self.0.version) {
            self.0.visitors.add(changes);
        }
    }

    /// Sends a command to the node that has dialled this link.
    pub fn command(&self, command: LinkCommand) {
        self.0.core.send(FromServer::Command { command });
    }

    /// Asks the node that has dialled this link something, as JSON, and waits for the answer. `None` if the link ends, that
    /// node does not read its messages, or the answer is too long. A node that does not know questions never answers, so
    /// callers need a deadline; the question is forgotten when the future is dropped.
    pub async fn ask(&self, question: &str) -> Option<String> {
        let core = &self.0.core;
        if core.ended() || !core.has_room() {
            return None;
        }
        let command = |number| {
            let question = question.to_owned();
            FromServer::Command { command: LinkCommand::Question { number, question } }
        };
        if encode(&command(u64::MAX)).is_err() {
            return None;
        }
        let send = |number| core.send(command(number));
        tokio::select! {
            answer = self.0.questions.ask(send) => answer,
            _ = core.closed() => None,
        }
    }

    /// Tells the agent about a request that could not be sent to a local service. It is dropped if it is too long for a
    /// message or the agent reads its messages too slowly. Agents that do not know such messages skip them.
    pub fn unsent(&self, request: UnsentRequest) {
        let message = FromServer::Unsent(request);
        if self.0.core.has_room() && encode(&message).is_ok() {
            self.0.core.send(message);
        }
    }

    /// Adds a data connection to the pool, if it presents the secret of the session.
    ///
    /// # Errors
    /// [`AdoptError`] if the secret is wrong, the session has ended, the pool is full, or the connection breaks.
    pub async fn adopt(&self, connection: DataConnection) -> Result<(), AdoptError> {
        let session = &*self.0;
        // Comparing secrets takes constant time.
        if connection.session != session.id || connection.secret != session.data_secret {
            return Err(AdoptError::Denied);
        }
        if session.core.ended() {
            return Err(AdoptError::Ended);
        }
        if !session.pool.has_room() {
            return Err(AdoptError::Full);
        }
        let mut transport = StreamTransport::connection(connection.transport, session.core.cancellation.token());
        let adopted = async {
            transport.write_all(&[ADOPTED]).await?;
            transport.flush().await
        };
        timeout(HANDSHAKE_TIMEOUT, adopted).await.map_err(io::Error::from)??;
        if session.pool.adopt(transport) { Ok(()) } else { Err(AdoptError::Full) }
    }

    /// Number of data connections.
    pub fn pool(&self) -> PoolCounts {
        let (idle, leased) = self.0.pool.counts();
        let shared = self.0.shared.len();
        PoolCounts { idle, busy: leased.saturating_sub(shared), shared }
    }

    /// Number of streams on the control connection.
    pub fn overflow_streams(&self) -> usize {
        MAX_OVERFLOW_STREAMS - self.0.overflow.available_permits()
    }

    /// Round-trip time measured last, if any.
    pub fn latency(&self) -> Option<Duration> {
        self.0.core.latency()
    }

    /// Waits for the end of the session.
    pub async fn closed(&self) -> SessionEnd {
        self.0.core.closed().await
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.core.finish(EndReason::Dropped);
    }
}

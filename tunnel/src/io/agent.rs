//! The agent's end of a session.

use super::{
    CLOSE_TIMEOUT, HANDSHAKE_TIMEOUT,
    data_connections::{Arrival, DataConnections, accept},
    dial::Dial,
    handshake::{read_message, write_message},
    incoming::{Incoming, IncomingEvent},
    last_received::LastReceived,
    multiplexer::{self, Driver},
    session::{MessageReader, SessionCore, messages},
    session_end::{EndReason, SessionEnd},
    stream_transport::StreamTransport,
};
use crate::proto::{
    message::{Bind, BindKind, Bound, FromAgent, FromServer, Hello, Welcome},
    node_link::Announcement,
    parts::{MAX_TEXT_BYTES, split},
    pool_sizing::PoolLimits,
    preamble::Preamble,
    version::VersionRange,
};
use postern_api::{Code, Error};
use std::{
    collections::HashMap,
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

/// Events queued for the agent; when the queue is full, the server has to wait.
const MAX_QUEUED_EVENTS: usize = 256;

/// A session could not be established.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The server refused the agent and sent the reason.
    #[error("the server refused the session: {0}")]
    Refused(Error),
    /// The server could not be reached, or its response is malformed.
    #[error("the server cannot be reached: {0}")]
    Io(#[from] io::Error),
}

/// Handle of a running session; clones share it. The session ends when the last clone is dropped.
#[derive(Clone)]
pub struct AgentSession(Arc<Session>);

struct Session {
    welcome: Welcome,
    core: Arc<SessionCore<FromAgent>>,
    pending_binds: Arc<PendingBinds>,
}

/// Bind requests that wait for their response.
#[derive(Default)]
struct PendingBinds {
    next_request: AtomicU64,
    leaving: AtomicBool,
    senders: Mutex<HashMap<u64, oneshot::Sender<Result<Bound, Error>>>>,
}

/// Opens a session: dials the control connection, sends the agent's hello and waits for the server's response. Dial and
/// response may take ten seconds each.
///
/// ```no_run
/// use postern_tunnel::message::{AppProtocol, Bind, BindKind, Hello, Scheme};
/// use postern_tunnel::{BoxedTransport, IncomingEvent, connect, relay};
/// use std::sync::Arc;
/// use tokio::net::TcpStream;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// // A real agent does TLS with the ALPN protocol id `postern_tunnel::ALPN`.
/// let dial = || async {
///     let socket = TcpStream::connect("tunnel.example:443").await?;
///     std::io::Result::Ok(Box::new(socket) as BoxedTransport)
/// };
/// let hello = Hello {
///     agent_version: "0.1.0".to_owned(),
///     os: "linux/x86_64".to_owned(),
///     instance: "my-machine".to_owned(),
///     token: postern_api::Secret::new("authtoken"),
///     ..Hello::default()
/// };
/// let (session, mut incoming) = connect(Arc::new(dial), hello).await?;
/// let bound = session
///     .bind(Bind {
///         request: 0,
///         name: "web".to_owned(),
///         what: BindKind::Http { host: None, scheme: Scheme::Https, previous: None },
///         forwards_to: "http://localhost:3000".to_owned(),
///         metadata: String::new(),
///         inspect: false,
///         app_protocol: AppProtocol::Http1,
///         per_visitor: false,
///         modules: None,
///     })
///     .await?;
/// println!("{}", bound.url.unwrap_or_default());
/// while let Some(event) = incoming.next().await {
///     if let IncomingEvent::Stream(stream) = event {
///         tokio::spawn(async move {
///             let service = TcpStream::connect("localhost:3000").await?;
///             std::io::Result::Ok(relay(stream.accept().await?, service).await)
///         });
///     }
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`ConnectError::Refused`] if the server refuses the agent; [`ConnectError::Io`] if it cannot be reached, does not
/// respond in time or sends a malformed response.
pub async fn connect(dial: Arc<dyn Dial>, hello: Hello) -> Result<(AgentSession, Incoming), ConnectError> {
    connect_with(dial, hello, (PoolLimits::AGENT, Arrival::Told)).await
}

/// Opens the link with another node of a cluster, on which this node plays the agent.
///
/// # Errors
/// As [`connect`].
pub async fn connect_node(dial: Arc<dyn Dial>, hello: Hello) -> Result<(AgentSession, Incoming), ConnectError> {
    connect_with(dial, hello, (PoolLimits::NODE, Arrival::Untold)).await
}

async fn connect_with(
    dial: Arc<dyn Dial>,
    hello: Hello,
    (limits, arrival): (PoolLimits, Arrival),
) -> Result<(AgentSession, Incoming), ConnectError> {
    let mut transport = timeout(HANDSHAKE_TIMEOUT, dial.dial()).await.map_err(io::Error::from)??;
    let handshake = async {
        write_message(&mut transport, &Preamble::Control.encode(), &FromAgent::Hello(hello)).await?;
        read_message(&mut transport).await
    };
    let welcome = match timeout(HANDSHAKE_TIMEOUT, handshake).await.map_err(io::Error::from)?? {
        FromServer::Welcome(welcome) => welcome,
        FromServer::Refused { error } => return Err(ConnectError::Refused(error)),
        _ => return Err(io::Error::new(io::ErrorKind::InvalidData, "the server did not respond to the hello").into()),
    };
    if welcome.session.len() > 255 || welcome.data_secret.reveal().len() > 255 {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the server's session id or secret is too long").into());
    }

    let last_received = LastReceived::new();
    let (core, outgoing) = SessionCore::new(last_received.clone(), welcome.heartbeat_interval());
    let (incoming, events) = mpsc::channel(MAX_QUEUED_EVENTS);
    let has_credit = VersionRange::has_overflow_credit(welcome.protocol);
    let on_stream = {
        let (core, incoming) = (core.clone(), incoming.clone());
        move |stream: yamux::Stream| {
            let credit = has_credit.then(|| core.credits.stream(stream.id().val()));
            let transport = StreamTransport::overflow(stream, credit, core.cancellation.token());
            tokio::spawn(accept(transport, None, arrival, incoming.clone()));
        }
    };
    let (multiplexer, driver) = multiplexer::start(transport, yamux::Mode::Client, last_received, on_stream);
    let data_connections = DataConnections::new(dial, &welcome, core.clone(), incoming.clone(), limits.max_connections);
    let pending_binds = Arc::new(PendingBinds::default());
    let stream = multiplexer.open().await.ok_or_else(|| io::Error::from(io::ErrorKind::ConnectionReset))?;
    let (reader, writer) = messages(stream, driver.loss());
    let message_loop =
        MessageLoop { core: core.clone(), reader, incoming, pending_binds: pending_binds.clone(), data_connections };
    let credits = core.credits.clone();
    let conversation = async move {
        tokio::select! {
            reason = message_loop.run() => reason,
            reason = writer.run(outgoing, &credits, |grants| FromAgent::Credit { grants }) => reason,
        }
    };
    tokio::spawn(run(core.clone(), pending_binds.clone(), driver, conversation));
    Ok((AgentSession(Arc::new(Session { welcome, core, pending_binds })), Incoming::new(events)))
}

async fn run(
    core: Arc<SessionCore<FromAgent>>,
    pending_binds: Arc<PendingBinds>,
    driver: Driver,
    conversation: impl Future<Output = EndReason>,
) {
    let mut reason = tokio::select! {
        reason = conversation => reason,
        reason = core.run_heartbeat(|nonce| FromAgent::Ping { nonce }) => reason,
        end = core.closed() => end.reason,
    };
    if pending_binds.leaving.load(Ordering::Relaxed) {
        reason = EndReason::Goodbye;
    }
    let clean = SessionEnd::from(reason.clone()).clean;
    tracing::debug!(%reason, "session over");
    core.finish(reason);
    pending_binds.senders().clear();
    if clean {
        driver.close().await;
    }
}

/// Handles the server's messages.
struct MessageLoop {
    core: Arc<SessionCore<FromAgent>>,
    reader: MessageReader<FromServer>,
    incoming: mpsc::Sender<IncomingEvent>,
    pending_binds: Arc<PendingBinds>,
    data_connections: Arc<DataConnections>,
}

impl MessageLoop {
    async fn run(mut self) -> EndReason {
        let data_connections = self.data_connections.clone();
        tokio::select! {
            reason = self.receive() => reason,
            () = data_connections.maintain() => EndReason::Dropped,
        }
    }

    async fn receive(&mut self) -> EndReason {
        loop {
            let event = match self.reader.next().await {
                Err(reason) => return reason,
                Ok(FromServer::Ping { nonce }) => {
                    self.core.send(FromAgent::Pong { nonce });
                    continue;
                }
                Ok(FromServer::Pong { nonce }) => {
                    self.core.pong_received(nonce);
                    continue;
                }
                Ok(FromServer::Bound(bound)) => {
                    self.complete_bind(bound.request, Ok(bound));
                    continue;
                }
                Ok(FromServer::BindRefused { request, error }) => {
                    self.complete_bind(request, Err(error));
                    continue;
                }
                Ok(FromServer::Credit { grants }) => {
                    self.core.credits.add(&grants);
                    continue;
                }
                Ok(FromServer::Pool { connections }) => {
                    self.data_connections.set_target(connections);
                    continue;
                }
                Ok(FromServer::TunnelClosed { number, error }) => IncomingEvent::TunnelClosed { number, error },
                Ok(FromServer::Drain { error }) => IncomingEvent::Drain { error },
                Ok(FromServer::Command { command }) => IncomingEvent::Command(command),
                Ok(FromServer::Visitors { tunnels }) => IncomingEvent::Visitors(tunnels),
                Ok(FromServer::Unsent(request)) => IncomingEvent::Unsent(Box::new(request)),
                Ok(FromServer::End { error }) => return EndReason::Ended(error),
                Ok(FromServer::Welcome(_) | FromServer::Refused { .. }) => {
                    return EndReason::Protocol("a second response to the hello".to_owned());
                }
                Ok(FromServer::Unknown) => continue,
            };
            // An agent that dropped its receiver is not interested in events.
            let _ = self.incoming.send(event).await;
        }
    }

    fn complete_bind(&self, request: u64, response: Result<Bound, Error>) {
        let Some(sender) = self.pending_binds.senders().remove(&request) else { return };
        // The caller of `bind` is gone, so the address is released.
        if let Err(Ok(bound)) = sender.send(response) {
            self.core.send(FromAgent::Unbind { number: bound.number });
        }
    }
}

impl PendingBinds {
    fn senders(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Result<Bound, Error>>>> {
        self.senders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AgentSession {
    /// The server's welcome.
    pub fn welcome(&self) -> &Welcome {
        &self.0.welcome
    }

    /// Whether the server reports the connections of visitors to HTTP tunnels.
    pub fn reports_visitors(&self) -> bool {
        VersionRange::has_visitor_counts(self.0.welcome.protocol)
    }

    /// Requests an address and waits for the response. Sets the request id.
    ///
    /// # Errors
    /// The server's refusal, [`Code::ServerTooOld`] if the server does not support the request, or
    /// [`Code::SessionNotReady`] if the session has ended.
    pub async fn bind(&self, mut bind: Bind) -> Result<Bound, Error> {
        let Session { core, pending_binds, welcome } = &*self.0;
        let needs_modules = bind.modules.is_some() || matches!(bind.what, BindKind::Tls { .. });
        if needs_modules && !VersionRange::has_modules(welcome.protocol) {
            let message = "The server is older than this agent and knows neither modules of tunnels nor TLS tunnels. Update the server.";
            return Err(Error::new(Code::ServerTooOld, message));
        }
        let (sender, response) = oneshot::channel();
        bind.request = pending_binds.next_request.fetch_add(1, Ordering::Relaxed);
        pending_binds.senders().insert(bind.request, sender);
        core.send(FromAgent::Bind(bind));
        tokio::select! {
            response = response => response.unwrap_or_else(|_| Err(Error::from(Code::SessionNotReady))),
            _ = core.closed() => Err(Error::from(Code::SessionNotReady)),
        }
    }

    /// Closes a tunnel.
    pub fn unbind(&self, number: u32) {
        self.0.core.send(FromAgent::Unbind { number });
    }

    /// Tells the server that this session goes and that its open streams shall continue until then. With `release` its
    /// names and ports are given up now, otherwise when another session of this agent binds them. Returns whether the
    /// server understands it.
    pub fn drain(&self, release: bool) -> bool {
        let Session { core, welcome, .. } = &*self.0;
        let understood = VersionRange::has_agent_drain(welcome.protocol);
        if understood {
            core.send(FromAgent::Drain { release });
        }
        understood
    }

    /// Announces something to the node at the other end of a link. Waits while that node has many messages to read.
    pub async fn announce(&self, announcement: Announcement) {
        self.0.core.wait_for_room().await;
        self.0.core.send(FromAgent::Announce { announcement });
    }

    /// Answers a question of the node at the other end of a link. An answer that is too long is sent as an empty one.
    pub async fn answer(&self, number: u64, answer: &str) {
        let parts = split(if answer.len() > MAX_TEXT_BYTES { "" } else { answer });
        for (index, part) in parts.iter().enumerate() {
            let more = index + 1 < parts.len();
            self.announce(Announcement::Answer { number, part: (*part).to_owned(), more }).await;
        }
    }

    /// Ends the session on purpose and waits, for two seconds at most, until the server has received the message.
    pub async fn goodbye(&self) {
        let Session { core, pending_binds, .. } = &*self.0;
        pending_binds.leaving.store(true, Ordering::Relaxed);
        core.send(FromAgent::Goodbye);
        let _ = timeout(CLOSE_TIMEOUT, core.closed()).await;
        core.finish(EndReason::Goodbye);
    }

    /// Probes the server after an event that may have cut the connection, such as a network change: sends a ping at once
    /// and ends the session unless the server sends something within `timeout`.
    pub fn probe(&self, timeout: Duration) {
        self.0.core.probe(timeout);
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

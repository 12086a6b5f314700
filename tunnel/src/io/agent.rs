//! The agent's end of a session.

use super::carrier::Carrier;
use super::dial::Dial;
use super::dials::{Dials, read_start};
use super::end::{EndReason, SessionEnd};
use super::greeting::{read_message, write_message};
use super::mux::{self, Driver};
use super::notes::Notes;
use super::server::interval;
use super::session::{Core, Heard, Reader, messages};
use super::stream::TunnelStream;
use super::{FAREWELL, PATIENCE};
use crate::proto::message::{Bind, BindWhat, Bound, FromAgent, FromServer, Hello, Welcome};
use crate::proto::preamble::Preamble;
use crate::proto::start::StreamStart;
use crate::proto::verdict::TAKEN;
use crate::proto::version::Versions;
use postern_api::{Code, Error};
use std::collections::HashMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// So many events wait for the agent before the server has to.
const EVENTS: usize = 256;
/// How long a refusal may be held back for a look at the request.
const GLANCE: Duration = Duration::from_millis(250);
/// Bytes looked at in one piece.
const GLANCE_BYTES: usize = 4096;

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The server does not want this agent, and says why.
    #[error("the server refused the session: {0}")]
    Refused(Error),
    /// The server could not be reached or understood.
    #[error("the server cannot be reached: {0}")]
    Io(#[from] io::Error),
}

/// A running session; clones are the same session. It ends when the last clone is dropped.
#[derive(Clone)]
pub struct AgentSession(Arc<Session>);

struct Session {
    welcome: Welcome,
    core: Arc<Core<FromAgent>>,
    questions: Arc<Questions>,
}

/// Binds that wait for their answer.
#[derive(Default)]
struct Questions {
    next: AtomicU64,
    leaving: AtomicBool,
    open: Mutex<HashMap<u64, oneshot::Sender<Result<Bound, Error>>>>,
}

/// What the server sends to the agent.
pub struct Incoming(mpsc::Receiver<IncomingEvent>);

/// Something the server sends.
#[expect(clippy::large_enum_variant, reason = "nearly all of them are streams, and a box each would cost more")]
pub enum IncomingEvent {
    /// A visitor.
    Stream(IncomingStream),
    /// A tunnel is no more.
    TunnelClosed {
        /// The tunnel.
        number: u32,
        /// Why.
        error: Error,
    },
    /// The server goes away soon.
    Drain,
}

/// A stream that waits to be served or refused. Dropped, it is broken off.
pub struct IncomingStream {
    /// What it is for.
    pub start: StreamStart,
    stream: TunnelStream,
}

/// Connects, introduces the agent and waits for the server's answer, ten seconds at most for each.
pub async fn connect(dial: Arc<dyn Dial>, hello: Hello) -> Result<(AgentSession, Incoming), ConnectError> {
    let mut transport = timeout(PATIENCE, dial.dial()).await.map_err(io::Error::from)??;
    let greeting = async {
        write_message(&mut transport, &Preamble::Control.encode(), &FromAgent::Hello(hello)).await?;
        read_message(&mut transport).await
    };
    let welcome = match timeout(PATIENCE, greeting).await.map_err(io::Error::from)?? {
        FromServer::Welcome(welcome) => welcome,
        FromServer::Refused { error } => return Err(ConnectError::Refused(error)),
        _ => return Err(io::Error::new(io::ErrorKind::InvalidData, "the server did not answer the greeting").into()),
    };
    if welcome.session.len() > 255 || welcome.data_secret.reveal().len() > 255 {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the server's session cannot be joined").into());
    }

    let heard = Heard::new();
    let (core, outgoing) = Core::new(heard.clone(), interval(&welcome));
    let (incoming, received) = mpsc::channel(EVENTS);
    let arrived = {
        let (core, incoming) = (core.clone(), incoming.clone());
        move |stream| {
            tokio::spawn(take_overflow(stream, core.clone(), incoming.clone()));
        }
    };
    let (mux, driver) = mux::start(transport, yamux::Mode::Client, heard, arrived);
    let dials = Dials::new(dial, &welcome, core.clone(), incoming.clone());
    let questions = Arc::new(Questions::default());
    let stream = mux.open().await.ok_or_else(|| io::Error::from(io::ErrorKind::ConnectionReset))?;
    let (reader, writer) = messages(stream, driver.loss());
    let listening = Listening { core: core.clone(), reader, incoming, questions: questions.clone(), dials };
    let conversation = async move {
        tokio::select! {
            reason = listening.run() => reason,
            reason = writer.run::<FromAgent>(outgoing) => reason,
        }
    };
    tokio::spawn(run(core.clone(), questions.clone(), driver, conversation));
    Ok((AgentSession(Arc::new(Session { welcome, core, questions })), Incoming(received)))
}

async fn run(
    core: Arc<Core<FromAgent>>,
    questions: Arc<Questions>,
    driver: Driver,
    conversation: impl Future<Output = EndReason>,
) {
    let mut reason = tokio::select! {
        reason = conversation => reason,
        reason = core.beat(|nonce| FromAgent::Ping { nonce }) => reason,
        end = core.closed() => end.reason,
    };
    if questions.leaving.load(Ordering::Relaxed) {
        reason = EndReason::Goodbye;
    }
    let clean = SessionEnd::from(reason.clone()).clean;
    tracing::debug!(%reason, "session over");
    core.finish(reason);
    questions.open().clear();
    if clean {
        driver.close().await;
    }
}

/// An overflow stream has arrived: says so at once, and hands it on with its start.
async fn take_overflow(stream: yamux::Stream, core: Arc<Core<FromAgent>>, incoming: mpsc::Sender<IncomingEvent>) {
    let mut carrier = Carrier::overflow(stream, core.lives.enter());
    let start = async {
        let start = read_start(&mut carrier).await?;
        carrier.write_all(&[TAKEN]).await?;
        carrier.flush().await?;
        io::Result::Ok(start)
    };
    if let Ok(Ok(start)) = timeout(PATIENCE, start).await {
        let stream = TunnelStream::accepted_by_agent(carrier, None);
        let _ = incoming.send(IncomingEvent::Stream(IncomingStream::new(start, stream))).await;
    }
}

/// Hears what the server says.
struct Listening {
    core: Arc<Core<FromAgent>>,
    reader: Reader<FromServer>,
    incoming: mpsc::Sender<IncomingEvent>,
    questions: Arc<Questions>,
    dials: Arc<Dials>,
}

impl Listening {
    async fn run(mut self) -> EndReason {
        let dials = self.dials.clone();
        tokio::select! {
            reason = self.listen() => reason,
            () = dials.keep() => EndReason::Dropped,
        }
    }

    async fn listen(&mut self) -> EndReason {
        loop {
            let event = match self.reader.next().await {
                Err(reason) => return reason,
                Ok(FromServer::Ping { nonce }) => {
                    self.core.send(FromAgent::Pong { nonce });
                    continue;
                }
                Ok(FromServer::Pong { nonce }) => {
                    self.core.answered(nonce);
                    continue;
                }
                Ok(FromServer::Bound(bound)) => {
                    self.answer(bound.request, Ok(bound));
                    continue;
                }
                Ok(FromServer::BindRefused { request, error }) => {
                    self.answer(request, Err(error));
                    continue;
                }
                Ok(FromServer::Pool { connections }) => {
                    self.dials.want(connections);
                    continue;
                }
                Ok(FromServer::TunnelClosed { number, error }) => IncomingEvent::TunnelClosed { number, error },
                Ok(FromServer::Drain) => IncomingEvent::Drain,
                Ok(FromServer::End { error }) => return EndReason::Ended(error),
                Ok(FromServer::Welcome(_) | FromServer::Refused { .. }) => {
                    return EndReason::Protocol("a second answer to the greeting".to_owned());
                }
                Ok(FromServer::Unknown) => continue,
            };
            // An agent that dropped its receiver wants no events.
            let _ = self.incoming.send(event).await;
        }
    }

    fn answer(&self, request: u64, answer: Result<Bound, Error>) {
        let Some(question) = self.questions.open().remove(&request) else { return };
        // Nobody waits for the address any more: it goes back.
        if let Err(Ok(bound)) = question.send(answer) {
            self.core.send(FromAgent::Unbind { number: bound.number });
        }
    }
}

impl Questions {
    fn open(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Result<Bound, Error>>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Incoming {
    /// The next one; `None` once the session is over.
    pub async fn next(&mut self) -> Option<IncomingEvent> {
        self.0.recv().await
    }
}

impl IncomingStream {
    pub(crate) fn new(start: StreamStart, stream: TunnelStream) -> Self {
        IncomingStream { start, stream }
    }

    /// Where the server's notes about the stream arrive.
    pub fn notes(&mut self) -> Notes {
        self.stream.notes()
    }

    /// Serves the stream. The server hears of it at once.
    pub async fn accept(mut self) -> io::Result<TunnelStream> {
        self.stream.flush().await?;
        Ok(self.stream)
    }

    /// Serves the stream. The server hears of it with the first write, flush or read, which saves a packet.
    pub fn accept_lazily(self) -> TunnelStream {
        self.stream
    }

    /// Refuses the stream; the server hears why.
    pub async fn refuse(self, error: Error) {
        // A server that does not listen has given the stream up.
        let _ = timeout(FAREWELL, self.stream.refuse(&error)).await;
    }

    /// Refuses the stream after a glance at what the visitor has sent so far. `look` gets the bytes and says whether
    /// it wants more; the server does not wait longer than a moment for that.
    pub async fn refuse_after_a_glance(mut self, error: Error, mut look: impl FnMut(&[u8]) -> ControlFlow<()>) {
        let glance = async {
            let mut bytes = [0; GLANCE_BYTES];
            while let Ok(count @ 1..) = self.stream.overhear(&mut bytes).await {
                if look(&bytes[..count]).is_break() {
                    break;
                }
            }
        };
        let _ = timeout(GLANCE, glance).await;
        self.refuse(error).await;
    }
}

impl AgentSession {
    /// What the server said.
    pub fn welcome(&self) -> &Welcome {
        &self.0.welcome
    }

    /// Asks for an address and waits for the answer. The number of the request is filled in here.
    ///
    /// Fails with the server's refusal, with [`Code::ServerTooOld`] where the server would not understand the question,
    /// or with [`Code::SessionNotReady`] once the session is over.
    pub async fn bind(&self, mut bind: Bind) -> Result<Bound, Error> {
        let Session { core, questions, welcome } = &*self.0;
        let newer = bind.modules.is_some() || matches!(bind.what, BindWhat::Tls { .. });
        if newer && !Versions::has_modules(welcome.protocol) {
            let message = "The server is older than this agent and knows neither modules of tunnels nor TLS tunnels. Update the server.";
            return Err(Error::new(Code::ServerTooOld, message));
        }
        let (question, answer) = oneshot::channel();
        bind.request = questions.next.fetch_add(1, Ordering::Relaxed);
        questions.open().insert(bind.request, question);
        core.send(FromAgent::Bind(bind));
        tokio::select! {
            answer = answer => answer.unwrap_or_else(|_| Err(Error::from(Code::SessionNotReady))),
            _ = core.closed() => Err(Error::from(Code::SessionNotReady)),
        }
    }

    /// Gives a tunnel back.
    pub fn unbind(&self, number: u32) {
        self.0.core.send(FromAgent::Unbind { number });
    }

    /// Leaves on purpose and waits until the server has heard it, two seconds at most.
    pub async fn goodbye(&self) {
        let Session { core, questions, .. } = &*self.0;
        questions.leaving.store(true, Ordering::Relaxed);
        core.send(FromAgent::Goodbye);
        let _ = timeout(FAREWELL, core.closed()).await;
        core.finish(EndReason::Goodbye);
    }

    /// Something happened that may have cut the way to the server: it is asked at once, and the session is over unless
    /// it gives a sign of life within `patience`.
    pub fn doubt(&self, patience: Duration) {
        self.0.core.doubt(patience);
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

//! The session with the server: made, kept, and made again for as long as the agent runs.

mod dial;
mod names;
mod network;
mod nudge;
mod retry;
pub mod status;
mod wake;

pub use status::{SessionState, SessionStatus, StatusBoard};

use crate::{
    config::{Config, Settings, state::State},
    tunnels::{Tunnels, forward},
};
use arc_swap::ArcSwapOption;
use dial::{Patience, ServerDial, Way, explain};
use names::Names;
use nudge::{Nudge, Nudges};
use postern_api::{Code, Error, Secret};
use postern_tunnel::{AgentSession, ConnectError, EndReason, Incoming, IncomingEvent, connect, message::Hello};
use retry::Retry;
use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;

/// A server that does not want this agent is asked again this seldom, unless the configuration changes.
const REFUSED_PAUSE: Duration = Duration::from_secs(300);
/// A session this long counts as a success; a shorter one does not reset the back-off.
const STABLE: Duration = Duration::from_secs(10);
/// How long the server may take to answer the greeting, whatever is configured.
const GREETING: Duration = Duration::from_secs(5);
/// How long the server may take for a sign of life once there is reason to think that the way is cut.
const DOUBT: Duration = Duration::from_secs(3);

/// Keeps a session, and binds the tunnels in it.
pub struct SessionLoop {
    /// The configuration of the moment.
    pub config: watch::Receiver<Arc<Config>>,
    /// What is bound.
    pub tunnels: Tunnels,
    /// Where the state is told.
    pub board: Arc<StatusBoard>,
    /// Who the agent is.
    pub state: Arc<State>,
    /// The session of the moment, for its latency.
    pub current: Arc<ArcSwapOption<AgentSession>>,
    /// Ends the loop.
    pub stop: CancellationToken,
}

enum Outcome {
    Stop,
    /// Something it depends on was changed in the configuration.
    Changed,
    /// Try again after the usual pause.
    Again(Error),
    /// Try again after the usual pause: a server took the connection, and then did not greet in time.
    Silent(Error),
    /// Try again at once: the way this session took is gone, and there may be another.
    Moved,
    /// The server does not want this agent.
    Refused(Error),
    /// The operator of the server has stopped the session; only a person starts it again.
    Stopped(Error),
    /// The server is going away in good order and wants its agents elsewhere.
    Drained,
}

/// What is kept from one try to the next.
struct Course {
    retry: Retry,
    start: Instant,
    /// The server to begin with, of several.
    first: usize,
    /// Tries in a row in which a server did not greet in time.
    slow: u32,
    names: Names,
    nudges: Nudges,
}

impl Course {
    fn new() -> Self {
        let nudges = Nudges::start();
        Course { retry: Retry::default(), start: Instant::now(), first: 0, slow: 0, names: Names::default(), nudges }
    }

    /// The pause after a try that began at `begun`.
    fn pause(&mut self, begun: Instant) -> Duration {
        let since = |instant: Instant| instant.duration_since(self.start);
        self.retry.failed(since(begun), since(Instant::now()))
    }
}

impl SessionLoop {
    /// Runs until it is stopped.
    pub async fn run(mut self) {
        let mut course = Course::new();
        loop {
            let settings = self.config.borrow_and_update().settings.clone();
            let mut begun = Instant::now();
            self.board.connecting(shown(&settings), course.retry.failures() + 1);
            course.nudges.forget();
            let outcome = self.once(&settings, &mut course, &mut begun).await;
            self.current.store(None);
            course.slow = if matches!(outcome, Outcome::Silent(_)) { course.slow + 1 } else { 0 };
            let pause = match outcome {
                Outcome::Stop => return,
                Outcome::Changed => {
                    course.retry.begins_anew();
                    continue;
                }
                Outcome::Moved => {
                    tracing::info!("the network has changed: the session is made anew");
                    continue;
                }
                Outcome::Drained => {
                    course.first += 1;
                    let pause = course.pause(begun);
                    self.board.failed(SessionState::Waiting, Code::ServerDraining.into(), pause);
                    pause
                }
                Outcome::Again(error) | Outcome::Silent(error) => {
                    let pause = course.pause(begun);
                    tracing::warn!(code = %error.code, next_try = format_args!("{:.1}s", pause.as_secs_f64()), "{}", error.message);
                    self.board.failed(SessionState::Waiting, error, pause);
                    pause
                }
                Outcome::Stopped(error) => {
                    tracing::warn!(code = %error.code, "{} Start the agent again to come back.", error.message);
                    self.board.stopped(error);
                    tokio::select! {
                        () = self.stop.cancelled() => return,
                        () = changed(&mut self.config, &settings) => {}
                    }
                    course.retry.begins_anew();
                    continue;
                }
                Outcome::Refused(error) => {
                    tracing::error!(code = %error.code, next_try = ?REFUSED_PAUSE, "{}", error.message);
                    self.board.failed(SessionState::Refused, error, REFUSED_PAUSE);
                    REFUSED_PAUSE
                }
            };
            let refused = self.board.now().state == SessionState::Refused;
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
                () = changed(&mut self.config, &settings) => course.retry.begins_anew(),
                // What the server does not want it will not want from another address either.
                nudge = course.nudges.next(), if !refused => tracing::debug!(?nudge, "tried again at once"),
            }
        }
    }

    /// One try, and the session if it succeeds; `begun` is then when the session ended, so that only tries count as
    /// time spent.
    async fn once(&mut self, settings: &Settings, course: &mut Course, begun: &mut Instant) -> Outcome {
        let Some(token) = settings.authtoken.clone() else {
            return Outcome::Refused(Error::new(
                Code::TokenMissing,
                "There is no authtoken. Run `postern config add-authtoken -`, or set POSTERN_AUTHTOKEN.",
            ));
        };
        let hello = self.hello(settings, token);
        let patience = Patience::new(settings.connect_timeout, course.slow);
        let made = tokio::select! {
            () = self.stop.cancelled() => return Outcome::Stop,
            () = changed(&mut self.config, settings) => return Outcome::Changed,
            made = make(settings, hello, course, patience) => made,
        };
        match made {
            Err(outcome) => {
                // Another server may be in a better state.
                course.first += 1;
                outcome
            }
            Ok((session, incoming, way)) => {
                course.retry.reached();
                let since = Instant::now();
                let outcome = self.serve(session, incoming, settings, way, &mut course.nudges).await;
                *begun = Instant::now();
                if since.elapsed() >= STABLE {
                    course.retry.begins_anew();
                }
                outcome
            }
        }
    }

    fn hello(&self, settings: &Settings, token: Secret) -> Hello {
        Hello {
            protocol: Default::default(),
            agent_version: env!("CARGO_PKG_VERSION").to_owned(),
            os: format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
            instance: self.state.instance(),
            token,
            metadata: settings.metadata.clone(),
            remote_management: settings.remote_management,
        }
    }

    async fn serve(
        &mut self,
        session: AgentSession,
        mut incoming: Incoming,
        settings: &Settings,
        way: Way,
        nudges: &mut Nudges,
    ) -> Outcome {
        let welcome = session.welcome();
        tracing::info!(server = %way.server, session = welcome.session, region = welcome.region, "session established");
        self.board.online(way.server.to_string(), welcome.region.clone(), welcome.server_version.clone());
        self.current.store(Some(Arc::new(session.clone())));
        let generation = self.tunnels.online(session.clone());
        let outcome = loop {
            let event = tokio::select! {
                () = self.stop.cancelled() => {
                    session.goodbye().await;
                    break Outcome::Stop;
                }
                () = changed(&mut self.config, settings) => {
                    session.goodbye().await;
                    break Outcome::Changed;
                }
                nudge = nudges.next() => {
                    if nudge == Nudge::Network && !network::is_ours(way.local) {
                        break Outcome::Moved;
                    }
                    session.probe(DOUBT);
                    continue;
                }
                event = incoming.next() => event,
            };
            match event {
                Some(IncomingEvent::Stream(stream)) => {
                    tokio::spawn(forward::serve(self.tunnels.clone(), generation, stream));
                }
                Some(IncomingEvent::TunnelClosed { number, error }) => {
                    self.tunnels.taken_away(generation, number, error)
                }
                Some(IncomingEvent::Drain) => {
                    tracing::info!(
                        "the server is going away; its visitors are served to the end, and a new session is made"
                    );
                    // What is on its way in the old session goes on there until the server ends it.
                    tokio::spawn(drain(session.clone(), incoming));
                    break Outcome::Drained;
                }
                None => break ended(session.closed().await.reason, &way),
            }
        };
        self.tunnels.offline(generation);
        outcome
    }
}

/// A session with the first server that answers.
async fn make(
    settings: &Settings,
    hello: Hello,
    course: &Course,
    patience: Patience,
) -> Result<(AgentSession, Incoming, Way), Outcome> {
    let dial = match ServerDial::reach(settings, course.first, patience, &course.names).await {
        Err(error) => return Err(Outcome::Again(error)),
        Ok(Err(failures)) => {
            let silent = failures.iter().any(dial::Unreached::is_silent);
            let error = explain(failures);
            return Err(if silent { Outcome::Silent(error) } else { Outcome::Again(error) });
        }
        Ok(Ok(dial)) => dial,
    };
    let way = dial.way().clone();
    let unreachable = |why: &str| {
        let message =
            format!("The server at {} cannot be reached: {why}. Is it running, and is server_addr right?", way.server);
        Error::new(Code::ServerUnreachable, message)
    };
    match tokio::time::timeout(patience.handshake.max(GREETING), connect(Arc::new(dial), hello)).await {
        Ok(Ok((session, incoming))) => Ok((session, incoming, way)),
        Ok(Err(ConnectError::Refused(error))) => Err(refusal(error)),
        Ok(Err(ConnectError::Io(error))) => Err(Outcome::Again(unreachable(&error.to_string()))),
        Err(_) => Err(Outcome::Silent(unreachable("it does not answer the greeting"))),
    }
}

/// Holds a session that is being drained until the server has ended it.
async fn drain(session: AgentSession, mut incoming: Incoming) {
    while let Some(event) = incoming.next().await {
        if let IncomingEvent::Stream(stream) = event {
            stream.refuse(Code::ServerDraining.into()).await;
        }
    }
    session.closed().await;
}

/// Resolves once the configuration asks for another session.
async fn changed(config: &mut watch::Receiver<Arc<Config>>, settings: &Settings) {
    loop {
        if config.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        if needs(&config.borrow_and_update().settings) != needs(settings) {
            return;
        }
    }
}

/// What of the settings a session depends on.
fn needs(settings: &Settings) -> impl PartialEq + '_ {
    let Settings {
        authtoken,
        servers,
        server_name,
        root_cas,
        crl_noverify,
        proxy,
        dns_resolvers,
        metadata,
        remote_management,
        connect_timeout,
        ..
    } = settings;
    let way = (servers, server_name, root_cas, crl_noverify, proxy, dns_resolvers, connect_timeout);
    (authtoken, way, metadata, remote_management)
}

/// The configured servers in one line.
fn shown(settings: &Settings) -> String {
    settings.servers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn ended(reason: EndReason, way: &Way) -> Outcome {
    match reason {
        EndReason::Ended(error) => refusal(error),
        other => {
            tracing::debug!(reason = %other, "the session was lost");
            // What the TLS library says about a broken connection helps nobody who reads the status.
            let why = match &other {
                EndReason::Lost(_) => "the connection broke".to_owned(),
                other => other.to_string(),
            };
            let message = format!("The session with the server at {} was lost: {why}.", way.server);
            Outcome::Again(Error::new(Code::ServerUnreachable, message))
        }
    }
}

/// Some refusals pass by themselves, others need a person.
fn refusal(error: Error) -> Outcome {
    match error.code {
        Code::ServerDraining => Outcome::Drained,
        Code::SessionStopped => Outcome::Stopped(error),
        Code::TokenUnknown
        | Code::TokenIsApiKey
        | Code::TokenMissing
        | Code::AgentTooOld
        | Code::AgentAddressDenied
        | Code::CredentialInactive
        | Code::CredentialDeleted
        | Code::SessionReplaced => Outcome::Refused(error),
        _ => Outcome::Again(error),
    }
}

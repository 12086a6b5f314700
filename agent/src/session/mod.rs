//! The session with the server: made, kept, and made again for as long as the agent runs.

mod dial;
pub mod status;
pub mod trust;

pub use status::{SessionState, SessionStatus, StatusBoard};

use crate::{
    config::{Config, Settings, state::State},
    tunnels::{Tunnels, forward},
};
use arc_swap::ArcSwapOption;
use dial::{ServerDial, explain};
use postern_api::{Code, Error, Secret};
use postern_tunnel::{
    AgentSession, ConnectError, EndReason, Incoming, IncomingEvent, backoff::Backoff, connect, message::Hello,
};
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A server that does not want this agent is asked again this seldom, unless the configuration changes.
const REFUSED_PAUSE: Duration = Duration::from_secs(300);
/// A session this long counts as a success; a shorter one does not reset the back-off.
const STABLE: Duration = Duration::from_secs(10);

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
    /// The server does not want this agent.
    Refused(Error),
    /// The operator of the server has stopped the session; only a person starts it again.
    Stopped(Error),
    /// The server is going away in good order and wants its agents elsewhere.
    Drained,
}

impl SessionLoop {
    /// Runs until it is stopped.
    pub async fn run(mut self) {
        let mut backoff = Backoff::new();
        loop {
            let settings = self.config.borrow_and_update().settings.clone();
            let begun = tokio::time::Instant::now();
            self.board.connecting(settings.server.to_string(), backoff.failures() + 1);
            let outcome = self.once(&settings).await;
            self.current.store(None);
            if begun.elapsed() >= STABLE {
                backoff.succeeded();
            }
            let pause = match outcome {
                Outcome::Stop => return,
                Outcome::Changed => {
                    backoff.succeeded();
                    continue;
                }
                Outcome::Drained => {
                    let pause = backoff.next_pause();
                    self.board.failed(SessionState::Waiting, Code::ServerDraining.into(), pause);
                    pause
                }
                Outcome::Again(error) => {
                    let pause = backoff.next_pause();
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
                    backoff.succeeded();
                    continue;
                }
                Outcome::Refused(error) => {
                    tracing::error!(code = %error.code, next_try = ?REFUSED_PAUSE, "{}", error.message);
                    self.board.failed(SessionState::Refused, error, REFUSED_PAUSE);
                    REFUSED_PAUSE
                }
            };
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
                () = changed(&mut self.config, &settings) => backoff.succeeded(),
            }
        }
    }

    async fn once(&mut self, settings: &Settings) -> Outcome {
        let Some(token) = settings.authtoken.clone() else {
            return Outcome::Refused(Error::new(
                Code::TokenMissing,
                "There is no authtoken. Run `postern config add-authtoken -`, or set POSTERN_AUTHTOKEN.",
            ));
        };
        let dial = match ServerDial::new(settings) {
            Ok(dial) => dial,
            Err(error) => return Outcome::Again(error),
        };
        let hello = self.hello(settings, token);
        let connected = tokio::select! {
            () = self.stop.cancelled() => return Outcome::Stop,
            () = changed(&mut self.config, settings) => return Outcome::Changed,
            connected = connect(Arc::new(dial), hello) => connected,
        };
        match connected {
            Ok((session, incoming)) => self.serve(session, incoming, settings).await,
            Err(ConnectError::Io(error)) => Outcome::Again(explain(&settings.server, &error)),
            Err(ConnectError::Refused(error)) => refusal(error),
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

    async fn serve(&mut self, session: AgentSession, mut incoming: Incoming, settings: &Settings) -> Outcome {
        let welcome = session.welcome();
        tracing::info!(server = %settings.server, session = welcome.session, region = welcome.region, "session established");
        self.board.online(welcome.region.clone(), welcome.server_version.clone());
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
                None => break ended(session.closed().await.reason, settings),
            }
        };
        self.tunnels.offline(generation);
        outcome
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
    let Settings { authtoken, server, server_name, root_cas, metadata, remote_management, connect_timeout, .. } =
        settings;
    (authtoken, server, server_name, root_cas, metadata, remote_management, connect_timeout)
}

fn ended(reason: EndReason, settings: &Settings) -> Outcome {
    match reason {
        EndReason::Ended(error) => refusal(error),
        other => {
            tracing::debug!(reason = %other, "the session was lost");
            // What the TLS library says about a broken connection helps nobody who reads the status.
            let why = match &other {
                EndReason::Lost(_) => "the connection broke".to_owned(),
                other => other.to_string(),
            };
            let message = format!("The session with the server at {} was lost: {why}.", settings.server);
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

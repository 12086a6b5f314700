//! The session with the server: established, kept, and re-established for as long as the agent runs.

mod address_cache;
mod host_identity;
mod network_events;
mod network_watch;
mod outcome;
mod reconnect_backoff;
mod reconnect_state;
mod retired_session;
mod server_dialer;
mod session_set;
mod sleep_detector;
pub mod status;

pub use session_set::SessionSet;
pub use status::{SessionState, SessionStatus, StatusPublisher};

use crate::{
    config::{AgentSettings, Config, state_file::AgentStateFile},
    tunnels::{Tunnels, forward},
};
use address_cache::AddressCache;
use network_events::ReconnectTrigger;
use outcome::{NextStep, SessionOutcome};
use postern_api::{Code, Error, Secret};
use postern_tunnel::{AgentSession, ConnectError, Incoming, IncomingEvent, connect, message::Hello};
use reconnect_state::ReconnectState;
use retired_session::RetiredSession;
use server_dialer::{ConnectTimeouts, ConnectionPath, ServerDialer, to_error};
use session_set::{Beside, Candidate};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::{sync::watch, time::Instant};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Retry interval after the server refused this agent; a change of the configuration retries at once.
const REFUSED_RETRY_INTERVAL: Duration = Duration::from_secs(300);
/// Minimum retry interval after a server was not trusted: a certificate does not change by itself within seconds. A change of
/// the configuration retries at once.
const UNTRUSTED_RETRY_INTERVAL: Duration = Duration::from_secs(15);
/// Minimum retry interval after a server's address led to a node with a session of this agent: it may lead to another node
/// the next time.
const SAME_NODE_RETRY_INTERVAL: Duration = Duration::from_secs(5);
/// A session that lasts this long resets the backoff; a shorter one does not.
const STABLE_SESSION_TIME: Duration = Duration::from_secs(10);
/// Minimum time for the server's response to the hello, whatever `connect_timeout` says.
const MIN_HELLO_TIMEOUT: Duration = Duration::from_secs(5);
/// Delay before the first session beside another one: that one binds its tunnels first.
const BESIDE_DELAY: Duration = Duration::from_secs(1);
/// Maximum delay, drawn at random, before a lost session is replaced while another one is up: the agents of a node that has
/// failed do not all connect at the same time.
const MAX_REPLACEMENT_DELAY: Duration = Duration::from_secs(20);
/// Time the server has to show that it is alive once the connection is in doubt.
const LIVENESS_TIMEOUT: Duration = Duration::from_secs(3);

/// Keeps one of the sessions and binds the tunnels in it. The first is kept always, the others beside it while the server has
/// several nodes.
pub struct SessionLoop {
    /// Which one; 0 is the first.
    pub slot: usize,
    /// All sessions of the agent.
    pub set: Arc<SessionSet>,
    /// The current configuration.
    pub config: watch::Receiver<Arc<Config>>,
    /// The tunnels that are bound in the session.
    pub tunnels: Tunnels,
    /// The agent's instance id.
    pub state: Arc<AgentStateFile>,
    /// Ends the loop.
    pub stop: CancellationToken,
    /// Time that open streams get when the loop ends; they are cut at once if it is not set.
    pub drain_timeout: Arc<OnceLock<Duration>>,
}

/// What the session loop reacts to while a session is up.
#[expect(clippy::large_enum_variant, reason = "nearly all of them are streams, and a box each would cost more")]
enum SessionEvent {
    Stop,
    /// The operator of the server stopped another session.
    StoppedBeside,
    SettingsChanged,
    Trigger(ReconnectTrigger),
    /// From the server; `None` once the session has ended.
    Incoming(Option<IncomingEvent>),
}

impl SessionLoop {
    /// Runs until the agent stops.
    pub async fn run(self) {
        tokio::select! {
            () = self.stop.cancelled() => {}
            // Most agents need no session beside the first one, and this waits in little memory.
            () = self.may_connect(BESIDE_DELAY) => Box::pin(self.keep()).await,
        }
    }

    async fn keep(mut self) {
        let mut reconnect_state = ReconnectState::new();
        let mut delay = Duration::ZERO;
        loop {
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = self.may_connect(delay) => {}
            }
            delay = MAX_REPLACEMENT_DELAY.mul_f64(rand::random::<f64>());
            let settings = self.config.borrow_and_update().settings.clone();
            let mut attempt_start = Instant::now();
            if self.is_shown() {
                self.set.status().connecting(server_list(&settings), reconnect_state.backoff.failures() + 1);
            }
            reconnect_state.triggers.discard_pending();
            let outcome = self.attempt(&settings, &mut reconnect_state, &mut attempt_start).await;
            self.set.ended(self.slot);
            let timed_out = matches!(outcome, SessionOutcome::ServerTimeout(_));
            reconnect_state.timeouts = if timed_out { reconnect_state.timeouts + 1 } else { 0 };
            match self.next_step(outcome, &mut reconnect_state, attempt_start) {
                NextStep::Stop => return,
                NextStep::RetryNow => {}
                NextStep::RetryAfter(delay) => {
                    let refused = self.set.status().current().state == SessionState::Refused;
                    let (set, beside) = (self.set.clone(), !self.set.is_alone(self.slot));
                    tokio::select! {
                        () = self.stop.cancelled() => return,
                        () = tokio::time::sleep(delay) => {}
                        () = set.alone(self.slot), if beside => reconnect_state.backoff.reset(),
                        () = settings_changed(&mut self.config, &settings) => reconnect_state.backoff.reset(),
                        // A server that refuses this agent refuses it from another address too.
                        trigger = reconnect_state.triggers.next(), if !refused => tracing::debug!(?trigger, "retried at once"),
                    }
                }
                NextStep::WaitForSettings => {
                    tokio::select! {
                        () = self.stop.cancelled() => return,
                        () = settings_changed(&mut self.config, &settings) => {}
                    }
                    reconnect_state.backoff.reset();
                    self.set.resume();
                }
            }
        }
    }

    /// Whether this session's attempts are what the agent shows: no other session is up, and the first one is sought.
    fn is_shown(&self) -> bool {
        self.slot == 0 && self.set.is_alone(self.slot)
    }

    /// Resolves when it is time to connect: at once for the first session while no other is up; for others, and for the first
    /// one beside them, after a delay.
    async fn may_connect(&self, delay: Duration) {
        let (mut changes, mut config) = (self.set.changes(), self.config.clone());
        let mut due = None;
        loop {
            self.set.until_resumed().await;
            if self.slot == 0 && self.set.is_alone(self.slot) {
                return;
            }
            let is_wanted = self.slot < config.borrow_and_update().settings.sessions;
            if is_wanted && self.set.has_room(self.slot) {
                let due = *due.get_or_insert_with(|| Instant::now() + delay);
                tokio::select! {
                    () = tokio::time::sleep_until(due) => return,
                    _ = changes.changed() => {}
                    _ = config.changed() => {}
                }
            } else {
                due = None;
                tokio::select! {
                    _ = changes.changed() => {}
                    _ = config.changed() => {}
                }
            }
        }
    }

    /// Publishes the outcome of an attempt and decides when the next one follows.
    fn next_step(
        &self,
        outcome: SessionOutcome,
        reconnect_state: &mut ReconnectState,
        attempt_start: Instant,
    ) -> NextStep {
        match outcome {
            SessionOutcome::Stop => NextStep::Stop,
            SessionOutcome::SettingsChanged => {
                reconnect_state.backoff.reset();
                NextStep::RetryNow
            }
            SessionOutcome::Reconsider => NextStep::RetryNow,
            SessionOutcome::NetworkChanged => {
                tracing::info!("the network has changed: a new session is established");
                NextStep::RetryNow
            }
            SessionOutcome::Drained(error) => {
                reconnect_state.first_server += 1;
                let delay = reconnect_state.delay(attempt_start);
                self.failed(SessionState::Waiting, error, delay);
                NextStep::RetryAfter(delay)
            }
            SessionOutcome::Retry(error) | SessionOutcome::ServerTimeout(error) => {
                let mut delay = reconnect_state.delay(attempt_start);
                match error.code {
                    Code::ServerUntrusted => delay = delay.max(UNTRUSTED_RETRY_INTERVAL),
                    Code::SessionElsewhere => delay = delay.max(SAME_NODE_RETRY_INTERVAL),
                    _ => {}
                }
                if self.is_shown() {
                    reconnect_state.log(&error, delay);
                } else {
                    tracing::debug!(code = %error.code, ?delay, "no session beside the leading one: {}", error.message);
                }
                self.failed(SessionState::Waiting, error, delay);
                NextStep::RetryAfter(delay)
            }
            SessionOutcome::Stopped(error) => {
                tracing::warn!(code = %error.code, "{} Start the agent again to reconnect.", error.message);
                self.set.stop(error.clone());
                self.set.status().stopped(error);
                NextStep::WaitForSettings
            }
            SessionOutcome::Refused(error) => {
                tracing::error!(code = %error.code, next_try = ?REFUSED_RETRY_INTERVAL, "{}", error.message);
                self.failed(SessionState::Refused, error, REFUSED_RETRY_INTERVAL);
                NextStep::RetryAfter(REFUSED_RETRY_INTERVAL)
            }
        }
    }

    /// Shows why there is no session, unless another one is up.
    fn failed(&self, state: SessionState, error: Error, delay: Duration) {
        if self.set.is_alone(self.slot) {
            self.set.status().failed(state, error, delay);
        }
    }

    /// Makes one connection attempt and serves the session if it succeeds. `attempt_start` is then set to the end of
    /// the session, so that only attempts count as time spent.
    async fn attempt(
        &mut self,
        settings: &AgentSettings,
        reconnect_state: &mut ReconnectState,
        attempt_start: &mut Instant,
    ) -> SessionOutcome {
        let Some(token) = settings.authtoken.clone() else {
            return SessionOutcome::Refused(Error::new(
                Code::TokenMissing,
                "There is no authtoken. Run `postern config add-authtoken -`, or set POSTERN_AUTHTOKEN.",
            ));
        };
        let timeouts = ConnectTimeouts::new(settings.connect_timeout, reconnect_state.timeouts);
        let set = self.set.clone();
        let is_beside = !set.is_alone(self.slot);
        let replaces = &reconnect_state.replaces;
        let hello = |beside: &Beside| self.hello(settings, token.clone(), replaces.clone(), beside.at.clone());
        let establishing = async {
            let connecting = set.connecting().await;
            let beside = set.beside(self.slot);
            let candidates = set.candidates(settings, reconnect_state.first_server, &beside);
            let established =
                establish(settings, hello(&beside), (candidates, &beside), &reconnect_state.addresses, timeouts).await;
            (connecting, established)
        };
        let mut config = self.config.clone();
        let (connecting, established) = tokio::select! {
            () = self.stop.cancelled() => return SessionOutcome::Stop,
            () = settings_changed(&mut config, settings) => return SessionOutcome::SettingsChanged,
            // The first session is sought at once, by the first of the loops.
            () = set.alone(self.slot), if is_beside => return SessionOutcome::Reconsider,
            established = establishing => established,
        };
        match established {
            Err(outcome) => {
                // Another server may be in a better state.
                reconnect_state.first_server += 1;
                outcome
            }
            Ok((session, incoming, path)) => {
                reconnect_state.backoff.connected();
                reconnect_state.logged = None;
                reconnect_state.replaces.clear();
                let since = Instant::now();
                let welcome = session.welcome();
                let (server, id, region) = (&path.server, &welcome.session, &welcome.region);
                tracing::info!(%server, session = id, node = welcome.node, region, "session established");
                let generation = self.tunnels.online(session.clone());
                // Last: a caller that sees it may start a tunnel at once.
                self.set.established(self.slot, session.clone(), path.clone());
                drop(connecting);
                let outcome = self.serve((session, generation), incoming, settings, path, reconnect_state).await;
                *attempt_start = Instant::now();
                if since.elapsed() >= STABLE_SESSION_TIME {
                    reconnect_state.backoff.reset();
                }
                outcome
            }
        }
    }

    fn hello(&self, settings: &AgentSettings, token: Secret, replaces: String, at: Vec<String>) -> Hello {
        Hello {
            protocol: Default::default(),
            agent_version: env!("CARGO_PKG_VERSION").to_owned(),
            os: format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
            instance: self.state.instance(),
            token,
            metadata: settings.metadata.clone(),
            remote_management: settings.remote_management,
            run: self.set.run().to_owned(),
            replaces,
            at,
            host: settings.report_host.then(host_identity::own),
        }
    }

    async fn serve(
        &mut self,
        (session, generation): (AgentSession, u64),
        mut incoming: Incoming,
        settings: &AgentSettings,
        path: ConnectionPath,
        reconnect_state: &mut ReconnectState,
    ) -> SessionOutcome {
        let streams = TaskTracker::new();
        let outcome = loop {
            let event = tokio::select! {
                () = self.stop.cancelled() => SessionEvent::Stop,
                () = self.set.until_stopped() => SessionEvent::StoppedBeside,
                () = settings_changed(&mut self.config, settings) => SessionEvent::SettingsChanged,
                trigger = reconnect_state.triggers.next() => SessionEvent::Trigger(trigger),
                event = incoming.next() => SessionEvent::Incoming(event),
            };
            let retired = |incoming| {
                RetiredSession::new((session.clone(), incoming), self.tunnels.clone(), generation, streams.clone())
            };
            match event {
                SessionEvent::Stop => {
                    self.leave(retired(incoming)).await;
                    break SessionOutcome::Stop;
                }
                SessionEvent::StoppedBeside => {
                    session.goodbye().await;
                    break SessionOutcome::Reconsider;
                }
                SessionEvent::SettingsChanged => {
                    let new = self.config.borrow().settings.clone();
                    if replace(retired(incoming), settings, &new).await {
                        reconnect_state.replaces.clone_from(&session.welcome().session);
                    }
                    break SessionOutcome::SettingsChanged;
                }
                SessionEvent::Trigger(ReconnectTrigger::Network) if !network_watch::is_local_address(path.local) => {
                    break SessionOutcome::NetworkChanged;
                }
                SessionEvent::Trigger(_) => session.probe(LIVENESS_TIMEOUT),
                SessionEvent::Incoming(Some(IncomingEvent::Stream(stream))) => {
                    let tunnels = self.tunnels.clone();
                    // Looked up before the next event, because the session may be replaced before the task runs.
                    match tunnels.published_endpoint(generation, stream.start.tunnel) {
                        Some(endpoint) => streams.spawn(forward::serve_at(tunnels, generation, endpoint, stream)),
                        None => streams.spawn(forward::serve(tunnels, generation, stream)),
                    };
                }
                SessionEvent::Incoming(Some(IncomingEvent::TunnelClosed { number, error })) => {
                    self.tunnels.closed_by_server(generation, number, error)
                }
                SessionEvent::Incoming(Some(IncomingEvent::Visitors(changes))) => {
                    self.tunnels.visitors_changed(generation, &changes)
                }
                SessionEvent::Incoming(Some(IncomingEvent::Unsent(request))) => {
                    match self.tunnels.published_endpoint(generation, request.number) {
                        Some(endpoint) => forward::capture_unsent_at(&self.tunnels, &endpoint, *request),
                        None => {
                            streams.spawn(forward::capture_unsent(self.tunnels.clone(), generation, *request));
                        }
                    }
                }
                SessionEvent::Incoming(Some(IncomingEvent::Drain { error })) => {
                    let error = error.unwrap_or_else(|| Code::ServerDraining.into());
                    tracing::info!(code = %error.code, "the server asks for a new session; the open streams of this one continue");
                    tokio::spawn(retired(incoming).until_ended());
                    break SessionOutcome::Drained(error);
                }
                // Commands are for nodes.
                SessionEvent::Incoming(Some(IncomingEvent::Command(_))) => {}
                SessionEvent::Incoming(None) => break SessionOutcome::of_end(session.closed().await.reason, &path),
            }
        };
        self.tunnels.offline(generation);
        outcome
    }

    /// Leaves the session because the agent ends.
    async fn leave(&self, retired: RetiredSession) {
        let timeout = self.drain_timeout.get().copied().unwrap_or_default();
        if timeout.is_zero() || !retired.session.drain(true) {
            return retired.session.goodbye().await;
        }
        let open = retired.streams.len();
        if open > 0 {
            tracing::info!(open, ?timeout, "the tunnels are closed; open connections are finished");
        }
        if !retired.leave(timeout).await {
            tracing::warn!("some connections did not finish in time");
        }
    }
}

/// Lets a session go because its settings have changed. Names move to the new session if that is one of the same agent
/// at the same server; otherwise they are given up. Returns whether they move.
async fn replace(retired: RetiredSession, old: &AgentSettings, new: &AgentSettings) -> bool {
    let moves = old.authtoken == new.authtoken && old.servers == new.servers;
    if !retired.session.drain(!moves) {
        retired.session.goodbye().await;
        return false;
    }
    if moves {
        tokio::spawn(retired.until_ended());
    } else {
        tokio::spawn(retired.leave(new.drain_timeout));
    }
    moves
}

/// Establishes a session with the first server that responds.
async fn establish(
    settings: &AgentSettings,
    hello: Hello,
    (candidates, beside): (Vec<Candidate>, &Beside),
    addresses: &AddressCache,
    timeouts: ConnectTimeouts,
) -> Result<(AgentSession, Incoming, ConnectionPath), SessionOutcome> {
    let dial = match ServerDialer::connect_any(settings, candidates, beside, timeouts, addresses).await {
        Err(error) => return Err(SessionOutcome::Retry(error)),
        Ok(Err(failures)) => {
            let timed_out = failures.iter().any(server_dialer::ConnectFailure::is_handshake_timeout);
            let error = to_error(failures);
            return Err(if timed_out { SessionOutcome::ServerTimeout(error) } else { SessionOutcome::Retry(error) });
        }
        Ok(Ok(dial)) => dial,
    };
    let path = dial.path().clone();
    let unreachable = |why: &str| {
        let message =
            format!("The server at {} cannot be reached: {why}. Is it running, and is server_addr right?", path.server);
        Error::new(Code::ServerUnreachable, message)
    };
    match tokio::time::timeout(timeouts.handshake.max(MIN_HELLO_TIMEOUT), connect(Arc::new(dial), hello)).await {
        Ok(Ok((session, incoming))) => Ok((session, incoming, path)),
        Ok(Err(ConnectError::Refused(error))) => Err(SessionOutcome::of_refusal(error)),
        Ok(Err(ConnectError::Io(error))) => Err(SessionOutcome::Retry(unreachable(&error.to_string()))),
        Err(_) => Err(SessionOutcome::ServerTimeout(unreachable("it does not respond to the hello"))),
    }
}

/// Resolves when a setting that the session depends on has changed.
async fn settings_changed(config: &mut watch::Receiver<Arc<Config>>, settings: &AgentSettings) {
    loop {
        if config.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        if session_settings(&config.borrow_and_update().settings) != session_settings(settings) {
            return;
        }
    }
}

/// The settings that a session depends on.
fn session_settings(settings: &AgentSettings) -> impl PartialEq + '_ {
    let AgentSettings {
        authtoken,
        servers,
        server_name,
        root_cas,
        crl_noverify,
        proxy,
        dns_resolvers,
        metadata,
        remote_management,
        report_host,
        connect_timeout,
        sessions,
        ..
    } = settings;
    let path = (servers, server_name, root_cas, crl_noverify, proxy, dns_resolvers, connect_timeout, sessions);
    (authtoken, path, metadata, remote_management, report_host)
}

/// The configured servers in one line.
fn server_list(settings: &AgentSettings) -> String {
    settings.servers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

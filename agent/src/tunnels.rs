//! The tunnels: their definitions, endpoints and progress.

mod bind;
mod builtin;
pub mod diagnosis;
pub mod edge_client;
pub mod endpoint;
pub mod forward;
pub mod guard;
pub mod local_dialer;
pub mod replay;
mod replay_http2;
pub mod sample_request;
mod service_watch;
mod table;
mod uri_component;
pub mod view;
pub mod visitor_connections;

pub use endpoint::{EndpointKind, EndpointPhase, TunnelEndpoint};

use crate::{
    capture::{AgentEvent, CaptureStore, MissingResponse},
    config::{Definition, LocalUpstream, state_file::AgentStateFile},
};
use diagnosis::ResponseDiagnosis;
use futures::StreamExt;
use local_dialer::LocalDialer;
use postern_api::{Code, Error};
use postern_tunnel::{AgentSession, message::VisitorChanges};
use service_watch::ListeningPorts;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use table::{ActiveTunnel, EndpointState, NewLead, TunnelTable};
use tokio::sync::{broadcast, watch};

/// Maximum time a visitor's stream waits for the bind response with its tunnel's number; both travel on different
/// connections.
const BIND_WAIT_TIMEOUT: Duration = Duration::from_secs(5);

/// Time by which the end of a session may be known later than the end of its streams.
const SESSION_LOSS_DELAY: Duration = Duration::from_millis(500);

/// Tunnels of a configuration that are started at the same time; each looks its local address up.
const MAX_CONCURRENT_STARTS: usize = 32;

/// All tunnels of the agent. Clones share the same tunnels.
#[derive(Clone)]
pub struct Tunnels(Arc<TunnelsInner>);

struct TunnelsInner {
    table: Mutex<TunnelTable>,
    changes: watch::Sender<u64>,
    feed: broadcast::Sender<AgentEvent>,
    state: Arc<AgentStateFile>,
    local: LocalDialer,
    diagnosis: ResponseDiagnosis,
    store: Arc<CaptureStore>,
    listening: ListeningPorts,
}

/// The outcome of a start.
pub enum StartOutcome {
    /// All endpoints are published.
    Running,
    /// There is no session: the tunnel starts with the next one.
    Waiting,
    /// The server refused it.
    Refused(Error),
    /// It was stopped meanwhile.
    Stopped,
}

impl Tunnels {
    /// Creates an empty set of tunnels.
    pub fn new(
        state: Arc<AgentStateFile>,
        local: LocalDialer,
        store: Arc<CaptureStore>,
        feed: broadcast::Sender<AgentEvent>,
    ) -> Self {
        let changes = watch::Sender::new(0);
        Tunnels(Arc::new(TunnelsInner {
            table: Mutex::default(),
            changes,
            feed,
            state,
            local,
            diagnosis: ResponseDiagnosis::default(),
            store,
            listening: ListeningPorts::default(),
        }))
    }

    /// Applies the configured tunnels. Running tunnels with a changed definition are restarted, removed ones are
    /// stopped, all others continue. `start` decides about new ones.
    pub async fn configure(&self, saved: &BTreeMap<String, Arc<Definition>>, start: impl Fn(&str) -> bool) {
        let (restart, removed) = {
            let mut table = self.lock_table();
            let mut restart = Vec::new();
            for (name, definition) in saved {
                let entry = table.entries.entry(name.clone()).or_default();
                let old = entry.saved.replace(definition.clone());
                if old.as_ref() == Some(definition) {
                    continue;
                }
                let runs_saved = entry
                    .active
                    .as_ref()
                    .is_some_and(|active| old.as_ref().is_some_and(|old| *old == active.definition));
                if runs_saved || (old.is_none() && entry.active.is_none() && start(name)) {
                    restart.push(definition.clone());
                }
            }
            let mut removed = Vec::new();
            for (name, entry) in &mut table.entries {
                if !saved.contains_key(name)
                    && let Some(old) = entry.saved.take()
                    && entry.active.as_ref().is_some_and(|active| active.definition == old)
                {
                    removed.push(name.clone());
                }
            }
            (restart, removed)
        };
        for name in removed {
            tracing::info!(tunnel = name, "the tunnel was removed from the configuration");
            self.stop(&name);
            self.0.state.forget(&name);
        }
        let start_again = |definition: Arc<Definition>| async move {
            self.stop(&definition.name);
            if let Err(error) = self.start(definition.clone()).await {
                tracing::error!(tunnel = definition.name, code = %error.code, "{}", error.message);
            }
        };
        let restarts = futures::stream::iter(restart).for_each_concurrent(MAX_CONCURRENT_STARTS, start_again);
        restarts.await;
        self.lock_table().entries.retain(|_, entry| entry.saved.is_some() || entry.active.is_some());
        self.notify_change();
    }

    /// Starts a tunnel; it is published now or with the next session.
    ///
    /// # Errors
    /// `TunnelExists` if it runs already; the guard's error for its local address, which is kept with the tunnel for
    /// display.
    pub async fn start(&self, definition: Arc<Definition>) -> Result<(), Error> {
        let name = definition.name.clone();
        let refused = self.0.local.check(&definition.upstream).await.err();
        let (session, endpoints) = {
            let mut table = self.lock_table();
            let session = table.leading().cloned();
            let entry = table.entries.entry(name.clone()).or_default();
            if entry.active.is_some() {
                return Err(Error::new(
                    Code::TunnelExists,
                    format!("A tunnel named `{name}` runs already. Stop it first, or choose another name."),
                ));
            }
            entry.problem = refused.clone();
            if let Some(error) = refused {
                if entry.saved.is_none() {
                    table.entries.remove(&name);
                }
                drop(table);
                self.notify_change();
                return Err(error);
            }
            let states: Vec<EndpointState> =
                TunnelEndpoint::for_definition(&definition).into_iter().map(EndpointState::new).collect();
            let endpoints: Vec<Arc<TunnelEndpoint>> = states.iter().map(|state| state.endpoint.clone()).collect();
            entry.active = Some(ActiveTunnel { definition, endpoints: states });
            (session, endpoints)
        };
        // All endpoints of a tunnel lead to one service.
        endpoints.first().into_iter().for_each(|endpoint| self.watch_service(endpoint));
        if let Some((generation, session)) = session {
            self.bind(generation, session, endpoints);
        }
        self.notify_change();
        Ok(())
    }

    /// Starts a configured tunnel by name. A running one continues, a failed one is retried.
    ///
    /// # Errors
    /// `TunnelUnknown`; the errors of [`start`](Self::start).
    pub async fn start_saved(&self, name: &str) -> Result<(), Error> {
        let (definition, active, failed) = {
            let table = self.lock_table();
            let entry = table.entries.get(name).ok_or_else(|| self.unknown(name))?;
            let active = entry.active.as_ref();
            let failed = active.is_some_and(ActiveTunnel::has_failed);
            let definition = active.map(|active| active.definition.clone()).or_else(|| entry.saved.clone());
            (definition, active.is_some(), failed)
        };
        let Some(definition) = definition else { return Err(self.unknown(name)) };
        if active && !failed {
            return Ok(());
        }
        if failed {
            self.stop(name);
        }
        self.start(definition).await
    }

    /// Stops a tunnel with all its endpoints. Its connections close within five seconds.
    pub fn stop(&self, name: &str) -> bool {
        let names: Vec<String> = {
            let table = self.lock_table();
            let active = table.entries.get(name).and_then(|entry| entry.active.as_ref());
            active
                .map(|active| active.endpoints.iter().map(|state| state.endpoint.name.clone()).collect())
                .unwrap_or_default()
        };
        let cleared = self.lock_table().entries.get_mut(name).is_some_and(|entry| entry.problem.take().is_some());
        if cleared {
            self.notify_change();
        }
        names.iter().filter(|name| self.stop_endpoint(name)).count() > 0
    }

    /// Stops one endpoint by name; `false` if there is none.
    pub fn stop_endpoint(&self, endpoint_name: &str) -> bool {
        let (state, sessions) = {
            let mut table = self.lock_table();
            let sessions = table.sessions.clone();
            let Some((name, entry)) =
                table.entries.iter_mut().find(|(_, entry)| entry.endpoint(endpoint_name).is_some())
            else {
                return false;
            };
            let name = name.clone();
            let Some(active) = &mut entry.active else { return false };
            let Some(index) = active.endpoints.iter().position(|state| state.endpoint.name == endpoint_name) else {
                return false;
            };
            let state = active.endpoints.remove(index);
            if active.endpoints.is_empty() {
                entry.active = None;
                if entry.saved.is_none() {
                    table.entries.remove(&name);
                }
            }
            (state, sessions)
        };
        state.endpoint.stop.cancel();
        for (index, (generation, session)) in sessions.iter().enumerate() {
            if let Some(number) = state.number(*generation, index == 0) {
                session.unbind(number);
            }
        }
        tracing::info!(tunnel = endpoint_name, "tunnel stopped");
        self.notify_change();
        true
    }

    /// Binds all started endpoints in a new session; beside another session, those that are published there.
    pub fn online(&self, session: AgentSession) -> u64 {
        let (generation, tunnels) = {
            let mut table = self.lock_table();
            table.generation += 1;
            let generation = table.generation;
            table.sessions.push((generation, session.clone()));
            if table.is_leading(generation) {
                for state in table.endpoints_mut() {
                    state.phase = EndpointPhase::Starting;
                }
            }
            let is_starting = |state: &&EndpointState| match state.phase {
                EndpointPhase::Running(_) => true,
                _ => table.is_leading(generation),
            };
            let active = table.entries.values().filter_map(|entry| entry.active.as_ref());
            let endpoints = |active: &ActiveTunnel| {
                let starting = active.endpoints.iter().filter(is_starting);
                starting.map(|state| state.endpoint.clone()).collect::<Vec<_>>()
            };
            (generation, active.map(endpoints).collect::<Vec<_>>())
        };
        for endpoints in tunnels {
            self.bind(generation, session.clone(), endpoints);
        }
        self.notify_change();
        generation
    }

    /// A session has ended. Its endpoints are published by another one, or wait for the next.
    pub fn offline(&self, generation: u64) {
        let new_lead = self.lock_table().remove_session(generation);
        if let Some(NewLead { generation, session, unbound }) = new_lead {
            tracing::info!(session = session.welcome().session, "another session has taken over");
            for endpoints in unbound {
                self.bind(generation, session.clone(), endpoints);
            }
        }
        self.notify_change();
    }

    /// Marks an endpoint as failed that the server has closed.
    pub fn closed_by_server(&self, generation: u64, number: u32, error: Error) {
        {
            let mut table = self.lock_table();
            let is_leading = table.is_leading(generation);
            let is_it = |state: &&mut EndpointState| state.number(generation, is_leading) == Some(number);
            let Some(state) = table.endpoints_mut().find(is_it) else { return };
            if !is_leading {
                // It is published in the leading session.
                state.numbers.retain(|(known, _)| *known != generation);
                return;
            }
            tracing::error!(tunnel = state.endpoint.name, code = %error.code, "the server closed the tunnel: {}", error.message);
            state.phase = EndpointPhase::Failed(error);
        }
        self.notify_change();
    }

    /// Counts connections of visitors that the server reports.
    pub fn visitors_changed(&self, generation: u64, changes: &[VisitorChanges]) {
        let mut table = self.lock_table();
        if table.session(generation).is_none() {
            return;
        }
        for changes in changes {
            let state = table.endpoint_at(generation, changes.number);
            match state.map(|state| state.endpoint.clone()) {
                Some(endpoint) => endpoint.connections.apply(generation, changes),
                // Otherwise it is about a tunnel that was stopped.
                None if table.is_binding() => table.early_visitors.add(generation, changes),
                None => {}
            }
        }
    }

    /// Whether the server of the session reports the connections of visitors to HTTP tunnels.
    pub(crate) fn visitors_are_reported(&self) -> bool {
        self.lock_table().leading().is_some_and(|(_, session)| session.reports_visitors())
    }

    /// The endpoint that has a number in a session, if its bind response has arrived.
    pub fn published_endpoint(&self, generation: u64, number: u32) -> Option<Arc<TunnelEndpoint>> {
        let table = self.lock_table();
        let retired = || table.retired.get(&generation)?.get(&number);
        table.endpoint_at(generation, number).map(|state| &state.endpoint).or_else(retired).cloned()
    }

    /// The endpoint that has a number in a session; waits for the bind response if it has not arrived yet.
    pub async fn running_endpoint(&self, generation: u64, number: u32) -> Option<Arc<TunnelEndpoint>> {
        let mut changes = self.0.changes.subscribe();
        let wait = async {
            loop {
                if let Some(endpoint) = self.published_endpoint(generation, number) {
                    return Some(endpoint);
                }
                changes.changed().await.ok()?;
            }
        };
        tokio::time::timeout(BIND_WAIT_TIMEOUT, wait).await.ok().flatten()
    }

    /// Keeps the endpoints that are published in a session, and those whose bind responses are still to come, for streams that arrive
    /// when another session has replaced it.
    pub fn retire(&self, generation: u64) {
        let mut table = self.lock_table();
        let is_leading = table.is_leading(generation);
        let number = |state: &EndpointState| Some((state.number(generation, is_leading)?, state.endpoint.clone()));
        let published = table.endpoints().filter_map(number).collect();
        table.retired.insert(generation, published);
    }

    /// Forgets the endpoints of a session that was let go.
    pub fn forget_retired(&self, generation: u64) {
        self.lock_table().retired.remove(&generation);
    }

    /// Whether a session still has to respond to a bind.
    pub fn awaits_response(&self, generation: u64) -> bool {
        self.lock_table().awaits_response(generation)
    }

    /// Waits for the outcome of a start.
    pub async fn start_outcome(&self, name: &str) -> StartOutcome {
        let mut changes = self.0.changes.subscribe();
        loop {
            {
                let table = self.lock_table();
                let Some(active) = table.entries.get(name).and_then(|entry| entry.active.as_ref()) else {
                    return StartOutcome::Stopped;
                };
                if let Some(error) = active.failure() {
                    return StartOutcome::Refused(error.clone());
                }
                if active.is_running() {
                    return StartOutcome::Running;
                }
                if table.sessions.is_empty() {
                    return StartOutcome::Waiting;
                }
            }
            if changes.changed().await.is_err() {
                return StartOutcome::Stopped;
            }
        }
    }

    /// Subscribes to changes of any tunnel.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.changes.subscribe()
    }

    /// The started endpoint with this name.
    pub fn endpoint_named(&self, endpoint_name: &str) -> Option<Arc<TunnelEndpoint>> {
        self.lock_table()
            .endpoints()
            .find(|state| state.endpoint.name == endpoint_name)
            .map(|state| state.endpoint.clone())
    }

    /// The definition of a tunnel: the running one, else the configured one.
    pub fn definition(&self, name: &str) -> Option<Arc<Definition>> {
        let table = self.lock_table();
        let entry = table.entries.get(name)?;
        entry.active.as_ref().map(|active| active.definition.clone()).or_else(|| entry.saved.clone())
    }

    /// Stops all tunnels.
    pub fn stop_all(&self) {
        let names: Vec<String> = self.lock_table().entries.keys().cloned().collect();
        for name in names {
            self.stop(&name);
        }
    }

    /// Transit time from the server to the agent: half of the session's round-trip time.
    pub(crate) fn transit(&self) -> Option<Duration> {
        let table = self.lock_table();
        let (_, session) = table.leading()?;
        session.latency().map(|both| both / 2)
    }

    /// Time after which the server of this session gives up a request; `None` if it is unknown or the session is over.
    pub(crate) fn answer_timeout(&self, generation: u64) -> Option<Duration> {
        let table = self.lock_table();
        let session = table.session(generation)?;
        Some(session.welcome().answer_timeout).filter(|timeout| *timeout > 0).map(Duration::from_millis)
    }

    pub(crate) fn local(&self) -> &LocalDialer {
        &self.0.local
    }

    /// Explains why a local service did not respond.
    pub(crate) async fn explain_missing_response(
        &self,
        missing: &MissingResponse,
        upstream: &LocalUpstream,
    ) -> Option<String> {
        let LocalUpstream::Address(address) = upstream else { return None };
        self.0.diagnosis.explain(missing, address, self.0.local.unverified()).await
    }

    /// Whether this session has ended or is replaced. Its streams may break a moment before its end is known.
    pub(crate) async fn has_lost_session(&self, generation: u64) -> bool {
        let Some(session) = self.lock_table().session(generation).cloned() else { return true };
        tokio::time::timeout(SESSION_LOSS_DELAY, session.closed()).await.is_ok()
    }

    pub(crate) fn store(&self) -> &Arc<CaptureStore> {
        &self.0.store
    }

    fn notify_change(&self) {
        self.0.changes.send_modify(|version| *version += 1);
        let _ = self.0.feed.send(AgentEvent::Tunnels);
    }

    fn unknown(&self, name: &str) -> Error {
        let shown: String = name.chars().take(80).collect();
        Error::new(Code::TunnelUnknown, format!("There is no tunnel named `{shown}`."))
    }

    fn lock_table(&self) -> MutexGuard<'_, TunnelTable> {
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! The tunnels: which there are, which shall run, and how far each has come.

mod builtin;
pub mod forward;
pub mod guard;
pub mod leg;
pub mod local;
pub mod replay;
pub mod sample;
mod table;
pub mod view;
pub mod visit;
pub mod why;

pub use leg::{Face, Leg, Phase};

use crate::{
    capture::{CaptureStore, Happening, MissingResponse},
    config::{
        Definition, Upstream,
        state::{Address, State},
    },
};
use local::LocalDial;
use postern_api::{Code, Error};
use postern_tunnel::{AgentSession, message::Bound};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use table::{Active, Half, Table};
use tokio::sync::{broadcast, watch};
use why::Reasons;

/// How long a visitor's stream may wait for the answer that names its tunnel; both travel on different connections.
const NUMBER_PATIENCE: Duration = Duration::from_secs(5);

/// All tunnels of the agent. Cheap to clone; clones are the same tunnels.
#[derive(Clone)]
pub struct Tunnels(Arc<Inner>);

struct Inner {
    table: Mutex<Table>,
    changes: watch::Sender<u64>,
    feed: broadcast::Sender<Happening>,
    state: Arc<State>,
    local: LocalDial,
    reasons: Reasons,
    store: Arc<CaptureStore>,
}

/// Where a start has led.
pub enum Settled {
    /// All halves are published.
    Running,
    /// There is no session: it starts as soon as there is one.
    Waiting,
    /// The server refused it.
    Refused(Error),
    /// Somebody stopped it meanwhile.
    Stopped,
}

impl Tunnels {
    /// No tunnels yet.
    pub fn new(
        state: Arc<State>,
        local: LocalDial,
        store: Arc<CaptureStore>,
        feed: broadcast::Sender<Happening>,
    ) -> Self {
        let changes = watch::Sender::new(0);
        Tunnels(Arc::new(Inner {
            table: Mutex::default(),
            changes,
            feed,
            state,
            local,
            reasons: Reasons::default(),
            store,
        }))
    }

    /// Takes over what the configuration says now. Running tunnels whose definition has changed are restarted,
    /// those that are gone are stopped, all others are left alone. `start` decides about new ones.
    pub async fn configure(&self, saved: &BTreeMap<String, Arc<Definition>>, start: impl Fn(&str) -> bool) {
        let (restart, gone) = {
            let mut table = self.locked();
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
            let mut gone = Vec::new();
            for (name, entry) in &mut table.entries {
                if !saved.contains_key(name)
                    && let Some(old) = entry.saved.take()
                    && entry.active.as_ref().is_some_and(|active| active.definition == old)
                {
                    gone.push(name.clone());
                }
            }
            (restart, gone)
        };
        for name in gone {
            tracing::info!(tunnel = name, "the tunnel was removed from the configuration");
            self.stop(&name);
            self.0.state.forget(&name);
        }
        for definition in restart {
            self.stop(&definition.name);
            if let Err(error) = self.start(definition.clone()).await {
                tracing::error!(tunnel = definition.name, code = %error.code, "{}", error.message);
            }
        }
        self.locked().entries.retain(|_, entry| entry.saved.is_some() || entry.active.is_some());
        self.changed();
    }

    /// Starts a tunnel; it comes up now or with the next session.
    ///
    /// # Errors
    /// `TunnelExists` if it runs already; what the guard says about its local address. A refused address is kept
    /// with the tunnel, so that it can be seen why it does not run.
    pub async fn start(&self, definition: Arc<Definition>) -> Result<(), Error> {
        let name = definition.name.clone();
        let refused = self.0.local.check(&definition.upstream).await.err();
        let bindings = {
            let mut table = self.locked();
            let session = table.session.clone();
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
                self.changed();
                return Err(error);
            }
            let halves: Vec<Half> = Leg::all_of(&definition).into_iter().map(Half::new).collect();
            let legs: Vec<Arc<Leg>> = halves.iter().map(|half| half.leg.clone()).collect();
            entry.active = Some(Active { definition, halves });
            session.map(|session| (session, legs))
        };
        if let Some(((generation, session), legs)) = bindings {
            legs.into_iter().for_each(|leg| self.bind(generation, session.clone(), leg));
        }
        self.changed();
        Ok(())
    }

    /// Starts a tunnel of the configuration by its name; one that runs is left alone, one that failed tries again.
    ///
    /// # Errors
    /// `TunnelUnknown`, or as [`start`](Self::start).
    pub async fn start_saved(&self, name: &str) -> Result<(), Error> {
        let (definition, active, failed) = {
            let table = self.locked();
            let entry = table.entries.get(name).ok_or_else(|| self.unknown(name))?;
            let active = entry.active.as_ref();
            let failed = active.is_some_and(Active::has_failed);
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

    /// Stops a tunnel with all its halves. Its visitors' connections end within five seconds.
    pub fn stop(&self, name: &str) -> bool {
        let names: Vec<String> = {
            let table = self.locked();
            let active = table.entries.get(name).and_then(|entry| entry.active.as_ref());
            active.map(|active| active.halves.iter().map(|half| half.leg.name.clone()).collect()).unwrap_or_default()
        };
        let cleared = self.locked().entries.get_mut(name).is_some_and(|entry| entry.problem.take().is_some());
        if cleared {
            self.changed();
        }
        names.iter().filter(|name| self.stop_half(name)).count() > 0
    }

    /// Stops one half by its own name; `false` if there is none.
    pub fn stop_half(&self, leg_name: &str) -> bool {
        let (half, session) = {
            let mut table = self.locked();
            let session = table.session.clone();
            let Some((name, entry)) = table.entries.iter_mut().find(|(_, entry)| entry.half(leg_name).is_some()) else {
                return false;
            };
            let name = name.clone();
            let Some(active) = &mut entry.active else { return false };
            let Some(index) = active.halves.iter().position(|half| half.leg.name == leg_name) else { return false };
            let half = active.halves.remove(index);
            if active.halves.is_empty() {
                entry.active = None;
                if entry.saved.is_none() {
                    table.entries.remove(&name);
                }
            }
            (half, session)
        };
        half.leg.stop.cancel();
        if let (Phase::Running(number), Some((_, session))) = (&half.phase, session) {
            session.unbind(*number);
        }
        tracing::info!(tunnel = leg_name, "tunnel stopped");
        self.changed();
        true
    }

    /// A session has begun: everything that shall run is bound.
    pub fn online(&self, session: AgentSession) -> u64 {
        let (generation, legs) = {
            let mut table = self.locked();
            table.generation += 1;
            table.session = Some((table.generation, session.clone()));
            for half in table.halves_mut() {
                half.phase = Phase::Starting;
            }
            (table.generation, table.halves().map(|half| half.leg.clone()).collect::<Vec<_>>())
        };
        for leg in legs {
            self.bind(generation, session.clone(), leg);
        }
        self.changed();
        generation
    }

    /// The session is over: what runs waits for the next one.
    pub fn offline(&self, generation: u64) {
        {
            let mut table = self.locked();
            if table.session.as_ref().is_none_or(|(current, _)| *current != generation) {
                return;
            }
            table.session = None;
            for half in table.halves_mut() {
                if matches!(half.phase, Phase::Running(_)) {
                    half.phase = Phase::Starting;
                }
            }
        }
        self.changed();
    }

    /// The server has taken a tunnel away.
    pub fn taken_away(&self, generation: u64, number: u32, error: Error) {
        {
            let mut table = self.locked();
            if table.session.as_ref().is_none_or(|(current, _)| *current != generation) {
                return;
            }
            let Some(half) = table.halves_mut().find(|half| half.phase == Phase::Running(number)) else { return };
            tracing::error!(tunnel = half.leg.name, code = %error.code, "the server closed the tunnel: {}", error.message);
            half.phase = Phase::Failed(error);
        }
        self.changed();
    }

    /// The half that a stream belongs to; waits a moment if the server's answer has not arrived yet.
    pub async fn leg(&self, generation: u64, number: u32) -> Option<Arc<Leg>> {
        let find = || {
            let table = self.locked();
            let current = table.session.as_ref().is_some_and(|(current, _)| *current == generation);
            let half = table.halves().find(|half| half.phase == Phase::Running(number)).filter(|_| current);
            half.map(|half| half.leg.clone())
        };
        let mut changes = self.0.changes.subscribe();
        let wait = async {
            loop {
                if let Some(leg) = find() {
                    return Some(leg);
                }
                changes.changed().await.ok()?;
            }
        };
        tokio::time::timeout(NUMBER_PATIENCE, wait).await.ok().flatten()
    }

    /// Waits until a start has led somewhere.
    pub async fn settled(&self, name: &str) -> Settled {
        let mut changes = self.0.changes.subscribe();
        loop {
            {
                let table = self.locked();
                let Some(active) = table.entries.get(name).and_then(|entry| entry.active.as_ref()) else {
                    return Settled::Stopped;
                };
                if let Some(error) = active.failure() {
                    return Settled::Refused(error.clone());
                }
                if active.is_running() {
                    return Settled::Running;
                }
                if table.session.is_none() {
                    return Settled::Waiting;
                }
            }
            if changes.changed().await.is_err() {
                return Settled::Stopped;
            }
        }
    }

    /// Says whenever anything about the tunnels has changed.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.changes.subscribe()
    }

    /// The running or starting half with this name.
    pub fn half(&self, leg_name: &str) -> Option<Arc<Leg>> {
        self.locked().halves().find(|half| half.leg.name == leg_name).map(|half| half.leg.clone())
    }

    /// What is known under a name: as it runs, or else as it is saved.
    pub fn definition(&self, name: &str) -> Option<Arc<Definition>> {
        let table = self.locked();
        let entry = table.entries.get(name)?;
        entry.active.as_ref().map(|active| active.definition.clone()).or_else(|| entry.saved.clone())
    }

    /// Stops everything.
    pub fn stop_all(&self) {
        let names: Vec<String> = self.locked().entries.keys().cloned().collect();
        for name in names {
            self.stop(&name);
        }
    }

    /// How long something takes from the server to here: half of the way there and back, as the session measures it.
    pub(crate) fn transit(&self) -> Option<Duration> {
        let table = self.locked();
        let (_, session) = table.session.as_ref()?;
        session.latency().map(|both| both / 2)
    }

    pub(crate) fn local(&self) -> &LocalDial {
        &self.0.local
    }

    /// Why a local service did not answer.
    pub(crate) async fn reason(&self, silence: &MissingResponse, upstream: &Upstream) -> Option<String> {
        let Upstream::Address(address) = upstream else { return None };
        self.0.reasons.of(silence, address, self.0.local.unverified()).await
    }

    pub(crate) fn store(&self) -> &Arc<CaptureStore> {
        &self.0.store
    }

    fn bind(&self, generation: u64, session: AgentSession, leg: Arc<Leg>) {
        let tunnels = self.clone();
        tokio::spawn(async move {
            let previous = tunnels.0.state.address(&leg.name);
            let answer = session.bind(leg.bind(previous)).await;
            tunnels.answered(generation, &session, &leg, answer);
        });
    }

    fn answered(&self, generation: u64, session: &AgentSession, leg: &Arc<Leg>, answer: Result<Bound, Error>) {
        {
            let mut table = self.locked();
            let current = table.session.as_ref().is_some_and(|(current, _)| *current == generation);
            let half = table.halves_mut().find(|half| Arc::ptr_eq(&half.leg, leg)).filter(|_| current);
            match (half, answer) {
                // Stopped while the question was on its way.
                (None, Ok(bound)) => session.unbind(bound.number),
                (None, Err(_)) => {}
                (Some(half), Ok(bound)) => {
                    let url = bound.url.clone().unwrap_or_default();
                    tracing::info!(tunnel = leg.name, url, forwards_to = leg.shown_address(), "tunnel started");
                    if leg.definition.inspect && !leg.definition.captures() {
                        tracing::info!(tunnel = leg.name, "requests of HTTP/2 pass without being captured");
                    }
                    half.phase = Phase::Running(bound.number);
                    half.url = bound.url;
                    if bound.host.is_some() || bound.port.is_some() {
                        self.0.state.remember(&leg.name, remembered(leg, bound.host, bound.port));
                    }
                }
                // The session ended before the answer came: it is asked again in the next one.
                (Some(_), Err(error)) if error.code == Code::SessionNotReady => {}
                (Some(half), Err(error)) => {
                    tracing::error!(tunnel = leg.name, code = %error.code, "the tunnel was not started: {}", error.message);
                    half.phase = Phase::Failed(error);
                }
            }
        }
        self.changed();
    }

    fn changed(&self) {
        self.0.changes.send_modify(|version| *version += 1);
        let _ = self.0.feed.send(Happening::Tunnels);
    }

    fn unknown(&self, name: &str) -> Error {
        let shown: String = name.chars().take(80).collect();
        Error::new(Code::TunnelUnknown, format!("There is no tunnel named `{shown}`."))
    }

    fn locked(&self) -> MutexGuard<'_, Table> {
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What of an answer is worth asking for again: the name of an HTTP tunnel, the port of a TCP tunnel.
fn remembered(leg: &Leg, host: Option<String>, port: Option<u16>) -> Address {
    match leg.face {
        Face::Tcp => Address { host: None, port },
        _ => Address { host, port: None },
    }
}

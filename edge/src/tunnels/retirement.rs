//! Sessions that are let go in peace: their tunnels move to a newer session of the agent or are unpublished, and their
//! open streams continue for a while.

use crate::tunnels::{
    Session, Tunnel, TunnelRegistry,
    registry::{EndKind, RegistryState},
};
use postern_api::Code;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::time::Instant;

/// Time in which a newer session binds what the older one holds; the rest is given up then.
const HANDOVER_TIMEOUT: Duration = Duration::from_secs(20);
/// Time in which other nodes learn of the new tunnels, if the agent has bound them at another node.
const ANNOUNCEMENT_TIMEOUT: Duration = Duration::from_secs(1);
/// Time that the open streams of the older session get.
const RETIREMENT_TIMEOUT: Duration = Duration::from_secs(30);
/// Interval at which the older session is checked for open streams.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

impl TunnelRegistry {
    /// Asks every agent to connect elsewhere.
    pub(crate) fn drain(&self) {
        let mut state = self.lock_state();
        state.start_draining();
        for entry in state.sessions.values() {
            entry.session.start_draining();
            entry.session.link.drain();
        }
    }

    /// Asks the agent of a session of this node to open a new one; false if the session does not exist.
    pub(crate) fn restart_own(&self, id: &str) -> bool {
        let Some(session) = self.session(id) else { return false };
        session.start_draining();
        self.session_changed(&session);
        session.link.replace(Code::SessionRestarted.into());
        true
    }

    /// Unpublishes the tunnels of a session; their open streams continue until the session ends.
    pub(crate) async fn withdraw(&self, id: &str) {
        let tunnels = self.take_tunnels(&mut self.lock_state(), id);
        self.retire_tunnels(tunnels).await;
    }

    /// Takes the tunnels of a session, which binds nothing from then on, and their names.
    fn take_tunnels(&self, state: &mut RegistryState, id: &str) -> BTreeMap<u32, Arc<Tunnel>> {
        let Some(entry) = state.sessions.get_mut(id) else { return BTreeMap::new() };
        entry.is_withdrawn = true;
        let tunnels = std::mem::take(&mut entry.tunnels);
        for tunnel in tunnels.values() {
            self.release_names(state, tunnel, EndKind::Clean);
        }
        self.update_groups(state);
        tunnels
    }

    async fn retire_tunnels(&self, tunnels: BTreeMap<u32, Arc<Tunnel>>) {
        for tunnel in tunnels.values() {
            self.close_port(tunnel).await;
            tunnel.upstream.retire();
        }
    }

    /// Removes tunnels of older sessions whose place a new tunnel of the same agent has taken.
    pub(super) fn take_over(
        &self,
        state: &mut RegistryState,
        session: &Session,
        is_replaced: impl Fn(&Tunnel) -> bool,
    ) {
        let RegistryState { sessions, directory, .. } = state;
        for entry in sessions.values_mut().filter(|entry| entry.session.yields_to(session)) {
            entry.tunnels.retain(|_, tunnel| {
                let stays = !is_replaced(tunnel);
                if !stays {
                    self.release_claim(tunnel, EndKind::Clean);
                    tunnel.upstream.retire();
                    if let Some(directory) = directory {
                        directory.remove(tunnel, EndKind::Clean);
                    }
                }
                stays
            });
        }
    }

    /// A tunnel, or the one that has taken its place in a newer session of its agent.
    pub(crate) fn in_force(&self, tunnel: Arc<Tunnel>) -> Arc<Tunnel> {
        if !tunnel.upstream.is_retired() {
            return tunnel;
        }
        self.lock_state().successor(&tunnel).unwrap_or(tunnel)
    }

    /// Lets go of a session whose agent has connected again. Ports are closed at once, so that the new session can open
    /// them; names stay until it binds them.
    pub(super) async fn retire(self: &Arc<Self>, older: Arc<Session>) {
        let (tunnels, with_port) = {
            let mut state = self.lock_state();
            let Some(entry) = state.sessions.get_mut(&older.id) else { return };
            let tunnels: Vec<Arc<Tunnel>> = entry.tunnels.values().cloned().collect();
            let with_port: Vec<_> = tunnels.iter().filter(|tunnel| tunnel.port.is_some()).cloned().collect();
            entry.tunnels.retain(|_, tunnel| tunnel.port.is_none());
            for tunnel in &with_port {
                self.release_names(&mut state, tunnel, EndKind::Unclean);
            }
            (tunnels, with_port)
        };
        for tunnel in &with_port {
            self.close_port(tunnel).await;
        }
        self.let_go(older, tunnels);
    }

    /// Ends a session when its agent has bound these tunnels elsewhere and their streams have ended, or after a while.
    pub(super) fn let_go(self: &Arc<Self>, older: Arc<Session>, tunnels: Vec<Arc<Tunnel>>) {
        let registry = self.clone();
        tokio::spawn(async move { registry.finish_retired(&older, &tunnels).await });
    }

    async fn finish_retired(&self, older: &Session, tunnels: &[Arc<Tunnel>]) {
        let start = Instant::now();
        let mut elsewhere_since = None;
        loop {
            let (was_withdrawn, withdrawn) = {
                let mut state = self.lock_state();
                let Some(entry) = state.sessions.get(&older.id) else { return };
                let was_withdrawn = entry.is_withdrawn;
                let (is_empty, is_elsewhere) = (entry.tunnels.is_empty(), state.holds_elsewhere(entry));
                elsewhere_since = elsewhere_since.filter(|_| is_elsewhere).or(is_elsewhere.then(Instant::now));
                let is_known_elsewhere = elsewhere_since.is_some_and(|since| since.elapsed() >= ANNOUNCEMENT_TIMEOUT);
                let is_over = is_empty || is_known_elsewhere || start.elapsed() >= HANDOVER_TIMEOUT;
                // Under the same lock, so that the session binds nothing in between.
                let withdrawn = (is_over && !was_withdrawn).then(|| self.take_tunnels(&mut state, &older.id));
                (was_withdrawn, withdrawn)
            };
            if let Some(withdrawn) = withdrawn {
                self.retire_tunnels(withdrawn).await;
            }
            // What was on the way when the tunnels were withdrawn has arrived one interval later.
            let is_quiet = was_withdrawn && tunnels.iter().all(|tunnel| tunnel.upstream.open_streams() == 0);
            if is_quiet || start.elapsed() >= RETIREMENT_TIMEOUT {
                break;
            }
            tokio::time::sleep(CHECK_INTERVAL).await;
        }
        if let Some(session) = self.remove(&older.id, EndKind::Clean).await {
            session.link.end(Code::SessionReplaced.into());
        }
    }
}

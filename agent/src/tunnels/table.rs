//! The table of tunnels behind its lock. Nothing here blocks or awaits.

use super::{
    endpoint::{EndpointPhase, TunnelEndpoint},
    visitor_connections::EarlyVisitors,
};
use crate::config::Definition;
use postern_api::Error;
use postern_tunnel::AgentSession;
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

/// All tunnels by name, and the sessions they are bound in.
#[derive(Default)]
pub(super) struct TunnelTable {
    pub(super) entries: BTreeMap<String, TunnelEntry>,
    /// Each at another node, by generation. Tunnels are bound in the first, the leading one, before the others.
    pub(super) sessions: Vec<(u64, AgentSession)>,
    pub(super) generation: u64,
    pub(super) early_visitors: EarlyVisitors,
    /// Endpoints whose bind response is awaited from the leading session, by the session's generation.
    pub(super) binding: Vec<(u64, Arc<TunnelEndpoint>)>,
    /// The published endpoints of sessions that are let go in peace, by generation and number.
    pub(super) retired: HashMap<u64, HashMap<u32, Arc<TunnelEndpoint>>>,
}

/// A tunnel that is configured, active, or both.
#[derive(Default)]
pub(super) struct TunnelEntry {
    /// The configured definition; `None` if it was started by the API or the command line only.
    pub(super) saved: Option<Arc<Definition>>,
    /// The started definition and its endpoints.
    pub(super) active: Option<ActiveTunnel>,
    /// Why the last start failed before it reached the server.
    pub(super) problem: Option<Error>,
}

/// A session that has taken the lead.
pub(super) struct NewLead {
    pub(super) generation: u64,
    pub(super) session: AgentSession,
    /// The endpoints of each tunnel that are still to be bound in it.
    pub(super) unbound: Vec<Vec<Arc<TunnelEndpoint>>>,
}

pub(super) struct ActiveTunnel {
    pub(super) definition: Arc<Definition>,
    pub(super) endpoints: Vec<EndpointState>,
}

pub(super) struct EndpointState {
    pub(super) endpoint: Arc<TunnelEndpoint>,
    /// Its progress in the leading session.
    pub(super) phase: EndpointPhase,
    /// Its numbers in the other sessions, by generation; `None` while the response is awaited.
    pub(super) numbers: Vec<(u64, Option<u32>)>,
    /// The public address; the last one while it waits for the next session.
    pub(super) url: Option<String>,
}

impl TunnelTable {
    pub(super) fn endpoints(&self) -> impl Iterator<Item = &EndpointState> {
        self.entries.values().filter_map(|entry| entry.active.as_ref()).flat_map(|active| &active.endpoints)
    }

    /// The endpoints whose bind response is awaited from a session, if it leads or has led.
    fn awaited(&self, generation: u64) -> impl Iterator<Item = &Arc<TunnelEndpoint>> {
        self.binding.iter().filter(move |(known, _)| *known == generation).map(|(_, endpoint)| endpoint)
    }

    /// Whether a session still has to respond to a bind.
    pub(super) fn awaits_response(&self, generation: u64) -> bool {
        self.awaited(generation).next().is_some()
    }

    /// Notes the number that an endpoint has got in a session. Visitors that were reported before are counted. If the session is let go,
    /// the endpoint stays published there until the next one has its address, so that visitors reach it all the time.
    pub(super) fn numbered(&mut self, generation: u64, endpoint: &Arc<TunnelEndpoint>, number: u32) {
        let early = self.early_visitors.take(generation, number);
        early.iter().for_each(|changes| endpoint.connections.apply(generation, changes));
        if let Some(endpoints) = self.retired.get_mut(&generation) {
            endpoints.insert(number, endpoint.clone());
        }
    }

    /// Whether a session still has to respond to the bind of an endpoint that has been stopped meanwhile: until that one is
    /// given up, its address is taken.
    pub(super) fn awaits_stopped(&self, generation: u64) -> bool {
        self.awaited(generation).any(|endpoint| endpoint.stop.is_cancelled())
    }

    /// Whether a bind response is awaited.
    pub(super) fn is_binding(&self) -> bool {
        let awaits = |state: &EndpointState| state.numbers.iter().any(|(_, number)| number.is_none());
        self.endpoints().any(|state| state.phase == EndpointPhase::Starting || awaits(state))
    }

    /// The session that decides what is shown of tunnels.
    pub(super) fn leading(&self) -> Option<&(u64, AgentSession)> {
        self.sessions.first()
    }

    /// The session of a generation, while it is up.
    pub(super) fn session(&self, generation: u64) -> Option<&AgentSession> {
        self.sessions.iter().find(|(known, _)| *known == generation).map(|(_, session)| session)
    }

    /// Whether a generation is that of the leading session.
    pub(super) fn is_leading(&self, generation: u64) -> bool {
        self.leading().is_some_and(|(leading, _)| *leading == generation)
    }

    /// The endpoint that has a number in a session.
    pub(super) fn endpoint_at(&self, generation: u64, number: u32) -> Option<&EndpointState> {
        let is_leading = self.is_leading(generation);
        self.endpoints().find(|state| state.number(generation, is_leading) == Some(number))
    }

    /// Removes a session that has ended. If it led, another one that was beside it
    /// leads from then on, with what is bound there.
    pub(super) fn remove_session(&mut self, generation: u64) -> Option<NewLead> {
        let index = self.sessions.iter().position(|(known, _)| *known == generation)?;
        self.sessions.remove(index);
        self.early_visitors.forget(generation);
        let next = self.leading().cloned().filter(|_| index == 0);
        for state in self.endpoints_mut() {
            state.endpoint.connections.forget_reported(generation);
            state.numbers.retain(|(known, _)| *known != generation);
            if index == 0 && !matches!(state.phase, EndpointPhase::Failed(_)) {
                let bound = next.as_ref().and_then(|(next, _)| state.bound_at(*next)).flatten();
                state.phase = bound.map_or(EndpointPhase::Starting, EndpointPhase::Running);
            }
        }
        let (next, session) = next?;
        let mut unbound = Vec::new();
        for active in self.entries.values_mut().filter_map(|entry| entry.active.as_mut()) {
            let is_unbound =
                |state: &EndpointState| state.phase == EndpointPhase::Starting && state.bound_at(next).is_none();
            let endpoints: Vec<_> =
                active.endpoints.iter().filter(|state| is_unbound(state)).map(|state| state.endpoint.clone()).collect();
            unbound.extend((!endpoints.is_empty()).then_some(endpoints));
            active.endpoints.iter_mut().for_each(|state| state.numbers.retain(|(known, _)| *known != next));
        }
        Some(NewLead { generation: next, session, unbound })
    }

    pub(super) fn endpoints_mut(&mut self) -> impl Iterator<Item = &mut EndpointState> {
        self.entries.values_mut().filter_map(|entry| entry.active.as_mut()).flat_map(|active| &mut active.endpoints)
    }
}

impl TunnelEntry {
    pub(super) fn endpoint(&self, endpoint_name: &str) -> Option<&EndpointState> {
        self.active.as_ref()?.endpoints.iter().find(|state| state.endpoint.name == endpoint_name)
    }
}

impl ActiveTunnel {
    pub(super) fn failure(&self) -> Option<&Error> {
        self.endpoints.iter().find_map(|state| match &state.phase {
            EndpointPhase::Failed(error) => Some(error),
            _ => None,
        })
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failure().is_some()
    }

    pub(super) fn is_running(&self) -> bool {
        self.endpoints.iter().all(|state| matches!(state.phase, EndpointPhase::Running(_)))
    }
}

impl EndpointState {
    pub(super) fn new(endpoint: Arc<TunnelEndpoint>) -> Self {
        EndpointState { endpoint, phase: EndpointPhase::Starting, numbers: Vec::new(), url: None }
    }

    /// Its number in a session.
    pub(super) fn number(&self, generation: u64, is_leading: bool) -> Option<u32> {
        match self.phase {
            EndpointPhase::Running(number) if is_leading => Some(number),
            _ if is_leading => None,
            _ => self.bound_at(generation).flatten(),
        }
    }

    /// Whether it is bound in a session beside the leading one, and under which number, if the response has arrived.
    fn bound_at(&self, generation: u64) -> Option<Option<u32>> {
        self.numbers.iter().find(|(known, _)| *known == generation).map(|(_, number)| *number)
    }
}

//! The table of tunnels behind its lock. Nothing here blocks or awaits.

use super::{
    endpoint::{EndpointPhase, TunnelEndpoint},
    visitor_connections::EarlyVisitors,
};
use crate::config::Definition;
use postern_api::Error;
use postern_tunnel::AgentSession;
use std::{collections::BTreeMap, sync::Arc};

/// All tunnels by name, and the session they are bound in.
#[derive(Default)]
pub(super) struct TunnelTable {
    pub(super) entries: BTreeMap<String, TunnelEntry>,
    pub(super) session: Option<(u64, AgentSession)>,
    pub(super) generation: u64,
    pub(super) early_visitors: EarlyVisitors,
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

pub(super) struct ActiveTunnel {
    pub(super) definition: Arc<Definition>,
    pub(super) endpoints: Vec<EndpointState>,
}

pub(super) struct EndpointState {
    pub(super) endpoint: Arc<TunnelEndpoint>,
    pub(super) phase: EndpointPhase,
    /// The public address; the last one while it waits for the next session.
    pub(super) url: Option<String>,
}

impl TunnelTable {
    pub(super) fn endpoints(&self) -> impl Iterator<Item = &EndpointState> {
        self.entries.values().filter_map(|entry| entry.active.as_ref()).flat_map(|active| &active.endpoints)
    }

    /// Whether a bind response is awaited.
    pub(super) fn is_binding(&self) -> bool {
        self.endpoints().any(|state| state.phase == EndpointPhase::Starting)
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
    pub(super) fn endpoints(&self) -> Vec<Arc<TunnelEndpoint>> {
        self.endpoints.iter().map(|state| state.endpoint.clone()).collect()
    }

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
        EndpointState { endpoint, phase: EndpointPhase::Starting, url: None }
    }
}

//! The tunnels as the local API shows them.

use super::{
    Tunnels,
    endpoint::{EndpointKind, EndpointPhase},
    table::{EndpointState, TunnelEntry},
    uri_component,
};
use crate::config::{Definition, DefinitionKind};
use postern_api::{
    Error,
    local::{
        ConfiguredTunnel, EndpointUpstream, EndpointView, Reason, RunningTunnel, RunningTunnelConfig, TunnelMetrics,
        TunnelState,
    },
};
use postern_tunnel::{message::AppProtocol, proxy::ProxyVersion};
use serde_json::Value as Json;

impl Tunnels {
    /// The endpoints that are published, or wait for the next session, as `tunnels` of the API.
    pub fn list(&self) -> Vec<RunningTunnel> {
        self.lock_table().endpoints().filter(|state| is_listed(state)).map(tunnel_view).collect()
    }

    /// One of them by name.
    pub fn detail(&self, endpoint_name: &str) -> Option<RunningTunnel> {
        self.lock_table()
            .endpoints()
            .find(|state| state.endpoint.name == endpoint_name && is_listed(state))
            .map(tunnel_view)
    }

    /// The endpoints with a public address of their own, in the terms of version 3.
    pub fn endpoints(&self) -> Vec<EndpointView> {
        self.lock_table().endpoints().filter(|state| has_address(state)).map(endpoint_view).collect()
    }

    /// One of them by name.
    pub fn endpoint(&self, endpoint_name: &str) -> Option<EndpointView> {
        self.lock_table()
            .endpoints()
            .find(|state| state.endpoint.name == endpoint_name && has_address(state))
            .map(endpoint_view)
    }

    /// All tunnels, running or not.
    pub fn configured(&self) -> Vec<ConfiguredTunnel> {
        self.lock_table()
            .entries
            .iter()
            .filter(|(_, entry)| exists(entry))
            .map(|(name, entry)| configured_view(name, entry))
            .collect()
    }

    /// One of them by name.
    pub fn configured_one(&self, name: &str) -> Option<ConfiguredTunnel> {
        self.lock_table().entries.get(name).filter(|entry| exists(entry)).map(|entry| configured_view(name, entry))
    }
}

fn exists(entry: &TunnelEntry) -> bool {
    entry.saved.is_some() || entry.active.is_some()
}

fn is_listed(state: &EndpointState) -> bool {
    match state.phase {
        EndpointPhase::Running(_) => true,
        EndpointPhase::Starting => state.url.is_some(),
        EndpointPhase::Failed(_) => false,
    }
}

fn tunnel_view(state: &EndpointState) -> RunningTunnel {
    let endpoint = &state.endpoint;
    let labels = match &endpoint.definition.kind {
        DefinitionKind::Labels(labels) => Some(labels.clone()),
        _ => None,
    };
    RunningTunnel {
        name: endpoint.name.clone(),
        uri: format!("/api/tunnels/{}", uri_component::encode(&endpoint.name)),
        public_url: state.url.clone().unwrap_or_default(),
        proto: endpoint.kind.proto().to_owned(),
        config: RunningTunnelConfig { addr: endpoint.displayed_address(), inspect: endpoint.definition.captures() },
        metrics: metrics(endpoint),
        labels,
    }
}

/// Labelled tunnels have no address: their edges have.
fn has_address(state: &EndpointState) -> bool {
    is_listed(state) && !matches!(state.endpoint.definition.kind, DefinitionKind::Labels(_))
}

fn endpoint_view(state: &EndpointState) -> EndpointView {
    let endpoint = &state.endpoint;
    let protocol = match endpoint.definition.upstream_protocol.app_protocol {
        AppProtocol::Http1 => "http1",
        AppProtocol::Http2 => "http2",
    };
    let proxy_protocol = endpoint.definition.upstream_protocol.proxy_protocol.map(|version| match version {
        ProxyVersion::V1 => "1",
        ProxyVersion::V2 => "2",
    });
    EndpointView {
        name: endpoint.name.clone(),
        uri: format!("/api/endpoints/{}", uri_component::encode(&endpoint.name)),
        url: state.url.clone().unwrap_or_default(),
        upstream: EndpointUpstream {
            url: endpoint.displayed_address(),
            protocol: endpoint.definition.is_http().then(|| protocol.to_owned()),
            proxy_protocol: proxy_protocol.map(str::to_owned),
        },
        bindings: vec!["public".to_owned()],
        metadata: endpoint.definition.metadata.clone(),
        inspect: endpoint.definition.captures(),
        metrics: metrics(endpoint),
    }
}

fn metrics(endpoint: &super::TunnelEndpoint) -> TunnelMetrics {
    TunnelMetrics { conns: endpoint.connections.snapshot(), http: endpoint.requests.snapshot().into() }
}

fn configured_view(name: &str, entry: &TunnelEntry) -> ConfiguredTunnel {
    let definition = entry.active.as_ref().map(|active| &active.definition).or(entry.saved.as_ref());
    let (state, error) = entry_state(entry);
    let endpoints = entry.active.as_ref().map(|active| active.endpoints.as_slice()).unwrap_or_default();
    let main = endpoints.iter().find(|state| state.endpoint.kind != EndpointKind::Http).or(endpoints.first());
    ConfiguredTunnel {
        name: name.to_owned(),
        definition: definition.map(|definition| definition.raw.masked()).unwrap_or_default(),
        state,
        public_url: main.and_then(|state| state.url.clone()),
        error: error.map(reason),
        service: main.and_then(|state| state.endpoint.service.error()).as_deref().map(reason),
        saved: entry.saved.is_some(),
    }
}

fn reason(error: &Error) -> Reason {
    Reason { code: error.code.to_string(), message: error.message.clone() }
}

fn entry_state(entry: &TunnelEntry) -> (TunnelState, Option<&Error>) {
    match &entry.active {
        None => match &entry.problem {
            Some(problem) => (TunnelState::Failed, Some(problem)),
            None => (TunnelState::Stopped, None),
        },
        Some(active) => match active.failure() {
            Some(error) => (TunnelState::Failed, Some(error)),
            None if active.is_running() => (TunnelState::Running, None),
            None => (TunnelState::Starting, None),
        },
    }
}

impl Definition {
    /// The keys of the definition, with secrets masked.
    pub fn raw_json(&self) -> Json {
        Json::Object(self.raw.masked())
    }
}

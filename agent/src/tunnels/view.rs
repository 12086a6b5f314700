//! The tunnels as JSON for the local API.

use super::{
    Tunnels,
    endpoint::{EndpointKind, EndpointPhase},
    table::{EndpointState, TunnelEntry},
    uri_component,
};
use crate::config::Definition;
use postern_api::Error;
use postern_tunnel::{message::AppProtocol, proxy::ProxyVersion};
use serde_json::{Value as Json, json};

impl Tunnels {
    /// The endpoints that are published, or wait for the next session, as `tunnels` of the API.
    pub fn list(&self) -> Vec<Json> {
        self.lock_table().endpoints().filter(|state| is_listed(state)).map(tunnel_json).collect()
    }

    /// One of them by name.
    pub fn detail(&self, endpoint_name: &str) -> Option<Json> {
        self.lock_table()
            .endpoints()
            .find(|state| state.endpoint.name == endpoint_name && is_listed(state))
            .map(tunnel_json)
    }

    /// The endpoints with a public address of their own, in the terms of version 3.
    pub fn endpoints(&self) -> Vec<Json> {
        self.lock_table().endpoints().filter(|state| has_address(state)).map(endpoint_json).collect()
    }

    /// One of them by name.
    pub fn endpoint(&self, endpoint_name: &str) -> Option<Json> {
        self.lock_table()
            .endpoints()
            .find(|state| state.endpoint.name == endpoint_name && has_address(state))
            .map(endpoint_json)
    }

    /// All tunnels, running or not.
    pub fn configured(&self) -> Vec<Json> {
        self.lock_table()
            .entries
            .iter()
            .filter(|(_, entry)| exists(entry))
            .map(|(name, entry)| configured_json(name, entry))
            .collect()
    }

    /// One of them by name.
    pub fn configured_one(&self, name: &str) -> Option<Json> {
        self.lock_table().entries.get(name).filter(|entry| exists(entry)).map(|entry| configured_json(name, entry))
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

fn tunnel_json(state: &EndpointState) -> Json {
    let endpoint = &state.endpoint;
    let mut tunnel = json!({
        "name": endpoint.name,
        "uri": format!("/api/tunnels/{}", uri_component::encode(&endpoint.name)),
        "public_url": state.url.as_deref().unwrap_or_default(),
        "proto": endpoint.kind.proto(),
        "config": {"addr": endpoint.displayed_address(), "inspect": endpoint.definition.captures()},
        "metrics": {"conns": endpoint.connections.snapshot(), "http": request_metrics(endpoint)},
    });
    if let (crate::config::DefinitionKind::Labels(labels), Some(members)) =
        (&endpoint.definition.kind, tunnel.as_object_mut())
    {
        members.insert("labels".into(), json!(labels));
    }
    tunnel
}

/// Labelled tunnels have no address: their edges have.
fn has_address(state: &EndpointState) -> bool {
    is_listed(state) && !matches!(state.endpoint.definition.kind, crate::config::DefinitionKind::Labels(_))
}

fn endpoint_json(state: &EndpointState) -> Json {
    let endpoint = &state.endpoint;
    let protocol = match endpoint.definition.upstream_protocol.app_protocol {
        AppProtocol::Http1 => "http1",
        AppProtocol::Http2 => "http2",
    };
    let mut upstream = json!({"url": endpoint.displayed_address()});
    if endpoint.definition.is_http() {
        upstream["protocol"] = protocol.into();
    }
    if let Some(version) = endpoint.definition.upstream_protocol.proxy_protocol {
        upstream["proxy_protocol"] = match version {
            ProxyVersion::V1 => "1".into(),
            ProxyVersion::V2 => "2".into(),
        };
    }
    json!({
        "name": endpoint.name,
        "uri": format!("/api/endpoints/{}", uri_component::encode(&endpoint.name)),
        "url": state.url.as_deref().unwrap_or_default(),
        "upstream": upstream,
        "bindings": ["public"],
        "metadata": endpoint.definition.metadata,
        "inspect": endpoint.definition.captures(),
        "metrics": {"conns": endpoint.connections.snapshot(), "http": request_metrics(endpoint)},
    })
}

/// Request metrics have no gauge in the API.
fn request_metrics(endpoint: &super::TunnelEndpoint) -> Json {
    let mut snapshot = json!(endpoint.requests.snapshot());
    if let Some(members) = snapshot.as_object_mut() {
        members.shift_remove("gauge");
    }
    snapshot
}

fn configured_json(name: &str, entry: &TunnelEntry) -> Json {
    let definition = entry.active.as_ref().map(|active| &active.definition).or(entry.saved.as_ref());
    let (state, error) = entry_state(entry);
    let endpoints = entry.active.as_ref().map(|active| active.endpoints.as_slice()).unwrap_or_default();
    let main = endpoints.iter().find(|state| state.endpoint.kind != EndpointKind::Http).or(endpoints.first());
    json!({
        "name": name,
        "definition": definition.map(|definition| definition.as_ref().raw_json()),
        "state": state,
        "public_url": main.and_then(|state| state.url.clone()),
        "error": error.map(|error| json!({"code": error.code, "message": error.message})),
        "saved": entry.saved.is_some(),
    })
}

fn entry_state(entry: &TunnelEntry) -> (&'static str, Option<&Error>) {
    match &entry.active {
        None => match &entry.problem {
            Some(problem) => ("failed", Some(problem)),
            None => ("stopped", None),
        },
        Some(active) => match active.failure() {
            Some(error) => ("failed", Some(error)),
            None if active.is_running() => ("running", None),
            None => ("starting", None),
        },
    }
}

impl Definition {
    /// The keys of the definition, with secrets masked.
    pub fn raw_json(&self) -> Json {
        Json::Object(self.raw.masked())
    }
}

//! The tunnels as the local API shows them.

use super::{
    Tunnels,
    leg::{Face, Phase},
    table::{Entry, Half},
};
use crate::config::Definition;
use postern_api::Error;
use postern_tunnel::{message::AppProtocol, proxy::ProxyVersion};
use serde_json::{Value as Json, json};
use std::fmt::Write;

impl Tunnels {
    /// The contract's tunnels: every half that is published, or was and waits for the next session.
    pub fn list(&self) -> Vec<Json> {
        self.locked().halves().filter(|half| shown(half)).map(tunnel).collect()
    }

    /// One of them by name.
    pub fn detail(&self, leg_name: &str) -> Option<Json> {
        self.locked().halves().find(|half| half.leg.name == leg_name && shown(half)).map(tunnel)
    }

    /// Those that have a public address of their own, in the words of version 3.
    pub fn endpoints(&self) -> Vec<Json> {
        self.locked().halves().filter(|half| is_endpoint(half)).map(endpoint).collect()
    }

    /// One of them by name.
    pub fn endpoint(&self, leg_name: &str) -> Option<Json> {
        self.locked().halves().find(|half| half.leg.name == leg_name && is_endpoint(half)).map(endpoint)
    }

    /// All tunnels there are, running or not.
    pub fn configured(&self) -> Vec<Json> {
        self.locked().entries.iter().filter(|(_, entry)| exists(entry)).map(|(name, entry)| item(name, entry)).collect()
    }

    /// One of them by name.
    pub fn configured_one(&self, name: &str) -> Option<Json> {
        self.locked().entries.get(name).filter(|entry| exists(entry)).map(|entry| item(name, entry))
    }
}

fn exists(entry: &Entry) -> bool {
    entry.saved.is_some() || entry.active.is_some()
}

fn shown(half: &Half) -> bool {
    match half.phase {
        Phase::Running(_) => true,
        Phase::Starting => half.url.is_some(),
        Phase::Failed(_) => false,
    }
}

fn tunnel(half: &Half) -> Json {
    let leg = &half.leg;
    let mut tunnel = json!({
        "name": leg.name,
        "uri": format!("/api/tunnels/{}", escaped(&leg.name)),
        "public_url": half.url.as_deref().unwrap_or_default(),
        "proto": leg.face.proto(),
        "config": {"addr": leg.shown_address(), "inspect": leg.definition.captures()},
        "metrics": {"conns": leg.connections.snapshot(), "http": requests(leg)},
    });
    if let (crate::config::Kind::Labels(labels), Some(members)) = (&leg.definition.kind, tunnel.as_object_mut()) {
        members.insert("labels".into(), json!(labels));
    }
    tunnel
}

/// Tunnels with labels have no address: edges have.
fn is_endpoint(half: &Half) -> bool {
    shown(half) && !matches!(half.leg.definition.kind, crate::config::Kind::Labels(_))
}

fn endpoint(half: &Half) -> Json {
    let leg = &half.leg;
    let protocol = match leg.definition.wire.app_protocol {
        AppProtocol::Http1 => "http1",
        AppProtocol::Http2 => "http2",
    };
    let mut upstream = json!({"url": leg.shown_address()});
    if leg.definition.is_http() {
        upstream["protocol"] = protocol.into();
    }
    if let Some(version) = leg.definition.wire.proxy_protocol {
        upstream["proxy_protocol"] = match version {
            ProxyVersion::V1 => "1".into(),
            ProxyVersion::V2 => "2".into(),
        };
    }
    json!({
        "name": leg.name,
        "uri": format!("/api/endpoints/{}", escaped(&leg.name)),
        "url": half.url.as_deref().unwrap_or_default(),
        "upstream": upstream,
        "bindings": ["public"],
        "metadata": leg.definition.metadata,
        "inspect": leg.definition.captures(),
        "metrics": {"conns": leg.connections.snapshot(), "http": requests(leg)},
    })
}

/// Requests have no gauge in the contract.
fn requests(leg: &super::Leg) -> Json {
    let mut snapshot = json!(leg.requests.snapshot());
    if let Some(members) = snapshot.as_object_mut() {
        members.shift_remove("gauge");
    }
    snapshot
}

fn item(name: &str, entry: &Entry) -> Json {
    let definition = entry.active.as_ref().map(|active| &active.definition).or(entry.saved.as_ref());
    let (state, error) = state(entry);
    let halves = entry.active.as_ref().map(|active| active.halves.as_slice()).unwrap_or_default();
    let main = halves.iter().find(|half| half.leg.face != Face::Http).or(halves.first());
    json!({
        "name": name,
        "definition": definition.map(|definition| definition.as_ref().written_json()),
        "state": state,
        "public_url": main.and_then(|half| half.url.clone()),
        "error": error.map(|error| json!({"code": error.code, "message": error.message})),
        "saved": entry.saved.is_some(),
    })
}

fn state(entry: &Entry) -> (&'static str, Option<&Error>) {
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
    /// The keys as they were written, secrets as stars.
    pub fn written_json(&self) -> Json {
        Json::Object(self.written.shown())
    }
}

/// A name as it stands in an address.
pub fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_escaped_in_addresses() {
        assert_eq!(super::escaped("site (http)"), "site%20%28http%29");
        assert_eq!(super::escaped("ä/?"), "%C3%A4%2F%3F");
    }
}

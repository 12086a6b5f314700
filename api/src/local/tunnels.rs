//! Tunnels as the local API shows them: running, configured, and as endpoints.

use super::Reason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{collections::BTreeMap, fmt};

/// A tunnel that is published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunningTunnel {
    /// The name, with the scheme in parentheses for the second of two schemes.
    pub name: String,
    /// The path of this resource.
    pub uri: String,
    /// The public address; empty for tunnels with labels.
    pub public_url: String,
    /// `http`, `https`, `tcp` or `tls`.
    pub proto: String,
    /// The parts of the definition that clients ask for.
    pub config: RunningTunnelConfig,
    /// Connections and requests so far.
    pub metrics: TunnelMetrics,
    /// The labels of a tunnel with labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeMap<String, String>>,
}

/// Parts of the definition of a running tunnel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunningTunnelConfig {
    /// The address of the local service.
    pub addr: String,
    /// Requests are captured.
    pub inspect: bool,
}

/// Running tunnels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunningTunnelList {
    /// The tunnels.
    pub tunnels: Vec<RunningTunnel>,
    /// The path of this resource.
    pub uri: String,
}

/// Connections and requests of a tunnel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TunnelMetrics {
    /// Connections.
    pub conns: ConnectionMetrics,
    /// HTTP requests.
    pub http: RequestMetrics,
}

/// Numbers of visitors' connections. Rates are per second: moving averages over 1, 5 and 15 minutes, which take in each
/// five seconds when they are over. Percentiles are durations in nanoseconds of connections that have ended, within one
/// percent; 0 without one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the struct says it")]
pub struct ConnectionMetrics {
    pub count: u64,
    /// Open at the moment.
    pub gauge: u64,
    pub rate1: f64,
    pub rate5: f64,
    pub rate15: f64,
    pub p50: u64,
    pub p90: u64,
    pub p95: u64,
    pub p99: u64,
}

/// Numbers of answered requests, in the form of those of connections. Durations are those from the arrival of the
/// request's head at the agent to the end of the response.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the struct says it")]
pub struct RequestMetrics {
    pub count: u64,
    pub rate1: f64,
    pub rate5: f64,
    pub rate15: f64,
    pub p50: u64,
    pub p90: u64,
    pub p95: u64,
    pub p99: u64,
}

impl From<ConnectionMetrics> for RequestMetrics {
    fn from(metrics: ConnectionMetrics) -> Self {
        let ConnectionMetrics { count, gauge: _, rate1, rate5, rate15, p50, p90, p95, p99 } = metrics;
        RequestMetrics { count, rate1, rate5, rate15, p50, p90, p95, p99 }
    }
}

/// A published tunnel in the words of version 3 of the configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EndpointView {
    /// The name.
    pub name: String,
    /// The path of this resource.
    pub uri: String,
    /// The public address.
    pub url: String,
    /// The local service.
    pub upstream: EndpointUpstream,
    /// Always `public`.
    pub bindings: Vec<String>,
    /// The owner's text.
    pub metadata: String,
    /// Requests are captured.
    pub inspect: bool,
    /// Connections and requests so far.
    pub metrics: TunnelMetrics,
}

/// The local service of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EndpointUpstream {
    /// The address.
    pub url: String,
    /// `http1` or `http2`, for HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// The version of the PROXY protocol that is sent: `1` or `2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_protocol: Option<String>,
}

/// Endpoints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EndpointList {
    /// The endpoints.
    pub endpoints: Vec<EndpointView>,
    /// The path of this resource.
    pub uri: String,
}

/// A tunnel that exists, running or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfiguredTunnel {
    /// The name.
    pub name: String,
    /// The keys as they are written, with secrets as stars.
    #[serde(default)]
    #[schemars(with = "TunnelDefinition")]
    pub definition: Map<String, Value>,
    /// The state.
    pub state: TunnelState,
    /// The public address while it is known.
    #[serde(default)]
    pub public_url: Option<String>,
    /// The reason of a failure.
    #[serde(default)]
    pub error: Option<Reason>,
    /// Why the local service of a started tunnel cannot be reached, if that is known.
    #[serde(default)]
    pub service: Option<Reason>,
    /// In the configuration file; other tunnels end with the agent.
    #[serde(default)]
    pub saved: bool,
}

impl ConfiguredTunnel {
    /// Whether the tunnel is on or starting. A failed tunnel is off, and switching it on tries again.
    pub fn is_on(&self) -> bool {
        matches!(self.state, TunnelState::Starting | TunnelState::Running)
    }

    /// Whether the tunnel was switched on, even if it failed.
    pub fn is_enabled(&self) -> bool {
        self.state != TunnelState::Stopped
    }
}

/// The state of a tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TunnelState {
    /// Not started.
    Stopped,
    /// Waits for the server.
    Starting,
    /// Published.
    Running,
    /// Refused or invalid.
    Failed,
}

impl fmt::Display for TunnelState {
    /// The name in JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TunnelState::Stopped => "stopped",
            TunnelState::Starting => "starting",
            TunnelState::Running => "running",
            TunnelState::Failed => "failed",
        })
    }
}

/// Configured tunnels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfiguredTunnelList {
    /// The tunnels.
    pub tunnels: Vec<ConfiguredTunnel>,
    /// The path of this resource.
    #[serde(default)]
    pub uri: String,
}

/// A tunnel as it is written in the configuration file; docs/agent-config.md has all keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the keys of the configuration file are documented there")]
pub struct TunnelDefinition {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proto: Option<String>,
    /// A port, an address or a URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("type" = ["string", "integer"]))]
    pub addr: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schemes: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inspect: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_header: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote_addr: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
    /// All other keys.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// The outcome of a sample request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SampleResponse {
    /// The status of the response.
    pub status_code: u16,
}

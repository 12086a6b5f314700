//! Messages on the control connection.
//!
//! Every message is one JSON object with a `type`. Unknown types are skipped, unknown fields ignored, missing
//! optional fields have a default, so older and newer peers interoperate within a version.

use super::{
    agent_host::AgentHost,
    bind_modules::BindModules,
    node_link::{Announcement, LinkCommand},
    version::VersionRange,
};
use postern_api::{Error, Secret};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, net::SocketAddr, time::Duration};

/// Default interval between heartbeats in milliseconds.
pub const DEFAULT_HEARTBEAT_MS: u64 = 10_000;

/// First message of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Message versions that the agent understands.
    #[serde(default)]
    pub protocol: VersionRange,
    /// Version of the agent's software, for display.
    #[serde(default)]
    pub agent_version: String,
    /// Operating system and architecture of the agent, such as `linux/x86_64`.
    #[serde(default)]
    pub os: String,
    /// Id of the agent instance. A reconnecting agent with the same id takes over its names.
    #[serde(default)]
    pub instance: String,
    /// Authtoken.
    #[serde(default)]
    pub token: Secret,
    /// Free text of the user, shown with the session.
    #[serde(default)]
    pub metadata: String,
    /// Whether the agent may be stopped and restarted through the server's management API.
    #[serde(default)]
    pub remote_management: bool,
    /// Random for each start of the agent: tells its other sessions from those of a copy with the same `instance`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// Id of the session that this one replaces at the same server, if the agent lets that one go in peace.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub replaces: String,
    /// Ids of the nodes at which the agent has sessions already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<String>,
    /// The machine that the agent runs on, unless its user keeps that to itself. Older agents do not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<AgentHost>,
}

/// The server's response to a [`Hello`] that it accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// Message version of the session; set by this crate.
    #[serde(default)]
    pub protocol: u16,
    /// Session id, `ts_…`.
    pub session: String,
    /// Secret that a data connection presents to join the session.
    pub data_secret: Secret,
    /// Version of the server's software, for display.
    #[serde(default)]
    pub server_version: String,
    /// Region of the server.
    #[serde(default)]
    pub region: String,
    /// Interval between heartbeats in milliseconds, 1,000 to 60,000. A peer that is silent for one and a half
    /// intervals is dead.
    #[serde(default = "default_heartbeat")]
    pub heartbeat: u64,
    /// Time in milliseconds after which the server gives up a request that the local service does not answer; 0 if it
    /// is not known.
    #[serde(default)]
    pub answer_timeout: u64,
    /// Id of the node, if the server is one of several.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub node: String,
    /// The other nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<OtherNode>,
}

/// A node that an agent can have another session with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherNode {
    /// Node id.
    pub id: String,
    /// Address of exactly this node for agents, `host:port`; `None` if it has told none.
    #[serde(default)]
    pub address: Option<String>,
}

/// Request of an agent for a public address, or to serve a backend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bind {
    /// Request id, repeated in the response; set by the session.
    #[serde(default)]
    pub request: u64,
    /// Name of the tunnel at the agent.
    pub name: String,
    /// Requested address.
    pub what: BindKind,
    /// Address of the local service, for display.
    #[serde(default)]
    pub forwards_to: String,
    /// Free text of the user, shown with the tunnel.
    #[serde(default)]
    pub metadata: String,
    /// Whether the agent captures the traffic.
    #[serde(default)]
    pub inspect: bool,
    /// HTTP version of the local service.
    #[serde(default)]
    pub app_protocol: AppProtocol,
    /// Whether a stream may carry the requests of one visitor only, because the local service is told the visitor's
    /// address once per connection.
    #[serde(default)]
    pub per_visitor: bool,
    /// Modules that the edge applies to visitors of the tunnel. Requires [`VersionRange::has_modules`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modules: Option<BindModules>,
}

/// HTTP version of a local service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AppProtocol {
    /// HTTP/2 with prior knowledge (RFC 9113, section 3.3): many requests share one stream.
    Http2,
    /// HTTP/1.1, also used for values this build does not know.
    #[default]
    #[serde(other)]
    Http1,
}

/// Kind of address that an agent requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BindKind {
    /// A host name on the server's HTTP or HTTPS listener.
    Http {
        /// Full host name, or a label below the server's domain. Wildcards are allowed; `None` generates a name.
        #[serde(default)]
        host: Option<String>,
        /// Listener.
        scheme: Scheme,
        /// Previous name of the tunnel, preferred to a newly generated one.
        #[serde(default)]
        previous: Option<String>,
    },
    /// A host name on the server's HTTPS listener, with any protocol inside TLS. Requires
    /// [`VersionRange::has_modules`].
    Tls {
        /// Full host name, or a label below the server's domain. Wildcards are allowed; `None` generates a name.
        #[serde(default)]
        host: Option<String>,
        /// Previous name of the tunnel, preferred to a newly generated one.
        #[serde(default)]
        previous: Option<String>,
        /// Whether the server terminates TLS; otherwise it passes TLS through.
        #[serde(default)]
        terminate: bool,
    },
    /// A TCP port of the server.
    Tcp {
        /// Requested port; `None` lets the server choose.
        #[serde(default)]
        port: Option<u16>,
        /// Previous port of the tunnel, preferred to a newly chosen one.
        #[serde(default)]
        previous: Option<u16>,
    },
    /// No address: the tunnel serves the backends that select its labels.
    Labels {
        /// Labels that backends select by.
        labels: BTreeMap<String, String>,
    },
}

/// Listener of an HTTP tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheme {
    /// The TLS listener.
    Https,
    /// The plain HTTP listener.
    Http,
}

/// The server's response to a [`Bind`] that it accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// Request id of the [`Bind`].
    pub request: u64,
    /// Tunnel id, `tn_…`.
    pub tunnel: String,
    /// Tunnel number in [`StreamStart`](super::stream_start::StreamStart).
    pub number: u32,
    /// Public URL; `None` for a tunnel with labels.
    #[serde(default)]
    pub url: Option<String>,
    /// Host name of the public address.
    #[serde(default)]
    pub host: Option<String>,
    /// Port of the public address.
    #[serde(default)]
    pub port: Option<u16>,
}

/// Connections of visitors to one HTTP tunnel that were opened or ended since the last report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VisitorChanges {
    /// Tunnel number.
    pub number: u32,
    /// Connections opened.
    #[serde(default)]
    pub opened: u32,
    /// Connections ended, by duration.
    #[serde(default)]
    pub ended: Vec<EndedVisitors>,
}

/// Connections of visitors that ended after the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedVisitors {
    /// Duration of each, at most one percent too short.
    pub microseconds: u64,
    /// Number of connections.
    pub count: u32,
}

/// A request that the server could not send, because the connection to a local service that many requests share was
/// not established. The agent shows it to its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsentRequest {
    /// Tunnel number.
    pub number: u32,
    /// Address of the visitor.
    pub visitor: SocketAddr,
    /// Whether the visitor's side is encrypted.
    #[serde(default)]
    pub tls: bool,
    /// Request line and fields in the form of HTTP/1.1, with the empty line.
    pub head: String,
    /// The trace of the request, as stream metadata has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// Reason.
    pub error: Error,
}

/// Messages from agent to server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromAgent {
    /// Introduces the agent; always the first message.
    Hello(Hello),
    /// Requests an address.
    Bind(Bind),
    /// Closes a tunnel.
    Unbind {
        /// Tunnel number.
        number: u32,
    },
    /// Asks to let the session go in peace: its open streams continue until it ends. Requires
    /// [`VersionRange::has_agent_drain`].
    Drain {
        /// Whether the names and ports are given up at once. Otherwise they are kept until another session of the agent
        /// binds them.
        release: bool,
    },
    /// Grants the server more bytes on overflow streams. Requires [`VersionRange::has_overflow_credit`].
    Credit {
        /// Yamux id of each stream, and the additional bytes.
        grants: Vec<(u32, u32)>,
    },
    /// Ends the session on purpose.
    Goodbye,
    /// Of a node, on the link that it dialled.
    Announce {
        /// What the node announces.
        announcement: Announcement,
    },
    /// Heartbeat request.
    Ping {
        /// Repeated in the response.
        nonce: u64,
    },
    /// Heartbeat response.
    Pong {
        /// Nonce of the ping.
        nonce: u64,
    },
    /// A message of a type this build does not know; it is skipped.
    #[serde(other)]
    Unknown,
}

/// Messages from server to agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromServer {
    /// Accepts the session.
    Welcome(Welcome),
    /// Refuses the session.
    Refused {
        /// Reason.
        error: Error,
    },
    /// Grants an address.
    Bound(Bound),
    /// Refuses an address.
    BindRefused {
        /// Request id of the [`Bind`].
        request: u64,
        /// Reason.
        error: Error,
    },
    /// The server has closed a tunnel.
    TunnelClosed {
        /// Tunnel number.
        number: u32,
        /// Reason.
        error: Error,
    },
    /// Sets the number of data connections that the agent keeps open.
    Pool {
        /// Number of connections, busy ones included.
        connections: u16,
    },
    /// Grants the agent more bytes on overflow streams. Requires [`VersionRange::has_overflow_credit`].
    Credit {
        /// Yamux id of each stream, and the additional bytes.
        grants: Vec<(u32, u32)>,
    },
    /// This session ends soon: open another one and finish running streams.
    Drain {
        /// Reason; `None` if the server shuts down.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<Error>,
    },
    /// Connections of visitors that were opened or ended since the last such message. Requires
    /// [`VersionRange::has_visitor_counts`].
    Visitors {
        /// Changes of each HTTP tunnel.
        tunnels: Vec<VisitorChanges>,
    },
    /// A request was not sent to a local service.
    Unsent(UnsentRequest),
    /// To a node, on the link that it dialled.
    Command {
        /// What the node shall do or know.
        command: LinkCommand,
    },
    /// Ends the session.
    End {
        /// Reason.
        error: Error,
    },
    /// Heartbeat request.
    Ping {
        /// Repeated in the response.
        nonce: u64,
    },
    /// Heartbeat response.
    Pong {
        /// Nonce of the ping.
        nonce: u64,
    },
    /// A message of a type this build does not know; it is skipped.
    #[serde(other)]
    Unknown,
}

impl Welcome {
    /// Interval between heartbeats, limited to 1 to 60 seconds.
    pub(crate) fn heartbeat_interval(&self) -> Duration {
        Duration::from_millis(self.heartbeat.clamp(1_000, 60_000))
    }
}

fn default_heartbeat() -> u64 {
    DEFAULT_HEARTBEAT_MS
}

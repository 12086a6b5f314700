//! Sessions and tunnels as the management API sees them.

use postern_api::{Timestamp, host::HostName};
use postern_tunnel::AgentHost;
use std::{collections::BTreeMap, net::IpAddr, sync::Arc, time::Duration};

/// One agent that is connected.
#[derive(Clone, Debug)]
pub struct SessionView {
    /// `ts_…`
    pub id: String,
    /// The credential it authenticated with, `cr_…`.
    pub credential: String,
    /// The agent's own lasting id.
    pub instance: String,
    /// Version of the agent.
    pub agent_version: String,
    /// Operating system of the agent.
    pub os: String,
    /// The machine it runs on, if it has told it.
    pub host: Option<AgentHost>,
    /// Where it connected from.
    pub address: IpAddr,
    /// Since when.
    pub started_at: Timestamp,
    /// The protocol between agent and server.
    pub transport: String,
    /// Metadata set by its owner.
    pub metadata: String,
    /// Whether the agent accepts remote management.
    pub remote_management: bool,
    /// Last measured round trip.
    pub latency: Option<Duration>,
    /// Id of the node that the agent is connected to, if it is not this one.
    pub node: Option<Arc<str>>,
}

/// The kind of a tunnel's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TunnelKind {
    /// A host name over HTTPS.
    Https,
    /// A host name over plain HTTP.
    Http,
    /// A host name over TLS, whatever is spoken inside.
    Tls,
    /// A TCP port.
    Tcp,
    /// No address of its own: labels that backends select.
    Labels,
}

/// One tunnel that is up.
#[derive(Clone, Debug)]
pub struct TunnelView {
    /// `tn_…`
    pub id: String,
    /// The session that carries it, `ts_…`.
    pub session: String,
    /// The session's credential, `cr_…`.
    pub credential: String,
    /// The name it has at the agent.
    pub name: String,
    /// The kind of its address.
    pub kind: TunnelKind,
    /// Its public address; a labelled tunnel has none.
    pub url: Option<String>,
    /// Its host name, of HTTP tunnels.
    pub host: Option<HostName>,
    /// Its port, of TCP tunnels.
    pub port: Option<u16>,
    /// Its labels; empty unless it is a labelled tunnel.
    pub labels: BTreeMap<String, String>,
    /// The local address as the agent describes it.
    pub forwards_to: String,
    /// Metadata set by its owner.
    pub metadata: String,
    /// Since when.
    pub started_at: Timestamp,
    /// Streams of visitors of this node, open at the moment.
    pub streams: usize,
    /// Number of sessions in which its agent has bound it, each at another node.
    pub ways: usize,
    /// Id of the node that the agent is connected to, if it is not this one.
    pub node: Option<Arc<str>>,
}

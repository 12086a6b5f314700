//! What the two ends say to each other on the control connection.
//!
//! Every message is one JSON object with a `type`. Unknown types are skipped, unknown fields ignored, missing
//! optional fields have a default: an older end and a newer one understand each other within a version.

use super::{modules::Modules, version::Versions};
use postern_api::{Error, Secret};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Pause between two signs of life when nobody says otherwise, in milliseconds.
pub const HEARTBEAT: u64 = 10_000;

/// The first message of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The message versions the agent understands.
    #[serde(default)]
    pub protocol: Versions,
    /// The agent's own version, for people to read.
    #[serde(default)]
    pub agent_version: String,
    /// The system the agent runs on, such as `linux/x86_64`.
    #[serde(default)]
    pub os: String,
    /// The id of this agent instance: who comes back under it takes its names over.
    #[serde(default)]
    pub instance: String,
    /// The authtoken.
    #[serde(default)]
    pub token: Secret,
    /// Free text of the user, shown with the session.
    #[serde(default)]
    pub metadata: String,
    /// Whether the agent may be stopped and restarted through the server's management API.
    #[serde(default)]
    pub remote_management: bool,
}

/// The server's answer to a [`Hello`] it likes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// The message version of this session; the library fills it in.
    #[serde(default)]
    pub protocol: u16,
    /// The id of the session, `ts_…`.
    pub session: String,
    /// What a data connection must present to join this session.
    pub data_secret: Secret,
    /// The server's own version, for people to read.
    #[serde(default)]
    pub server_version: String,
    /// The region of the server.
    #[serde(default)]
    pub region: String,
    /// Pause between two heartbeats in milliseconds (1,000 to 60,000); a peer that is silent for one and a half
    /// of it is dead.
    #[serde(default = "default_heartbeat")]
    pub heartbeat: u64,
}

/// The agent asks for a public address, or offers itself to a backend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bind {
    /// Names this question in the answer; the session fills it in.
    #[serde(default)]
    pub request: u64,
    /// The tunnel's name at the agent.
    pub name: String,
    /// What is asked for.
    pub what: BindWhat,
    /// Where the agent forwards to, for people to read.
    #[serde(default)]
    pub forwards_to: String,
    /// Free text of the user, shown with the tunnel.
    #[serde(default)]
    pub metadata: String,
    /// Whether the agent captures the traffic.
    #[serde(default)]
    pub inspect: bool,
    /// The HTTP that the local service speaks.
    #[serde(default)]
    pub app_protocol: AppProtocol,
    /// Whether every stream must carry one visitor only, because the local service is told whom.
    #[serde(default)]
    pub per_visitor: bool,
    /// What the edge is to do with visitors on their way. Needs [`Versions::has_modules`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modules: Option<Modules>,
}

/// The version of HTTP that a local service speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AppProtocol {
    /// HTTP/2 at once, without asking: many requests share one stream.
    Http2,
    /// HTTP/1.1, and whatever this build does not know.
    #[default]
    #[serde(other)]
    Http1,
}

/// The kinds of tunnels an agent may ask for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BindWhat {
    /// A host name on the server's HTTP or HTTPS listener.
    Http {
        /// A full host name or a bare label below the server's domain, a wildcard allowed; `None` generates one.
        #[serde(default)]
        host: Option<String>,
        /// Which listener.
        scheme: Scheme,
        /// The name the tunnel had before, which wins over generating one.
        #[serde(default)]
        previous: Option<String>,
    },
    /// A host name on the server's HTTPS listener, whatever is spoken inside TLS. Needs [`Versions::has_modules`].
    Tls {
        /// A full host name or a bare label below the server's domain, a wildcard allowed; `None` generates one.
        #[serde(default)]
        host: Option<String>,
        /// The name the tunnel had before, which wins over generating one.
        #[serde(default)]
        previous: Option<String>,
        /// Whether TLS ends at the server; otherwise it is passed on as it is.
        #[serde(default)]
        terminate: bool,
    },
    /// A TCP port of the server.
    Tcp {
        /// The port asked for; `None` lets the server choose.
        #[serde(default)]
        port: Option<u16>,
        /// The port the tunnel had before, which wins over choosing one.
        #[serde(default)]
        previous: Option<u16>,
    },
    /// No address: the tunnel serves the backends that select its labels.
    Labels {
        /// The labels.
        labels: BTreeMap<String, String>,
    },
}

/// The listener of an HTTP tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheme {
    /// The TLS listener.
    Https,
    /// The plain one.
    Http,
}

/// The server's answer to a [`Bind`] it likes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// The question.
    pub request: u64,
    /// The id of the tunnel, `tn_…`.
    pub tunnel: String,
    /// The number that names the tunnel in [`StreamStart`](super::start::StreamStart).
    pub number: u32,
    /// The public address; `None` for a labelled tunnel.
    #[serde(default)]
    pub url: Option<String>,
    /// The host name of it.
    #[serde(default)]
    pub host: Option<String>,
    /// The port of it.
    #[serde(default)]
    pub port: Option<u16>,
}

/// Everything an agent says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromAgent {
    /// Who I am.
    Hello(Hello),
    /// Give me an address.
    Bind(Bind),
    /// I no longer serve this tunnel.
    Unbind {
        /// The tunnel.
        number: u32,
    },
    /// I am leaving on purpose.
    Goodbye,
    /// Are you there?
    Ping {
        /// Comes back in the answer.
        nonce: u64,
    },
    /// I am here.
    Pong {
        /// From the question.
        nonce: u64,
    },
    /// Something this build does not know; it is skipped.
    #[serde(other)]
    Unknown,
}

/// Everything a server says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromServer {
    /// Come in.
    Welcome(Welcome),
    /// Stay out.
    Refused {
        /// Why.
        error: Error,
    },
    /// Here is the address.
    Bound(Bound),
    /// You cannot have the address.
    BindRefused {
        /// The question.
        request: u64,
        /// Why.
        error: Error,
    },
    /// The tunnel is no more.
    TunnelClosed {
        /// The tunnel.
        number: u32,
        /// Why.
        error: Error,
    },
    /// Keep so many data connections open, busy ones included.
    Pool {
        /// How many.
        connections: u16,
    },
    /// I am going away soon: connect elsewhere, finish what is running.
    Drain,
    /// The session is over.
    End {
        /// Why.
        error: Error,
    },
    /// Are you there?
    Ping {
        /// Comes back in the answer.
        nonce: u64,
    },
    /// I am here.
    Pong {
        /// From the question.
        nonce: u64,
    },
    /// Something this build does not know; it is skipped.
    #[serde(other)]
    Unknown,
}

fn default_heartbeat() -> u64 {
    HEARTBEAT
}

//! Sockets that listen on this machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A socket that listens on this machine and could be published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListeningPort {
    /// The port.
    pub port: u16,
    /// The address it listens on.
    pub address: String,
    /// The `addr` to write into a tunnel.
    pub target: String,
    /// The protocol of a suitable tunnel.
    pub proto: TunnelProtocol,
    /// The protocol it speaks; null if it was not probed or did not respond.
    pub speaks: Option<PortProtocol>,
    /// The process's name.
    pub process: Option<String>,
    /// The process id.
    pub pid: Option<u32>,
    /// The probable software, such as `Vite` or `PostgreSQL`.
    pub service: Option<String>,
}

/// The protocol of a tunnel for a listening port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum TunnelProtocol {
    Http,
    Tcp,
}

/// The protocol that a listening port speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PortProtocol {
    /// Plain HTTP.
    Http,
    /// TLS, taken for HTTPS.
    Https,
    /// Another protocol over TCP.
    Tcp,
}

/// Sockets that listen on this machine, the most likely ones first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListeningPortList {
    /// The sockets.
    pub ports: Vec<ListeningPort>,
    /// The path of this resource.
    pub uri: String,
}

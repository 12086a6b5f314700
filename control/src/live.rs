//! What the control side asks about agents and tunnels that are up.

use futures::{FutureExt, future::BoxFuture};
use postern_api::{
    AnyId, Code, OwnerId, Timestamp,
    host::HostName,
    trace::Decision,
    traffic::{Counts, History, Traffic},
};
use std::{collections::BTreeMap, net::IpAddr};

/// A view of what is alive. Answers at once, from memory.
pub trait Live: Send + Sync {
    /// The tunnels that carry all of these labels.
    fn tunnels_with(&self, labels: &BTreeMap<String, String>) -> Vec<AnyId>;
    /// Whether an agent's tunnel holds this TCP port. Ports of TCP edges do not count.
    fn port_in_use(&self, port: u16) -> bool;
    /// Whether an agent's tunnel holds exactly this name.
    fn host_in_use(&self, host: &HostName) -> bool;
    /// Keeps agents from taking names and ports until the answer is dropped. Who asks about them after this sees
    /// everything that was taken before.
    fn keep_free(&self, wanted: Wanted) -> Box<dyn Send>;
    /// The port on which visitors with HTTPS are served.
    fn https_port(&self) -> u16;
    /// What the server calls its region.
    fn region(&self) -> String;
    /// Every agent that is connected, in no order.
    fn sessions(&self) -> Vec<LiveSession>;
    /// Every tunnel that is up, in no order.
    fn tunnels(&self) -> Vec<LiveTunnel>;
    /// The last requests and connections that an edge turned away, the newest first.
    fn refused(&self, edge: &str) -> Vec<LiveRefusal>;
    /// What passed each edge, route and tunnel that something has passed, in no order and without histories.
    fn traffic(&self) -> Vec<Traffic>;
    /// What passed one of them, with its history.
    fn traffic_of(&self, id: &str) -> Option<Traffic>;
    /// What passed all of them together.
    fn traffic_in_all(&self) -> (Counts, History);
    /// Tells the agent of a session to make a new one; false if the session is gone.
    fn restart(&self, session: &str) -> bool;
    /// Ends a session for good, and all that it holds; false if the session is gone.
    fn stop<'a>(&'a self, session: &'a str) -> BoxFuture<'a, bool>;
}

/// Names and ports that are about to be given to an edge or an owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Host names. For an owner, what lies below them is wanted too.
    pub names: Vec<HostName>,
    /// TCP ports.
    pub ports: Vec<u16>,
    /// Whose agents may go on taking them; nobody's if they are for an edge.
    pub owner: Option<OwnerId>,
}

/// An agent that is connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveSession {
    /// Its id, `ts_…`.
    pub id: String,
    /// The credential it authenticated with, `cr_…`.
    pub credential: String,
    /// The version of the agent.
    pub agent_version: String,
    /// The system the agent runs on.
    pub os: String,
    /// Where it connected from.
    pub address: IpAddr,
    /// What agent and server speak with each other.
    pub transport: String,
    /// What its owner wrote on it.
    pub metadata: String,
    /// Whether the agent lets itself be told what to do.
    pub remote_management: bool,
    /// Since when.
    pub started_at: Timestamp,
}

/// A tunnel that is up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveTunnel {
    /// Its id, `tn_…`.
    pub id: String,
    /// The session that carries it, `ts_…`.
    pub session: String,
    /// The credential of that session, `cr_…`.
    pub credential: String,
    /// The name it has at its agent.
    pub name: String,
    /// Where visitors find it; a tunnel with labels has no address.
    pub address: Option<LiveAddress>,
    /// Its labels; empty unless it has some.
    pub labels: BTreeMap<String, String>,
    /// The local address as the agent describes it.
    pub forwards_to: String,
    /// What its owner wrote on it.
    pub metadata: String,
    /// Since when.
    pub started_at: Timestamp,
}

/// The public address of a tunnel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveAddress {
    /// `https`, `http` or `tcp`.
    pub scheme: &'static str,
    /// The host.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// A request or connection that an edge turned away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveRefusal {
    /// What names it, `op_…`.
    pub id: String,
    /// When it began.
    pub at: Timestamp,
    /// Where it came from.
    pub address: IpAddr,
    /// `https`, `http`, `tls` or `tcp`.
    pub scheme: &'static str,
    /// The host that was asked for, if one was.
    pub host: String,
    /// The method, of requests.
    pub method: String,
    /// The path without its query, of requests.
    pub path: String,
    /// The status of the answer; 0 for connections.
    pub status: u16,
    /// Why.
    pub code: Code,
    /// The same in a sentence.
    pub message: String,
    /// The id of the route, if one was reached.
    pub route: String,
    /// What every module said.
    pub decisions: Vec<Decision>,
    /// How long it took.
    pub duration_microseconds: u64,
}

/// Nothing is up: for commands that work without an edge.
#[derive(Clone, Copy, Debug, Default)]
pub struct NothingLive;

impl Live for NothingLive {
    fn tunnels_with(&self, _labels: &BTreeMap<String, String>) -> Vec<AnyId> {
        Vec::new()
    }
    fn port_in_use(&self, _port: u16) -> bool {
        false
    }
    fn host_in_use(&self, _host: &HostName) -> bool {
        false
    }
    fn keep_free(&self, _wanted: Wanted) -> Box<dyn Send> {
        Box::new(())
    }
    fn https_port(&self) -> u16 {
        443
    }
    fn region(&self) -> String {
        String::new()
    }
    fn sessions(&self) -> Vec<LiveSession> {
        Vec::new()
    }
    fn tunnels(&self) -> Vec<LiveTunnel> {
        Vec::new()
    }
    fn refused(&self, _edge: &str) -> Vec<LiveRefusal> {
        Vec::new()
    }
    fn traffic(&self) -> Vec<Traffic> {
        Vec::new()
    }
    fn traffic_of(&self, _id: &str) -> Option<Traffic> {
        None
    }
    fn traffic_in_all(&self) -> (Counts, History) {
        Default::default()
    }
    fn restart(&self, _session: &str) -> bool {
        false
    }
    fn stop<'a>(&'a self, _session: &'a str) -> BoxFuture<'a, bool> {
        std::future::ready(false).boxed()
    }
}

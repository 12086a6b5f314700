//! Live state of the edge: connected agents, their tunnels, and traffic.

use futures::{FutureExt, future::BoxFuture};
use postern_api::{
    AnyId, Code, OwnerId, Timestamp,
    host::HostName,
    resource::{NodeName, RecentRequest, RequestFilter},
    trace::Decision,
    traffic::{Counts, History, Traffic, TrafficQuery, TrafficRange, TrafficSeries, TrafficSum},
};
use std::{collections::BTreeMap, net::IpAddr};

/// A value of all nodes, and the nodes whose share is missing.
pub type Gathered<T> = (T, Vec<NodeName>);

/// Live state of the edge. All methods return at once, from memory; those with a future ask other nodes, for a short time.
pub trait LiveState: Send + Sync {
    /// Tunnels that have all of these labels.
    fn tunnels_with(&self, labels: &BTreeMap<String, String>) -> Vec<AnyId>;
    /// Whether a tunnel of an agent uses this TCP port. Ports of TCP edges do not count.
    fn port_in_use(&self, port: u16) -> bool;
    /// Whether a tunnel of an agent uses exactly this name.
    fn host_in_use(&self, host: &HostName) -> bool;
    /// Keeps agents from taking names and ports until the returned value is dropped. Everything that was taken before
    /// is visible to the other methods afterwards.
    fn hold_names(&self, hold: NameHold) -> Box<dyn Send>;
    /// Port of the HTTPS listener.
    fn https_port(&self) -> u16;
    /// Name of the server's region.
    fn region(&self) -> String;
    /// Connected agents, in no particular order.
    fn sessions(&self) -> Vec<LiveSession>;
    /// Number that changes whenever a session comes or goes; `None` if that is not counted.
    fn session_changes(&self) -> Option<u64> {
        None
    }
    /// Tunnels that are up, in no particular order.
    fn tunnels(&self) -> Vec<LiveTunnel>;
    /// Latest requests and connections that an edge refused, newest first.
    fn refused(&self, edge: &str) -> Vec<LiveRefusal>;
    /// The last requests of an edge, a route or a tunnel, or of everything for an empty id; the newest first.
    fn requests<'a>(&'a self, id: &'a str, filter: RequestFilter) -> BoxFuture<'a, Gathered<Vec<RecentRequest>>>;
    /// Traffic of each edge, route and tunnel that had some, in no particular order and without histories.
    fn traffic(&self) -> BoxFuture<'_, Gathered<Vec<Traffic>>>;
    /// Traffic of one edge, route or tunnel, with its history.
    fn traffic_of<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Gathered<Option<Traffic>>>;
    /// Total traffic, with its history.
    fn traffic_in_all(&self) -> BoxFuture<'_, Gathered<(Counts, History)>>;
    /// Traffic of an edge or route over a time range, or of everything together; without id and kind.
    fn traffic_series<'a>(&'a self, id: Option<&'a str>, range: TrafficRange) -> BoxFuture<'a, TrafficSeries>;
    /// Traffic of several edges and routes over some intervals, in the order of the queries.
    fn traffic_sums(&self, queries: Vec<TrafficQuery>) -> BoxFuture<'_, Gathered<Vec<TrafficSum>>>;
    /// Nodes whose sessions and tunnels are not known at the moment.
    fn missing_nodes(&self) -> Vec<NodeName> {
        Vec::new()
    }
    /// Connections to other nodes, in no particular order.
    fn links(&self) -> Vec<LiveLink> {
        Vec::new()
    }
    /// Waits until this revision of the store is in force at all connected nodes, for a short time.
    fn in_force(&self, _revision: i64) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }
    /// Tells the agent of a session to reconnect.
    fn restart<'a>(&'a self, session: &'a str) -> BoxFuture<'a, CommandOutcome>;
    /// Ends a session and its tunnels for good.
    fn stop<'a>(&'a self, session: &'a str) -> BoxFuture<'a, CommandOutcome>;
}

/// What has become of a command to the agent of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandOutcome {
    /// It is carried out.
    Done,
    /// The session has ended.
    NoSession,
    /// The node of the agent did not answer in time.
    Uncertain,
}

/// Names and ports that are about to be assigned to an edge or reserved for an owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameHold {
    /// Host names. For an owner, names below them are held too.
    pub names: Vec<HostName>,
    /// TCP ports.
    pub ports: Vec<u16>,
    /// Owner whose agents may still take them; `None` if they are for an edge.
    pub owner: Option<OwnerId>,
}

/// A connected agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveSession {
    /// Id, `ts_…`.
    pub id: String,
    /// Credential it authenticated with, `cr_…`.
    pub credential: String,
    /// Version of the agent.
    pub agent_version: String,
    /// Operating system of the agent.
    pub os: String,
    /// Lasting id that the agent has chosen for itself; empty for very old agents.
    pub instance: String,
    /// Name of the host it runs on; empty if it does not tell it.
    pub host_name: String,
    /// Account that runs it; empty if it does not tell it.
    pub account: String,
    /// Address it connected from.
    pub address: IpAddr,
    /// Transport between agent and server.
    pub transport: String,
    /// Metadata set by its owner.
    pub metadata: String,
    /// Whether the agent allows remote management.
    pub remote_management: bool,
    /// Start time.
    pub started_at: Timestamp,
    /// The node that the agent is connected to, where there are several.
    pub node: Option<NodeName>,
}

/// A tunnel that is up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveTunnel {
    /// Id, `tn_…`.
    pub id: String,
    /// Session that carries it, `ts_…`.
    pub session: String,
    /// Credential of that session, `cr_…`.
    pub credential: String,
    /// Name in the agent's configuration.
    pub name: String,
    /// Public address; a tunnel with labels has none.
    pub address: Option<LiveAddress>,
    /// Labels, if it has some.
    pub labels: BTreeMap<String, String>,
    /// Local service as the agent describes it.
    pub forwards_to: String,
    /// Metadata set by its owner.
    pub metadata: String,
    /// Start time.
    pub started_at: Timestamp,
    /// The node that the agent is connected to, where there are several.
    pub node: Option<NodeName>,
}

/// Public address of a tunnel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveAddress {
    /// `https`, `http` or `tcp`.
    pub scheme: &'static str,
    /// Host.
    pub host: String,
    /// Port.
    pub port: u16,
}

/// A request or connection that an edge refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveRefusal {
    /// Id, `op_…`.
    pub id: String,
    /// Start time.
    pub at: Timestamp,
    /// Address of the visitor.
    pub address: IpAddr,
    /// `https`, `http`, `tls` or `tcp`.
    pub scheme: &'static str,
    /// Requested host, if there was one.
    pub host: String,
    /// Method of a request.
    pub method: String,
    /// Path of a request, without its query.
    pub path: String,
    /// Status of the response; 0 for connections.
    pub status: u16,
    /// Code of the reason.
    pub code: Code,
    /// Reason as a sentence.
    pub message: String,
    /// Id of the matched route, if there was one.
    pub route: String,
    /// Decision of every module.
    pub decisions: Vec<Decision>,
    /// Duration in microseconds.
    pub duration_microseconds: u64,
}

/// The connection to another node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveLink {
    /// Id of that node, `nd_…`.
    pub node: String,
    /// Whether it is connected.
    pub connected: bool,
    /// Revision of the store up to which all changes are in force there, once it has said so.
    pub applied: Option<i64>,
}

/// Live state without an edge, for commands that work offline.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLiveState;

impl LiveState for NoLiveState {
    fn tunnels_with(&self, _labels: &BTreeMap<String, String>) -> Vec<AnyId> {
        Vec::new()
    }
    fn port_in_use(&self, _port: u16) -> bool {
        false
    }
    fn host_in_use(&self, _host: &HostName) -> bool {
        false
    }
    fn hold_names(&self, _hold: NameHold) -> Box<dyn Send> {
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
    fn requests<'a>(&'a self, _id: &'a str, _filter: RequestFilter) -> BoxFuture<'a, Gathered<Vec<RecentRequest>>> {
        std::future::ready(Gathered::default()).boxed()
    }
    fn traffic(&self) -> BoxFuture<'_, Gathered<Vec<Traffic>>> {
        std::future::ready(Gathered::default()).boxed()
    }
    fn traffic_of<'a>(&'a self, _id: &'a str) -> BoxFuture<'a, Gathered<Option<Traffic>>> {
        std::future::ready(Gathered::default()).boxed()
    }
    fn traffic_in_all(&self) -> BoxFuture<'_, Gathered<(Counts, History)>> {
        std::future::ready(Gathered::default()).boxed()
    }
    fn traffic_series<'a>(&'a self, _id: Option<&'a str>, range: TrafficRange) -> BoxFuture<'a, TrafficSeries> {
        std::future::ready(TrafficSeries::empty(range, postern_api::clock::now())).boxed()
    }
    fn traffic_sums(&self, queries: Vec<TrafficQuery>) -> BoxFuture<'_, Gathered<Vec<TrafficSum>>> {
        std::future::ready((vec![TrafficSum::default(); queries.len()], Vec::new())).boxed()
    }
    fn restart<'a>(&'a self, _session: &'a str) -> BoxFuture<'a, CommandOutcome> {
        std::future::ready(CommandOutcome::NoSession).boxed()
    }
    fn stop<'a>(&'a self, _session: &'a str) -> BoxFuture<'a, CommandOutcome> {
        std::future::ready(CommandOutcome::NoSession).boxed()
    }
}

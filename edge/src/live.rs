//! A view of the running edge: sessions, tunnels, names and ports in use.

use crate::{
    access::Access,
    links::{NodeLinks, Question, SampleList, ask_node, ask_nodes},
    routing::Routing,
    telemetry::{AccessLogEntry, TrafficSpan, traffic::series},
    tunnels::{HeldName, PendingReservation, ReservationGuard, SessionView, TunnelRegistry, TunnelView},
};
use postern_api::{
    host::HostName,
    resource::{NodeName, RecentRequest, RequestFilter, newest_requests},
    traffic::{Counts, History, Traffic, TrafficQuery, TrafficRange, TrafficSeries, TrafficSum},
};
use serde::de::DeserializeOwned;
use std::{
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
    sync::Arc,
};
use tokio::sync::watch;

/// A view into the running edge. Cheap to clone; every query returns the current state.
#[derive(Clone)]
pub struct Live {
    pub(crate) registry: Arc<TunnelRegistry>,
    pub(crate) routing: Arc<Routing>,
    pub(crate) access: Arc<Access>,
    pub(crate) links: Option<Arc<NodeLinks>>,
}

/// What has become of a command to the agent of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandOutcome {
    /// It is carried out.
    Done,
    /// There is no such session.
    NoSession,
    /// The node of the agent did not answer in time.
    Uncertain,
}

impl Live {
    /// All connected agents.
    pub fn sessions(&self) -> Vec<SessionView> {
        self.registry.session_views()
    }

    /// Number that grows whenever a session at any node comes or goes.
    pub fn session_changes(&self) -> u64 {
        self.registry.session_changes()
    }

    /// Every tunnel that is up.
    pub fn tunnels(&self) -> Vec<TunnelView> {
        self.registry.tunnel_views()
    }

    /// Ids of the labelled tunnels that carry all of these labels.
    pub fn tunnels_with(&self, labels: &BTreeMap<String, String>) -> Vec<String> {
        self.registry.tunnels_with(labels)
    }

    /// Whether a tunnel of an agent listens on this TCP port.
    pub fn port_in_use(&self, port: u16) -> bool {
        self.registry.port_in_use(port)
    }

    /// Whether a tunnel of an agent holds exactly this name.
    pub fn host_in_use(&self, host: &HostName) -> bool {
        self.registry.host_in_use(host)
    }

    /// Whether visitors of this name are served: by a tunnel or an edge that has it, or a wildcard above it.
    pub fn serves(&self, name: &HostName) -> bool {
        if self.registry.host_in_use(name) || self.routing.table().has(name) {
            return true;
        }
        let mut rest = name.as_str();
        while let Some((_, parent)) = rest.split_once('.') {
            if HostName::parse(&format!("*.{parent}")).is_ok_and(|wildcard| self.registry.host_in_use(&wildcard)) {
                return true;
            }
            rest = parent;
        }
        false
    }

    /// The names that agents hold, and those of agents that are away for a short time.
    pub fn held_names(&self) -> Vec<HeldName> {
        self.registry.names.held()
    }

    /// Notifies of changes of [`held_names`](Self::held_names).
    pub fn name_changes(&self) -> watch::Receiver<u64> {
        self.registry.names.changes()
    }

    /// Keeps agents from binding names or ports until the guard is dropped. Queries of [`Live`] after this call see
    /// every earlier bind.
    pub fn reserve(&self, reservation: PendingReservation) -> ReservationGuard {
        self.registry.reserve(reservation)
    }

    /// The last requests and connections that an edge refused, the newest first.
    pub fn refused(&self, edge: &str) -> Vec<Arc<AccessLogEntry>> {
        self.access.telemetry.refused.of(edge)
    }

    /// The last requests of an edge, a route or a tunnel, or of everything for an empty id, at all nodes, the newest first;
    /// and the nodes whose share is missing.
    pub async fn requests(&self, id: &str, filter: RequestFilter) -> (Vec<RecentRequest>, Vec<NodeName>) {
        let limit = filter.limit;
        let mut requests = self.access.telemetry.traffic.requests(id, &filter);
        let question = Question::Requests { id: id.to_owned(), filter };
        let (others, missing) = self.ask_each::<Vec<RecentRequest>>(question).await;
        let of_node = |node: Option<&str>, requests: &mut Vec<RecentRequest>| {
            let name = self.node_name(node);
            requests.iter_mut().for_each(|request| request.node.clone_from(&name));
        };
        of_node(None, &mut requests);
        for (node, mut more) in others {
            of_node(Some(&node), &mut more);
            requests.append(&mut more);
        }
        (newest_requests(requests, limit), missing)
    }

    /// Traffic of each edge, route and tunnel that has had any, at all nodes, unordered and without history; and the nodes
    /// whose share is missing.
    pub async fn traffic(&self) -> (Vec<Traffic>, Vec<NodeName>) {
        let own = self.access.telemetry.traffic.shown();
        let (others, missing) = self.ask::<Vec<Traffic>>(Question::Traffic).await;
        if others.is_empty() {
            return (own, missing);
        }
        let mut sums: HashMap<String, Traffic> = HashMap::new();
        for one in own.into_iter().chain(others.into_iter().flatten()) {
            match sums.get_mut(&one.id) {
                Some(sum) => *sum += one,
                None => _ = sums.insert(one.id.clone(), one),
            }
        }
        (sums.into_values().collect(), missing)
    }

    /// Traffic of one edge, route or tunnel at all nodes, with its history; and the nodes whose share is missing.
    pub async fn traffic_of(&self, id: &str) -> (Option<Traffic>, Vec<NodeName>) {
        let own = self.access.telemetry.traffic.one(id);
        let (others, missing) = self.ask::<Option<Traffic>>(Question::TrafficOf { id: id.to_owned() }).await;
        let sum = |mut sum: Traffic, one| {
            sum += one;
            sum
        };
        (own.into_iter().chain(others.into_iter().flatten()).reduce(sum), missing)
    }

    /// Traffic of all nodes together, and the nodes whose share is missing.
    pub async fn traffic_in_all(&self) -> ((Counts, History), Vec<NodeName>) {
        let (mut counts, mut history) = self.access.telemetry.traffic.total();
        let (others, missing) = self.ask::<(Counts, History)>(Question::TrafficInAll).await;
        for (more, its_history) in &others {
            counts += *more;
            history += its_history;
        }
        ((counts, history), missing)
    }

    /// Traffic of an edge or route, or of everything together, over a time range at all nodes.
    pub async fn traffic_series(&self, id: Option<&str>, range: TrafficRange) -> TrafficSeries {
        let (id, now) = (id.unwrap_or_default(), postern_api::clock::now());
        let span = TrafficSpan::new(range, now);
        let question = Question::TrafficSamples { id: id.to_owned(), span };
        let own = self.access.telemetry.recorder.samples(id, span);
        let (mut samples, (others, nodes_missing)) = tokio::join!(own, self.ask::<SampleList>(question));
        for (number, sample) in others.into_iter().flat_map(SampleList::into_samples) {
            if span.contains(number) {
                *samples.entry(number).or_default() += &sample;
            }
        }
        TrafficSeries { nodes_missing, ..series(range, now, &samples) }
    }

    /// Traffic of several edges and routes at all nodes, in the order of the queries; and the nodes whose share is missing.
    pub async fn traffic_sums(&self, queries: Vec<TrafficQuery>) -> (Vec<TrafficSum>, Vec<NodeName>) {
        let question = Question::TrafficSums { queries: queries.clone() };
        let own = self.access.telemetry.recorder.sums(queries);
        let (mut sums, (others, missing)) = tokio::join!(own, self.ask::<Vec<TrafficSum>>(question));
        for other in others {
            sums.iter_mut().zip(other).for_each(|(sum, more)| *sum += more);
        }
        (sums, missing)
    }

    /// The nodes whose sessions and tunnels are not known here at the moment.
    pub fn missing_nodes(&self) -> Vec<NodeName> {
        self.links.as_ref().map(|links| links.unknown_nodes(&self.registry)).unwrap_or_default()
    }

    /// The name of a node, `None` being this one; `None` if there is no other node.
    pub fn node_name(&self, node: Option<&str>) -> Option<NodeName> {
        self.links.as_ref().map(|links| links.named(node))
    }

    /// Number of sessions and tunnels of the agents that are connected to this node.
    pub fn own_counts(&self) -> (usize, usize) {
        self.registry.own_counts()
    }

    /// Asks all other nodes. Returns their answers, and the nodes without one.
    async fn ask<T: DeserializeOwned>(&self, question: Question) -> (Vec<T>, Vec<NodeName>) {
        let (answers, missing) = self.ask_each(question).await;
        (answers.into_iter().map(|(_, answer)| answer).collect(), missing)
    }

    /// Asks all other nodes. Returns their answers with their ids, and the nodes without one.
    async fn ask_each<T: DeserializeOwned>(&self, question: Question) -> (Vec<(String, T)>, Vec<NodeName>) {
        match &self.links {
            Some(links) => ask_nodes(links, &self.registry, &question).await,
            None => (Vec::new(), Vec::new()),
        }
    }

    /// The port on which visitors with HTTPS are served.
    pub fn https_port(&self) -> u16 {
        self.registry.settings.https_port
    }

    /// Asks the agent of a session, at any node, to open a new one.
    pub async fn restart(&self, session: &str) -> CommandOutcome {
        if self.registry.restart_own(session) {
            return CommandOutcome::Done;
        }
        self.command(session, Question::Restart { session: session.to_owned() }).await
    }

    /// Ends a session at any node and everything it holds.
    pub async fn stop(&self, session: &str) -> CommandOutcome {
        if self.registry.stop_own(session).await {
            return CommandOutcome::Done;
        }
        self.command(session, Question::Stop { session: session.to_owned() }).await
    }

    async fn command(&self, session: &str, question: Question) -> CommandOutcome {
        let Some((node, link)) = self.registry.node_of_session(session) else { return CommandOutcome::NoSession };
        match ask_node(&link, &question).await {
            Some(true) => CommandOutcome::Done,
            Some(false) => CommandOutcome::NoSession,
            None => {
                tracing::warn!(node, session, "a node did not say whether it has carried out a command");
                CommandOutcome::Uncertain
            }
        }
    }

    /// The port on which visitors with plain HTTP are served.
    pub fn http_port(&self) -> u16 {
        self.registry.settings.http_port
    }

    /// The region of this server.
    pub fn region(&self) -> &str {
        &self.registry.settings.region
    }

    /// The name that TCP addresses are shown under.
    pub fn domain(&self) -> &HostName {
        &self.registry.settings.domain
    }

    /// The address TCP tunnels and edges listen on at this port, if anything does.
    pub fn listens_on(&self, port: u16) -> Option<SocketAddr> {
        self.registry.listens_on(port)
    }
}

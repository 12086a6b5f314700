//! Upstreams: from a backend's id to the candidates that can serve a visitor at this moment.

mod exchange;
mod fixed_response;
mod group;
mod h1_pool;
mod h2_connections;
mod h2_preface;
mod open;
mod origin_server;
mod reached_tunnels;
mod response_body;
mod response_wait;
mod static_address;
mod tunnel;
mod unsent_request;
mod weighted;

pub(crate) use exchange::{ResponseCarrier, SentRequest, UpstreamResponse, exchange, refused_by_agent};
pub(crate) use fixed_response::FixedResponse;
pub(crate) use h1_pool::{H1Connection, H1Pool};
pub(crate) use h2_connections::H2Connections;
pub(crate) use open::{OpenedUpstream, open, open_certain};
pub(crate) use origin_server::{OriginServer, OriginStream, StreamSpec};
pub(crate) use reached_tunnels::ReachedTunnels;
pub(crate) use response_body::{ResponseBody, UpstreamBody};
pub(crate) use tunnel::{TunnelIo, TunnelOptions, TunnelUpstream};

use crate::refusal::{Fault, Refusal};
use arc_swap::ArcSwap;
use group::TunnelGroup;
use postern_api::{
    Code, Error,
    published::{self, Map},
};
use smallvec::{SmallVec, smallvec};
use static_address::StaticAddress;
use std::{
    collections::BTreeSet,
    sync::{Arc, LazyLock},
    time::Duration,
};
use tokio_rustls::TlsConnector;
use weighted::Weights;

/// Failover backends may name weighted ones, and those name neither: no chain is longer.
const MAX_DEPTH: usize = 3;

/// TLS for the connections that the server opens itself.
pub(crate) static CONNECTOR: LazyLock<TlsConnector> = LazyLock::new(static_address::connector);

/// All backends by id. Brought up to date when they or the tunnels change, read without locks.
pub(crate) struct Backends {
    now: ArcSwap<Map<String, ActiveBackend>>,
    /// Idle connections kept for each address.
    idle: usize,
}

#[derive(Clone)]
struct ActiveBackend {
    /// The published record it was built from.
    source: Arc<published::Backend>,
    kind: BackendKind,
}

#[derive(Clone)]
enum BackendKind {
    TunnelGroup(TunnelGroup),
    Weighted(Arc<Weights>),
    Failover,
    FixedResponse(Arc<FixedResponse>),
    StaticAddress(Arc<StaticAddress>),
}

/// Backends as they are published.
type PublishedBackends = Map<String, Arc<published::Backend>>;

/// One candidate to serve a visitor.
#[derive(Clone)]
pub(crate) enum UpstreamCandidate {
    /// Dial this upstream.
    Dial(OriginServer),
    /// Send this fixed response.
    Respond(Arc<FixedResponse>),
}

/// The candidates for one visitor, in the order to try them. Most addresses have one.
pub(crate) type Candidates = SmallVec<[UpstreamCandidate; 1]>;

/// A tunnel that has an address of its own.
pub(crate) fn only(tunnel: Arc<TunnelUpstream>) -> Candidates {
    smallvec![UpstreamCandidate::Dial(OriginServer::Tunnel(tunnel))]
}

impl Backends {
    pub(crate) fn new(idle: usize) -> Self {
        Backends { now: ArcSwap::default(), idle }
    }

    /// The candidates for a visitor, in the order to try them; never empty.
    pub(crate) fn candidates(&self, backend: Option<&str>) -> Result<Candidates, Refusal> {
        let Some(backend) = backend else {
            let message = "This address has no backend yet. Give the edge or route one.";
            return Err(Refusal::new(Fault::Route, Error::new(Code::BackendMissing, message)));
        };
        let mut candidates = Candidates::new();
        let backends = self.now.load();
        collect(&backends, backend, MAX_DEPTH, &mut candidates);
        if candidates.is_empty() {
            let message = "No agent serves this address at the moment.";
            let error = Error::new(Code::BackendOffline, message);
            return Err(Refusal::new(Fault::Agent, error).retry_after(Duration::from_secs(5)));
        }
        Ok(candidates)
    }

    /// Applies the changed backends of a configuration, or all. Unchanged ones keep their state and idle connections.
    pub(crate) fn follow(
        &self,
        all: &PublishedBackends,
        changed: Option<&BTreeSet<String>>,
        tunnels: &[Arc<TunnelUpstream>],
    ) {
        let before = self.now.load();
        let made = |id: &String, source| (id.clone(), self.make(id, source, before.get(id), tunnels));
        let now = match changed {
            None => all.iter().map(|(id, source)| made(id, source)).collect(),
            Some(changed) => changed.iter().fold(Map::clone(&before), |mut now, id| {
                match all.get(id) {
                    Some(source) => {
                        let (id, backend) = made(id, source);
                        now.insert_mut(id, backend);
                    }
                    None => _ = now.remove_mut(id),
                }
                now
            }),
        };
        self.now.store(Arc::new(now));
    }

    /// Selects the members of all groups again.
    pub(crate) fn regroup(&self, tunnels: &[Arc<TunnelUpstream>]) {
        let before = self.now.load();
        let mut now = Map::clone(&before);
        for (id, backend) in before.iter() {
            let (published::Backend::TunnelGroup(group), BackendKind::TunnelGroup(former)) =
                (&*backend.source, &backend.kind)
            else {
                continue;
            };
            let group = TunnelGroup::of(&group.labels, tunnels, Some(former));
            if !group.has_members_of(former) {
                now.insert_mut(
                    id.clone(),
                    ActiveBackend { source: backend.source.clone(), kind: BackendKind::TunnelGroup(group) },
                );
            }
        }
        self.now.store(Arc::new(now));
    }

    fn make(
        &self,
        id: &str,
        source: &Arc<published::Backend>,
        former: Option<&ActiveBackend>,
        tunnels: &[Arc<TunnelUpstream>],
    ) -> ActiveBackend {
        let same = former.filter(|former| Arc::ptr_eq(&former.source, source)).map(|former| &former.kind);
        let kind = match (&**source, same) {
            (published::Backend::TunnelGroup(group), _) => {
                let former = former.and_then(|former| match &former.kind {
                    BackendKind::TunnelGroup(group) => Some(group),
                    _ => None,
                });
                BackendKind::TunnelGroup(TunnelGroup::of(&group.labels, tunnels, former))
            }
            (_, Some(same)) => same.clone(),
            (published::Backend::Weighted(weighted), None) => BackendKind::Weighted(Arc::new(Weights::of(weighted))),
            (published::Backend::Failover(_), None) => BackendKind::Failover,
            (published::Backend::HttpResponse(response), None) => {
                BackendKind::FixedResponse(Arc::new(FixedResponse::of(response)))
            }
            (published::Backend::Static(address), None) => {
                BackendKind::StaticAddress(Arc::new(StaticAddress::of(id, address, &CONNECTOR, self.idle)))
            }
        };
        ActiveBackend { source: source.clone(), kind }
    }

    /// Drops connections to addresses that idle for too long.
    pub(crate) fn tidy(&self, max_idle: Duration) {
        for backend in self.now.load().values() {
            if let BackendKind::StaticAddress(address) = &backend.kind {
                address.pool.tidy(max_idle, 0);
            }
        }
    }
}

fn collect(backends: &Map<String, ActiveBackend>, id: &str, depth: usize, candidates: &mut Candidates) {
    let (Some(backend), 1..) = (backends.get(id), depth) else { return };
    match &backend.kind {
        BackendKind::TunnelGroup(group) => {
            candidates
                .extend(group.in_turn().map(|tunnel| UpstreamCandidate::Dial(OriginServer::Tunnel(tunnel.clone()))));
        }
        BackendKind::Weighted(shares) => {
            if let Some(child) = shares.pick(&mut rand::rng()) {
                collect(backends, child, depth - 1, candidates);
            }
        }
        BackendKind::Failover => {
            if let published::Backend::Failover(failover) = &*backend.source {
                for child in &failover.backends {
                    collect(backends, child, depth - 1, candidates);
                }
            }
        }
        BackendKind::FixedResponse(fixed) => candidates.push(UpstreamCandidate::Respond(fixed.clone())),
        BackendKind::StaticAddress(address) => {
            candidates.push(UpstreamCandidate::Dial(OriginServer::StaticAddress(address.clone())))
        }
    }
}

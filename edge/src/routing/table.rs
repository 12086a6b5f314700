//! Which edge has a name. Each configuration has a table of its own, which shares with the one before all but the edges
//! that have changed.

use super::{HttpsEndpoint, TlsEndpoint};
use crate::{
    modules::{ModuleState, Pipeline},
    tls::{HandshakeConfig, TlsConfigs},
};
use arc_swap::{ArcSwap, Guard};
use postern_api::{
    Error,
    host::HostName,
    published::{Changed, HttpsRoute, Listed, Login, Map, Published, Settings},
};
use std::{collections::BTreeSet, sync::Arc};
use tokio::time::Instant;

/// The current table, and what is needed to build the next.
pub(crate) struct Routing {
    now: ArcSwap<RoutingTable>,
    configs: Arc<TlsConfigs>,
    module_state: ModuleState,
}

/// All edges with names.
#[derive(Clone, Default)]
pub(crate) struct RoutingTable {
    exact: Map<Box<str>, NamedEdge>,
    /// Wildcards by the part after `*.`.
    below: Map<Box<str>, NamedEdge>,
    https: Map<String, Arc<HttpsEndpoint>>,
    tls: Map<String, Arc<TlsEndpoint>>,
}

/// The edge of a name.
#[derive(Clone)]
pub(crate) enum NamedEdge {
    Https(Arc<HttpsEndpoint>),
    Tls(Arc<TlsEndpoint>),
}

impl NamedEdge {
    fn edge(&self) -> &str {
        match self {
            NamedEdge::Https(edge) => &edge.id,
            NamedEdge::Tls(edge) => &edge.id,
        }
    }
}

impl Routing {
    pub(crate) fn new(configs: Arc<TlsConfigs>, module_state: ModuleState) -> Self {
        Routing { now: ArcSwap::default(), configs, module_state }
    }

    /// The current edges.
    pub(crate) fn table(&self) -> Guard<Arc<RoutingTable>> {
        self.now.load()
    }

    /// Builds the modules of a tunnel.
    pub(crate) fn stages_of_tunnel(&self, owner: &str, settings: &Settings) -> Result<Pipeline, Error> {
        self.module_state.note_tunnel(owner, Instant::now());
        Pipeline::try_new(owner, settings, &self.module_state)
    }

    /// How connections to a tunnel are made, if not as all others are.
    /// With `raw`, no application protocol is agreed upon.
    pub(crate) fn handshake_of_tunnel(&self, settings: &Settings, raw: bool) -> Result<Option<HandshakeConfig>, Error> {
        self.configs.of_tunnel(settings, raw)
    }

    /// Forgets the module state of tunnels that have been down for long; `up` are the running ones.
    pub(crate) fn forget_tunnels_except<'a>(&self, up: impl Iterator<Item = &'a str>) {
        self.module_state.forget_tunnels_except(up, Instant::now());
    }

    /// Takes over changed limits.
    pub(crate) fn follow_limits(&self) {
        self.module_state.follow_limits();
    }

    /// Builds the routes with logins by OAuth anew, because the operator's settings of providers have changed. Must not run
    /// at the same time as [`Routing::follow`].
    pub(crate) fn rebuild_oauth(&self) {
        let before = self.now.load();
        let mut table = RoutingTable::clone(&before);
        for former in before.https.values().filter(|edge| edge.source().routes.iter().any(|route| uses_oauth(route))) {
            let still_good = |route: &HttpsRoute| !uses_oauth(route);
            let endpoint =
                HttpsEndpoint::of(former.source(), Some(former), still_good, &self.configs, &self.module_state);
            let (edge, endpoint) = (former.source(), Arc::new(endpoint));
            table.put(&edge.names, &NamedEdge::Https(endpoint.clone()));
            table.https.insert_mut(edge.id.clone(), endpoint);
        }
        self.now.store(Arc::new(table));
    }

    /// Applies a new configuration to the changed edges, or to all. Open requests keep the configuration they began
    /// with.
    pub(crate) fn follow(&self, published: &Published, changed: Option<&Changed>) {
        self.configs.follow(published);
        if changed.is_some_and(|changed| changed.https_edges.is_empty() && changed.tls_edges.is_empty()) {
            return;
        }
        let before = self.now.load();
        let mut table = RoutingTable::clone(&before);
        let https = touched(changed.map(|changed| &changed.https_edges), &before.https, &published.https_edges);
        let tls = touched(changed.map(|changed| &changed.tls_edges), &before.tls, &published.tls_edges);
        let https = https.into_iter().filter(|id| {
            let (former, now) = (before.https.get(*id).map(|former| former.source()), published.https_edges.get(*id));
            !same(former, now)
        });
        let tls = tls.into_iter().filter(|id| {
            let (former, now) = (before.tls.get(*id).map(|former| former.source()), published.tls_edges.get(*id));
            !same(former, now)
        });
        let (https, tls): (Vec<&String>, Vec<&String>) = (https.collect(), tls.collect());
        // A name may go from one edge to another: all are given back before any is taken.
        for id in &https {
            if let Some(former) = before.https.get(*id) {
                table.take_back(&former.source().names, id);
                table.https.remove_mut(*id);
                let stays = published.https_edges.get(*id).map_or(&[][..], |edge| &edge.routes);
                let gone = former.source().routes.iter().filter(|route| stays.iter().all(|stays| stays.id != route.id));
                gone.for_each(|route| self.module_state.forget(&route.id));
            }
        }
        for id in &tls {
            if let Some(former) = before.tls.get(*id) {
                table.take_back(&former.source().names, id);
                table.tls.remove_mut(*id);
            }
        }
        for edge in https.iter().filter_map(|id| published.https_edges.get(*id)) {
            let former = before.https.get(&edge.id).map(Arc::as_ref);
            let endpoint = Arc::new(HttpsEndpoint::of(edge, former, |_| true, &self.configs, &self.module_state));
            table.put(&edge.names, &NamedEdge::Https(endpoint.clone()));
            table.https.insert_mut(edge.id.clone(), endpoint);
        }
        for edge in tls.iter().filter_map(|id| published.tls_edges.get(*id)) {
            let former = before.tls.get(&edge.id).map(Arc::as_ref);
            let endpoint = Arc::new(TlsEndpoint::of(edge, former, &self.configs, &self.module_state));
            table.put(&edge.names, &NamedEdge::Tls(endpoint.clone()));
            table.tls.insert_mut(edge.id.clone(), endpoint);
        }
        self.now.store(Arc::new(table));
    }
}

fn uses_oauth(route: &HttpsRoute) -> bool {
    route.settings.login().is_some_and(|login| matches!(**login, Login::OAuth(_)))
}

/// The edges to compare: the changed ones, or all former and current ones.
fn touched<'a, E, T>(
    changed: Option<&'a BTreeSet<String>>,
    before: &'a Map<String, E>,
    now: &'a Listed<T>,
) -> BTreeSet<&'a String> {
    match changed {
        Some(changed) => changed.iter().collect(),
        None => before.keys().chain(now.keys()).collect(),
    }
}

fn same<T>(former: Option<&Arc<T>>, now: Option<&Arc<T>>) -> bool {
    former.zip(now).is_some_and(|(former, now)| Arc::ptr_eq(former, now))
}

impl RoutingTable {
    /// Whether an edge has this name, or a wildcard above it.
    pub(crate) fn has(&self, name: &HostName) -> bool {
        match name.wildcard_parent() {
            Some(parent) => self.below.contains_key(parent),
            None => self.find(name.as_str()).is_some(),
        }
    }

    fn put(&mut self, names: &[HostName], place: &NamedEdge) {
        for name in names {
            match name.wildcard_parent() {
                Some(parent) => self.below.insert_mut(parent.into(), place.clone()),
                None => self.exact.insert_mut(name.as_str().into(), place.clone()),
            };
        }
    }

    fn take_back(&mut self, names: &[HostName], edge: &str) {
        for name in names {
            let (places, name) = match name.wildcard_parent() {
                Some(parent) => (&mut self.below, parent),
                None => (&mut self.exact, name.as_str()),
            };
            if places.get(name).is_some_and(|place| place.edge() == edge) {
                places.remove_mut(name);
            }
        }
    }

    /// The edge of a canonical host, and the length of the host that its name covers: all of it, or the part after
    /// `*.`.
    pub(crate) fn find(&self, host: &str) -> Option<(usize, &NamedEdge)> {
        if let Some(place) = self.exact.get(host) {
            return Some((host.len(), place));
        }
        if self.below.is_empty() {
            return None;
        }
        let mut rest = host;
        while let Some((_, parent)) = rest.split_once('.') {
            if let Some(place) = self.below.get(parent) {
                return Some((parent.len(), place));
            }
            rest = parent;
        }
        None
    }
}

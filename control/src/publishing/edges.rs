//! Published edges and routes, rebuilt only where something in them has changed.

use super::{memo_map::MemoMap, module_settings::ModuleSettings};
use crate::resources::{StoredRecord, hosts, ports};
use postern_api::{
    host::HostName,
    id::Kind,
    published::{Changed, HttpsEdge, HttpsRoute, Published, TcpEdge, TlsEdge},
    resource::{self, MatchType},
};
use std::collections::{BTreeSet, HashMap};

/// All edges.
#[derive(Default)]
pub(super) struct Edges {
    https: MemoMap<Vec<HostName>, HttpsEdge>,
    routes: MemoMap<RouteInput, HttpsRoute>,
    /// Routes of each HTTPS edge, in the order of their creation.
    routes_of: HashMap<String, BTreeSet<String>>,
    tls: MemoMap<Vec<HostName>, TlsEdge>,
    tcp: MemoMap<Vec<u16>, TcpEdge>,
}

struct RouteInput {
    edge: String,
    match_type: MatchType,
    path: String,
}

impl Edges {
    pub(super) fn set_https(&mut self, id: &str, edge: Option<StoredRecord<resource::HttpsEdge>>) {
        self.https.set(id, edge.map(|edge| hosts(&edge.spec.hostports)));
    }

    pub(super) fn set_tls(&mut self, id: &str, edge: Option<StoredRecord<resource::TlsEdge>>) {
        self.tls.set(id, edge.map(|edge| hosts(&edge.spec.hostports)));
    }

    pub(super) fn set_tcp(&mut self, id: &str, edge: Option<StoredRecord<resource::TcpEdge>>) {
        self.tcp.set(id, edge.map(|edge| ports(&edge.spec)));
    }

    pub(super) fn set_route(&mut self, id: &str, route: Option<StoredRecord<resource::HttpsRoute>>) {
        if let Some(former) = self.routes.input(id) {
            self.https.invalidate(&former.edge);
            if let Some(routes) = self.routes_of.get_mut(&former.edge) {
                routes.remove(id);
            }
        }
        let route = route.and_then(|route| {
            let edge = route.parent.as_ref()?.to_string();
            Some(RouteInput { edge, match_type: route.spec.match_type, path: route.spec.r#match })
        });
        if let Some(route) = &route {
            self.https.invalidate(&route.edge);
            self.routes_of.entry(route.edge.clone()).or_default().insert(id.to_owned());
        }
        self.routes.set(id, route);
    }

    /// Marks an edge or route as stale, because its modules have changed.
    pub(super) fn invalidate(&mut self, owner: &str) {
        let (prefix, _) = owner.split_once('_').unwrap_or_default();
        if prefix == resource::HttpsRoute::PREFIX {
            self.routes.invalidate(owner);
            if let Some(route) = self.routes.input(owner) {
                self.https.invalidate(&route.edge);
            }
        } else if prefix == resource::HttpsEdge::PREFIX {
            self.https.invalidate(owner);
        } else if prefix == resource::TlsEdge::PREFIX {
            self.tls.invalidate(owner);
        } else if prefix == resource::TcpEdge::PREFIX {
            self.tcp.invalidate(owner);
        }
    }

    /// Publishes all edges, and notes the changed ones.
    pub(super) fn publish(&mut self, modules: &ModuleSettings, published: &mut Published, changed: &mut Changed) {
        let Edges { https, routes, routes_of, tls, tcp } = self;
        routes.take_changed();
        (changed.https_edges, changed.tls_edges, changed.tcp_edges) =
            (https.take_changed(), tls.take_changed(), tcp.take_changed());
        published.https_edges = https.all(|id, names| {
            let of_edge = routes_of.get(id).into_iter().flatten();
            let published_routes =
                of_edge.filter_map(|route| routes.get(route, |id, route| route.published(id, modules)));
            let routes = published_routes.collect();
            HttpsEdge { id: id.to_owned(), names: names.clone(), settings: modules.settings(id), routes }
        });
        published.tls_edges =
            tls.all(|id, names| TlsEdge { id: id.to_owned(), names: names.clone(), settings: modules.settings(id) });
        published.tcp_edges =
            tcp.all(|id, ports| TcpEdge { id: id.to_owned(), ports: ports.clone(), settings: modules.settings(id) });
    }
}

impl RouteInput {
    fn published(&self, id: &str, modules: &ModuleSettings) -> HttpsRoute {
        HttpsRoute {
            id: id.to_owned(),
            match_type: self.match_type,
            path: self.path.clone(),
            settings: modules.settings(id),
        }
    }
}

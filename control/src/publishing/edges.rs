//! Edges and routes, made anew only where something in them has changed.

use super::{owners::Owners, shelf::Shelf};
use crate::resources::{Kept, hosts, ports};
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
    https: Shelf<Vec<HostName>, HttpsEdge>,
    routes: Shelf<Route, HttpsRoute>,
    /// The routes of each HTTPS edge in the order they were made.
    routes_of: HashMap<String, BTreeSet<String>>,
    tls: Shelf<Vec<HostName>, TlsEdge>,
    tcp: Shelf<Vec<u16>, TcpEdge>,
}

struct Route {
    edge: String,
    match_type: MatchType,
    path: String,
}

impl Edges {
    pub(super) fn https(&mut self, id: &str, edge: Option<Kept<resource::HttpsEdge>>) {
        self.https.set(id, edge.map(|edge| hosts(&edge.spec.hostports)));
    }

    pub(super) fn tls(&mut self, id: &str, edge: Option<Kept<resource::TlsEdge>>) {
        self.tls.set(id, edge.map(|edge| hosts(&edge.spec.hostports)));
    }

    pub(super) fn tcp(&mut self, id: &str, edge: Option<Kept<resource::TcpEdge>>) {
        self.tcp.set(id, edge.map(|edge| ports(&edge.spec)));
    }

    pub(super) fn route(&mut self, id: &str, route: Option<Kept<resource::HttpsRoute>>) {
        if let Some(former) = self.routes.known(id) {
            self.https.stale(&former.edge);
            if let Some(routes) = self.routes_of.get_mut(&former.edge) {
                routes.remove(id);
            }
        }
        let route = route.and_then(|route| {
            let edge = route.parent.as_ref()?.to_string();
            Some(Route { edge, match_type: route.spec.match_type, path: route.spec.r#match })
        });
        if let Some(route) = &route {
            self.https.stale(&route.edge);
            self.routes_of.entry(route.edge.clone()).or_default().insert(id.to_owned());
        }
        self.routes.set(id, route);
    }

    /// The modules of an edge or route have changed.
    pub(super) fn stale(&mut self, owner: &str) {
        let (prefix, _) = owner.split_once('_').unwrap_or_default();
        if prefix == resource::HttpsRoute::PREFIX {
            self.routes.stale(owner);
            if let Some(route) = self.routes.known(owner) {
                self.https.stale(&route.edge);
            }
        } else if prefix == resource::HttpsEdge::PREFIX {
            self.https.stale(owner);
        } else if prefix == resource::TlsEdge::PREFIX {
            self.tls.stale(owner);
        } else if prefix == resource::TcpEdge::PREFIX {
            self.tcp.stale(owner);
        }
    }

    /// Puts all edges into what is published, and says which are not as before.
    pub(super) fn publish(&mut self, owners: &Owners, published: &mut Published, changed: &mut Changed) {
        let Edges { https, routes, routes_of, tls, tcp } = self;
        routes.touched();
        (changed.https_edges, changed.tls_edges, changed.tcp_edges) = (https.touched(), tls.touched(), tcp.touched());
        published.https_edges = https.all(|id, names| {
            let of_edge = routes_of.get(id).into_iter().flatten();
            let made = of_edge.filter_map(|route| routes.one(route, |id, known| known.published(id, owners)));
            let routes = made.collect();
            HttpsEdge { id: id.to_owned(), names: names.clone(), settings: owners.settings(id), routes }
        });
        published.tls_edges =
            tls.all(|id, names| TlsEdge { id: id.to_owned(), names: names.clone(), settings: owners.settings(id) });
        published.tcp_edges =
            tcp.all(|id, ports| TcpEdge { id: id.to_owned(), ports: ports.clone(), settings: owners.settings(id) });
    }
}

impl Route {
    fn published(&self, id: &str, owners: &Owners) -> HttpsRoute {
        HttpsRoute {
            id: id.to_owned(),
            match_type: self.match_type,
            path: self.path.clone(),
            settings: owners.settings(id),
        }
    }
}

//! Builders for published edges.

use super::World;
use postern_api::{
    host::HostName,
    published::{Backend, HttpsEdge, HttpsRoute, Published, Settings, TlsEdge},
    resource::{
        BackendTls, FailoverBackend, HttpResponseBackend, MatchType, StaticBackend, TunnelGroupBackend, WeightedBackend,
    },
};
use std::{net::SocketAddr, sync::Arc};

pub(crate) fn name(text: &str) -> HostName {
    HostName::parse(text).unwrap()
}

/// Settings with only a backend.
pub(crate) fn to(backend: &str) -> Settings {
    Settings { backend: Some(backend.to_owned()), ..Settings::default() }
}

/// A route for a path prefix.
pub(crate) fn below(path: &str, settings: Settings) -> Arc<HttpsRoute> {
    route(MatchType::PathPrefix, path, settings)
}

/// A route for an exact path.
pub(crate) fn exactly(path: &str, settings: Settings) -> Arc<HttpsRoute> {
    route(MatchType::ExactPath, path, settings)
}

fn route(match_type: MatchType, path: &str, settings: Settings) -> Arc<HttpsRoute> {
    Arc::new(HttpsRoute { id: format!("edghtsrt_{path}"), match_type, path: path.to_owned(), settings })
}

/// An HTTPS edge with these names and routes; its id is that of its first name.
pub(crate) fn https(names: &[&str], routes: &[Arc<HttpsRoute>]) -> HttpsEdge {
    HttpsEdge {
        id: format!("edghts_{}", names[0]),
        names: names.iter().map(|text| name(text)).collect(),
        settings: Settings::default(),
        routes: routes.to_vec(),
    }
}

/// A TLS edge.
pub(crate) fn tls(host: &str, settings: Settings) -> TlsEdge {
    TlsEdge { id: format!("edgtls_{host}"), names: vec![name(host)], settings }
}

pub(crate) fn group(labels: &[(&str, &str)]) -> Backend {
    let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    Backend::TunnelGroup(TunnelGroupBackend { labels })
}

pub(crate) fn weighted(children: &[(&str, i64)]) -> Backend {
    let backends = children.iter().map(|(id, weight)| ((*id).to_owned(), *weight)).collect();
    Backend::Weighted(WeightedBackend { backends })
}

pub(crate) fn failover(children: &[&str]) -> Backend {
    Backend::Failover(FailoverBackend { backends: children.iter().map(|id| (*id).to_owned()).collect() })
}

pub(crate) fn response(status_code: i32, body: &str) -> Backend {
    let headers = [("x-from".to_owned(), "the edge".to_owned())].into();
    Backend::HttpResponse(HttpResponseBackend { body: body.to_owned(), headers, status_code })
}

pub(crate) fn address(address: SocketAddr) -> Backend {
    Backend::Static(StaticBackend { address: address.to_string(), tls: BackendTls { enabled: false } })
}

impl World {
    /// Publishes further backends and waits until they are applied.
    pub(crate) async fn backends(&self, backends: impl IntoIterator<Item = (&str, Backend)>) {
        self.change(|published| {
            for (id, backend) in backends {
                published.backends.insert_mut(id.to_owned(), Arc::new(backend));
            }
        });
        self.applied().await;
    }

    /// Publishes an HTTPS edge, replacing one with the same id, and waits until it is applied.
    pub(crate) async fn https_edge(&self, edge: HttpsEdge) {
        self.change(|published: &mut Published| {
            published.https_edges.insert_mut(edge.id.clone(), Arc::new(edge));
        });
        self.applied().await;
    }

    /// Publishes a TLS edge, replacing one with the same id, and waits until it is applied.
    pub(crate) async fn tls_edge(&self, edge: TlsEdge) {
        self.change(|published: &mut Published| {
            published.tls_edges.insert_mut(edge.id.clone(), Arc::new(edge));
        });
        self.applied().await;
    }
}

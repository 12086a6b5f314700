//! Edges with names, made ready to serve.

use super::PathMatcher;
use crate::{
    modules::{ModuleState, Pipeline},
    telemetry::traffic::TrafficCounter,
    tls::{HandshakeConfig, TlsConfigs},
};
use postern_api::{module::TerminateAt, published, resource::MatchType, traffic::TrafficKind};
use postern_logins::Realm;
use std::{collections::HashMap, sync::Arc};

/// An HTTPS edge.
pub(crate) struct HttpsEndpoint {
    pub(crate) id: Arc<str>,
    pub(crate) counter: Arc<TrafficCounter>,
    source: Arc<published::HttpsEdge>,
    /// The rules of its TLS handshakes; `None` for the default ones.
    pub(crate) handshake: Option<HandshakeConfig>,
    /// A module of the edge cannot be read: every request is refused.
    pub(crate) unreadable: bool,
    /// The login realms of its routes.
    pub(crate) realms: Vec<Arc<Realm>>,
    routes: PathMatcher<Arc<Route>>,
    by_id: HashMap<String, Arc<Route>>,
}

/// A route of an HTTPS edge.
pub(crate) struct Route {
    pub(crate) counter: Arc<TrafficCounter>,
    source: Arc<published::HttpsRoute>,
    backend: Option<Arc<str>>,
    pub(crate) pipeline: Pipeline,
}

/// A TLS edge.
pub(crate) struct TlsEndpoint {
    pub(crate) id: Arc<str>,
    pub(crate) counter: Arc<TrafficCounter>,
    source: Arc<published::TlsEdge>,
    backend: Option<Arc<str>>,
    pub(crate) pipeline: Pipeline,
    /// How TLS ends here; `None` passes it through.
    pub(crate) handshake: Option<HandshakeConfig>,
}

impl HttpsEndpoint {
    /// Builds an edge; unchanged routes that are `still_good` are taken over from its former state.
    pub(super) fn of(
        edge: &Arc<published::HttpsEdge>,
        former: Option<&HttpsEndpoint>,
        still_good: impl Fn(&published::HttpsRoute) -> bool,
        configs: &TlsConfigs,
        module_state: &ModuleState,
    ) -> Self {
        let (mut routes, mut by_id) = (PathMatcher::default(), HashMap::new());
        for source in &edge.routes {
            let former = former.and_then(|former| former.by_id.get(&source.id));
            let route = match former.filter(|former| Arc::ptr_eq(&former.source, source) && still_good(source)) {
                Some(same) => same.clone(),
                None => Arc::new(Route {
                    counter: module_state.traffic().of(TrafficKind::HttpsRoute, &source.id),
                    source: source.clone(),
                    backend: source.settings.backend.as_deref().map(Into::into),
                    pipeline: Pipeline::new(&source.id, &edge.id, &source.settings, module_state),
                }),
            };
            match source.match_type {
                MatchType::ExactPath => routes.exact(&source.path, route.clone()),
                MatchType::PathPrefix => routes.prefix(&source.path, route.clone()),
            }
            by_id.insert(source.id.clone(), route);
        }
        let id: Arc<str> = edge.id.as_str().into();
        let handshake = match former.filter(|former| same_rules(&former.source.settings, &edge.settings)) {
            Some(same) => same.handshake.clone(),
            None => configs.special(&id, &edge.settings),
        };
        let realms = by_id.values().filter_map(|route: &Arc<Route>| route.pipeline.realm().cloned()).collect();
        HttpsEndpoint {
            counter: module_state.traffic().of(TrafficKind::HttpsEdge, &edge.id),
            id,
            source: edge.clone(),
            handshake,
            unreadable: edge.settings.unreadable,
            realms,
            routes,
            by_id,
        }
    }

    /// The published record it was built from.
    pub(super) fn source(&self) -> &Arc<published::HttpsEdge> {
        &self.source
    }

    /// The route of a normalised path.
    pub(crate) fn route(&self, path: &str) -> Option<&Arc<Route>> {
        self.routes.find(path)
    }
}

impl Route {
    pub(crate) fn backend(&self) -> Option<&str> {
        self.backend.as_deref()
    }

    /// The id of the backend, to be stored.
    pub(crate) fn backend_id(&self) -> Option<&Arc<str>> {
        self.backend.as_ref()
    }
}

impl TlsEndpoint {
    pub(super) fn of(
        edge: &Arc<published::TlsEdge>,
        former: Option<&TlsEndpoint>,
        configs: &TlsConfigs,
        module_state: &ModuleState,
    ) -> Self {
        let id: Arc<str> = edge.id.as_str().into();
        let ends_here = edge.settings.tls_termination.is_some_and(|termination| termination.at == TerminateAt::Edge);
        let handshake = match former.filter(|former| same_rules(&former.source.settings, &edge.settings)) {
            Some(same) => same.handshake.clone(),
            None => ends_here.then(|| configs.raw(&id, &edge.settings)),
        };
        let backend = edge.settings.backend.as_deref().map(Into::into);
        let counter = module_state.traffic().of(TrafficKind::TlsEdge, &edge.id);
        TlsEndpoint {
            id,
            counter,
            source: edge.clone(),
            backend,
            pipeline: Pipeline::for_connections(&edge.id, &edge.settings, module_state.rate_limits()),
            handshake,
        }
    }

    /// The published record it was built from.
    pub(super) fn source(&self) -> &Arc<published::TlsEdge> {
        &self.source
    }

    pub(crate) fn backend(&self) -> Option<&str> {
        self.backend.as_deref()
    }

    /// The id of the backend, to be stored.
    pub(crate) fn backend_id(&self) -> Option<&Arc<str>> {
        self.backend.as_ref()
    }
}

/// Whether the handshake rules are equal. Then the TLS configuration is kept, and visitors may resume their TLS
/// sessions; after a change no session can be resumed.
fn same_rules(former: &published::Settings, now: &published::Settings) -> bool {
    former.mutual_tls == now.mutual_tls && former.tls_termination == now.tls_termination
}

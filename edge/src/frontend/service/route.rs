//! Phase 2, route: finds what serves a request by its host and path, and applies the IP restrictions of the whole service.

use super::{
    AdmittedRequest, EdgeState,
    local::{EdgeService, LoginPath},
};
use crate::{
    frontend::{
        VisitorConnection,
        target::{RequestTarget, check_connection},
    },
    http::normalised,
    modules::Pipeline,
    refusal::{Fault, Refusal},
    routing::{HttpsEndpoint, Route},
    telemetry::{Trace, metrics::TargetKind},
    tunnels::Tunnel,
    upstream::{self, Backends, Candidates},
};
use hyper::{
    Uri,
    header::{HeaderName, HeaderValue},
};
use postern_api::{Code, Error};
use postern_logins::Realm;
use postern_tunnel::message::Scheme;
use std::{borrow::Cow, sync::Arc};

/// The result of this phase.
pub(super) enum Routed<'a> {
    /// The request goes on to an upstream.
    Upstream(RequestDestination),
    /// The edge serves the request itself.
    Edge(EdgeService<'a>),
}

/// A tunnel, or the route of an edge, that serves a request.
pub(super) enum RequestDestination {
    Tunnel(Arc<Tunnel>),
    Route(Arc<HttpsEndpoint>, Arc<Route>),
}

/// Finds what serves a request, and names it in the trace.
pub(super) fn route<'a>(
    state: &'a EdgeState,
    connection: &VisitorConnection,
    request: &AdmittedRequest,
    trace: &mut Trace,
) -> Result<Routed<'a>, Refusal> {
    let uri = &request.parts.uri;
    // ACME challenges are public: the authority may ask from any address (RFC 8555, section 8.3).
    if connection.visitor.scheme == Scheme::Http
        && let Some(text) = state.challenges.text_at(uri.path())
    {
        return Ok(Routed::Edge(EdgeService::Challenge(text)));
    }
    let target = state.find(&connection.visitor, &request.parts.headers, uri);
    if let Ok(target) = &target {
        name_target(target, trace);
    }
    // A restricted visitor must not learn which names exist. The management API has restrictions of its own.
    if !matches!(target, Ok(RequestTarget::Api(_))) {
        state.access.restrictions.visitor(connection.visitor.address.ip(), trace)?;
    }
    let target = target?;
    check_connection(connection, &target)?;
    let is_login_path = uri.path().starts_with(postern_logins::LOGIN_PATH_PREFIX);
    Ok(match target {
        RequestTarget::Tunnel(tunnel) => match tunnel.stages.as_ref().and_then(|stages| stages.pipeline.realm()) {
            Some(realm) if is_login_path => Routed::Edge(EdgeService::Login(LoginPath::Realm(realm.clone()))),
            _ => Routed::Upstream(RequestDestination::Tunnel(tunnel)),
        },
        RequestTarget::Edge(edge) if is_login_path && !edge.realms.is_empty() => {
            Routed::Edge(EdgeService::Login(LoginPath::Edge(edge)))
        }
        RequestTarget::Edge(edge) => {
            let route = find_route(&edge, uri)?;
            Routed::Upstream(RequestDestination::Route(edge, route))
        }
        RequestTarget::Logins => Routed::Edge(EdgeService::LoginHost),
        RequestTarget::Api(api) => Routed::Edge(EdgeService::Api(api)),
    })
}

fn name_target(target: &RequestTarget<'_>, trace: &mut Trace) {
    match target {
        RequestTarget::Edge(edge) => trace.at_edge(TargetKind::HttpsEdge, &edge.counter),
        RequestTarget::Tunnel(tunnel) => trace.at_tunnel(tunnel.upstream.counter()),
        RequestTarget::Api(_) => trace.at(TargetKind::Api),
        RequestTarget::Logins => trace.at(TargetKind::Logins),
    }
}

fn find_route(edge: &HttpsEndpoint, uri: &Uri) -> Result<Arc<Route>, Refusal> {
    if edge.unreadable {
        return Err(Refusal::new(Fault::Us, Code::ModuleUnreadable));
    }
    let path = normalised_path(uri.path())
        .ok_or_else(|| Refusal::invalid("The path of the request cannot be read in one way only."))?;
    edge.route(&path).cloned().ok_or_else(|| {
        let message = "No route of this edge serves the path. Check the address.";
        Refusal::new(Fault::Route, Error::new(Code::PathUnknown, message))
    })
}

/// The path that routes are matched with.
pub(super) fn normalised_path(path: &str) -> Option<Cow<'_, str>> {
    // `OPTIONS *` is about the server as a whole (RFC 9110, section 9.3.7).
    normalised(if path == "*" { "/" } else { path })
}

impl RequestDestination {
    /// The modules in front of the upstream; most tunnels have none.
    pub(super) fn pipeline(&self) -> Option<&Pipeline> {
        match self {
            RequestDestination::Tunnel(tunnel) => tunnel.stages.as_ref().map(|stages| &*stages.pipeline),
            RequestDestination::Route(_, route) => Some(&route.pipeline),
        }
    }

    /// The refusal with the error pages of the route or tunnel.
    pub(super) fn with_own_pages(&self, refusal: Refusal) -> Refusal {
        refusal.with_pages(self.pipeline().and_then(Pipeline::error_pages))
    }

    /// The login realms of all routes of the endpoint.
    pub(super) fn realms(&self) -> &[Arc<Realm>] {
        match self {
            RequestDestination::Tunnel(_) => {
                self.pipeline().and_then(Pipeline::realm).map_or(&[], std::slice::from_ref)
            }
            RequestDestination::Route(edge, _) => &edge.realms,
        }
    }

    /// The headers that describe the visitor's TLS client certificate. Empty where the endpoint asks for none: the
    /// certificate of an earlier configuration proves nothing any more.
    pub(super) fn client_identity<'a>(&self, connection: &'a VisitorConnection) -> &'a [(HeaderName, HeaderValue)] {
        let asks = match self {
            RequestDestination::Tunnel(tunnel) => {
                tunnel.stages.as_ref().is_some_and(|stages| stages.handshake.is_some())
            }
            RequestDestination::Route(edge, _) => edge.handshake.is_some(),
        };
        match &connection.admission {
            Some(admission) if asks => admission.identity().headers(),
            _ => &[],
        }
    }

    /// The upstreams that may serve the request, in the order to try them.
    pub(super) fn candidates(&self, backends: &Backends) -> Result<Candidates, Refusal> {
        match self {
            RequestDestination::Tunnel(tunnel) => Ok(upstream::only(tunnel.upstream.clone())),
            RequestDestination::Route(_, route) => backends.candidates(route.backend()),
        }
    }
}

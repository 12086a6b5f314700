//! Finds the destination of a host name, for requests and for TLS handshakes. The most specific name wins, whether it
//! belongs to a tunnel or to an edge.

use crate::{
    frontend::{EdgeState, TlsDestination, VisitorConnection},
    http::{Visitor, canonical},
    refusal::{Fault, Refusal},
    routing::{HttpsEndpoint, NamedEdge},
    settings::ApiHost,
    tls::HandshakeRules,
    tunnels::{NameLookup, Tunnel, TunnelKind},
};
use hyper::{HeaderMap, Uri, header::HeaderValue};
use postern_api::{Code, Error, host::HostName};
use postern_tunnel::message::Scheme;
use std::sync::Arc;

/// The target of a request by its host name.
pub(crate) enum RequestTarget<'a> {
    Tunnel(Arc<Tunnel>),
    Edge(Arc<HttpsEndpoint>),
    Api(&'a ApiHost),
    Logins,
}

impl EdgeState {
    /// Finds the target of a request. The most specific name wins, whether it belongs to a tunnel or to an edge.
    pub(crate) fn find(&self, visitor: &Visitor, headers: &HeaderMap, uri: &Uri) -> Result<RequestTarget<'_>, Refusal> {
        let host = canonical::host(headers)?;
        let api = self.api.as_ref().filter(|api| api.name.as_str() == host);
        match (api, visitor.scheme) {
            (Some(api), Scheme::Https) => return Ok(RequestTarget::Api(api)),
            (Some(_), Scheme::Http) => return Err(self.to_https(&host, uri)),
            (None, _) => {}
        }
        match visitor.scheme {
            _ if *host != *self.logins.login_host().host() => {}
            Scheme::Https => return Ok(RequestTarget::Logins),
            Scheme::Http => return Err(self.to_https(&host, uri)),
        }
        let table = self.routing.table();
        let edge = table.find(&host);
        match self.registry.find_beyond(edge.map_or(0, |(covered, _)| covered), &host, visitor.scheme) {
            // The handshake for its name would have led there.
            NameLookup::Tunnel(tunnel) if tunnel.kind == TunnelKind::Tls => return Err(misdirected()),
            NameLookup::Tunnel(tunnel) => return Ok(RequestTarget::Tunnel(tunnel)),
            NameLookup::Offline => return Err(Refusal::offline(&host)),
            NameLookup::HttpsOnly => return Err(self.to_https(&host, uri)),
            NameLookup::Unknown => {}
        }
        match (edge, visitor.scheme) {
            (Some((_, NamedEdge::Https(edge))), Scheme::Https) => Ok(RequestTarget::Edge(edge.clone())),
            (Some((_, NamedEdge::Https(_))), Scheme::Http) => Err(self.to_https(&host, uri)),
            // The handshake for its name would have led there.
            (Some((_, NamedEdge::Tls(_))), Scheme::Https) => Err(misdirected()),
            (None, _) if self.registry.expects(&host) => Err(Refusal::offline(&host)),
            (Some((_, NamedEdge::Tls(_))), Scheme::Http) | (None, _) => Err(Refusal::unknown_host(&host)),
        }
    }

    /// The handshake rules of a name; `None` for the default ones. The most specific name wins.
    pub(crate) fn rules_of(&self, name: &HostName) -> Option<HandshakeRules<TlsDestination>> {
        let table = self.routing.table();
        let edge = table.find(name.as_str());
        match self.registry.find_beyond(edge.map_or(0, |(covered, _)| covered), name.as_str(), Scheme::Https) {
            NameLookup::Tunnel(tunnel) if tunnel.kind == TunnelKind::Tls => {
                let handshake = tunnel.stages.as_ref().and_then(|stages| stages.handshake.clone());
                Some(HandshakeRules::Tls(TlsDestination::Tunnel(tunnel), handshake))
            }
            NameLookup::Tunnel(tunnel) => {
                let stages = tunnel.stages.as_ref()?;
                Some(HandshakeRules::Own(stages.owner.clone(), stages.handshake.clone()?))
            }
            NameLookup::Offline | NameLookup::HttpsOnly => None,
            NameLookup::Unknown => match edge?.1 {
                NamedEdge::Https(edge) => Some(HandshakeRules::Own(edge.id.clone(), edge.handshake.clone()?)),
                NamedEdge::Tls(edge) => {
                    Some(HandshakeRules::Tls(TlsDestination::Edge(edge.clone()), edge.handshake.clone()))
                }
            },
        }
    }

    fn to_https(&self, host: &str, uri: &Uri) -> Refusal {
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        // A path such as `//other.test` stays a path, because the host precedes it.
        let location = match self.https_port {
            443 => format!("https://{host}{path}"),
            port => format!("https://{host}:{port}{path}"),
        };
        let refusal = Refusal::new(Fault::Route, Code::HttpsOnly);
        match HeaderValue::try_from(location) {
            Ok(location) => refusal.redirect_to(location),
            Err(_) => refusal,
        }
    }
}

/// Checks whether a connection may carry requests for a target. An edge with handshake rules of its own accepts only
/// connections made by its current rules, and such a connection serves no other target.
pub(crate) fn check_connection(connection: &VisitorConnection, target: &RequestTarget<'_>) -> Result<(), Refusal> {
    let may = match (target, &connection.admission) {
        (RequestTarget::Edge(edge), Some(admission)) => match &edge.handshake {
            Some(handshake) => admission.fulfils(&edge.id, handshake),
            None => admission.is_for(&edge.id),
        },
        (RequestTarget::Edge(edge), None) => edge.handshake.is_none(),
        (RequestTarget::Tunnel(tunnel), admission) => {
            let own = tunnel.stages.as_ref().and_then(|stages| Some((stages, stages.handshake.as_ref()?)));
            match (own, admission) {
                (Some((stages, handshake)), Some(admission)) => admission.fulfils(&stages.owner, handshake),
                (own, admission) => own.is_none() && admission.is_none(),
            }
        }
        (RequestTarget::Api(_) | RequestTarget::Logins, admission) => admission.is_none(),
    };
    if may { Ok(()) } else { Err(misdirected()) }
}

fn misdirected() -> Refusal {
    let message = "This connection was made for another host. Open a new one for this host.";
    Refusal::new(Fault::Visitor, Error::new(Code::HostMisdirected, message))
}

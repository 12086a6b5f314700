//! What a name leads to, for requests and for the handshakes before them: the most specific name wins, be it that of a
//! tunnel or of an edge.

use crate::{
    frontend::{Front, TlsDestination, VisitorConnection},
    http::canonical,
    refusal::{Fault, Refusal},
    routing::{HttpsEndpoint, Place},
    settings::ApiHost,
    tls::Rules,
    tunnels::{Found, Tunnel, TunnelKind},
};
use hyper::{HeaderMap, Uri, header::HeaderValue};
use postern_api::{Code, Error, host::HostName};
use postern_tunnel::message::Scheme;
use std::sync::Arc;

/// What a name leads to.
pub(crate) enum Target<'a> {
    Tunnel(Arc<Tunnel>),
    Edge(Arc<HttpsEndpoint>),
    Api(&'a ApiHost),
    Logins,
}

impl Front {
    /// Who serves a request: the most specific name wins, be it that of a tunnel or of an edge.
    pub(crate) fn find(
        &self,
        visitor: &VisitorConnection,
        headers: &HeaderMap,
        uri: &Uri,
    ) -> Result<Target<'_>, Refusal> {
        let host = canonical::host(headers)?;
        let api = self.api.as_ref().filter(|api| api.name.as_str() == host);
        match (api, visitor.visitor.scheme) {
            (Some(api), Scheme::Https) => return Ok(Target::Api(api)),
            (Some(_), Scheme::Http) => return Err(self.to_https(&host, uri)),
            (None, _) => {}
        }
        match visitor.visitor.scheme {
            _ if *host != *self.logins.login_host().host() => {}
            Scheme::Https => return Ok(Target::Logins),
            Scheme::Http => return Err(self.to_https(&host, uri)),
        }
        let table = self.routing.table();
        let place = table.find(&host);
        match self.registry.find_beyond(place.map_or(0, |(covered, _)| covered), &host, visitor.visitor.scheme) {
            // The handshake for its name would have led there.
            Found::Tunnel(tunnel) if tunnel.kind == TunnelKind::Tls => return Err(misdirected()),
            Found::Tunnel(tunnel) => return Ok(Target::Tunnel(tunnel)),
            Found::Offline => return Err(Refusal::offline(&host)),
            Found::HttpsOnly => return Err(self.to_https(&host, uri)),
            Found::Unknown => {}
        }
        match (place, visitor.visitor.scheme) {
            (Some((_, Place::Https(edge))), Scheme::Https) => Ok(Target::Edge(edge.clone())),
            (Some((_, Place::Https(_))), Scheme::Http) => Err(self.to_https(&host, uri)),
            // The handshake for its name would have led there.
            (Some((_, Place::Tls(_))), Scheme::Https) => Err(misdirected()),
            (None, _) if self.registry.expects(&host) => Err(Refusal::offline(&host)),
            (Some((_, Place::Tls(_))), Scheme::Http) | (None, _) => Err(Refusal::unknown_host(&host)),
        }
    }

    /// By whose rules the handshake for a name is made; `None` for those of everybody. The most specific name wins.
    pub(crate) fn rules_of(&self, name: &HostName) -> Option<Rules<TlsDestination>> {
        let table = self.routing.table();
        let place = table.find(name.as_str());
        match self.registry.find_beyond(place.map_or(0, |(covered, _)| covered), name.as_str(), Scheme::Https) {
            Found::Tunnel(tunnel) if tunnel.kind == TunnelKind::Tls => {
                let handshake = tunnel.stages.as_ref().and_then(|stages| stages.handshake.clone());
                Some(Rules::Tls(TlsDestination::Tunnel(tunnel), handshake))
            }
            Found::Tunnel(tunnel) => {
                let stages = tunnel.stages.as_ref()?;
                Some(Rules::Own(stages.owner.clone(), stages.handshake.clone()?))
            }
            Found::Offline | Found::HttpsOnly => None,
            Found::Unknown => match place?.1 {
                Place::Https(edge) => Some(Rules::Own(edge.id.clone(), edge.handshake.clone()?)),
                Place::Tls(edge) => Some(Rules::Tls(TlsDestination::Edge(edge.clone()), edge.handshake.clone())),
            },
        }
    }

    fn to_https(&self, host: &str, uri: &Uri) -> Refusal {
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        // A path such as `//other.test` stays a path, since the host stands before it.
        let location = match self.https_port {
            443 => format!("https://{host}{path}"),
            port => format!("https://{host}:{port}{path}"),
        };
        let mut refusal = Refusal::new(Fault::Route, Code::HttpsOnly);
        refusal.location = HeaderValue::try_from(location).ok();
        refusal
    }
}

/// Whether a request may be asked on the connection it comes by. Where an edge has rules of its own for connections, only
/// one that was made by the rules of this moment will do, and it will do for nothing else.
pub(crate) fn may_ask(visitor: &VisitorConnection, target: &Target<'_>) -> Result<(), Refusal> {
    let may = match (target, &visitor.admission) {
        (Target::Edge(edge), Some(admission)) => match &edge.handshake {
            Some(handshake) => admission.fulfils(&edge.id, handshake),
            None => admission.is_for(&edge.id),
        },
        (Target::Edge(edge), None) => edge.handshake.is_none(),
        (Target::Tunnel(tunnel), admission) => {
            let own = tunnel.stages.as_ref().and_then(|stages| Some((stages, stages.handshake.as_ref()?)));
            match (own, admission) {
                (Some((stages, handshake)), Some(admission)) => admission.fulfils(&stages.owner, handshake),
                (own, admission) => own.is_none() && admission.is_none(),
            }
        }
        (Target::Api(_) | Target::Logins, admission) => admission.is_none(),
    };
    if may { Ok(()) } else { Err(misdirected()) }
}

fn misdirected() -> Refusal {
    let message = "This connection was made for another host. Open a new one for this host.";
    Refusal::new(Fault::Visitor, Error::new(Code::HostMisdirected, message))
}

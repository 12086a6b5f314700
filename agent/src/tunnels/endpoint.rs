//! An endpoint of a tunnel: what is bound at the server under one name, scheme or port.

use super::{service_watch::ServiceStatus, visitor_connections::VisitorConnections};
use crate::{
    capture::TunnelTag,
    config::{Definition, DefinitionKind, Schemes, Terminate, definition::PLAIN_SUFFIX, state_file::PreviousAddress},
    metrics::Meter,
};
use postern_api::Error;
use postern_tunnel::{
    BindModules,
    message::{Bind, BindKind, Scheme},
};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A started endpoint. It lives until it is stopped, across sessions.
pub struct TunnelEndpoint {
    /// The name of the tunnel; ` (http)` is appended for the plain endpoint of two.
    pub name: String,
    /// The definition of its tunnel.
    pub definition: Arc<Definition>,
    /// The kind of its public address.
    pub kind: EndpointKind,
    /// Connections of visitors.
    pub connections: VisitorConnections,
    /// HTTP requests.
    pub requests: Arc<Meter>,
    /// Cancelled to close its connections.
    pub stop: CancellationToken,
    /// How its captured requests are labelled.
    pub tag: Arc<TunnelTag>,
    /// What is known about the local service, which the endpoints of a tunnel share.
    pub service: Arc<ServiceStatus>,
}

/// The kind of an endpoint's public address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointKind {
    /// A name over HTTPS.
    Https,
    /// A name over plain HTTP.
    Http,
    /// A name over TLS.
    Tls,
    /// A TCP port.
    Tcp,
    /// Labels that edges select.
    Labels,
}

/// The progress of an endpoint.
#[derive(Clone, Debug, PartialEq)]
pub enum EndpointPhase {
    /// Waits for a session or for the server's response.
    Starting,
    /// Published under this number of the session.
    Running(u32),
    /// Refused by the server.
    Failed(Error),
}

impl EndpointKind {
    /// The protocol's name in the local API.
    pub fn proto(self) -> &'static str {
        match self {
            EndpointKind::Https => "https",
            EndpointKind::Http => "http",
            EndpointKind::Tls => "tls",
            EndpointKind::Tcp => "tcp",
            EndpointKind::Labels => "labels",
        }
    }
}

impl TunnelEndpoint {
    /// The endpoints of a tunnel.
    pub fn for_definition(definition: &Arc<Definition>) -> Vec<Arc<TunnelEndpoint>> {
        let kinds: &[EndpointKind] = match &definition.kind {
            DefinitionKind::Http { schemes: Schemes::Https, .. } => &[EndpointKind::Https],
            DefinitionKind::Http { schemes: Schemes::Http, .. } => &[EndpointKind::Http],
            DefinitionKind::Http { schemes: Schemes::Both, .. } => &[EndpointKind::Https, EndpointKind::Http],
            DefinitionKind::Tls { .. } => &[EndpointKind::Tls],
            DefinitionKind::Tcp { .. } => &[EndpointKind::Tcp],
            DefinitionKind::Labels(_) => &[EndpointKind::Labels],
        };
        let service = Arc::<ServiceStatus>::default();
        let endpoint = |(index, kind): (usize, &EndpointKind)| {
            let suffix = if index > 0 { PLAIN_SUFFIX } else { "" };
            Arc::new(TunnelEndpoint {
                name: format!("{}{suffix}", definition.name),
                definition: definition.clone(),
                kind: *kind,
                connections: VisitorConnections::default(),
                requests: Arc::default(),
                stop: CancellationToken::new(),
                tag: Arc::new(TunnelTag { definition: definition.name.clone(), proto: kind.proto() }),
                service: service.clone(),
            })
        };
        kinds.iter().enumerate().map(endpoint).collect()
    }

    /// The bind request for the server.
    pub fn bind(&self, previous: PreviousAddress) -> Bind {
        let what = match (&self.definition.kind, self.kind) {
            (DefinitionKind::Http { host, .. }, kind) => BindKind::Http {
                host: host.clone(),
                scheme: if kind == EndpointKind::Http { Scheme::Http } else { Scheme::Https },
                previous: previous.host.filter(|_| host.is_none()),
            },
            (DefinitionKind::Tls { host, terminate }, _) => BindKind::Tls {
                host: host.clone(),
                previous: previous.host.filter(|_| host.is_none()),
                terminate: *terminate == Terminate::Edge,
            },
            (DefinitionKind::Tcp { port }, _) => {
                BindKind::Tcp { port: *port, previous: previous.port.filter(|_| port.is_none()) }
            }
            (DefinitionKind::Labels(labels), _) => BindKind::Labels { labels: labels.clone() },
        };
        Bind {
            request: 0,
            name: self.name.clone(),
            what,
            forwards_to: self.displayed_address(),
            metadata: self.definition.metadata.clone(),
            inspect: self.definition.captures(),
            app_protocol: self.definition.upstream_protocol.app_protocol,
            per_visitor: self.definition.upstream_protocol.proxy_protocol.is_some(),
            modules: self.modules(),
        }
    }

    fn modules(&self) -> Option<BindModules> {
        self.definition.modules.clone().map(BindModules::Read)
    }

    /// The local address for display.
    pub fn displayed_address(&self) -> String {
        self.definition.upstream.shown(matches!(self.kind, EndpointKind::Https | EndpointKind::Http))
    }
}

//! One half of a tunnel: what is bound at the server under one name, one scheme, one port.

use crate::metrics::Meter;
use crate::{
    capture::TunnelTag,
    config::{Definition, Kind, Schemes, Terminate, definition::PLAIN_SUFFIX, state::Address},
};
use postern_api::Error;
use postern_tunnel::{
    BindModules,
    message::{Bind, BindKind, Scheme},
};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A half that was started. It lives until it is stopped, over any number of sessions.
pub struct Leg {
    /// The name of the tunnel, for the plain half of two with ` (http)` behind it.
    pub name: String,
    /// The tunnel it belongs to.
    pub definition: Arc<Definition>,
    /// What it publishes.
    pub face: Face,
    /// Connections of visitors.
    pub connections: Meter,
    /// HTTP requests.
    pub requests: Arc<Meter>,
    /// Ends its connections.
    pub stop: CancellationToken,
    /// How its captured requests are labelled.
    pub tag: Arc<TunnelTag>,
}

/// What one half publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// A name over HTTPS.
    Https,
    /// A name over plain HTTP.
    Http,
    /// A name over TLS.
    Tls,
    /// A TCP port.
    Tcp,
    /// Labels.
    Labels,
}

/// How far a half has come.
#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// Waits for the session or for the server's answer.
    Starting,
    /// Published under this number of the session.
    Running(u32),
    /// Refused by the server.
    Failed(Error),
}

impl Face {
    /// As the local API calls the protocol.
    pub fn proto(self) -> &'static str {
        match self {
            Face::Https => "https",
            Face::Http => "http",
            Face::Tls => "tls",
            Face::Tcp => "tcp",
            Face::Labels => "labels",
        }
    }
}

impl Leg {
    /// The halves of a tunnel.
    pub fn all_of(definition: &Arc<Definition>) -> Vec<Arc<Leg>> {
        let faces: &[Face] = match &definition.kind {
            Kind::Http { schemes: Schemes::Https, .. } => &[Face::Https],
            Kind::Http { schemes: Schemes::Http, .. } => &[Face::Http],
            Kind::Http { schemes: Schemes::Both, .. } => &[Face::Https, Face::Http],
            Kind::Tls { .. } => &[Face::Tls],
            Kind::Tcp { .. } => &[Face::Tcp],
            Kind::Labels(_) => &[Face::Labels],
        };
        let leg = |(index, face): (usize, &Face)| {
            let suffix = if index > 0 { PLAIN_SUFFIX } else { "" };
            Arc::new(Leg {
                name: format!("{}{suffix}", definition.name),
                definition: definition.clone(),
                face: *face,
                connections: Meter::default(),
                requests: Arc::default(),
                stop: CancellationToken::new(),
                tag: Arc::new(TunnelTag { definition: definition.name.clone(), proto: face.proto() }),
            })
        };
        faces.iter().enumerate().map(leg).collect()
    }

    /// What the server is asked for.
    pub fn bind(&self, previous: Address) -> Bind {
        let what = match (&self.definition.kind, self.face) {
            (Kind::Http { host, .. }, face) => BindKind::Http {
                host: host.clone(),
                scheme: if face == Face::Http { Scheme::Http } else { Scheme::Https },
                previous: previous.host.filter(|_| host.is_none()),
            },
            (Kind::Tls { host, terminate }, _) => BindKind::Tls {
                host: host.clone(),
                previous: previous.host.filter(|_| host.is_none()),
                terminate: *terminate == Terminate::Edge,
            },
            (Kind::Tcp { port }, _) => {
                BindKind::Tcp { port: *port, previous: previous.port.filter(|_| port.is_none()) }
            }
            (Kind::Labels(labels), _) => BindKind::Labels { labels: labels.clone() },
        };
        Bind {
            request: 0,
            name: self.name.clone(),
            what,
            forwards_to: self.shown_address(),
            metadata: self.definition.metadata.clone(),
            inspect: self.definition.captures(),
            app_protocol: self.definition.wire.app_protocol,
            per_visitor: self.definition.wire.proxy_protocol.is_some(),
            modules: self.modules(),
        }
    }

    fn modules(&self) -> Option<BindModules> {
        let modules = &self.definition.modules;
        (!modules.is_empty()).then(|| BindModules::Read(Box::new(modules.clone())))
    }

    /// The local address as people read it.
    pub fn shown_address(&self) -> String {
        self.definition.upstream.shown(matches!(self.face, Face::Https | Face::Http))
    }
}

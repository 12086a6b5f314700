//! A tunnel that an agent has bound.

use super::{Session, Stages, TunnelKind, TunnelView};
use crate::upstream::TunnelUpstream;
use postern_api::{Timestamp, host::HostName};
use postern_tunnel::message::{Bind, Scheme};
use std::{collections::BTreeMap, sync::Arc};

/// One tunnel that is up.
pub(crate) struct Tunnel {
    pub(crate) id: String,
    pub(crate) number: u32,
    pub(crate) name: String,
    pub(crate) kind: TunnelKind,
    pub(crate) url: Option<String>,
    pub(crate) host: Option<HostName>,
    pub(crate) port: Option<u16>,
    pub(crate) forwards_to: String,
    pub(crate) metadata: String,
    pub(crate) started_at: Timestamp,
    pub(crate) session: Arc<Session>,
    /// The modules between visitors and the agent; most tunnels have none.
    pub(crate) stages: Option<Box<Stages>>,
    /// Opens streams to the local service.
    pub(crate) upstream: Arc<TunnelUpstream>,
    /// The agent's request with the address that was granted, for other nodes; kept only where nodes are linked.
    pub(crate) announced: Option<Box<Bind>>,
}

impl Tunnel {
    /// The listener of its host name.
    pub(crate) fn scheme(&self) -> Scheme {
        if self.kind == TunnelKind::Http { Scheme::Http } else { Scheme::Https }
    }

    /// Whether the tunnel has every label of a selector.
    pub(crate) fn carries(&self, selector: &BTreeMap<String, String>) -> bool {
        self.kind == TunnelKind::Labels && self.upstream.carries(selector)
    }

    pub(crate) fn view(&self) -> TunnelView {
        TunnelView {
            id: self.id.clone(),
            session: self.session.id.clone(),
            credential: self.session.credential.clone(),
            name: self.name.clone(),
            kind: self.kind,
            url: self.url.clone(),
            host: self.host.clone(),
            port: self.port,
            labels: self.upstream.labels().clone(),
            forwards_to: self.forwards_to.clone(),
            metadata: self.metadata.clone(),
            started_at: self.started_at,
            streams: self.upstream.open_streams(),
            ways: 1,
            node: self.session.node.clone(),
        }
    }
}

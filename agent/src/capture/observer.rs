//! The owner of a connection that is followed.

use super::{
    exchange::{Exchange, RequestInfo, RequestTexts, TunnelTag},
    head::RequestHead,
    store::CaptureStore,
};
use crate::metrics::Meter;
use postern_tunnel::StreamMetadata;
use std::{borrow::Cow, net::IpAddr, sync::Arc};

/// The owner of a connection and the destination of everything that is captured on it.
#[derive(Clone)]
pub struct Observer {
    /// The store of captured requests; `None` if the tunnel is not inspected. Requests are counted all the same.
    pub store: Option<Arc<CaptureStore>>,
    /// Counts requests and their response times.
    pub meter: Arc<Meter>,
    /// The tunnel.
    pub tunnel: Arc<TunnelTag>,
    /// The address of the visitor that the stream was opened for; its requests may be of other visitors.
    pub remote: String,
    /// The captured request that this connection replays.
    pub replay_of: Option<u64>,
    /// The connection goes through the edge, with the agent as the visitor.
    pub through_edge: bool,
    /// The messages are of HTTP/2, in the form that HTTP/1.1 gives them.
    pub http2: bool,
    /// The edge's notes about requests, each sent ahead of its request. On a connection of HTTP/2 they name the requests
    /// that they are about.
    pub notes: Option<StreamMetadata>,
}

impl Observer {
    fn remote(&self, visitor: Option<IpAddr>) -> Cow<'_, str> {
        match visitor {
            Some(visitor) if self.replay_of.is_none() => Cow::Owned(visitor.to_string()),
            _ => Cow::Borrowed(&self.remote),
        }
    }

    /// The facts that are listed about a request.
    fn request_info(&self, head: &RequestHead<'_>, visitor: Option<IpAddr>, trace: Option<Vec<u8>>) -> RequestInfo {
        let remote = self.remote(visitor);
        let texts = RequestTexts { method: head.method, target: head.target, host: &head.host, remote: &remote };
        RequestInfo {
            replay_of: self.replay_of,
            trace,
            through_edge: self.through_edge,
            http2: self.http2,
            ..RequestInfo::new(self.tunnel.clone(), texts)
        }
    }

    /// Captures a request whose head is complete, unless nothing is kept.
    pub(super) fn begin_exchange(&self, raw: &[u8], head: &RequestHead<'_>) -> Option<Arc<Exchange>> {
        let store = self.store.as_ref()?;
        // Also without anything to keep, so that notes do not pile up.
        let trace = self.notes.as_ref().and_then(StreamMetadata::take);
        if !store.is_on() {
            return None;
        }
        let kept = store.redacted_head(raw);
        // The list shows what the store keeps: a secret must not stay in the target either.
        let redacted = match &kept {
            Cow::Owned(kept) => RequestHead::read(kept).ok(),
            Cow::Borrowed(_) => None,
        };
        let info = self.request_info(redacted.as_ref().unwrap_or(head), head.visitor, trace);
        Some(store.begin(info, &kept, &head.framing))
    }
}

//! Traffic of edges, routes and tunnels.

use crate::{Gathered, resources::Resources};
use postern_api::{
    Code, Error, Id, Result,
    id::Kind,
    resource::{HttpsEdge, HttpsRoute, TcpEdge, TlsEdge, Tunnel},
    traffic::{Counts, History, POINTS, Point, Traffic, TrafficKind},
};

/// Longest list.
const MAX_ENTRIES: usize = 1000;

impl Resources {
    /// Traffic of everything that had some, busiest first.
    pub(crate) async fn traffic(&self) -> Gathered<Vec<Traffic>> {
        let (mut all, missing) = self.live.traffic().await;
        let busy = |one: &Traffic| (one.last_minute.requests, one.total.requests);
        all.sort_by(|one, other| busy(other).cmp(&busy(one)).then_with(|| one.id.cmp(&other.id)));
        all.truncate(MAX_ENTRIES);
        (all, missing)
    }

    /// Traffic of one edge, route or tunnel. An edge without traffic has zeros.
    ///
    /// # Errors
    /// `NotFound`, or if the id is of no such kind.
    pub(crate) async fn traffic_of(&self, id: &str) -> Result<Traffic> {
        let kind = kind(id)?;
        let published = self.published.borrow().clone();
        let zeros = || Traffic {
            id: id.to_owned(),
            kind,
            total: Counts::default(),
            last_minute: Point::default(),
            history: Some(History { seconds: vec![Point::default(); POINTS], minutes: vec![Point::default(); POINTS] }),
            nodes_missing: Vec::new(),
        };
        let exists = match kind {
            TrafficKind::HttpsEdge => published.https_edges.contains_key(id),
            TrafficKind::TlsEdge => published.tls_edges.contains_key(id),
            TrafficKind::TcpEdge => published.tcp_edges.contains_key(id),
            TrafficKind::HttpsRoute | TrafficKind::Tunnel => false,
        };
        let (found, nodes_missing) = self.live.traffic_of(id).await;
        let found = found.or_else(|| exists.then(zeros)).map(|found| Traffic { nodes_missing, ..found });
        found.ok_or_else(|| {
            let sentence = format!("There is no edge, route or tunnel with the id `{id}`. It may be gone meanwhile.");
            Error::new(Code::NotFound, sentence)
        })
    }
}

/// Kind of an id.
fn kind(id: &str) -> Result<TrafficKind> {
    fn is<K: Kind>(id: &str) -> bool {
        Id::<K>::parse(id).is_ok()
    }
    match id {
        id if is::<HttpsEdge>(id) => Ok(TrafficKind::HttpsEdge),
        id if is::<HttpsRoute>(id) => Ok(TrafficKind::HttpsRoute),
        id if is::<TlsEdge>(id) => Ok(TrafficKind::TlsEdge),
        id if is::<TcpEdge>(id) => Ok(TrafficKind::TcpEdge),
        // The error describes the form of an id.
        id => Id::<Tunnel>::parse(id).map(|_| TrafficKind::Tunnel),
    }
}

//! Traffic of edges, routes and tunnels.

use crate::resources::Resources;
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
    pub(crate) fn traffic(&self) -> Vec<Traffic> {
        let mut all = self.live.traffic();
        let busy = |one: &Traffic| (one.last_minute.requests, one.total.requests);
        all.sort_by(|one, other| busy(other).cmp(&busy(one)).then_with(|| one.id.cmp(&other.id)));
        all.truncate(MAX_ENTRIES);
        all
    }

    /// Traffic of one edge, route or tunnel. An edge without traffic has zeros.
    ///
    /// # Errors
    /// `NotFound`, or if the id is of no such kind.
    pub(crate) fn traffic_of(&self, id: &str) -> Result<Traffic> {
        let kind = kind(id)?;
        let published = self.published.borrow().clone();
        let zeros = || Traffic {
            id: id.to_owned(),
            kind,
            total: Counts::default(),
            last_minute: Point::default(),
            history: Some(History { seconds: vec![Point::default(); POINTS], minutes: vec![Point::default(); POINTS] }),
        };
        let exists = match kind {
            TrafficKind::HttpsEdge => published.https_edges.contains_key(id),
            TrafficKind::TlsEdge => published.tls_edges.contains_key(id),
            TrafficKind::TcpEdge => published.tcp_edges.contains_key(id),
            TrafficKind::HttpsRoute | TrafficKind::Tunnel => false,
        };
        self.live.traffic_of(id).or_else(|| exists.then(zeros)).ok_or_else(|| {
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

//! What passes edges, routes and tunnels.

use crate::resources::Resources;
use postern_api::{
    Code, Error, Id, Result,
    id::Kind,
    resource::{HttpsEdge, HttpsRoute, TcpEdge, TlsEdge, Tunnel},
    traffic::{Counts, History, POINTS, Point, Traffic, TrafficKind},
};

/// Shown at once.
const MOST: usize = 1000;

impl Resources {
    /// Those that something has passed, the busiest first.
    pub(crate) fn traffic(&self) -> Vec<Traffic> {
        let mut all = self.live.traffic();
        let busy = |one: &Traffic| (one.last_minute.requests, one.total.requests);
        all.sort_by(|one, other| busy(other).cmp(&busy(one)).then_with(|| one.id.cmp(&other.id)));
        all.truncate(MOST);
        all
    }

    /// One of them. What is there and was passed by nothing yet has numbers, too.
    pub(crate) fn traffic_of(&self, id: &str) -> Result<Traffic> {
        let kind = kind(id)?;
        let published = self.published.borrow().clone();
        let silent = || Traffic {
            id: id.to_owned(),
            kind,
            total: Counts::default(),
            last_minute: Point::default(),
            history: Some(History { seconds: vec![Point::default(); POINTS], minutes: vec![Point::default(); POINTS] }),
        };
        let there = match kind {
            TrafficKind::HttpsEdge => published.https_edges.contains_key(id),
            TrafficKind::TlsEdge => published.tls_edges.contains_key(id),
            TrafficKind::TcpEdge => published.tcp_edges.contains_key(id),
            TrafficKind::HttpsRoute | TrafficKind::Tunnel => false,
        };
        self.live.traffic_of(id).or_else(|| there.then(silent)).ok_or_else(|| {
            let sentence = format!("There is no edge, route or tunnel with the id `{id}`. It may be gone meanwhile.");
            Error::new(Code::NotFound, sentence)
        })
    }
}

/// What has such an id.
fn kind(id: &str) -> Result<TrafficKind> {
    fn is<K: Kind>(id: &str) -> bool {
        Id::<K>::parse(id).is_ok()
    }
    match id {
        id if is::<HttpsEdge>(id) => Ok(TrafficKind::HttpsEdge),
        id if is::<HttpsRoute>(id) => Ok(TrafficKind::HttpsRoute),
        id if is::<TlsEdge>(id) => Ok(TrafficKind::TlsEdge),
        id if is::<TcpEdge>(id) => Ok(TrafficKind::TcpEdge),
        // Its error says how ids look.
        id => Id::<Tunnel>::parse(id).map(|_| TrafficKind::Tunnel),
    }
}

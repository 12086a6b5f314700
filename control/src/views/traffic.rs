//! Traffic of edges, routes and tunnels.

use crate::{Gathered, resources::Resources};
use postern_api::{
    Code, Error, Id, Result,
    id::Kind,
    published::Published,
    resource::{HttpsEdge, HttpsRoute, TcpEdge, TlsEdge, Tunnel},
    traffic::{Counts, History, POINTS, Point, Traffic, TrafficKind, TrafficRange, TrafficSeries},
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
        let exists = kind != TrafficKind::HttpsRoute && is_published(&published, kind, id);
        let (found, nodes_missing) = self.live.traffic_of(id).await;
        let found = found.or_else(|| exists.then(zeros)).map(|found| Traffic { nodes_missing, ..found });
        found.ok_or_else(|| {
            let sentence = format!("There is no edge, route or tunnel with the id `{id}`. It may be gone meanwhile.");
            Error::new(Code::NotFound, sentence)
        })
    }

    /// Traffic of one edge or route over a time range.
    ///
    /// # Errors
    /// `NotFound`, or if the id is of no such kind.
    pub(crate) async fn traffic_series(&self, id: &str, range: TrafficRange) -> Result<TrafficSeries> {
        let kind = kind(id)?;
        if !is_published(&self.published.borrow().clone(), kind, id) {
            let advice = match kind {
                TrafficKind::Tunnel => "Tunnels are recorded as part of all traffic only: see `/traffic/series`.",
                _ => "It may be gone meanwhile.",
            };
            return Err(Error::new(Code::NotFound, format!("There is no edge or route with the id `{id}`. {advice}")));
        }
        let series = self.live.traffic_series(Some(id), range).await;
        Ok(TrafficSeries { id: Some(id.to_owned()), kind: Some(kind), ..series })
    }

    /// All traffic together over a time range.
    pub(crate) async fn traffic_series_in_all(&self, range: TrafficRange) -> TrafficSeries {
        self.live.traffic_series(None, range).await
    }
}

/// Whether an edge or route is configured.
fn is_published(published: &Published, kind: TrafficKind, id: &str) -> bool {
    match kind {
        TrafficKind::HttpsEdge => published.https_edges.contains_key(id),
        TrafficKind::HttpsRoute => {
            published.https_edges.values().any(|edge| edge.routes.iter().any(|route| route.id == id))
        }
        TrafficKind::TlsEdge => published.tls_edges.contains_key(id),
        TrafficKind::TcpEdge => published.tcp_edges.contains_key(id),
        TrafficKind::Tunnel => false,
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

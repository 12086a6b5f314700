//! Where everybody passes before anything else looks at them, and where it is written down who came: IP restrictions of
//! visitors and agents, the access log, the last refusals of each edge.

mod handshakes;
mod log;
mod passage;
mod record;
mod refused;
mod restrictions;
mod sample;

pub use log::AccessLog;
pub(crate) use passage::Passage;
pub use record::Entry;
pub(crate) use record::{Asked, Record, cut};

use crate::traffic::Traffic;
use postern_api::published::{Changed, Published};
use refused::Refused;
use restrictions::Restrictions;
use sample::Sample;
use std::sync::Arc;

/// One for the whole edge.
#[derive(Default)]
pub(crate) struct Gatehouse {
    pub(crate) restrictions: Restrictions,
    pub(crate) refused: Refused,
    /// What passes each edge, route and tunnel.
    pub(crate) traffic: Arc<Traffic>,
    /// If anybody wants one.
    pub(crate) log: Option<AccessLog>,
    /// Which failed handshakes are worth a line.
    failures: Sample<10>,
}

impl Gatehouse {
    pub(crate) fn new(log: Option<AccessLog>) -> Self {
        Gatehouse { log, ..Gatehouse::default() }
    }

    /// Judges by a new configuration from now on.
    pub(crate) fn follow(&self, published: &Published, changed: Option<&Changed>) {
        self.restrictions.follow(published);
        let there = |edge: &str| {
            published.https_edges.contains_key(edge)
                || published.tls_edges.contains_key(edge)
                || published.tcp_edges.contains_key(edge)
        };
        match changed {
            None => self.refused.forget_all_but(there),
            Some(changed) => {
                let edges = changed.https_edges.iter().chain(&changed.tls_edges).chain(&changed.tcp_edges);
                edges.filter(|edge| !there(edge)).for_each(|edge| self.refused.forget(edge));
            }
        }
    }
}

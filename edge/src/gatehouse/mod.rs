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

use postern_api::published::Published;
use refused::Refused;
use restrictions::Restrictions;
use sample::Sample;

/// One for the whole edge.
#[derive(Default)]
pub(crate) struct Gatehouse {
    pub(crate) restrictions: Restrictions,
    pub(crate) refused: Refused,
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
    pub(crate) fn follow(&self, published: &Published) {
        self.restrictions.follow(published);
        let https = published.https_edges.iter().map(|edge| edge.id.as_str());
        let tls = published.tls_edges.iter().map(|edge| edge.id.as_str());
        let tcp = published.tcp_edges.iter().map(|edge| edge.id.as_str());
        self.refused.forget_all_but(https.chain(tls).chain(tcp));
    }
}

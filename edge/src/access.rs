//! Access rules for all visitors and agents, checked before anything else, and the record of each connection that is
//! not HTTP.

mod connection_record;
mod failed_handshakes;
mod restrictions;

pub(crate) use connection_record::ConnectionRecord;

use crate::{
    geo::Geo,
    telemetry::{Telemetry, log_sampler::LogSampler},
};
use postern_api::published::{Changed, Published};
use restrictions::Restrictions;
use std::sync::Arc;

/// Access control of the whole edge.
#[derive(Default)]
pub(crate) struct Access {
    pub(crate) restrictions: Restrictions,
    pub(crate) telemetry: Arc<Telemetry>,
    pub(crate) geo: Geo,
    /// Chooses the failed handshakes that are written to the access log.
    failures: LogSampler<10>,
}

impl Access {
    pub(crate) fn new(telemetry: Arc<Telemetry>, geo: Geo) -> Self {
        Access { restrictions: Restrictions::new(geo.clone()), telemetry, geo, ..Access::default() }
    }

    /// Applies a new configuration from now on.
    pub(crate) fn follow(&self, published: &Published, changed: Option<&Changed>) {
        self.restrictions.follow(published);
        self.telemetry.follow(published, changed);
    }
}

//! The short form of a captured request, without its headers and bytes.

use super::exchange::{Exchange, nanoseconds, shown_id, status_line};
use postern_api::local::RequestSummary;

impl Exchange {
    /// The short form at this moment.
    pub fn summary(&self) -> RequestSummary<'_> {
        let (facts, info) = (self.facts(), &self.info);
        RequestSummary {
            id: shown_id(self.id),
            tunnel_name: info.tunnel.shown(),
            method: info.method().into(),
            path: info.target().into(),
            host: info.host().into(),
            status_code: facts.status,
            status: facts.status.map(|code| status_line(code, &self.reason())),
            start: self.start.to_string(),
            duration: facts.duration.map(nanoseconds),
            request_size: facts.request_size,
            response_size: facts.response_size,
            remote_addr: info.remote().into(),
            cut: facts.cut,
            replay_of: info.replay_of.map(shown_id),
            replay_through: info.replayed_through(),
            error: facts.error.as_deref().map(str::to_owned),
            pinned: facts.pinned,
            note: facts.note.as_deref().map(str::to_owned),
            imported: info.imported,
            frames: facts.frames.map(|(count, _)| count),
            open: facts.duration.is_none() || facts.frames.is_some_and(|(_, open)| open),
        }
    }
}

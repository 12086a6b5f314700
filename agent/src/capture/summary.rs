//! The line of the list that stands for a captured request, without its headers and bytes.

use super::exchange::{Exchange, nanoseconds, shown_id, status_line};
use serde::Serialize;
use serde_json::Value as Json;

/// What the list shows of a captured request.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    id: String,
    tunnel_name: String,
    method: &'a str,
    path: &'a str,
    host: &'a str,
    status_code: Option<u16>,
    status: Option<String>,
    start: String,
    /// In nanoseconds.
    duration: Option<u64>,
    request_size: u64,
    response_size: u64,
    remote_addr: &'a str,
    cut: bool,
    replay_of: Option<String>,
    replay_through: Option<&'static str>,
    error: Option<String>,
    pinned: bool,
    note: Option<String>,
    imported: bool,
    frames: Option<u64>,
    open: bool,
}

impl Exchange {
    /// What the list shows of it at this moment.
    pub fn summary(&self) -> Summary<'_> {
        let (facts, opening) = (self.facts(), &self.opening);
        Summary {
            id: shown_id(self.id),
            tunnel_name: opening.tunnel.shown(),
            method: opening.method(),
            path: opening.target(),
            host: opening.host(),
            status_code: facts.status,
            status: facts.status.map(|code| status_line(code, &self.reason())),
            start: self.start.to_string(),
            duration: facts.duration.map(nanoseconds),
            request_size: facts.request_size,
            response_size: facts.response_size,
            remote_addr: opening.remote(),
            cut: facts.cut,
            replay_of: opening.replay_of.map(shown_id),
            replay_through: opening.replayed_through(),
            error: facts.error.as_deref().map(str::to_owned),
            pinned: facts.pinned,
            note: facts.note.as_deref().map(str::to_owned),
            imported: opening.imported,
            frames: facts.frames.map(|(count, _)| count),
            open: facts.duration.is_none() || facts.frames.is_some_and(|(_, open)| open),
        }
    }
}

impl Summary<'_> {
    /// The same as a value.
    pub fn json(&self) -> Json {
        serde_json::to_value(self).expect("plain data is JSON")
    }
}

//! The last requests of one edge, route or tunnel. Those that failed are kept apart, so that they are still there after
//! thousands that did not. A request overwrites the place of an old one: nothing is allocated once a ring is full.

use crate::{
    refusal::Fault,
    telemetry::{
        RequestDescription, RequestId, ServingAgent, Trace, TraceDecision,
        access_record::{MAX_HOST_BYTES, MAX_METHOD_BYTES, before},
        trace::shown_decisions,
        truncate,
    },
};
use postern_api::{
    Code,
    resource::{RECENT_REQUESTS_LIMIT, RecentRequest},
    trace::MOST_DECISIONS,
};
use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

/// Requests kept in all rings together.
pub(super) const MAX_KEPT: usize = 40_000;
/// Requests that each ring keeps unless the operator chooses another number.
pub const RECENT_REQUESTS: usize = 200;
/// The largest number that the operator can choose.
pub const MAX_RECENT_REQUESTS: usize = RECENT_REQUESTS_LIMIT;

/// Limits on texts, in bytes.
const MAX_PATH_BYTES: usize = 512;
const MAX_MESSAGE_BYTES: usize = 512;
/// Room for the text of a request at first, which is enough for most. Exact room would have the size of blocks that each idle visitor
/// has, among which it would stay when they leave, and keep their pages.
const TEXT_BYTES: usize = 128;
/// A text that became longer is freed when its place is used again.
const MAX_REUSED_BYTES: usize = 256;

/// The limits of all rings, and how much of them is used.
#[derive(Debug, Default)]
pub(crate) struct RequestLimits {
    /// Requests that each ring keeps; 0 if none are kept at all.
    each: usize,
    /// Requests in all rings: counted when a ring grows, and anew when there is hardly room for more.
    kept: AtomicUsize,
}

/// The last requests that succeeded, and those that failed. Nothing until there is one.
#[derive(Default)]
pub(crate) struct RecentRequests(Mutex<Option<Box<Rings>>>);

#[derive(Default)]
struct Rings {
    succeeded: Ring,
    failed: Ring,
    /// The number of the latest request.
    latest: u64,
}

#[derive(Default)]
struct Ring {
    places: Vec<KeptRequest>,
    /// The place that is used next when the ring does not grow.
    next: usize,
}

/// Where a request is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptAt {
    number: u64,
    place: usize,
    failed: bool,
}

/// What is kept of a request when its response begins.
pub(crate) struct BegunRequest<'a> {
    pub(crate) request: RequestDescription<'a>,
    pub(crate) responded_at: jiff::Timestamp,
    /// Time from the beginning of the request to that moment.
    pub(crate) latency: Duration,
    pub(crate) status: u16,
    /// The party at fault, unless it succeeded.
    pub(crate) fault: Option<Fault>,
    pub(crate) error: Option<(Code, &'a str)>,
}

struct KeptRequest {
    number: u64,
    responded_at: jiff::Timestamp,
    latency: Duration,
    id: RequestId,
    visitor: SocketAddr,
    scheme: &'static str,
    protocol: &'static str,
    /// Method, host, path and message, one after another.
    text: String,
    /// Where each of them but the last ends.
    ends: [u16; 3],
    status: u16,
    edge: Option<Arc<str>>,
    route: Option<Arc<str>>,
    backend: Option<Arc<str>>,
    tunnel: Option<Arc<str>>,
    agent: Option<Arc<ServingAgent>>,
    error: Option<Code>,
    fault: Option<Fault>,
    refused_by: Option<&'static str>,
    decisions: Vec<TraceDecision>,
    took: Duration,
    bytes_in: u64,
    bytes_out: u64,
    complete: bool,
}

/// Allocations of a request whose place is used again, empty.
#[derive(Default)]
struct Room {
    text: String,
    decisions: Vec<TraceDecision>,
}

impl RequestLimits {
    pub(crate) fn new(each: usize) -> Self {
        RequestLimits { each: each.min(MAX_RECENT_REQUESTS), kept: AtomicUsize::new(0) }
    }

    /// Whether requests are kept.
    pub(crate) fn is_on(&self) -> bool {
        self.each > 0
    }

    /// Requests in all rings, or more if some of the rings are gone.
    pub(super) fn kept(&self) -> usize {
        self.kept.load(Relaxed)
    }

    /// Sets the number of requests that were counted in all rings.
    pub(super) fn set_kept(&self, kept: usize) {
        self.kept.store(kept, Relaxed);
    }

    /// Whether a ring of this length may grow.
    fn grows(&self, length: usize) -> bool {
        length < self.each && self.kept() < MAX_KEPT
    }
}

impl RecentRequests {
    /// Keeps a request. `None` if there is no room for the first one of a ring.
    pub(crate) fn begin(&self, limits: &RequestLimits, begun: &BegunRequest<'_>, trace: &mut Trace) -> Option<KeptAt> {
        let mut state = self.state();
        let rings = state.get_or_insert_default();
        rings.latest += 1;
        let (number, failed) = (rings.latest, begun.fault.is_some());
        let ring = if failed { &mut rings.failed } else { &mut rings.succeeded };
        let place = if limits.grows(ring.places.len()) {
            limits.kept.fetch_add(1, Relaxed);
            ring.places.push(KeptRequest::new(number, begun, trace, Room::default()));
            ring.places.len() - 1
        } else {
            let place = if ring.next < ring.places.len() { ring.next } else { 0 };
            ring.next = place + 1;
            let former = ring.places.get_mut(place)?;
            *former = KeptRequest::new(number, begun, trace, former.take_room());
            place
        };
        Some(KeptAt { number, place, failed })
    }

    /// Completes a request, unless a newer one has taken its place.
    pub(crate) fn complete(&self, at: KeptAt, bytes_in: u64, bytes_out: u64, took: Duration) {
        let mut state = self.state();
        let Some(rings) = state.as_mut() else { return };
        let ring = if at.failed { &mut rings.failed } else { &mut rings.succeeded };
        let kept = ring.places.get_mut(at.place).filter(|kept| kept.number == at.number);
        if let Some(kept) = kept {
            (kept.bytes_in, kept.bytes_out, kept.took, kept.complete) = (bytes_in, bytes_out, took, true);
        }
    }

    /// Adds the requests that reached the edge, route or tunnel of this id; all for an empty id.
    pub(super) fn add_to(&self, found: &mut Vec<RecentRequest>, id: &str) {
        if let Some(rings) = self.state().as_ref() {
            let kept = rings.succeeded.places.iter().chain(&rings.failed.places);
            found.extend(kept.filter(|kept| kept.reached(id)).map(KeptRequest::shown));
        }
    }

    /// Number of requests that are kept, and when the latest one was responded to; `None` without any.
    pub(super) fn extent(&self) -> Option<(usize, jiff::Timestamp)> {
        let state = self.state();
        let rings = state.as_ref()?;
        let kept = || rings.succeeded.places.iter().chain(&rings.failed.places);
        Some((kept().count(), kept().map(|kept| kept.responded_at).max()?))
    }

    /// Forgets all of them.
    pub(super) fn clear(&self) {
        *self.state() = None;
    }

    fn state(&self) -> MutexGuard<'_, Option<Box<Rings>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeptRequest {
    fn new(number: u64, begun: &BegunRequest<'_>, trace: &mut Trace, room: Room) -> Self {
        let Room { mut text, mut decisions } = room;
        decisions.extend(trace.decisions().iter().take(MOST_DECISIONS).cloned());
        let RequestDescription { visitor, scheme, protocol, host, method, path } = begun.request;
        let parts = [(method, MAX_METHOD_BYTES), (host, MAX_HOST_BYTES), (path, MAX_PATH_BYTES)];
        text.reserve(parts.iter().map(|(part, max)| part.len().min(*max)).sum::<usize>().max(TEXT_BYTES));
        let ends = parts.map(|(part, max)| {
            text.push_str(truncate(part, max));
            u16::try_from(text.len()).unwrap_or_default()
        });
        let error = begun.error.map(|(code, message)| {
            text.push_str(truncate(message, MAX_MESSAGE_BYTES));
            code
        });
        KeptRequest {
            number,
            responded_at: begun.responded_at,
            latency: begun.latency,
            id: trace.id_at(begun.responded_at),
            visitor,
            scheme,
            protocol,
            text,
            ends,
            status: begun.status,
            edge: trace.edge().cloned(),
            route: trace.route().cloned(),
            backend: trace.backend().cloned(),
            tunnel: trace.tunnel().cloned(),
            agent: trace.agent().cloned(),
            error,
            fault: begun.fault,
            refused_by: trace.refused_by(),
            decisions,
            took: begun.latency,
            bytes_in: 0,
            bytes_out: 0,
            complete: false,
        }
    }

    /// Empties it for a newer request.
    fn take_room(&mut self) -> Room {
        let (mut text, mut decisions) = (std::mem::take(&mut self.text), std::mem::take(&mut self.decisions));
        text.clear();
        decisions.clear();
        if text.capacity() > MAX_REUSED_BYTES {
            text = String::new();
        }
        Room { text, decisions }
    }

    fn reached(&self, id: &str) -> bool {
        id.is_empty() || [&self.edge, &self.route, &self.tunnel].into_iter().flatten().any(|reached| **reached == *id)
    }

    fn shown(&self) -> RecentRequest {
        let id = |part: &Option<Arc<str>>| part.as_deref().unwrap_or_default().to_owned();
        let [method_end, host_end, path_end] = self.ends.map(usize::from);
        let text = |from: usize, to: usize| self.text.get(from..to).unwrap_or_default().to_owned();
        let agent = |part: fn(&ServingAgent) -> &String| self.agent.as_deref().map(part).cloned().unwrap_or_default();
        RecentRequest {
            id: self.id.as_str().to_owned(),
            at: format!("{:.6}", before(self.responded_at, self.latency)),
            ip: self.visitor.ip().to_canonical().to_string(),
            scheme: self.scheme.to_owned(),
            protocol: self.protocol.to_owned(),
            host: text(method_end, host_end),
            method: text(0, method_end),
            path: text(host_end, path_end),
            status: self.status,
            complete: self.complete,
            duration_microseconds: u64::try_from(self.took.as_micros()).unwrap_or(u64::MAX),
            bytes_in: self.bytes_in,
            bytes_out: self.bytes_out,
            edge_id: id(&self.edge),
            route_id: id(&self.route),
            backend_id: id(&self.backend),
            tunnel_id: id(&self.tunnel),
            tunnel_session_id: agent(|agent| &agent.session),
            credential_id: agent(|agent| &agent.credential),
            error_code: self.error.map(|code| code.to_string()).unwrap_or_default(),
            msg: text(path_end, self.text.len()),
            fault: self.fault.map(Fault::as_str).unwrap_or_default().to_owned(),
            refused_by: self.refused_by.unwrap_or_default().to_owned(),
            decisions: shown_decisions(&self.decisions),
            node: None,
        }
    }
}

#[cfg(test)]
mod tests;

//! One captured exchange: a request with its response, while it passes and after.

pub use super::request_info::TunnelTag;
pub(crate) use super::request_info::{RequestInfo, RequestTexts};
use super::{
    budget::MemoryBudget,
    frames::{CapturedFrame, FrameLog},
    head::reason_phrase,
    message::{CapturedBody, CapturedMessage},
    message_buffer::{ChargedBuffer, MessageBuffer},
};
use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::time::Instant;

/// Listeners are notified of frames no more often than this.
const FRAME_NOTIFY_INTERVAL: Duration = Duration::from_millis(500);

/// The two messages of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Request,
    Response,
}

/// A captured exchange, shared by the sniffer that fills it and its readers.
pub struct Exchange {
    pub(crate) id: u64,
    pub(crate) start: jiff::Timestamp,
    pub(crate) started: Instant,
    pub(crate) info: RequestInfo,
    /// The revision of the store at its last change.
    revision: AtomicU64,
    state: Mutex<ExchangeState>,
}

/// The part that changes while the exchange goes on.
#[derive(Debug, Default)]
pub(crate) struct ExchangeState {
    pub(crate) request: MessageBuffer,
    pub(crate) response: Option<MessageBuffer>,
    pub(crate) status: Option<u16>,
    pub(crate) duration: Option<Duration>,
    pub(crate) error: Option<Arc<str>>,
    pub(crate) timing: ExchangeTiming,
    /// Messages of a WebSocket, or server-sent events.
    frames: Option<Box<FrameLog>>,
    /// The time of the last notification about a frame.
    frame_notified: Option<Instant>,
    /// A note of the owner.
    pub(crate) note: Option<Arc<str>>,
    /// Evicted last.
    pub(crate) pinned: bool,
    /// Bytes of the budget that this exchange takes.
    charged: usize,
    /// Out of the store; nothing more is kept.
    detached: bool,
    /// Deleted by the owner; listeners are no longer notified of it.
    deleted: bool,
}

/// A snapshot of an exchange without its bytes.
#[derive(Clone, Debug)]
pub(crate) struct ExchangeFacts {
    pub(crate) status: Option<u16>,
    pub(crate) duration: Option<Duration>,
    pub(crate) request_size: u64,
    pub(crate) response_size: u64,
    pub(crate) error: Option<Arc<str>>,
    pub(crate) note: Option<Arc<str>>,
    pub(crate) pinned: bool,
    pub(crate) cut: bool,
    pub(crate) timing: ExchangeTiming,
    /// The number of frames so far and whether more may come; `None` without frames.
    pub(crate) frames: Option<(u64, bool)>,
}

/// Durations of the parts of an exchange, as the agent measures them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ExchangeTiming {
    /// From the server to this agent, half of the session's round trip.
    pub(crate) transit: Option<Duration>,
    /// Connecting to the local service; `None` on a reused connection.
    pub(crate) connect: Option<Duration>,
    /// From the request's head to the last byte of the request.
    pub(crate) sent: Option<Duration>,
    /// From the request's head to the first byte of the response.
    pub(crate) first_byte: Option<Duration>,
}

/// Formats an id as the API does: 16 hexadecimal digits.
pub(crate) fn shown_id(id: u64) -> String {
    format!("{id:016x}")
}

/// Parses an id of the form that the API writes.
pub fn parse_id(id: &str) -> Option<u64> {
    let number = u64::from_str_radix(id, 16).ok()?;
    (shown_id(number) == id).then_some(number)
}

impl Exchange {
    pub(crate) fn new(id: u64, info: RequestInfo, request: MessageBuffer) -> Self {
        let state = ExchangeState { request, ..ExchangeState::default() };
        Exchange {
            id,
            start: postern_api::clock::now(),
            started: Instant::now(),
            info,
            revision: AtomicU64::new(0),
            state: Mutex::new(state),
        }
    }

    /// Moves the start into the past, for an imported exchange.
    pub(crate) fn started_at(self, start: jiff::Timestamp) -> Self {
        Exchange { start, ..self }
    }

    /// Bytes of memory beside the captured messages: the struct, its texts, and its entries in the store's index.
    pub(crate) fn fixed_bytes(&self) -> usize {
        size_of::<Exchange>() + self.info.heap_bytes() + 256
    }

    pub(crate) fn locked(&self) -> MutexGuard<'_, ExchangeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts bytes of the budget as taken by this exchange, unless it is out of the store.
    pub(crate) fn charge(&self, bytes: usize) -> bool {
        let mut state = self.locked();
        if !state.detached {
            state.charged += bytes;
        }
        !state.detached
    }

    /// Drops the bytes of an exchange that leaves the store. Returns how much of the budget it took. Adds chunks that can
    /// be used again to `freed`.
    pub(crate) fn detach(&self, freed: &mut Vec<Vec<u8>>) -> usize {
        let mut state = self.locked();
        state.detached = true;
        state.request.clear(freed);
        state.note = None;
        state.frames = None;
        if let Some(response) = &mut state.response {
            response.clear(freed);
        }
        std::mem::take(&mut state.charged)
    }

    /// Like [`detach`](Self::detach), for an exchange that its owner deletes.
    pub(crate) fn delete(&self) -> usize {
        self.locked().deleted = true;
        self.detach(&mut Vec::new())
    }

    pub(crate) fn is_deleted(&self) -> bool {
        self.locked().deleted
    }

    /// Copies the front of `rest` into the memory that is there, counting `passed` bytes as passed. Returns the memory
    /// to [`grow`](Self::grow) by before the others can be kept; 0 when there is nothing more to keep.
    pub(crate) fn fill(&self, side: Side, rest: &mut &[u8], passed: u64) -> usize {
        let mut state = self.locked();
        let detached = state.detached;
        let Some(buffer) = state.side(side) else { return 0 };
        buffer.passed += passed;
        if detached {
            return 0;
        }
        *rest = buffer.fill(rest);
        if rest.is_empty() {
            return 0;
        }
        let needed = buffer.needed(rest.len());
        buffer.cut |= needed == 0;
        needed
    }

    /// Adds a chunk whose memory was reserved. Returns `false`, with the reservation refunded, if the exchange is out of the store.
    pub(crate) fn grow(&self, budget: &MemoryBudget, side: Side, (reserved, chunk): (usize, Vec<u8>)) -> bool {
        let mut state = self.locked();
        let detached = state.detached;
        let Some(buffer) = state.side(side).filter(|_| !detached) else {
            budget.refund(reserved);
            return false;
        };
        let allocated = buffer.grow(chunk);
        state.charged += allocated;
        budget.adjust(reserved, allocated);
        true
    }

    /// Adds the response, whose head has passed.
    pub(crate) fn set_response(&self, budget: &MemoryBudget, status: u16, response: ChargedBuffer) {
        let first_byte = self.started.elapsed();
        let mut state = self.locked();
        if state.detached {
            return budget.refund(response.charged);
        }
        state.status = Some(status);
        state.timing.first_byte = Some(first_byte);
        state.response = Some(response.buffer);
        state.charged += response.charged;
    }

    /// Ends one side that has passed completely.
    pub(crate) fn end_side(&self, budget: &MemoryBudget, side: Side) {
        let sent = (side == Side::Request).then(|| self.started.elapsed());
        let mut state = self.locked();
        state.end(budget, side, true);
        state.timing.sent = sent.or(state.timing.sent);
    }

    /// Ends one side of an imported exchange.
    pub(crate) fn end_imported_side(&self, budget: &MemoryBudget, side: Side, complete: bool) {
        self.locked().end(budget, side, complete);
    }

    /// Keeps no more of one side.
    pub(crate) fn stop_keeping(&self, side: Side) {
        if let Some(buffer) = self.locked().side(side) {
            buffer.stop_keeping();
        }
    }

    /// Marks one side as not kept whole.
    pub(crate) fn mark_cut(&self, side: Side) {
        if let Some(buffer) = self.locked().side(side) {
            buffer.cut = true;
        }
    }

    /// Ends the exchange, once. Returns whether listeners are to be notified.
    pub(crate) fn finish(&self, duration: Duration, error: Option<&str>) -> bool {
        let mut state = self.locked();
        if state.duration.is_some() {
            return false;
        }
        state.duration = Some(duration);
        state.error = error.map(Arc::from);
        !state.deleted
    }

    pub(crate) fn set_pinned(&self, pinned: bool) {
        self.locked().pinned = pinned;
    }

    /// Replaces the note by one whose memory is reserved already.
    pub(crate) fn set_note(&self, budget: &MemoryBudget, note: Option<&str>) {
        let reserved = note.map_or(0, str::len);
        let mut state = self.locked();
        let before = state.note.as_ref().map_or(0, |note| note.len());
        if state.detached {
            budget.refund(reserved);
            return;
        }
        state.note = note.map(Arc::from);
        state.charged = state.charged + reserved - before;
        budget.refund(before);
    }

    /// Sets the durations that were measured before the request arrived.
    pub(crate) fn set_timing(&self, transit: Option<Duration>, connect: Option<Duration>) {
        let timing = &mut self.locked().timing;
        (timing.transit, timing.connect) = (transit, connect);
    }

    /// Sets the durations of an imported exchange.
    pub(crate) fn set_imported_timing(&self, timing: ExchangeTiming) {
        self.locked().timing = timing;
    }

    /// A snapshot without the bytes.
    pub(crate) fn facts(&self) -> ExchangeFacts {
        let state = self.locked();
        let (request_size, response_size) = state.sizes();
        ExchangeFacts {
            status: state.status,
            duration: state.duration,
            request_size,
            response_size,
            error: state.error.clone(),
            timing: state.timing,
            frames: state.frames.as_ref().map(|frames| (frames.count, frames.open)),
            note: state.note.clone(),
            pinned: state.pinned,
            cut: state.is_cut(),
        }
    }

    /// Snapshots of both messages.
    pub(crate) fn messages(&self) -> (CapturedMessage, Option<CapturedMessage>) {
        let state = self.locked();
        (state.request.message(), state.response.as_ref().map(MessageBuffer::message))
    }

    /// The request's body, as far as it is kept at this moment.
    pub fn request_body(&self) -> CapturedBody {
        CapturedBody(self.locked().request.message())
    }

    /// The response's body, as far as it is kept at this moment; `None` without a response.
    pub fn response_body(&self) -> Option<CapturedBody> {
        self.locked().response.as_ref().map(|response| CapturedBody(response.message()))
    }

    /// Whether the request is of HTTP/1.0.
    pub(crate) fn is_http_1_0(&self) -> bool {
        let (request, _) = self.messages();
        let head = request.head();
        head.split(|byte| *byte == b'\n').next().is_some_and(|line| line.trim_ascii_end().ends_with(b"HTTP/1.0"))
    }

    /// The reason phrase of the response (RFC 9112 section 4), as far as its head is kept.
    pub(crate) fn reason(&self) -> String {
        let state = self.locked();
        let reason = |response: &MessageBuffer| response.with_head(|head| reason_phrase(head).into_owned());
        state.response.as_ref().map(reason).unwrap_or_default()
    }

    /// The id, which grows with every request.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The revision of the store at its last change.
    pub fn revision(&self) -> u64 {
        self.revision.load(Relaxed)
    }

    pub(crate) fn set_revision(&self, revision: u64) {
        self.revision.store(revision, Relaxed);
    }
}

/// Frames of a WebSocket or of server-sent events.
impl Exchange {
    /// Begins to log frames. Returns `false` if the exchange is out of the store.
    pub(crate) fn begin_frames(&self, lost: Option<&'static str>) -> bool {
        let mut state = self.locked();
        if !state.detached {
            state.frames = Some(Box::new(FrameLog::new(lost)));
        }
        !state.detached
    }

    /// Logs a frame whose memory is reserved already; the oldest make room within the limit of the exchange. Returns
    /// whether listeners are to be notified.
    pub(crate) fn add_frame(&self, budget: &MemoryBudget, frame: CapturedFrame, cost: usize, limit: usize) -> bool {
        let mut state = self.locked();
        if state.detached {
            drop(state);
            budget.refund(cost);
            return false;
        }
        let Some(frames) = &mut state.frames else { return false };
        let freed = frames.make_room(cost, limit);
        frames.push(frame);
        state.charged = (state.charged + cost).saturating_sub(freed);
        budget.refund(freed);
        // Thousands of messages a second must not wake every listener as often.
        let now = Instant::now();
        let due = state.frame_notified.is_none_or(|last| now.duration_since(last) >= FRAME_NOTIFY_INTERVAL);
        if due {
            state.frame_notified = Some(now);
        }
        due
    }

    /// Notes why no more frames can be followed.
    pub(crate) fn lose_frames(&self, why: &'static str) {
        if let Some(frames) = &mut self.locked().frames {
            frames.lost = Some(why);
        }
    }

    /// No more frames pass.
    pub(crate) fn end_frames(&self) {
        if let Some(frames) = &mut self.locked().frames {
            frames.open = false;
        }
    }

    /// At most `limit` of the kept frames after the number `after`; `None` without frames.
    pub(crate) fn frames_after(&self, after: u64, limit: usize) -> Option<FramePage> {
        let state = self.locked();
        let frames = state.frames.as_ref()?;
        let (page, dropped) = frames.after(after, limit);
        Some(FramePage { page, dropped, count: frames.count, open: frames.open, lost: frames.lost })
    }
}

/// A page of frames with the counters of all of them.
pub(crate) struct FramePage {
    pub(crate) page: Vec<CapturedFrame>,
    /// Frames after the requested one that have made room for newer ones.
    pub(crate) dropped: u64,
    pub(crate) count: u64,
    pub(crate) open: bool,
    pub(crate) lost: Option<&'static str>,
}

impl ExchangeState {
    fn end(&mut self, budget: &MemoryBudget, side: Side, complete: bool) {
        let Some(buffer) = self.side(side) else { return };
        buffer.complete = complete;
        let freed = buffer.trim();
        if !self.detached {
            self.charged -= freed.min(self.charged);
            budget.refund(freed);
        }
    }

    /// Bytes of both messages that have passed.
    pub(crate) fn sizes(&self) -> (u64, u64) {
        (self.request.passed, self.response.as_ref().map_or(0, |response| response.passed))
    }

    /// Whether part of either message is not kept.
    pub(crate) fn is_cut(&self) -> bool {
        self.request.cut || self.response.as_ref().is_some_and(|response| response.cut)
    }

    fn side(&mut self, side: Side) -> Option<&mut MessageBuffer> {
        match side {
            Side::Request => Some(&mut self.request),
            Side::Response => self.response.as_mut(),
        }
    }
}

impl std::fmt::Debug for Exchange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "exchange {:x}", self.id)
    }
}

/// `200 OK`, or the number alone without a reason phrase.
pub(crate) fn status_line(code: u16, reason: &str) -> String {
    if reason.is_empty() { code.to_string() } else { format!("{code} {reason}") }
}

/// A duration in nanoseconds, as the API shows it.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

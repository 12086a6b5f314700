//! One captured request with its response, while it passes and after.

pub use super::opening::TunnelTag;
pub(crate) use super::opening::{Opening, Said};
use super::{
    frames::{Frame, Frames},
    head::reason_of,
    message::{Bodies, Message},
    recording::{Begun, Recording},
    store::CaptureStore,
};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering::Relaxed},
};
use std::time::Duration;
use tokio::time::Instant;

/// Listeners are told of frames this seldom.
const TELL_PAUSE: Duration = Duration::from_millis(500);

/// The two halves of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Request,
    Response,
}

/// A captured request. Shared by the sniffer that fills it and everybody who looks.
pub struct Exchange {
    pub(crate) id: u64,
    pub(crate) start: jiff::Timestamp,
    pub(crate) started: Instant,
    pub(crate) opening: Opening,
    /// When it changed last, in the store's own count of changes.
    revision: AtomicU64,
    state: Mutex<State>,
}

/// What changes while the exchange goes on.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) request: Recording,
    pub(crate) response: Option<Recording>,
    pub(crate) status: Option<u16>,
    pub(crate) duration: Option<Duration>,
    pub(crate) error: Option<Arc<str>>,
    pub(crate) timing: Timing,
    /// What passes inside it, for WebSockets and server-sent events.
    frames: Option<Box<Frames>>,
    /// When listeners were told of a frame last.
    told: Option<Instant>,
    /// What its owner wrote beside it.
    pub(crate) note: Option<Arc<str>>,
    /// Evicted last.
    pub(crate) pinned: bool,
    /// Bytes of memory the store has on its account for this exchange.
    charged: usize,
    /// Out of the store; nothing is kept any more.
    detached: bool,
    /// Somebody took it out, and need not hear of it again.
    deleted: bool,
}

/// What is known of an exchange at one moment, without its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) status: Option<u16>,
    pub(crate) duration: Option<Duration>,
    pub(crate) request_size: u64,
    pub(crate) response_size: u64,
    pub(crate) error: Option<Arc<str>>,
    pub(crate) note: Option<Arc<str>>,
    pub(crate) pinned: bool,
    pub(crate) cut: bool,
    pub(crate) timing: Timing,
    /// How many frames have passed, and whether more may come; nothing where there are none.
    pub(crate) frames: Option<(u64, bool)>,
}

/// When what happened, as the agent saw it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timing {
    /// The way from the server to this agent, as the session measures it.
    pub(crate) transit: Option<Duration>,
    /// How long connecting to the local service took; nothing on a connection that was there already.
    pub(crate) connect: Option<Duration>,
    /// From the request's head to the last byte of the request.
    pub(crate) sent: Option<Duration>,
    /// From the request's head to the first byte of the answer.
    pub(crate) first_byte: Option<Duration>,
}

/// The id as the API writes it: 16 hexadecimal digits.
pub(crate) fn shown_id(id: u64) -> String {
    format!("{id:016x}")
}

impl Exchange {
    pub(crate) fn new(id: u64, opening: Opening, request: Recording) -> Self {
        let state = State { request, ..State::default() };
        Exchange {
            id,
            start: jiff::Timestamp::now(),
            started: Instant::now(),
            opening,
            revision: AtomicU64::new(0),
            state: Mutex::new(state),
        }
    }

    /// One that happened earlier than now.
    pub(crate) fn began_at(self, start: jiff::Timestamp) -> Self {
        Exchange { start, ..self }
    }

    /// Bytes of memory beside the recorded ones: the entry itself, its texts, and its places in the store.
    pub(crate) fn fixed_bytes(&self) -> usize {
        size_of::<Exchange>() + self.opening.bytes() + 256
    }

    pub(crate) fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an amount on the account of this exchange, unless it is out of the store.
    pub(crate) fn charge(&self, bytes: usize) -> bool {
        let mut state = self.locked();
        if !state.detached {
            state.charged += bytes;
        }
        !state.detached
    }

    /// Takes the exchange out: forgets its bytes and returns what was on its account.
    pub(crate) fn detach(&self) -> usize {
        let mut state = self.locked();
        state.detached = true;
        state.request.clear();
        state.note = None;
        state.frames = None;
        if let Some(response) = &mut state.response {
            response.clear();
        }
        std::mem::take(&mut state.charged)
    }

    /// Takes the exchange out for somebody who does not want it.
    pub(crate) fn delete(&self) -> usize {
        self.locked().deleted = true;
        self.detach()
    }

    pub(crate) fn is_deleted(&self) -> bool {
        self.locked().deleted
    }

    /// Keeps bytes of one side. Never waits for anything but the moment another thread needs to look.
    pub(crate) fn append(&self, store: &CaptureStore, side: Side, bytes: &[u8]) {
        let mut rest = bytes;
        let mut passed = bytes.len() as u64;
        loop {
            let wanted = {
                let mut state = self.locked();
                let detached = state.detached;
                let Some(recording) = state.side(side) else { return };
                recording.passed += std::mem::take(&mut passed);
                if detached {
                    return;
                }
                rest = recording.fill(rest);
                if rest.is_empty() {
                    return;
                }
                let wanted = recording.wanted(rest.len());
                if wanted == 0 {
                    recording.cut = true;
                    return;
                }
                wanted
            };
            // Room is made before it is used, so that the limit holds at every moment; this may take out
            // the oldest exchanges, even this very one.
            store.reserve(wanted);
            let mut state = self.locked();
            if state.detached {
                store.refund(wanted);
                return;
            }
            let Some(recording) = state.side(side) else { return };
            let taken = recording.grow(wanted);
            state.charged += taken;
            store.correct(wanted, taken);
        }
    }

    /// The response's head has passed.
    pub(crate) fn answered(&self, store: &CaptureStore, status: u16, response: Begun) {
        let first_byte = self.started.elapsed();
        let mut state = self.locked();
        if state.detached {
            return store.refund(response.taken);
        }
        state.status = Some(status);
        state.timing.first_byte = Some(first_byte);
        state.response = Some(response.recording);
        state.charged += response.taken;
    }

    /// One side is complete.
    pub(crate) fn ended(&self, store: &CaptureStore, side: Side) {
        let sent = (side == Side::Request).then(|| self.started.elapsed());
        let mut state = self.locked();
        state.end(store, side, true);
        state.timing.sent = sent.or(state.timing.sent);
    }

    /// One side is over, complete or not.
    pub(crate) fn ended_as(&self, store: &CaptureStore, side: Side, complete: bool) {
        self.locked().end(store, side, complete);
    }

    /// The exchange is over, well or not.
    pub(crate) fn finished(self: &Arc<Self>, store: &CaptureStore, error: Option<&str>) {
        self.took(store, self.started.elapsed(), error);
    }

    /// Not all of one side is there.
    pub(crate) fn mark_cut(&self, side: Side) {
        if let Some(recording) = self.locked().side(side) {
            recording.cut = true;
        }
    }

    /// The exchange was over after this time.
    pub(crate) fn took(self: &Arc<Self>, store: &CaptureStore, duration: Duration, error: Option<&str>) {
        let deleted = {
            let mut state = self.locked();
            if state.duration.is_some() {
                return;
            }
            state.duration = Some(duration);
            state.error = error.map(Arc::from);
            state.deleted
        };
        if !deleted {
            store.tell_of_change(self);
        }
    }

    pub(crate) fn set_pinned(&self, pinned: bool) {
        self.locked().pinned = pinned;
    }

    /// Writes a note, on the store's account.
    pub(crate) fn set_note(&self, store: &CaptureStore, note: Option<&str>) {
        let wanted = note.map_or(0, str::len);
        store.reserve(wanted);
        let mut state = self.locked();
        let before = state.note.as_ref().map_or(0, |note| note.len());
        if state.detached {
            store.refund(wanted);
            return;
        }
        state.note = note.map(Arc::from);
        state.charged = state.charged + wanted - before;
        store.refund(before);
    }

    /// How long the way to here and the way to the local service took.
    pub(crate) fn came(&self, transit: Option<Duration>, connect: Option<Duration>) {
        let timing = &mut self.locked().timing;
        (timing.transit, timing.connect) = (transit, connect);
    }

    /// What is known at this moment.
    pub(crate) fn facts(&self) -> Facts {
        let state = self.locked();
        let (request_size, response_size) = state.sizes();
        Facts {
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

    /// The bytes that are kept at this moment.
    pub(crate) fn messages(&self) -> (Message, Option<Message>) {
        let state = self.locked();
        (state.request.message(), state.response.as_ref().map(Recording::message))
    }

    /// The body of the request as it is kept at this moment.
    pub fn request_body(&self) -> Bodies {
        Bodies(self.locked().request.message())
    }

    /// The body of the response, if there is one.
    pub fn response_body(&self) -> Option<Bodies> {
        self.locked().response.as_ref().map(|response| Bodies(response.message()))
    }

    /// The request is of HTTP/1.0.
    pub(crate) fn is_old(&self) -> bool {
        let (request, _) = self.messages();
        let head = request.head();
        head.split(|byte| *byte == b'\n').next().is_some_and(|line| line.trim_ascii_end().ends_with(b"HTTP/1.0"))
    }

    /// The words behind the status, as far as the head of the response is kept.
    pub(crate) fn reason(&self) -> String {
        let state = self.locked();
        let reason = |response: &Recording| response.look_at_head(|head| reason_of(head).into_owned());
        state.response.as_ref().map(reason).unwrap_or_default()
    }

    /// Its number, which grows with every request.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// When it changed last, in the store's count.
    pub fn revision(&self) -> u64 {
        self.revision.load(Relaxed)
    }

    pub(crate) fn set_revision(&self, revision: u64) {
        self.revision.store(revision, Relaxed);
    }
}

/// What passes inside.
impl Exchange {
    pub(crate) fn frames_begin(self: &Arc<Self>, store: &CaptureStore, lost: Option<&'static str>) {
        {
            let mut state = self.locked();
            if state.detached {
                return;
            }
            state.frames = Some(Box::new(Frames::begin(lost)));
        }
        store.tell_of(self);
    }

    /// Keeps a frame whose cost is on the store's account already; the oldest make room within the exchange.
    pub(crate) fn frame(self: &Arc<Self>, store: &CaptureStore, frame: Frame, cost: usize) {
        let limit = store.body_limit();
        let told = {
            let mut state = self.locked();
            if state.detached {
                drop(state);
                store.refund(cost);
                return;
            }
            let Some(frames) = &mut state.frames else { return };
            let freed = frames.make_room(cost, limit);
            frames.push(frame);
            state.charged = (state.charged + cost).saturating_sub(freed);
            store.refund(freed);
            // A chat of thousands of messages is no reason to wake every listener as often.
            let now = Instant::now();
            let due = state.told.is_none_or(|told| now.duration_since(told) >= TELL_PAUSE);
            if due {
                state.told = Some(now);
            }
            due
        };
        if told {
            store.tell_of(self);
        }
    }

    pub(crate) fn frames_lost(&self, why: &'static str) {
        if let Some(frames) = &mut self.locked().frames {
            frames.lost = Some(why);
        }
    }

    /// Nothing more passes.
    pub(crate) fn frames_end(self: &Arc<Self>, store: &CaptureStore) {
        if let Some(frames) = &mut self.locked().frames {
            frames.open = false;
        }
        store.tell_of(self);
    }

    /// What is kept of the frames behind one, at most so many.
    pub(crate) fn frames_after(&self, after: u64, limit: usize) -> Option<FramePage> {
        let state = self.locked();
        let frames = state.frames.as_ref()?;
        let (page, dropped) = frames.after(after, limit);
        Some(FramePage { page, dropped, count: frames.count, open: frames.open, lost: frames.lost })
    }
}

/// Some frames, and how it stands with the others.
pub(crate) struct FramePage {
    pub(crate) page: Vec<Frame>,
    /// Frames behind the one that was asked for that have made room.
    pub(crate) dropped: u64,
    pub(crate) count: u64,
    pub(crate) open: bool,
    pub(crate) lost: Option<&'static str>,
}

impl State {
    fn end(&mut self, store: &CaptureStore, side: Side, complete: bool) {
        let Some(recording) = self.side(side) else { return };
        recording.complete = complete;
        let given_back = recording.trim();
        if !self.detached {
            self.charged -= given_back.min(self.charged);
            store.refund(given_back);
        }
    }

    /// Bytes of both messages that passed.
    pub(crate) fn sizes(&self) -> (u64, u64) {
        (self.request.passed, self.response.as_ref().map_or(0, |response| response.passed))
    }

    /// Not all of both messages is kept.
    pub(crate) fn is_cut(&self) -> bool {
        self.request.cut || self.response.as_ref().is_some_and(|response| response.cut)
    }

    fn side(&mut self, side: Side) -> Option<&mut Recording> {
        match side {
            Side::Request => Some(&mut self.request),
            Side::Response => self.response.as_mut(),
        }
    }
}

/// `200 OK`, or the number alone where the server gave no words.
pub(crate) fn status_line(code: u16, reason: &str) -> String {
    if reason.is_empty() { code.to_string() } else { format!("{code} {reason}") }
}

/// A duration as the API shows it.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

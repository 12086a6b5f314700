//! The store of captured exchanges, bounded by the memory they really take. The oldest are evicted first, pinned ones last.

use super::{
    budget::MemoryBudget,
    chunk_pool::ChunkPool,
    event::AgentEvent,
    exchange::{Exchange, RequestInfo, Side, parse_id},
    frames::CapturedFrame,
    framing::BodyFraming,
    message_buffer::{ChargedBuffer, MessageBuffer},
    redact::Redactor,
    tombstones::Tombstones,
};
use crate::config::redaction::RedactionRules;
use arc_swap::ArcSwap;
use postern_api::local::CaptureGauge;
use std::{
    borrow::Cow,
    collections::BTreeMap,
    hint,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::sync::broadcast;

/// A body takes at most this part of the store, so that no exchange displaces all others.
const MAX_BODY_SHARE: usize = 4;

/// All captured exchanges.
pub struct CaptureStore {
    budget: MemoryBudget,
    chunks: ChunkPool,
    body_limit: AtomicUsize,
    evicted: AtomicU64,
    /// Counts the changes of the store.
    revision: AtomicU64,
    /// The revision at which everything was deleted last.
    cleared: AtomicU64,
    run: u32,
    redactor: Redactor,
    rules: ArcSwap<RedactionRules>,
    /// Secrets are removed before anything is stored.
    redacting: AtomicBool,
    index: Mutex<ExchangeIndex>,
    events: broadcast::Sender<AgentEvent>,
}

/// Exchanges by id; ids grow with time.
#[derive(Default)]
struct ExchangeIndex {
    last: u32,
    unpinned: BTreeMap<u64, Arc<Exchange>>,
    pinned: BTreeMap<u64, Arc<Exchange>>,
    tombstones: Tombstones,
}

impl CaptureStore {
    /// A store for `limit` bytes of memory in all (`None`: nothing is kept) and `body_limit` bytes of each body.
    pub fn new(limit: Option<u64>, body_limit: u64, events: broadcast::Sender<AgentEvent>) -> Self {
        let store = CaptureStore {
            budget: MemoryBudget::default(),
            chunks: ChunkPool::default(),
            body_limit: AtomicUsize::new(0),
            evicted: AtomicU64::new(0),
            revision: AtomicU64::new(0),
            cleared: AtomicU64::new(0),
            run: u32::try_from(postern_api::clock::now().as_second() & 0xffff_ffff).unwrap_or(1),
            redactor: Redactor::default(),
            rules: ArcSwap::default(),
            redacting: AtomicBool::new(false),
            index: Mutex::default(),
            events,
        };
        store.resize(limit, body_limit);
        store
    }

    /// Changes the limits and evicts whatever no longer fits. A body takes at most a quarter of the store.
    pub fn resize(&self, limit: Option<u64>, body_limit: u64) {
        let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        let limit = size(limit.unwrap_or(0));
        self.budget.set_limit(limit);
        self.body_limit.store(size(body_limit).min(limit / MAX_BODY_SHARE), Relaxed);
        self.evict();
        self.chunks.trim(0);
    }

    /// Sets the rules for secrets, and whether secrets are removed before anything is stored.
    pub fn redact(&self, rules: RedactionRules, when_captured: bool) {
        self.rules.store(Arc::new(rules));
        self.redacting.store(when_captured, Relaxed);
    }

    /// The rules for secrets.
    pub fn rules(&self) -> Arc<RedactionRules> {
        self.rules.load_full()
    }

    /// The source of placeholders for this run of the agent.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// A head as it is to be stored: without secrets if so configured.
    pub(crate) fn redacted_head<'a>(&self, head: &'a [u8]) -> Cow<'a, [u8]> {
        let redacted = self.redacting.load(Relaxed).then(|| self.redactor.head(&self.rules.load(), head));
        redacted.flatten().map_or(Cow::Borrowed(head), Cow::Owned)
    }

    /// Whether anything is kept at all.
    pub fn is_on(&self) -> bool {
        self.budget.limit() > 0
    }

    /// Adds an exchange whose request head has passed.
    pub(crate) fn begin(&self, info: RequestInfo, head: &[u8], framing: &BodyFraming) -> Arc<Exchange> {
        let request = self.buffer(head, Some(framing));
        let exchange = self.insert(request, |id, buffer| Exchange::new(id, info, buffer));
        self.notify(&exchange);
        exchange
    }

    /// A buffer that begins with a head.
    pub(crate) fn buffer(&self, head: &[u8], framing: Option<&BodyFraming>) -> ChargedBuffer {
        let mut buffer = MessageBuffer::new(head.len(), self.body_limit());
        if let Some(framing) = framing {
            buffer = buffer.with_framing(framing);
        }
        buffer.passed = head.len() as u64;
        let (mut rest, mut charged) = (head, 0);
        while !rest.is_empty() {
            let needed = buffer.needed(rest.len());
            if !self.reserve(needed) {
                self.budget.refund(needed);
                buffer.cut = true;
                break;
            }
            let allocated = buffer.grow(Vec::with_capacity(needed));
            self.budget.adjust(needed, allocated);
            charged += allocated;
            rest = buffer.fill(rest);
        }
        ChargedBuffer { buffer, charged }
    }

    /// Adds an exchange under a new id.
    pub(crate) fn insert(
        &self,
        request: ChargedBuffer,
        make: impl FnOnce(u64, MessageBuffer) -> Exchange,
    ) -> Arc<Exchange> {
        let ChargedBuffer { buffer, charged } = request;
        let exchange = {
            let mut index = self.locked();
            index.last = index.last.wrapping_add(1).max(1);
            let exchange = Arc::new(make(u64::from(self.run) << 32 | u64::from(index.last), buffer));
            let fixed = exchange.fixed_bytes();
            exchange.charge(fixed + charged);
            self.budget.reserve(fixed);
            index.unpinned.insert(exchange.id, exchange.clone());
            exchange
        };
        self.evict();
        exchange
    }

    /// Appends bytes to one side. Waits for nothing but the locks of the exchange and the index.
    pub(crate) fn append(&self, exchange: &Exchange, side: Side, bytes: &[u8]) {
        let (mut rest, mut passed) = (bytes, bytes.len() as u64);
        loop {
            let needed = exchange.fill(side, &mut rest, std::mem::take(&mut passed));
            if needed == 0 {
                return;
            }
            // Memory is reserved before it is used, so that the limit holds at all times.
            if !self.reserve_within_limit(needed) && !self.evict_others(exchange) {
                self.budget.refund(needed);
                return exchange.stop_keeping(side);
            }
            if !exchange.grow(&self.budget, side, (needed, self.chunks.chunk(needed))) {
                return;
            }
        }
    }

    /// Adds the response, whose head has passed.
    pub(crate) fn begin_response(&self, exchange: &Exchange, status: u16, head: &[u8], framing: Option<&BodyFraming>) {
        exchange.set_response(&self.budget, status, self.buffer(head, framing));
    }

    /// Ends one side that has passed completely.
    pub(crate) fn end_side(&self, exchange: &Exchange, side: Side) {
        exchange.end_side(&self.budget, side);
    }

    /// Ends one side of an imported exchange.
    pub(crate) fn end_imported_side(&self, exchange: &Exchange, side: Side, complete: bool) {
        exchange.end_imported_side(&self.budget, side, complete);
    }

    /// Ends an exchange now, with or without an error.
    pub(crate) fn finish(&self, exchange: &Arc<Exchange>, error: Option<&str>) {
        self.finish_after(exchange, exchange.started.elapsed(), error);
    }

    /// Ends an exchange that took `duration`.
    pub(crate) fn finish_after(&self, exchange: &Arc<Exchange>, duration: Duration, error: Option<&str>) {
        if exchange.finish(duration, error) {
            self.notify_undeleted(exchange);
        }
    }

    /// Replaces the note of an exchange.
    pub(crate) fn set_note(&self, exchange: &Exchange, note: Option<&str>) {
        self.reserve(note.map_or(0, str::len));
        exchange.set_note(&self.budget, note);
    }

    /// Begins to log the frames of an exchange. `lost` tells why they cannot be followed from the start.
    pub(crate) fn begin_frames(&self, exchange: &Arc<Exchange>, lost: Option<&'static str>) {
        if exchange.begin_frames(lost) {
            self.notify(exchange);
        }
    }

    /// Logs a frame whose memory, `cost`, is reserved already.
    pub(crate) fn add_frame(&self, exchange: &Arc<Exchange>, frame: CapturedFrame, cost: usize) {
        if exchange.add_frame(&self.budget, frame, cost, self.body_limit()) {
            self.notify(exchange);
        }
    }

    /// Ends the frames of an exchange.
    pub(crate) fn end_frames(&self, exchange: &Arc<Exchange>) {
        exchange.end_frames();
        self.notify(exchange);
    }

    /// Bytes that are kept of one body.
    pub(crate) fn body_limit(&self) -> usize {
        self.body_limit.load(Relaxed)
    }

    /// Reserves memory and makes room for it. Returns whether there is enough.
    pub(crate) fn reserve(&self, bytes: usize) -> bool {
        self.reserve_within_limit(bytes) || self.evict()
    }

    /// Reserves memory, before that of chunks that are not used. Returns whether the limit is kept.
    fn reserve_within_limit(&self, bytes: usize) -> bool {
        let fits = self.budget.reserve(bytes);
        if fits {
            self.chunks.trim(self.budget.free());
        }
        fits
    }

    /// Gives memory back.
    pub(crate) fn refund(&self, bytes: usize) {
        self.budget.refund(bytes);
    }

    /// Evicts exchanges other than this one and pinned ones until the budget is kept. Returns whether it is.
    fn evict_others(&self, growing: &Exchange) -> bool {
        self.evict_by(|index| {
            let oldest = index.unpinned.keys().find(|id| **id != growing.id).copied()?;
            index.unpinned.remove(&oldest)
        })
    }

    /// Evicts exchanges until the budget is kept, pinned ones last. Returns whether it is.
    fn evict(&self) -> bool {
        self.evict_by(|index| {
            let oldest = index.unpinned.pop_first().or_else(|| index.pinned.pop_first());
            oldest.map(|(_, oldest)| oldest)
        })
    }

    fn evict_by(&self, mut take: impl FnMut(&mut ExchangeIndex) -> Option<Arc<Exchange>>) -> bool {
        if !self.budget.is_exceeded() {
            return true;
        }
        // Dropped after the lock is released.
        let (mut evicted, mut chunks) = (Vec::new(), Vec::new());
        {
            let mut index = self.locked();
            while self.budget.is_exceeded() {
                let Some(oldest) = take(&mut index) else { break };
                self.budget.refund(oldest.detach(&mut chunks));
                evicted.push(oldest);
            }
        }
        self.chunks.put(chunks, self.budget.free());
        self.evicted.fetch_add(evicted.len() as u64, Relaxed);
        !self.budget.is_exceeded()
    }

    /// The exchange with this id.
    pub fn get(&self, id: &str) -> Option<Arc<Exchange>> {
        let number = parse_id(id)?;
        let index = self.locked();
        index.unpinned.get(&number).or_else(|| index.pinned.get(&number)).cloned()
    }

    /// At most `count` of the exchanges captured before this id, newest first. The lock is held no longer than it takes
    /// to walk over them.
    pub fn page(&self, before: u64, count: usize) -> Vec<Arc<Exchange>> {
        let index = self.locked();
        let mut unpinned = index.unpinned.range(..before).rev().map(|(_, exchange)| exchange).peekable();
        let mut pinned = index.pinned.range(..before).rev().map(|(_, exchange)| exchange).peekable();
        let mut page: Vec<&Arc<Exchange>> = Vec::with_capacity(count.min(2048));
        while page.len() < count {
            let next = match (unpinned.peek(), pinned.peek()) {
                (Some(a), Some(b)) if b.id > a.id => pinned.next(),
                (Some(_), _) => unpinned.next(),
                (None, _) => pinned.next(),
            };
            let Some(next) = next else { break };
            page.push(next);
        }
        // Each clone would wait for its own cold memory; touched before, they are fetched together.
        hint::black_box(page.iter().map(|exchange| Arc::strong_count(exchange)).fold(0, usize::wrapping_add));
        page.into_iter().cloned().collect()
    }

    /// Pins or unpins an exchange and replaces its note; `None` leaves each as it is.
    pub fn annotate(&self, exchange: &Arc<Exchange>, pinned: Option<bool>, note: Option<Option<&str>>) {
        if let Some(note) = note {
            self.set_note(exchange, note);
        }
        if let Some(pinned) = pinned {
            let mut index = self.locked();
            let ExchangeIndex { unpinned, pinned: pinned_ones, .. } = &mut *index;
            let (from, to) = if pinned { (unpinned, pinned_ones) } else { (pinned_ones, unpinned) };
            if let Some(moved) = from.remove(&exchange.id) {
                to.insert(exchange.id, moved);
            }
            exchange.set_pinned(pinned);
        }
        self.notify(exchange);
    }

    /// Deletes one exchange; `false` if it is not there.
    pub fn remove(&self, id: &str) -> bool {
        let Some(number) = parse_id(id) else { return false };
        let (deleted, revision) = {
            let mut index = self.locked();
            let deleted = index.unpinned.remove(&number).or_else(|| index.pinned.remove(&number));
            let Some(deleted) = deleted else { return false };
            let revision = self.revision.fetch_add(1, Relaxed) + 1;
            index.tombstones.add(revision, deleted.id);
            (deleted, revision)
        };
        self.budget.refund(deleted.delete());
        self.send(AgentEvent::RequestDeleted(deleted.id, revision));
        true
    }

    /// Deletes everything.
    pub fn clear(&self) {
        let (unpinned, pinned) = {
            let mut index = self.locked();
            index.tombstones.clear();
            (std::mem::take(&mut index.unpinned), std::mem::take(&mut index.pinned))
        };
        for exchange in unpinned.into_values().chain(pinned.into_values()) {
            self.budget.refund(exchange.delete());
        }
        self.chunks.trim(0);
        self.cleared.store(self.revision.fetch_add(1, Relaxed) + 1, Relaxed);
        self.send(AgentEvent::RequestsDeleted);
    }

    /// The numbers that the status shows.
    pub fn gauge(&self) -> CaptureGauge {
        let (count, pinned, oldest) = {
            let index = self.locked();
            let oldest = match (index.unpinned.values().next(), index.pinned.values().next()) {
                (Some(a), Some(b)) if b.id < a.id => Some(b),
                (a, b) => a.or(b),
            };
            (index.unpinned.len() + index.pinned.len(), index.pinned.len(), oldest.map(|oldest| oldest.start))
        };
        CaptureGauge {
            bytes: self.budget.used() as u64,
            limit: self.budget.limit() as u64,
            count: count as u64,
            pinned: pinned as u64,
            dropped: self.evicted.load(Relaxed),
            oldest: oldest.map(|oldest| oldest.to_string()),
        }
    }

    /// Deletions of single exchanges after a revision, as revision and id. `None` if not all of them are remembered.
    pub fn deleted_after(&self, revision: u64) -> Option<Vec<(u64, u64)>> {
        self.locked().tombstones.after(revision)
    }

    /// The number of this run of the agent: the first half of every id.
    pub fn run(&self) -> u32 {
        self.run
    }

    /// The revision at which everything was deleted last.
    pub fn cleared(&self) -> u64 {
        self.cleared.load(Relaxed)
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.budget.used()
    }

    fn send(&self, event: AgentEvent) {
        let _ = self.events.send(event);
    }

    /// Notifies listeners that an exchange has changed.
    fn notify(&self, exchange: &Arc<Exchange>) {
        // An exchange that was deleted while it went on does not come back.
        if !exchange.is_deleted() {
            self.notify_undeleted(exchange);
        }
    }

    /// Like [`notify`](Self::notify), for an exchange that is known not to be deleted.
    fn notify_undeleted(&self, exchange: &Arc<Exchange>) {
        exchange.set_revision(self.revision.fetch_add(1, Relaxed) + 1);
        self.send(AgentEvent::Request(exchange.clone()));
    }

    fn locked(&self) -> MutexGuard<'_, ExchangeIndex> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for CaptureStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes captured", self.bytes())
    }
}

#[cfg(test)]
mod tests;

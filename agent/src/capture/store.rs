//! The store of captured exchanges, bounded by the memory they really take. The oldest are evicted first, pinned ones last.

use super::{
    budget::MemoryBudget,
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

/// All captured exchanges.
pub struct CaptureStore {
    budget: MemoryBudget,
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

    /// Changes the limits and evicts whatever no longer fits.
    pub fn resize(&self, limit: Option<u64>, body_limit: u64) {
        let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        self.budget.set_limit(size(limit.unwrap_or(0)));
        self.body_limit.store(size(body_limit), Relaxed);
        self.evict();
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
            let allocated = buffer.grow(needed);
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
            // Memory is reserved before it is used, so that the limit holds at all times; this may evict the oldest
            // exchanges, even this very one.
            self.reserve(needed);
            if !exchange.grow(&self.budget, side, needed) {
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
        self.budget.reserve(bytes) || self.evict()
    }

    /// Gives memory back.
    pub(crate) fn refund(&self, bytes: usize) {
        self.budget.refund(bytes);
    }

    /// Evicts exchanges until the budget is kept. Returns whether it is.
    fn evict(&self) -> bool {
        if !self.budget.is_exceeded() {
            return true;
        }
        // Dropped after the lock is released.
        let mut evicted = Vec::new();
        {
            let mut index = self.locked();
            while self.budget.is_exceeded() {
                let Some((_, oldest)) = index.unpinned.pop_first().or_else(|| index.pinned.pop_first()) else { break };
                self.budget.refund(oldest.detach());
                evicted.push(oldest);
            }
        }
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
mod tests {
    use super::{
        super::{
            event::event_channel,
            exchange::{RequestTexts, Side, TunnelTag, shown_id},
        },
        *,
    };

    fn request(name: &str) -> RequestInfo {
        let tunnel = Arc::new(TunnelTag { definition: name.into(), proto: "https" });
        RequestInfo::new(tunnel, RequestTexts { method: "POST", target: "/", host: "h", remote: "192.0.2.1:1" })
    }

    fn store(limit: u64) -> CaptureStore {
        CaptureStore::new(Some(limit), 1 << 20, event_channel())
    }

    #[test]
    fn the_budget_is_never_exceeded_and_the_oldest_are_evicted_first() {
        let store = store(10 << 20);
        let body = vec![7u8; 48 * 1024];
        for _ in 0..60 {
            let exchange = store.begin(request("site"), b"POST / HTTP/1.1\r\n\r\n", &BodyFraming::Length(0));
            for _ in 0..30 {
                store.append(&exchange, Side::Request, &body);
                assert!(store.bytes() <= 10 << 20);
            }
            store.end_side(&exchange, Side::Request);
        }
        let kept = store.page(u64::MAX, 100);
        assert!((8..=10).contains(&kept.len()), "{} were kept", kept.len());
        assert!(kept.windows(2).all(|pair| pair[0].id > pair[1].id));
        assert!(kept[0].locked().request.cut, "1.4 MB were cut at 1 MiB");
        store.clear();
        assert_eq!(store.bytes(), 0);
    }

    #[test]
    fn small_requests_are_charged_with_their_fixed_overhead() {
        let store = store(1 << 20);
        for _ in 0..5000 {
            let exchange = store.begin(request("site"), b"GET / HTTP/1.1\r\n\r\n", &BodyFraming::Length(0));
            store.end_side(&exchange, Side::Request);
        }
        let kept = store.page(u64::MAX, 10_000).len();
        assert!(kept > 500 && kept < 2500, "{kept} were kept");
        assert!(store.bytes() <= 1 << 20);
    }

    #[test]
    fn an_exchange_evicted_while_it_passes_keeps_nothing() {
        let store = store(4096);
        let exchange = store.begin(request("site"), b"POST / HTTP/1.1\r\n\r\n", &BodyFraming::Length(0));
        store.append(&exchange, Side::Request, &[0; 100_000]);
        store.append(&exchange, Side::Request, &[0; 100_000]);
        store.end_side(&exchange, Side::Request);
        assert_eq!(store.bytes(), 0);
        assert!(store.page(u64::MAX, 1).is_empty());
    }

    #[test]
    fn exchanges_are_found_by_the_id_the_api_shows() {
        let store = store(1 << 20);
        let one = store.begin(request("a"), b"", &BodyFraming::Length(0));
        assert!(store.get(&shown_id(one.id)).is_some());
        assert!(store.get("zz").is_none() && store.get("").is_none());
        assert!(store.remove(&shown_id(one.id)) && !store.remove(&shown_id(one.id)));
        assert_eq!(store.bytes(), 0);
    }

    #[test]
    fn pinned_exchanges_stay_while_others_can_be_evicted() {
        let store = store(64 << 10);
        let first = store.begin(request("a"), b"GET / HTTP/1.1\r\n\r\n", &BodyFraming::Length(0));
        store.annotate(&first, Some(true), Some(Some("look at this")));
        for _ in 0..1000 {
            let exchange = store.begin(request("a"), b"GET / HTTP/1.1\r\n\r\n", &BodyFraming::Length(0));
            store.end_side(&exchange, Side::Request);
            assert!(store.bytes() <= 64 << 10);
        }
        let kept = store.page(u64::MAX, 1000);
        assert_eq!(kept.last().map(|last| last.id), Some(first.id), "listed in its place");
        assert!(kept.windows(2).all(|pair| pair[0].id > pair[1].id));
        assert_eq!(first.summary().note.as_deref(), Some("look at this"));
        store.annotate(&first, Some(false), Some(None));
        store.begin(request("a"), b"GET / HTTP/1.1\r\n\r\n", &BodyFraming::Length(0));
        for _ in 0..20 {
            store.begin(request("a"), b"GET / HTTP/1.1\r\n\r\n", &BodyFraming::Length(0));
        }
        assert!(store.get(&shown_id(first.id)).is_none(), "the oldest is evicted as soon as it is unpinned");
        store.clear();
        assert_eq!(store.bytes(), 0);
    }
}

//! The captured requests: bounded by the memory they really take, the oldest go first, pinned ones last.

use super::{
    event::Happening,
    exchange::{Exchange, Opening, shown_id},
    framing::Framing,
    gone::Gone,
    recording::{Begun, Recording},
    redact::Redactor,
};
use crate::config::redaction::RedactionRules;
use arc_swap::ArcSwap;
use serde_json::{Value as Json, json};
use std::{
    borrow::Cow,
    collections::BTreeMap,
    hint,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
};
use tokio::sync::broadcast;

/// Everything that was captured and is still kept.
pub struct CaptureStore {
    limit: AtomicUsize,
    body_limit: AtomicUsize,
    used: AtomicUsize,
    dropped: AtomicU64,
    /// Counts every change of what is kept.
    revision: AtomicU64,
    /// The count when everything was deleted last.
    cleared: AtomicU64,
    run: u32,
    redactor: Redactor,
    rules: ArcSwap<RedactionRules>,
    /// Secrets are taken out before anything is kept.
    redacting: AtomicBool,
    kept: Mutex<Kept>,
    feed: broadcast::Sender<Happening>,
}

/// Both by id, and ids grow with age.
#[derive(Default)]
struct Kept {
    last: u32,
    loose: BTreeMap<u64, Arc<Exchange>>,
    pinned: BTreeMap<u64, Arc<Exchange>>,
    gone: Gone,
}

impl CaptureStore {
    /// A store for so many bytes of memory in all (`None`: keeps nothing) and so many of each body.
    pub fn new(limit: Option<u64>, body_limit: u64, feed: broadcast::Sender<Happening>) -> Self {
        let store = CaptureStore {
            limit: AtomicUsize::new(0),
            body_limit: AtomicUsize::new(0),
            used: AtomicUsize::new(0),
            dropped: AtomicU64::new(0),
            revision: AtomicU64::new(0),
            cleared: AtomicU64::new(0),
            run: u32::try_from(jiff::Timestamp::now().as_second() & 0xffff_ffff).unwrap_or(1),
            redactor: Redactor::default(),
            rules: ArcSwap::default(),
            redacting: AtomicBool::new(false),
            kept: Mutex::default(),
            feed,
        };
        store.resize(limit, body_limit);
        store
    }

    /// Changes the limits; what no longer fits goes.
    pub fn resize(&self, limit: Option<u64>, body_limit: u64) {
        let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        self.limit.store(size(limit.unwrap_or(0)), Relaxed);
        self.body_limit.store(size(body_limit), Relaxed);
        self.make_room();
    }

    /// What counts as a secret, and whether secrets are kept.
    pub fn redact(&self, rules: RedactionRules, when_captured: bool) {
        self.rules.store(Arc::new(rules));
        self.redacting.store(when_captured, Relaxed);
    }

    /// What counts as a secret.
    pub fn rules(&self) -> Arc<RedactionRules> {
        self.rules.load_full()
    }

    /// Makes the placeholders of this run.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// A head as it is kept: without secrets where that is wanted.
    pub(crate) fn kept_head<'a>(&self, head: &'a [u8]) -> Cow<'a, [u8]> {
        let redacted = self.redacting.load(Relaxed).then(|| self.redactor.head(&self.rules.load(), head));
        redacted.flatten().map_or(Cow::Borrowed(head), Cow::Owned)
    }

    /// Whether anything is kept at all.
    pub fn is_on(&self) -> bool {
        self.limit.load(Relaxed) > 0
    }

    /// A request's head has passed: from now on it is listed.
    pub(crate) fn begin(&self, opening: Opening, head: &[u8], framing: &Framing) -> Arc<Exchange> {
        let request = self.begun(head, Some(framing));
        let exchange = self.enter(request, |id, recording| Exchange::new(id, opening, recording));
        self.tell_of(&exchange);
        exchange
    }

    /// A recording that begins with a head.
    pub(crate) fn begun(&self, head: &[u8], framing: Option<&Framing>) -> Begun {
        let mut recording = Recording::new(head.len(), self.body_limit());
        if let Some(framing) = framing {
            recording = recording.expecting(framing);
        }
        recording.passed = head.len() as u64;
        let (mut rest, mut taken) = (head, 0);
        while !rest.is_empty() {
            let wanted = recording.wanted(rest.len());
            if !self.reserve(wanted) {
                self.refund(wanted);
                recording.cut = true;
                break;
            }
            let given = recording.grow(wanted);
            self.correct(wanted, given);
            taken += given;
            rest = recording.fill(rest);
        }
        Begun { recording, taken }
    }

    /// Gives an exchange its id and its place, and room for what belongs to every one.
    pub(crate) fn enter(&self, request: Begun, make: impl FnOnce(u64, Recording) -> Exchange) -> Arc<Exchange> {
        let Begun { recording, taken } = request;
        let exchange = {
            let mut kept = self.locked();
            kept.last = kept.last.wrapping_add(1).max(1);
            let exchange = Arc::new(make(u64::from(self.run) << 32 | u64::from(kept.last), recording));
            let fixed = exchange.fixed_bytes();
            exchange.charge(fixed + taken);
            self.used.fetch_add(fixed, Relaxed);
            kept.loose.insert(exchange.id, exchange.clone());
            exchange
        };
        self.make_room();
        exchange
    }

    /// Bytes that are kept of one body.
    pub(crate) fn body_limit(&self) -> usize {
        self.body_limit.load(Relaxed)
    }

    /// Takes memory onto the account and makes room for it; whether there is enough.
    pub(crate) fn reserve(&self, bytes: usize) -> bool {
        self.used.fetch_add(bytes, Relaxed) + bytes <= self.limit.load(Relaxed) || self.make_room()
    }

    /// The allocator gave more (or less) than was asked for.
    pub(crate) fn correct(&self, asked: usize, given: usize) {
        self.used.fetch_add(given, Relaxed);
        self.used.fetch_sub(asked, Relaxed);
    }

    /// Gives memory back.
    pub(crate) fn refund(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Relaxed);
    }

    fn make_room(&self) -> bool {
        let limit = self.limit.load(Relaxed);
        if self.used.load(Relaxed) <= limit {
            return true;
        }
        let mut gone = Vec::new();
        {
            let mut kept = self.locked();
            while self.used.load(Relaxed) > limit {
                let Some((_, oldest)) = kept.loose.pop_first().or_else(|| kept.pinned.pop_first()) else { break };
                self.used.fetch_sub(oldest.detach(), Relaxed);
                gone.push(oldest);
            }
        }
        self.dropped.fetch_add(gone.len() as u64, Relaxed);
        self.used.load(Relaxed) <= limit
    }

    /// The captured request with this id.
    pub fn get(&self, id: &str) -> Option<Arc<Exchange>> {
        let number = parse_id(id)?;
        let kept = self.locked();
        kept.loose.get(&number).or_else(|| kept.pinned.get(&number)).cloned()
    }

    /// At most so many of those captured before this one, newest first. The lock is held for no longer than it takes
    /// to walk over them.
    pub fn page(&self, before: u64, count: usize) -> Vec<Arc<Exchange>> {
        let kept = self.locked();
        let mut loose = kept.loose.range(..before).rev().map(|(_, exchange)| exchange).peekable();
        let mut pinned = kept.pinned.range(..before).rev().map(|(_, exchange)| exchange).peekable();
        let mut page: Vec<&Arc<Exchange>> = Vec::with_capacity(count.min(2048));
        while page.len() < count {
            let next = match (loose.peek(), pinned.peek()) {
                (Some(a), Some(b)) if b.id > a.id => pinned.next(),
                (Some(_), _) => loose.next(),
                (None, _) => pinned.next(),
            };
            let Some(next) = next else { break };
            page.push(next);
        }
        // Each would wait for its own cold memory while it is counted; looked at before, they come in together.
        hint::black_box(page.iter().map(|exchange| Arc::strong_count(exchange)).fold(0, usize::wrapping_add));
        page.into_iter().cloned().collect()
    }

    /// Pins an exchange or lets it loose, and writes a note beside it; `None` leaves what is there.
    pub fn mark(&self, exchange: &Arc<Exchange>, pinned: Option<bool>, note: Option<Option<&str>>) {
        if let Some(note) = note {
            exchange.set_note(self, note);
        }
        if let Some(pinned) = pinned {
            let mut kept = self.locked();
            let Kept { loose, pinned: fixed, .. } = &mut *kept;
            let (from, to) = if pinned { (loose, fixed) } else { (fixed, loose) };
            if let Some(moved) = from.remove(&exchange.id) {
                to.insert(exchange.id, moved);
            }
            exchange.set_pinned(pinned);
        }
        self.tell_of(exchange);
    }

    /// Deletes one; `false` if it is not there.
    pub fn remove(&self, id: &str) -> bool {
        let Some(number) = parse_id(id) else { return false };
        let (gone, revision) = {
            let mut kept = self.locked();
            let Some(gone) = kept.loose.remove(&number).or_else(|| kept.pinned.remove(&number)) else { return false };
            let revision = self.revision.fetch_add(1, Relaxed) + 1;
            kept.gone.add(revision, gone.id);
            (gone, revision)
        };
        self.used.fetch_sub(gone.delete(), Relaxed);
        self.tell(Happening::RequestDeleted(gone.id, revision));
        true
    }

    /// Deletes everything.
    pub fn clear(&self) {
        let (loose, pinned) = {
            let mut kept = self.locked();
            kept.gone.clear();
            (std::mem::take(&mut kept.loose), std::mem::take(&mut kept.pinned))
        };
        for exchange in loose.into_values().chain(pinned.into_values()) {
            self.used.fetch_sub(exchange.delete(), Relaxed);
        }
        self.cleared.store(self.revision.fetch_add(1, Relaxed) + 1, Relaxed);
        self.tell(Happening::RequestsDeleted);
    }

    /// What the status shows: bytes, limit, count, how many were dropped, and the oldest kept.
    pub fn gauge(&self) -> Json {
        let (count, pinned, oldest) = {
            let kept = self.locked();
            let oldest = match (kept.loose.values().next(), kept.pinned.values().next()) {
                (Some(a), Some(b)) if b.id < a.id => Some(b),
                (a, b) => a.or(b),
            };
            (kept.loose.len() + kept.pinned.len(), kept.pinned.len(), oldest.map(|oldest| oldest.start))
        };
        json!({
            "bytes": self.used.load(Relaxed),
            "limit": self.limit.load(Relaxed),
            "count": count,
            "pinned": pinned,
            "dropped": self.dropped.load(Relaxed),
            "oldest": oldest.map(|oldest| oldest.to_string()),
        })
    }

    /// What was deleted one by one after this count of changes, as count and number. `None` if not all of it is known.
    pub fn deleted_after(&self, revision: u64) -> Option<Vec<(u64, u64)>> {
        self.locked().gone.after(revision)
    }

    /// Names this run of the agent: the first half of every id.
    pub fn run(&self) -> u32 {
        self.run
    }

    /// The count of changes when everything was deleted last.
    pub fn cleared(&self) -> u64 {
        self.cleared.load(Relaxed)
    }

    /// Bytes of memory on the account.
    pub fn bytes(&self) -> usize {
        self.used.load(Relaxed)
    }

    pub(crate) fn tell(&self, happening: Happening) {
        let _ = self.feed.send(happening);
    }

    /// An exchange has changed.
    pub(crate) fn tell_of(&self, exchange: &Arc<Exchange>) {
        // What somebody deleted while it was on its way does not come back.
        if !exchange.is_deleted() {
            self.tell_of_change(exchange);
        }
    }

    /// The same where it is known that nobody has deleted it.
    pub(crate) fn tell_of_change(&self, exchange: &Arc<Exchange>) {
        exchange.set_revision(self.revision.fetch_add(1, Relaxed) + 1);
        self.tell(Happening::Request(exchange.clone()));
    }

    fn locked(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads an id of the form that the API writes.
pub fn parse_id(id: &str) -> Option<u64> {
    let number = u64::from_str_radix(id, 16).ok()?;
    (shown_id(number) == id).then_some(number)
}

impl std::fmt::Debug for CaptureStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes captured", self.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        event::feed,
        exchange::{Said, Side, TunnelTag},
    };
    use super::*;

    fn opening(name: &str) -> Opening {
        let tunnel = Arc::new(TunnelTag { definition: name.into(), proto: "https" });
        Opening::of(tunnel, Said { method: "POST", target: "/", host: "h", remote: "192.0.2.1:1" })
    }

    fn store(limit: u64) -> CaptureStore {
        CaptureStore::new(Some(limit), 1 << 20, feed())
    }

    #[test]
    fn the_account_never_exceeds_the_limit_and_the_oldest_go_first() {
        let store = store(10 << 20);
        let body = vec![7u8; 48 * 1024];
        for _ in 0..60 {
            let exchange = store.begin(opening("site"), b"POST / HTTP/1.1\r\n\r\n", &Framing::Length(0));
            for _ in 0..30 {
                exchange.append(&store, Side::Request, &body);
                assert!(store.bytes() <= 10 << 20);
            }
            exchange.ended(&store, Side::Request);
        }
        let kept = store.page(u64::MAX, 100);
        assert!((8..=10).contains(&kept.len()), "{} were kept", kept.len());
        assert!(kept.windows(2).all(|pair| pair[0].id > pair[1].id));
        assert!(kept[0].locked().request.cut, "1.4 MB were cut at 1 MiB");
        store.clear();
        assert_eq!(store.bytes(), 0);
    }

    #[test]
    fn many_small_requests_are_counted_with_all_that_belongs_to_them() {
        let store = store(1 << 20);
        for _ in 0..5000 {
            store.begin(opening("site"), b"GET / HTTP/1.1\r\n\r\n", &Framing::Length(0)).ended(&store, Side::Request);
        }
        let kept = store.page(u64::MAX, 10_000).len();
        assert!(kept > 500 && kept < 2500, "{kept} were kept");
        assert!(store.bytes() <= 1 << 20);
    }

    #[test]
    fn an_exchange_taken_out_while_it_passes_keeps_nothing() {
        let store = store(4096);
        let exchange = store.begin(opening("site"), b"POST / HTTP/1.1\r\n\r\n", &Framing::Length(0));
        exchange.append(&store, Side::Request, &[0; 100_000]);
        exchange.append(&store, Side::Request, &[0; 100_000]);
        exchange.ended(&store, Side::Request);
        assert_eq!(store.bytes(), 0);
        assert!(store.page(u64::MAX, 1).is_empty());
    }

    #[test]
    fn ids_are_found_as_they_are_written() {
        let store = store(1 << 20);
        let one = store.begin(opening("a"), b"", &Framing::Length(0));
        assert!(store.get(&shown_id(one.id)).is_some());
        assert!(store.get("zz").is_none() && store.get("").is_none());
        assert!(store.remove(&shown_id(one.id)) && !store.remove(&shown_id(one.id)));
        assert_eq!(store.bytes(), 0);
    }

    #[test]
    fn pinned_ones_stay_while_there_are_others_to_go() {
        let store = store(64 << 10);
        let first = store.begin(opening("a"), b"GET / HTTP/1.1\r\n\r\n", &Framing::Length(0));
        store.mark(&first, Some(true), Some(Some("look at this")));
        for _ in 0..1000 {
            store.begin(opening("a"), b"GET / HTTP/1.1\r\n\r\n", &Framing::Length(0)).ended(&store, Side::Request);
            assert!(store.bytes() <= 64 << 10);
        }
        let kept = store.page(u64::MAX, 1000);
        assert_eq!(kept.last().map(|last| last.id), Some(first.id), "listed at its place");
        assert!(kept.windows(2).all(|pair| pair[0].id > pair[1].id));
        assert_eq!(first.summary().json()["note"], "look at this");
        store.mark(&first, Some(false), Some(None));
        store.begin(opening("a"), b"GET / HTTP/1.1\r\n\r\n", &Framing::Length(0));
        for _ in 0..20 {
            store.begin(opening("a"), b"GET / HTTP/1.1\r\n\r\n", &Framing::Length(0));
        }
        assert!(store.get(&shown_id(first.id)).is_none(), "the oldest goes as soon as it is loose");
        store.clear();
        assert_eq!(store.bytes(), 0);
    }
}

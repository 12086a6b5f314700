//! The captured requests: bounded by the memory they really take, the oldest go first.

use super::{
    event::Happening,
    exchange::{Exchange, Opening, Side, shown_id},
    recording::Recording,
};
use serde_json::{Value as Json, json};
use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
};
use tokio::sync::broadcast;

/// Everything that was captured and is still kept.
pub struct CaptureStore {
    limit: AtomicUsize,
    body_limit: AtomicUsize,
    used: AtomicUsize,
    dropped: AtomicU64,
    next: AtomicU32,
    run: u32,
    kept: Mutex<Kept>,
    feed: broadcast::Sender<Happening>,
}

#[derive(Default)]
struct Kept {
    by_age: VecDeque<Arc<Exchange>>,
    by_id: HashMap<u64, Arc<Exchange>>,
}

/// Which captured requests are wanted.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// At most so many.
    pub limit: usize,
    /// Only those captured before this one.
    pub before: Option<u64>,
    /// Only those of this tunnel: as captured requests show it, or the bare name.
    pub tunnel: Option<String>,
}

impl CaptureStore {
    /// A store for so many bytes of memory in all (`None`: keeps nothing) and so many of each body.
    pub fn new(limit: Option<u64>, body_limit: u64, feed: broadcast::Sender<Happening>) -> Self {
        let store = CaptureStore {
            limit: AtomicUsize::new(0),
            body_limit: AtomicUsize::new(0),
            used: AtomicUsize::new(0),
            dropped: AtomicU64::new(0),
            next: AtomicU32::new(1),
            run: u32::try_from(jiff::Timestamp::now().as_second() & 0xffff_ffff).unwrap_or(1),
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

    /// Whether anything is kept at all.
    pub fn is_on(&self) -> bool {
        self.limit.load(Relaxed) > 0
    }

    /// A request's head has passed: from now on it is listed.
    pub(crate) fn begin(&self, opening: Opening, head: &[u8]) -> Arc<Exchange> {
        let id = u64::from(self.run) << 32 | u64::from(self.next.fetch_add(1, Relaxed));
        let exchange = Arc::new(Exchange::new(id, opening, self.recording(head.len())));
        let fixed = exchange.fixed_bytes();
        self.used.fetch_add(fixed, Relaxed);
        exchange.charge(fixed);
        {
            let mut kept = self.locked();
            kept.by_age.push_back(exchange.clone());
            kept.by_id.insert(id, exchange.clone());
        }
        self.make_room();
        exchange.append(self, Side::Request, head);
        self.tell(Happening::Request(exchange.clone()));
        exchange
    }

    /// An empty recording with the limit for bodies.
    pub(crate) fn recording(&self, head: usize) -> Recording {
        Recording::new(head, self.body_limit.load(Relaxed))
    }

    /// Takes memory onto the account and makes room for it.
    pub(crate) fn reserve(&self, bytes: usize) {
        if self.used.fetch_add(bytes, Relaxed) + bytes > self.limit.load(Relaxed) {
            self.make_room();
        }
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

    fn make_room(&self) {
        let limit = self.limit.load(Relaxed);
        if self.used.load(Relaxed) <= limit {
            return;
        }
        let mut gone = Vec::new();
        {
            let mut kept = self.locked();
            while self.used.load(Relaxed) > limit {
                let Some(oldest) = kept.by_age.pop_front() else { break };
                kept.by_id.remove(&oldest.id);
                self.used.fetch_sub(oldest.detach(), Relaxed);
                gone.push(oldest);
            }
            if kept.by_age.is_empty() {
                kept.by_age.shrink_to_fit();
                kept.by_id.shrink_to_fit();
            }
        }
        self.dropped.fetch_add(gone.len() as u64, Relaxed);
    }

    /// The captured request with this id.
    pub fn get(&self, id: &str) -> Option<Arc<Exchange>> {
        let number = parse_id(id)?;
        self.locked().by_id.get(&number).cloned()
    }

    /// Newest first.
    pub fn list(&self, selection: &Selection) -> Vec<Arc<Exchange>> {
        let fits = |exchange: &&Arc<Exchange>| {
            let tag = &exchange.opening.tunnel;
            let wanted = |name: &String| *name == tag.definition || *name == tag.shown();
            selection.before.is_none_or(|before| exchange.id < before) && selection.tunnel.as_ref().is_none_or(wanted)
        };
        self.locked().by_age.iter().rev().filter(fits).take(selection.limit).cloned().collect()
    }

    /// Deletes everything.
    pub fn clear(&self) {
        let kept = std::mem::take(&mut *self.locked());
        for exchange in kept.by_age {
            self.used.fetch_sub(exchange.detach(), Relaxed);
        }
        self.tell(Happening::RequestsDeleted);
    }

    /// What the status shows: bytes, limit, count, how many were dropped, and the oldest kept.
    pub fn gauge(&self) -> Json {
        let (count, oldest) = {
            let kept = self.locked();
            (kept.by_age.len(), kept.by_age.front().map(|oldest| oldest.start.to_string()))
        };
        json!({
            "bytes": self.used.load(Relaxed),
            "limit": self.limit.load(Relaxed),
            "count": count,
            "dropped": self.dropped.load(Relaxed),
            "oldest": oldest,
        })
    }

    /// Bytes of memory on the account.
    pub fn bytes(&self) -> usize {
        self.used.load(Relaxed)
    }

    pub(crate) fn tell(&self, happening: Happening) {
        let _ = self.feed.send(happening);
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

#[cfg(test)]
mod tests {
    use super::super::{event::feed, exchange::TunnelTag};
    use super::*;

    fn opening(name: &str) -> Opening {
        Opening {
            tunnel: Arc::new(TunnelTag { definition: name.into(), proto: "https" }),
            remote: "192.0.2.1:1".into(),
            method: "POST".into(),
            target: "/".into(),
            host: "h".into(),
            replay_of: None,
            trace: None,
        }
    }

    fn store(limit: u64) -> CaptureStore {
        CaptureStore::new(Some(limit), 1 << 20, feed())
    }

    #[test]
    fn the_account_never_exceeds_the_limit_and_the_oldest_go_first() {
        let store = store(10 << 20);
        let body = vec![7u8; 48 * 1024];
        for _ in 0..60 {
            let exchange = store.begin(opening("site"), b"POST / HTTP/1.1\r\n\r\n");
            for _ in 0..30 {
                exchange.append(&store, Side::Request, &body);
                assert!(store.bytes() <= 10 << 20);
            }
            exchange.ended(&store, Side::Request);
        }
        let kept = store.list(&Selection { limit: 100, ..Selection::default() });
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
            store.begin(opening("site"), b"GET / HTTP/1.1\r\n\r\n").ended(&store, Side::Request);
        }
        let kept = store.list(&Selection { limit: 10_000, ..Selection::default() }).len();
        assert!(kept > 500 && kept < 2500, "{kept} were kept");
        assert!(store.bytes() <= 1 << 20);
    }

    #[test]
    fn an_exchange_taken_out_while_it_passes_keeps_nothing() {
        let store = store(4096);
        let exchange = store.begin(opening("site"), b"POST / HTTP/1.1\r\n\r\n");
        exchange.append(&store, Side::Request, &[0; 100_000]);
        exchange.append(&store, Side::Request, &[0; 100_000]);
        exchange.ended(&store, Side::Request);
        assert_eq!(store.bytes(), 0);
        assert!(store.list(&Selection { limit: 1, ..Selection::default() }).is_empty());
    }

    #[test]
    fn requests_are_found_by_bare_and_by_shown_name() {
        let store = store(1 << 20);
        store.begin(opening("a"), b"");
        let second = store.begin(opening("b"), b"");
        let find = |name: &str| store.list(&Selection { limit: 9, tunnel: Some(name.into()), before: None }).len();
        assert_eq!((find("a"), find("a (https)"), find("a (http)"), find("c")), (1, 1, 0, 0));
        assert!(store.get(&shown_id(second.id)).is_some());
        assert!(store.get("zz").is_none() && store.get("").is_none());
    }
}

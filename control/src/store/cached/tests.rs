//! The suite for every engine, and tests that cached values are indistinguishable from values that are read.

use super::*;
use crate::store::{Batch, Change, CommitCondition, sqlite, suite::engine_suite};
use proptest::prelude::*;
use std::{
    collections::BTreeSet,
    sync::{Mutex, atomic::AtomicU64},
};

struct Folder(tempfile::TempDir);

impl crate::store::suite::Bench for Folder {
    const COUNTS_BY_ONE: bool = true;
    async fn new() -> Self {
        Folder(tempfile::tempdir().expect("a folder"))
    }
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(Cached::new(Arc::new(sqlite::open(self.0.path()).expect("the store opens")), CACHE_BYTES))
    }
}

engine_suite!(Folder);

/// An in-memory engine that yields before and after each operation, and records when it happened.
#[derive(Default)]
struct Slow {
    state: Mutex<State>,
    /// Logical clock of all operations.
    clock: AtomicU64,
    reads: AtomicU64,
    pauses: Mutex<std::vec::IntoIter<u8>>,
}

#[derive(Default)]
struct State {
    entries: std::collections::BTreeMap<String, Entry>,
    /// History of the values of each key.
    history: Vec<(u64, Change)>,
    revision: Revision,
}

impl Slow {
    fn paced(pauses: Vec<u8>) -> Arc<Self> {
        Arc::new(Slow { pauses: Mutex::new(pauses.into_iter()), ..Slow::default() })
    }

    fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    async fn pause(&self) {
        let turns = self.pauses.lock().expect("unpoisoned").next().unwrap_or(0);
        for _ in 0..turns {
            tokio::task::yield_now().await;
        }
    }

    fn perform(&self, commit: &Commit) -> CommitOutcome {
        let mut state = self.state.lock().expect("unpoisoned");
        for condition in &commit.conditions {
            if matches!(condition, CommitCondition::Absent(key) if state.entries.contains_key(key)) {
                return CommitOutcome::Conflict(condition.clone());
            }
        }
        state.revision += 1;
        let revision = state.revision;
        for write in &commit.writes {
            let (key, value) = match write {
                Write::Put(key, value) | Write::PutLeased(key, value, _) => (key.clone(), Some(value.clone())),
                Write::Delete(key) => (key.clone(), None),
            };
            match value.clone() {
                Some(value) => state.entries.insert(key.clone(), Entry { key: key.clone(), value, revision }),
                None => state.entries.remove(&key),
            };
            let moment = self.now();
            state.history.push((moment, Change { revision, key, value }));
        }
        CommitOutcome::Done(revision)
    }
}

struct Nothing;
impl Watch for Nothing {
    fn next(&mut self) -> BoxFuture<'_, Result<Batch>> {
        futures::future::pending().boxed()
    }
}

impl Store for Slow {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Entry>>> {
        async move {
            self.reads.fetch_add(1, Ordering::SeqCst);
            self.pause().await;
            let entry = self.state.lock().expect("unpoisoned").entries.get(key).cloned();
            self.pause().await;
            Ok(entry)
        }
        .boxed()
    }
    fn get_all(&self, keys: Vec<CacheKey>) -> BoxFuture<'_, Result<Vec<Page>>> {
        async move {
            let mut pages = Vec::new();
            for key in keys {
                pages.push(match key {
                    CacheKey::Key(key) => Page { entries: self.get(&key).await?.into_iter().collect(), revision: 0 },
                    CacheKey::Range(prefix) => self.range(Range::new(prefix, MAX_READ_AT_ONCE)).await?,
                });
            }
            Ok(pages)
        }
        .boxed()
    }
    fn range(&self, range: Range) -> BoxFuture<'_, Result<Page>> {
        async move {
            self.reads.fetch_add(1, Ordering::SeqCst);
            self.pause().await;
            let page = {
                let state = self.state.lock().expect("unpoisoned");
                let entries = state.entries.values().rev().filter(|entry| entry.key.starts_with(&range.prefix));
                Page { entries: entries.take(range.limit).cloned().collect(), revision: state.revision }
            };
            self.pause().await;
            Ok(page)
        }
        .boxed()
    }
    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<CommitOutcome>> {
        async move {
            self.pause().await;
            let outcome = self.perform(&commit);
            self.pause().await;
            if commit.writes.iter().any(|write| matches!(write, Write::Put(_, value) if value == b"broken")) {
                return Err(StoreError::Broken("the outcome is unknown".to_owned()));
            }
            Ok(outcome)
        }
        .boxed()
    }
    /// Idle half of the time.
    fn commit_if_idle(&self, commit: &Commit) -> Option<Result<CommitOutcome>> {
        self.now().is_multiple_of(2).then(|| Ok(self.perform(commit)))
    }
    fn subscribe(&self, _after: Revision, _subscriber: Subscriber) -> BoxFuture<'_, Result<()>> {
        async { Ok(()) }.boxed()
    }
    fn watch(&self, _prefix: &str, _after: Revision) -> Box<dyn Watch> {
        Box::new(Nothing)
    }
    fn close(&self) -> BoxFuture<'_, ()> {
        async {}.boxed()
    }
    fn checkpoint(&self) -> BoxFuture<'_, Result<()>> {
        async { Ok(()) }.boxed()
    }
    fn grant(&self, _lasting: Duration, _now: jiff::Timestamp) -> BoxFuture<'_, Result<LeaseId>> {
        async { Ok(LeaseId(1)) }.boxed()
    }
    fn keep(&self, _lease: LeaseId, _now: jiff::Timestamp) -> BoxFuture<'_, Result<bool>> {
        async { Ok(true) }.boxed()
    }
    /// Ends the leases of the writers of these tests.
    fn revoke(&self, _lease: LeaseId) -> BoxFuture<'_, Result<()>> {
        async move {
            self.pause().await;
            self.perform(&Commit::default().delete("k/1/leased"));
            self.pause().await;
            Ok(())
        }
        .boxed()
    }
    fn expire(&self, _now: jiff::Timestamp) -> BoxFuture<'_, Result<usize>> {
        async { Ok(0) }.boxed()
    }
}

/// One action of a task of the next test.
#[derive(Clone, Debug)]
enum Act {
    Get(String),
    Range(String),
    /// Reads a key and a range into the cache.
    Prefetch(String),
    Commit(Vec<(String, bool)>),
    /// Succeeds only if a key is absent.
    Claim(String),
    /// Begins a commit and drops the future before it ends.
    Leave(String),
    /// A commit whose outcome is unknown.
    Break(String),
    Lease,
    Revoke,
}

const KEYS: [&str; 4] = ["k/1/a", "k/1/b_c", "k/2/a", "k/1/leased"];

fn acts() -> impl Strategy<Value = Vec<Vec<Act>>> {
    let key = prop::sample::select(&KEYS[..]).prop_map(str::to_owned);
    let act = prop_oneof![
        6 => key.clone().prop_map(Act::Get),
        4 => prop_oneof![Just("k/"), Just("k/1/"), Just("k/1/b_"), Just("k/2/")].prop_map(|prefix| Act::Range(prefix.to_owned())),
        3 => key.clone().prop_map(Act::Prefetch),
        4 => prop::collection::vec((key.clone(), any::<bool>()), 1..3).prop_map(Act::Commit),
        2 => key.clone().prop_map(Act::Claim),
        1 => key.clone().prop_map(Act::Leave),
        1 => key.prop_map(Act::Break),
        1 => Just(Act::Lease),
        1 => Just(Act::Revoke),
    ];
    prop::collection::vec(prop::collection::vec(act, 1..12), 1..5)
}

/// A completed read: when it began and ended, and the value of a key.
struct CompletedRead {
    began: u64,
    ended: u64,
    key: String,
    value: Option<Vec<u8>>,
}

async fn act(engine: &Arc<Slow>, store: &Arc<Cached>, act: Act, number: u32, seen: &Mutex<Vec<CompletedRead>>) {
    let put = |key: &str| Commit::default().put(key, number.to_string());
    match act {
        Act::Get(key) => {
            let began = engine.now();
            let entry = store.get(&key).await.expect("a read");
            let ended = engine.now();
            seen.lock().expect("unpoisoned").push(CompletedRead {
                began,
                ended,
                key,
                value: entry.map(|entry| entry.value),
            });
        }
        Act::Range(prefix) => {
            let began = engine.now();
            let page = store.range(Range::new(prefix.clone(), 100)).await.expect("a range");
            let ended = engine.now();
            assert_page(engine, &prefix, &page);
            for key in KEYS.iter().filter(|key| key.starts_with(&prefix)) {
                let value = page.entries.iter().find(|entry| entry.key == *key).map(|entry| entry.value.clone());
                seen.lock().expect("unpoisoned").push(CompletedRead { began, ended, key: (*key).to_owned(), value });
            }
        }
        Act::Prefetch(key) => {
            let prefix = CacheKey::Range("k/1/".to_owned());
            store.prefetch(vec![CacheKey::Key(key), prefix]).await.expect("a read");
        }
        Act::Commit(keys) => {
            let commit = keys.into_iter().fold(Commit::default(), |commit, (key, stays)| {
                if stays { commit.put(key, number.to_string()) } else { commit.delete(key) }
            });
            let outcome = match store.commit_if_idle(&commit) {
                Some(outcome) => outcome,
                None => store.commit(commit).await,
            };
            outcome.expect("a commit");
        }
        Act::Claim(key) => {
            store.commit(put(&key).when(CommitCondition::Absent(key))).await.expect("a commit");
        }
        Act::Leave(key) => {
            let mut commit = store.commit(put(&key));
            futures::future::poll_immediate(&mut commit).await;
        }
        Act::Break(key) => {
            let commit = Commit::default().put("k/broken", "broken").put(key, number.to_string());
            store.commit(commit).await.expect_err("broken");
        }
        Act::Lease => {
            let write = Write::PutLeased("k/1/leased".to_owned(), number.to_string().into_bytes(), LeaseId(1));
            store.commit(Commit { writes: vec![write], ..Commit::default() }).await.expect("a commit");
        }
        Act::Revoke => store.revoke(LeaseId(1)).await.expect("revoked"),
    }
}

/// A page holds exactly the entries of its prefix at the page's revision.
fn assert_page(engine: &Slow, prefix: &str, page: &Page) {
    let mut expected = std::collections::BTreeMap::new();
    for (_, change) in &engine.state.lock().expect("unpoisoned").history {
        if change.revision <= page.revision && change.key.starts_with(prefix) {
            match &change.value {
                Some(value) => expected.insert(change.key.clone(), (value.clone(), change.revision)),
                None => expected.remove(&change.key),
            };
        }
    }
    let held: Vec<_> =
        page.entries.iter().rev().map(|entry| (entry.key.clone(), (entry.value.clone(), entry.revision))).collect();
    assert_eq!(held, expected.into_iter().collect::<Vec<_>>(), "at revision {}", page.revision);
}

/// Each read gave a value that its key had during the read, and none an older one than a read before it.
fn assert_true(engine: &Slow, seen: &Mutex<Vec<CompletedRead>>) {
    let mut seen = std::mem::take(&mut *seen.lock().expect("unpoisoned"));
    seen.sort_by_key(|read| read.began);
    let history = std::mem::take(&mut engine.state.lock().expect("unpoisoned").history);
    for key in seen.iter().map(|read| read.key.clone()).collect::<BTreeSet<_>>() {
        let nothing = (0, None);
        let changes = history.iter().filter(|(_, change)| change.key == key);
        let states: Vec<_> =
            std::iter::once(nothing).chain(changes.map(|(from, change)| (*from, change.value.clone()))).collect();
        let until = |place: usize| states.get(place + 1).map_or(u64::MAX, |(from, _)| *from);
        let mut placed: Vec<(u64, usize)> = Vec::new();
        for read in seen.iter().filter(|read| read.key == key) {
            let before = placed.iter().filter(|(ended, _)| *ended < read.began).map(|(_, place)| *place).max();
            let place = (before.unwrap_or(0)..states.len()).find(|place| {
                let (from, value) = &states[*place];
                *value == read.value && *from < read.ended && until(*place) > read.began
            });
            let place = place.unwrap_or_else(|| {
                panic!("{key} was {:?} between {} and {}: {states:?}", read.value, read.began, read.ended)
            });
            placed.push((read.ended, place));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn readers_see_the_values_of_the_engine_under_any_interleaving_with_writers(
        tasks in acts(),
        pauses in prop::collection::vec(0_u8..6, 0..200),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let engine = Slow::paced(pauses);
            let store = Arc::new(Cached::new(engine.clone(), CACHE_BYTES));
            let seen = Arc::new(Mutex::new(Vec::new()));
            let numbers = Arc::new(std::sync::atomic::AtomicU32::new(0));
            let running: Vec<_> = tasks.into_iter().map(|acts| {
                let (engine, store, seen, numbers) = (engine.clone(), store.clone(), seen.clone(), numbers.clone());
                tokio::spawn(async move {
                    for next in acts {
                        act(&engine, &store, next, numbers.fetch_add(1, Ordering::SeqCst), &seen).await;
                    }
                })
            }).collect();
            for task in running {
                task.await.expect("no task fails");
            }
            for key in KEYS {
                act(&engine, &store, Act::Get(key.to_owned()), u32::MAX, &seen).await;
            }
            assert_true(&engine, &seen);
        });
    }
}

#[tokio::test]
async fn values_that_were_read_or_written_are_not_read_again() {
    let engine = Slow::paced(Vec::new());
    let store = Cached::new(engine.clone(), CACHE_BYTES);
    let reads = || engine.reads.load(Ordering::SeqCst);
    store.commit(Commit::default().put("m/1/a", "written")).await.expect("a commit");
    assert_eq!(store.get("m/1/a").await.expect("a read").map(|entry| entry.value), Some(b"written".to_vec()));
    assert_eq!(reads(), 0, "what was written is known");
    for _ in 0..3 {
        assert_eq!(store.get("none").await.expect("a read"), None);
        assert_eq!(store.range(Range::new("m/1/", 100)).await.expect("a range").entries.len(), 1);
    }
    assert_eq!(reads(), 2, "one for the key that is not there, one for the range");
    store.commit(Commit::default().delete("m/1/a")).await.expect("a commit");
    assert_eq!(store.get("m/1/a").await.expect("a read"), None);
    assert_eq!(reads(), 2, "what was deleted is known to be gone");
    assert!(store.range(Range::new("m/1/", 100)).await.expect("a range").entries.is_empty());
    assert_eq!(reads(), 3);
}

#[tokio::test]
async fn a_cached_range_follows_the_log_and_respects_limits() {
    let engine = Slow::paced(Vec::new());
    let store = Cached::new(engine.clone(), CACHE_BYTES);
    for number in 0..5 {
        store.commit(Commit::default().put(format!("m/{number}"), "x")).await.expect("a commit");
    }
    let whole = store.range(Range::new("m/", 100)).await.expect("a range");
    store.commit(Commit::default().put("elsewhere", "x")).await.expect("a commit");
    let later = store.range(Range::new("m/", 2)).await.expect("a range");
    assert_eq!(engine.reads.load(Ordering::SeqCst), 1);
    assert_eq!(later.entries, whole.entries[..2]);
    assert_eq!((whole.revision, later.revision), (5, 6), "a reader may go on from the newest commit");
}

#[tokio::test]
async fn the_cache_is_bounded_in_bytes() {
    const LIMIT: u64 = 1 << 20;
    let engine = Slow::paced(Vec::new());
    let store = Cached::new(engine.clone(), LIMIT);
    for number in 0..4000 {
        store.commit(Commit::default().put(format!("m/{number}/x"), vec![b'x'; 1000])).await.expect("a commit");
        store.get(&format!("none/{number}")).await.expect("a read");
        store.range(Range::new(format!("m/{number}/"), 100)).await.expect("a range");
    }
    let ((keys, bytes), (ranges, range_bytes)) = (store.inner.keys.extent(), store.inner.ranges.extent());
    assert!(bytes + range_bytes <= LIMIT, "{bytes} and {range_bytes}");
    assert!(keys > 300 && ranges > 100, "{keys} keys and {ranges} ranges are remembered");
    store.commit(Commit::default().put("large", vec![b'x'; 1 << 19])).await.expect("a commit");
    assert!(store.inner.keys.extent().0 > 300, "one large value does not evict the others");
    assert_eq!(store.get("large").await.expect("a read").map(|entry| entry.value.len()), Some(1 << 19));
}

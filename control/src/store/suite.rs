//! Requirements of every engine. `engine_suite!(Bench)` generates the tests for one engine.

use super::{
    Batch, CacheKey, Change, Commit, CommitCondition, CommitOutcome, LeaseId, Range, Revision, Store, StoreError, Write,
};
use jiff::{SignedDuration, Timestamp};
use postern_test_kit::eventually;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

/// Storage of an engine, which outlives the engine.
pub(super) trait Bench: Sized {
    /// Commits are numbered one after the other. A shared store also counts those of others.
    const COUNTS_BY_ONE: bool;
    /// New, empty storage.
    async fn new() -> Self;
    /// Opens the engine on the existing data.
    async fn open(&self) -> Arc<dyn Store>;
}

/// Newest commit.
async fn newest(store: &dyn Store) -> Revision {
    store.range(Range::new("", 1)).await.expect("a range").revision
}

macro_rules! engine_suite {
    ($bench:ty) => {
        mod engine {
            use super::*;
            use crate::store::suite::{self, Bench};

            $crate::store::suite::engine_suite! { @each $bench:
                each_condition_is_honoured, a_refused_commit_writes_nothing, ranges_are_ordered_and_bounded,
                parallel_writers_lose_nothing, subscribers_see_a_change_before_it_is_acknowledged, a_watch_has_no_gaps_under_load, a_range_and_a_watch_join_without_a_seam,
                a_watch_sees_its_prefix_only, commits_are_seen_whole, leases_end_when_their_time_is_over,
                what_was_written_is_there_after_opening_again, a_watch_too_far_back_is_said_so,
                one_key_twice_in_a_commit_ends_as_the_last_write, a_commit_takes_4096_writes,
                versions_change_with_what_they_are_of, a_closed_store_frees_its_folder_while_handles_remain
            }
        }
    };
    (@each $bench:ty: $($test:ident),+) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
        async fn $test() {
            suite::$test(<$bench as Bench>::new().await).await;
        })+
    };
}
pub(super) use engine_suite;

/// Commits on this thread if the engine is idle, as the management API does.
async fn commit_now(store: &dyn Store, commit: Commit) -> CommitOutcome {
    let outcome = match store.commit_if_idle(&commit) {
        Some(outcome) => outcome,
        None => store.commit(commit).await,
    };
    outcome.expect("a commit")
}

async fn done(store: &dyn Store, commit: Commit) -> Revision {
    match store.commit(commit).await.expect("a commit") {
        CommitOutcome::Done(revision) => revision,
        CommitOutcome::Conflict(condition) => panic!("{condition:?} should hold"),
    }
}

async fn text(store: &dyn Store, key: &str) -> Option<String> {
    store.get(key).await.expect("a read").map(|entry| String::from_utf8(entry.value).expect("text"))
}

fn put(key: impl Into<String>, value: impl Into<Vec<u8>>) -> Commit {
    Commit::default().put(key, value)
}

pub(super) async fn each_condition_is_honoured(bench: impl Bench) {
    let store = bench.open().await;
    let store = store.as_ref();
    let first = done(store, put("a/1", "x")).await;
    let second = done(store, put("a/2", "x")).await;
    assert!(second > first, "revisions grow");
    let key = || "a/1".to_owned();
    let none = || "a/none".to_owned();
    let table = [
        (CommitCondition::Present(key()), true),
        (CommitCondition::Present(none()), false),
        (CommitCondition::Absent(key()), false),
        (CommitCondition::Absent(none()), true),
        (CommitCondition::Unchanged(key(), first), true),
        (CommitCondition::Unchanged(key(), second), false),
        (CommitCondition::Unchanged(none(), first), false),
        (CommitCondition::NoneNewer("a/".to_owned(), second), true),
        (CommitCondition::NoneNewer("a/".to_owned(), first), false),
        (CommitCondition::NoneNewer("a/1".to_owned(), first), true),
        (CommitCondition::NoneNewer("b/".to_owned(), 0), true),
    ];
    for (condition, holds) in table {
        let outcome = store.commit(Commit::default().when(condition.clone())).await.expect("a commit");
        assert_eq!(matches!(outcome, CommitOutcome::Done(_)), holds, "{condition:?}");
    }
    done(store, Commit::default().delete("a/1")).await;
    assert_eq!(text(store, "a/1").await, None);
    done(store, put("a/1", "again").when(CommitCondition::Absent(key()))).await;
}

pub(super) async fn a_refused_commit_writes_nothing(bench: impl Bench) {
    let store = bench.open().await;
    let before = done(store.as_ref(), put("a", "old")).await;
    let missing = CommitCondition::Present("missing".to_owned());
    let commit = put("a", "new").put("b", "new").when(CommitCondition::Present("a".to_owned())).when(missing.clone());
    assert_eq!(store.commit(commit).await.expect("a commit"), CommitOutcome::Conflict(missing));
    assert_eq!(text(store.as_ref(), "a").await.as_deref(), Some("old"));
    assert_eq!(text(store.as_ref(), "b").await, None);
    assert_eq!(store.range(Range::new("", 10)).await.expect("a range").revision, before);
}

pub(super) async fn ranges_are_ordered_and_bounded(bench: impl Bench) {
    let store = bench.open().await;
    for key in ["a/2", "a/1", "a/3", "ab/1", "a", "b/1", "a0"] {
        done(store.as_ref(), put(key, key)).await;
    }
    let keys = async |range: Range| -> Vec<String> {
        let page = store.range(range).await.expect("a range");
        page.entries.into_iter().map(|entry| entry.key).collect()
    };
    assert_eq!(keys(Range::new("a/", 10)).await, ["a/3", "a/2", "a/1"]);
    assert_eq!(keys(Range::new("a/", 2)).await, ["a/3", "a/2"]);
    let before = |key: &str| Range { before: Some(key.to_owned()), ..Range::new("a/", 10) };
    assert_eq!(keys(before("a/3")).await, ["a/2", "a/1"]);
    assert_eq!(keys(before("a/2x")).await, ["a/2", "a/1"], "the cursor need not exist");
    assert_eq!(keys(before("zzz")).await, ["a/3", "a/2", "a/1"], "a cursor behind the prefix changes nothing");
    assert_eq!(keys(before("a/1")).await, Vec::<String>::new());
    assert_eq!(keys(Range::new("", 100)).await, ["b/1", "ab/1", "a0", "a/3", "a/2", "a/1", "a"]);
    assert_eq!(keys(Range::new("c/", 100)).await, Vec::<String>::new());
}

pub(super) async fn a_closed_store_frees_its_folder_while_handles_remain(bench: impl Bench) {
    let store = bench.open().await;
    let mut watch = store.watch("", newest(store.as_ref()).await);
    done(store.as_ref(), put("a", "kept")).await;
    watch.next().await.expect("a batch");
    store.close().await;
    let next = bench.open().await;
    assert_eq!(text(next.as_ref(), "a").await.as_deref(), Some("kept"));
    assert!(store.commit_if_idle(&put("a", "late")).is_none());
    assert!(matches!(store.commit(put("a", "late")).await, Err(StoreError::Closed)));
    assert!(matches!(store.get("b").await, Err(StoreError::Closed)));
    assert!(matches!(watch.next().await, Err(StoreError::Closed)));
    store.close().await;
    assert_eq!(text(next.as_ref(), "a").await.as_deref(), Some("kept"));
}

pub(super) async fn parallel_writers_lose_nothing(bench: impl Bench) {
    const WRITERS: usize = 12;
    const TIMES: usize = 25;
    let store = bench.open().await;
    done(store.as_ref(), put("counter", "0")).await;
    let writers = (0..WRITERS).map(|_| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut conflicts = 0_usize;
            for _ in 0..TIMES {
                loop {
                    let entry = store.get("counter").await.expect("a read").expect("it exists");
                    let value: usize = String::from_utf8_lossy(&entry.value).parse().expect("a number");
                    let commit = put("counter", (value + 1).to_string())
                        .when(CommitCondition::Unchanged("counter".to_owned(), entry.revision));
                    match commit_now(store.as_ref(), commit).await {
                        CommitOutcome::Done(_) => break,
                        CommitOutcome::Conflict(_) => conflicts += 1,
                    }
                }
            }
            conflicts
        })
    });
    for writer in futures::future::join_all(writers).await {
        writer.expect("a writer ends");
    }
    assert_eq!(text(store.as_ref(), "counter").await, Some((WRITERS * TIMES).to_string()));
}

pub(super) async fn subscribers_see_a_change_before_it_is_acknowledged<B: Bench>(bench: B) {
    const WRITERS: usize = 8;
    const TIMES: usize = 50;
    let store = bench.open().await;
    let first = done(store.as_ref(), put("before", "1")).await;
    let seen = Arc::new(Mutex::new((0, Vec::new())));
    let subscriber = {
        let seen = seen.clone();
        move |changes: &[Change], newest: Revision| {
            let mut seen = seen.lock().expect("unpoisoned");
            seen.0 = newest;
            seen.1.extend(changes.iter().map(|change| (change.revision, change.key.clone())));
        }
    };
    store.subscribe(first - 1, Box::new(subscriber)).await.expect("subscribed");
    assert_eq!(*seen.lock().expect("unpoisoned"), (first, vec![(first, "before".to_owned())]), "what it missed");
    let writers = (0..WRITERS).map(|writer| {
        let (store, seen) = (store.clone(), seen.clone());
        tokio::spawn(async move {
            for time in 0..TIMES {
                let outcome = commit_now(store.as_ref(), put(format!("{writer}/{time}"), "1")).await;
                let CommitOutcome::Done(revision) = outcome else { panic!("it has no condition") };
                assert!(seen.lock().expect("unpoisoned").0 >= revision);
                assert!(text(store.as_ref(), &format!("{writer}/{time}")).await.is_some());
            }
        })
    });
    for writer in futures::future::join_all(writers).await {
        writer.expect("a writer ends");
    }
    let revisions: Vec<_> = seen.lock().expect("unpoisoned").1.iter().map(|(revision, _)| *revision).collect();
    assert_eq!(revisions.len(), 1 + WRITERS * TIMES, "each once");
    assert!(revisions.is_sorted_by(|one, next| one < next), "in order: {revisions:?}");
    if B::COUNTS_BY_ONE {
        assert_eq!(revisions.last(), Some(&(first + Revision::try_from(WRITERS * TIMES).expect("small"))));
    }
}

/// Reads a watch up to a revision.
async fn follow(store: &dyn Store, prefix: &str, after: Revision, until: Revision) -> Vec<Batch> {
    let mut watch = store.watch(prefix, after);
    let mut batches: Vec<Batch> = Vec::new();
    while batches.last().map_or(after, |batch| batch.revision) < until {
        let next = tokio::time::timeout(Duration::from_secs(20), watch.next()).await.expect("in time");
        batches.push(next.expect("a batch"));
    }
    batches
}

/// The first changes that a watch gives.
async fn changes_after(store: &dyn Store, prefix: &str, after: Revision, count: usize) -> Vec<Change> {
    let mut watch = store.watch(prefix, after);
    let mut changes = Vec::new();
    while changes.len() < count {
        let next = tokio::time::timeout(Duration::from_secs(20), watch.next()).await.expect("in time");
        changes.extend(next.expect("a batch").changes);
    }
    changes
}

pub(super) async fn a_watch_has_no_gaps_under_load(bench: impl Bench) {
    const WRITERS: usize = 8;
    const TIMES: usize = 100;
    let store = bench.open().await;
    let after = newest(store.as_ref()).await;
    let followers: Vec<_> = (0..3)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { changes_after(store.as_ref(), "", after, 2 * WRITERS * TIMES).await })
        })
        .collect();
    let writers = (0..WRITERS).map(|writer| {
        let store = store.clone();
        tokio::spawn(async move {
            for time in 0..TIMES {
                done(
                    store.as_ref(),
                    put(format!("{writer}/{time}"), "1").put(format!("{writer}/last"), time.to_string()),
                )
                .await;
            }
        })
    });
    for writer in futures::future::join_all(writers).await {
        writer.expect("a writer ends");
    }
    for follower in followers {
        let changes = follower.await.expect("a follower ends");
        assert_eq!(changes.len(), 2 * WRITERS * TIMES);
        let mut last = after;
        for pair in changes.chunks(2) {
            let whole = pair[0].revision == pair[1].revision && pair[0].revision > last;
            assert!(whole, "each commit once, whole and in order: {pair:?} after {last}");
            last = pair[0].revision;
        }
    }
}

pub(super) async fn a_range_and_a_watch_join_without_a_seam(bench: impl Bench) {
    let store = bench.open().await;
    let writer = {
        let store = store.clone();
        tokio::spawn(async move {
            for time in 0..300_usize {
                let commit = put(format!("k/{}", time % 17), time.to_string());
                done(store.as_ref(), if time % 5 == 4 { commit.delete(format!("k/{}", time % 13)) } else { commit })
                    .await;
            }
            done(store.as_ref(), put("end", "1")).await
        })
    };
    let page = store.range(Range::new("k/", 100)).await.expect("a range");
    let mut state: BTreeMap<String, Vec<u8>> = page.entries.into_iter().map(|entry| (entry.key, entry.value)).collect();
    let end = writer.await.expect("the writer ends");
    for batch in follow(store.as_ref(), "k/", page.revision, end).await {
        for change in batch.changes {
            match change.value {
                Some(value) => state.insert(change.key, value),
                None => state.remove(&change.key),
            };
        }
    }
    let now = store.range(Range::new("k/", 100)).await.expect("a range");
    let now: BTreeMap<String, Vec<u8>> = now.entries.into_iter().map(|entry| (entry.key, entry.value)).collect();
    assert_eq!(state, now);
}

pub(super) async fn a_watch_sees_its_prefix_only(bench: impl Bench) {
    let store = bench.open().await;
    let before = newest(store.as_ref()).await;
    let mut last = before;
    for number in 0..5 {
        done(store.as_ref(), put(format!("a/{number}"), "1")).await;
        last = done(store.as_ref(), put(format!("b/{number}"), "1")).await;
    }
    let batches = follow(store.as_ref(), "b/", before, last).await;
    let keys: Vec<_> = batches.into_iter().flat_map(|batch| batch.changes).map(|change| change.key).collect();
    assert_eq!(keys, ["b/0", "b/1", "b/2", "b/3", "b/4"]);
}

pub(super) async fn commits_are_seen_whole(bench: impl Bench) {
    let store = bench.open().await;
    done(store.as_ref(), put("pair/1", "0").put("pair/2", "0")).await;
    let writer = {
        let store = store.clone();
        tokio::spawn(async move {
            for time in 1..200 {
                done(store.as_ref(), put("pair/1", time.to_string()).put("pair/2", time.to_string())).await;
            }
        })
    };
    while !writer.is_finished() {
        let page = store.range(Range::new("pair/", 10)).await.expect("a range");
        let values: BTreeSet<_> = page.entries.iter().map(|entry| &entry.value).collect();
        assert_eq!((page.entries.len(), values.len()), (2, 1), "both halves of one commit: {page:?}");
    }
    writer.await.expect("the writer ends");
}

/// A commit that puts a key under a lease.
fn leased(key: &str, lease: LeaseId) -> Commit {
    Commit { writes: vec![Write::PutLeased(key.to_owned(), b"here".to_vec(), lease)], ..Commit::default() }
}

/// The time passes as the engine is told, or as it does: a store that is shared counts itself.
pub(super) async fn leases_end_when_their_time_is_over(bench: impl Bench) {
    let store = bench.open().await;
    let store = store.as_ref();
    let start = Timestamp::from_second(1_800_000_000).expect("a moment");
    let after = |seconds: i64| start + SignedDuration::from_secs(seconds);
    let short = store.grant(Duration::from_secs(2), start).await.expect("a lease");
    let long = store.grant(Duration::from_secs(3600), start).await.expect("a lease");
    assert_ne!(short, long);
    done(store, leased("nodes/short", short)).await;
    done(store, leased("nodes/long", long)).await;
    assert!(store.keep(short, after(1)).await.expect("kept"), "it lasts on");
    assert_eq!(store.expire(after(2)).await.expect("expired"), 0);
    assert!(text(store, "nodes/short").await.is_some());
    let before = newest(store).await;
    let mut passed = 2;
    eventually("the lease has ended", async || {
        passed += 1;
        store.expire(after(passed)).await.expect("expired");
        text(store, "nodes/short").await.is_none().then_some(())
    })
    .await;
    assert!(text(store, "nodes/long").await.is_some());
    let gone = changes_after(store, "nodes/", before, 1).await;
    assert!(gone.len() == 1 && gone[0].key == "nodes/short" && gone[0].value.is_none(), "a watch hears of it");
    assert!(!store.keep(short, after(passed + 1)).await.expect("kept"), "an ended lease stays ended");
    let outcome = store.commit(leased("nodes/late", short)).await.expect("a commit");
    assert!(matches!(outcome, CommitOutcome::Conflict(_)), "nothing can be put under an ended lease");
    store.revoke(long).await.expect("revoked");
    assert_eq!(text(store, "nodes/long").await, None);
}

pub(super) async fn what_was_written_is_there_after_opening_again<B: Bench>(bench: B) {
    let store = bench.open().await;
    let revision = done(store.as_ref(), put("kept", "yes")).await;
    let lease = store.grant(Duration::from_secs(60), Timestamp::UNIX_EPOCH).await.expect("a lease");
    drop(store);
    let store = bench.open().await;
    assert_eq!(text(store.as_ref(), "kept").await.as_deref(), Some("yes"));
    let next = done(store.as_ref(), put("next", "yes")).await;
    assert!(next > revision, "revisions go on growing");
    let changes = changes_after(store.as_ref(), "", revision, 1).await;
    assert_eq!(changes.last().map(|change| (change.key.as_str(), change.revision)), Some(("next", next)));
    assert!(store.keep(lease, Timestamp::UNIX_EPOCH).await.expect("kept"), "leases outlast the process");
}

pub(super) async fn a_watch_too_far_back_is_said_so(bench: impl Bench) {
    let store = bench.open().await;
    let before = newest(store.as_ref()).await;
    done(store.as_ref(), put("first", "1")).await;
    // More than memory holds of the newest changes.
    for number in 0..5 {
        done(store.as_ref(), Commit::default().put(format!("large/{number}"), vec![b'x'; 1 << 20])).await;
    }
    let last = done(store.as_ref(), put("last", "1")).await;
    let mut watch = store.watch("", before);
    assert!(matches!(watch.next().await, Err(StoreError::Compacted(_))));
    assert!(matches!(store.subscribe(before, Box::new(|_, _| ())).await, Err(StoreError::Compacted(_))));
    let batches = follow(store.as_ref(), "", last - 1, last).await;
    assert_eq!(batches[0].changes.len(), 1, "the newest changes are still there");
}

pub(super) async fn one_key_twice_in_a_commit_ends_as_the_last_write(bench: impl Bench) {
    let store = bench.open().await;
    let store = store.as_ref();
    done(store, put("gone", "1")).await;
    done(store, put("a", "1").delete("a").put("a", "2").put("gone", "2").delete("gone").delete("b").put("b", "3"))
        .await;
    assert_eq!(text(store, "a").await.as_deref(), Some("2"));
    assert_eq!(text(store, "b").await.as_deref(), Some("3"));
    assert_eq!(text(store, "gone").await, None);
}

pub(super) async fn a_commit_takes_4096_writes(bench: impl Bench) {
    const COUNT: usize = 4096;
    let store = bench.open().await;
    let store = store.as_ref();
    assert!(store.limits().writes >= COUNT);
    let before = newest(store).await;
    let key = |number: usize| format!("many/{number:04}");
    let commit = (0..COUNT).fold(Commit::default(), |commit, number| commit.put(key(number), number.to_string()));
    let commit =
        commit.when(CommitCondition::Absent(key(0))).when(CommitCondition::NoneNewer("many/".to_owned(), before));
    let revision = done(store, commit.clone()).await;
    let changes = changes_after(store, "many/", before, COUNT).await;
    assert!(changes.iter().all(|change| change.revision == revision), "all of them in one commit");
    assert_eq!(text(store, &key(COUNT - 1)).await, Some((COUNT - 1).to_string()));
    let refused = store.commit(commit).await.expect("a commit");
    assert_eq!(refused, CommitOutcome::Conflict(CommitCondition::Absent(key(0))));
    let delete = (0..COUNT).fold(Commit::default(), |commit, number| commit.delete(key(number)));
    done(store, delete).await;
    assert!(store.range(Range::new("many/", 10)).await.expect("a range").entries.is_empty());
}

/// A version stays while what it is of stays the same; engines may have none.
pub(super) async fn versions_change_with_what_they_are_of(bench: impl Bench) {
    let store = bench.open().await;
    let store = store.as_ref();
    done(store, put("m/1/a", "1")).await;
    let keys = [
        CacheKey::Key("m/1/a".to_owned()),
        CacheKey::Key("m/1/b".to_owned()),
        CacheKey::Range("m/1/".to_owned()),
        CacheKey::Range("m/2/".to_owned()),
    ];
    store.prefetch(keys.to_vec()).await.expect("read");
    let then = keys.each_ref().map(|key| store.cache_version(key));
    let same = |key: usize| match (&then[key], store.cache_version(&keys[key])) {
        (Some(then), Some(now)) => now.is_same(then),
        _ => false,
    };
    let has_versions = then.iter().all(Option::is_some);
    assert!(!has_versions || (0..4).all(same), "nothing was written");
    done(store, put("m/1/b", "1")).await;
    store.prefetch(keys.to_vec()).await.expect("read");
    assert!(!same(1) && !same(2), "the absent key is there now, and its range is another");
    assert!(!has_versions || same(0) && same(3), "the others are as they were");
}

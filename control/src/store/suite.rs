//! Requirements of every engine. `engine_suite!(Bench)` generates the tests for one engine.

use super::{
    Batch, Change, Commit, CommitCondition, CommitOutcome, LeaseId, Range, Revision, Store, StoreError, Write,
};
use jiff::{SignedDuration, Timestamp};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

/// Storage of an engine, which outlives the engine.
pub(super) trait Bench: Sized {
    /// New, empty storage.
    fn new() -> Self;
    /// Opens the engine on the existing data.
    fn open(&self) -> Arc<dyn Store>;
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
                a_closed_store_frees_its_folder_while_handles_remain
            }
        }
    };
    (@each $bench:ty: $($test:ident),+) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
        async fn $test() {
            suite::$test(<$bench as Bench>::new()).await;
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
    let store = bench.open();
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
    let store = bench.open();
    let before = done(store.as_ref(), put("a", "old")).await;
    let missing = CommitCondition::Present("missing".to_owned());
    let commit = put("a", "new").put("b", "new").when(CommitCondition::Present("a".to_owned())).when(missing.clone());
    assert_eq!(store.commit(commit).await.expect("a commit"), CommitOutcome::Conflict(missing));
    assert_eq!(text(store.as_ref(), "a").await.as_deref(), Some("old"));
    assert_eq!(text(store.as_ref(), "b").await, None);
    assert_eq!(store.range(Range::new("", 10)).await.expect("a range").revision, before);
}

pub(super) async fn ranges_are_ordered_and_bounded(bench: impl Bench) {
    let store = bench.open();
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
    let store = bench.open();
    let mut watch = store.watch("", 0);
    done(store.as_ref(), put("a", "kept")).await;
    watch.next().await.expect("a batch");
    store.close().await;
    let next = bench.open();
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
    let store = bench.open();
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

pub(super) async fn subscribers_see_a_change_before_it_is_acknowledged(bench: impl Bench) {
    const WRITERS: usize = 8;
    const TIMES: usize = 50;
    let store = bench.open();
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
    let all = Revision::try_from(WRITERS * TIMES).expect("small");
    assert_eq!(revisions, (first..=first + all).collect::<Vec<_>>(), "each once, in order");
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

pub(super) async fn a_watch_has_no_gaps_under_load(bench: impl Bench) {
    const WRITERS: usize = 8;
    const TIMES: usize = 100;
    let store = bench.open();
    let until = Revision::try_from(WRITERS * TIMES).expect("small");
    let followers: Vec<_> = (0..3)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { follow(store.as_ref(), "", 0, until).await })
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
        let batches = follower.await.expect("a follower ends");
        let changes: Vec<_> = batches.into_iter().flat_map(|batch| batch.changes).collect();
        assert_eq!(changes.len(), 2 * WRITERS * TIMES);
        for (pair, expected) in changes.chunks(2).zip(1..) {
            assert!(pair.iter().all(|change| change.revision == expected), "each commit once, in order: {pair:?}");
        }
    }
}

pub(super) async fn a_range_and_a_watch_join_without_a_seam(bench: impl Bench) {
    let store = bench.open();
    let writer = {
        let store = store.clone();
        tokio::spawn(async move {
            for time in 0..300_usize {
                let commit = put(format!("k/{}", time % 17), time.to_string());
                done(store.as_ref(), if time % 5 == 4 { commit.delete(format!("k/{}", time % 13)) } else { commit })
                    .await;
            }
        })
    };
    let page = store.range(Range::new("k/", 100)).await.expect("a range");
    let mut state: BTreeMap<String, Vec<u8>> = page.entries.into_iter().map(|entry| (entry.key, entry.value)).collect();
    for batch in follow(store.as_ref(), "k/", page.revision, 300).await {
        for change in batch.changes {
            match change.value {
                Some(value) => state.insert(change.key, value),
                None => state.remove(&change.key),
            };
        }
    }
    writer.await.expect("the writer ends");
    let now = store.range(Range::new("k/", 100)).await.expect("a range");
    let now: BTreeMap<String, Vec<u8>> = now.entries.into_iter().map(|entry| (entry.key, entry.value)).collect();
    assert_eq!(state, now);
}

pub(super) async fn a_watch_sees_its_prefix_only(bench: impl Bench) {
    let store = bench.open();
    for number in 0..5 {
        done(store.as_ref(), put(format!("a/{number}"), "1")).await;
        done(store.as_ref(), put(format!("b/{number}"), "1")).await;
    }
    let batches = follow(store.as_ref(), "b/", 0, 10).await;
    let keys: Vec<_> = batches.into_iter().flat_map(|batch| batch.changes).map(|change| change.key).collect();
    assert_eq!(keys, ["b/0", "b/1", "b/2", "b/3", "b/4"]);
}

pub(super) async fn commits_are_seen_whole(bench: impl Bench) {
    let store = bench.open();
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

pub(super) async fn leases_end_when_their_time_is_over(bench: impl Bench) {
    let store = bench.open();
    let store = store.as_ref();
    let start = Timestamp::from_second(1_800_000_000).expect("a moment");
    let after = |seconds: i64| start + SignedDuration::from_secs(seconds);
    let leased = |key: &str, lease: LeaseId| Commit {
        writes: vec![Write::PutLeased(key.to_owned(), b"here".to_vec(), lease)],
        ..Commit::default()
    };
    let short = store.grant(Duration::from_secs(10), start).await.expect("a lease");
    let long = store.grant(Duration::from_secs(60), start).await.expect("a lease");
    assert_ne!(short, long);
    done(store, leased("nodes/short", short)).await;
    done(store, leased("nodes/long", long)).await;
    assert_eq!(store.expire(after(9)).await.expect("expired"), 0);
    assert!(store.keep(short, after(9)).await.expect("kept"), "it lasts another 10 seconds");
    assert_eq!(store.expire(after(18)).await.expect("expired"), 0);
    assert!(text(store, "nodes/short").await.is_some());
    let before = store.range(Range::new("", 1)).await.expect("a range").revision;
    assert_eq!(store.expire(after(19)).await.expect("expired"), 1);
    assert_eq!(text(store, "nodes/short").await, None);
    assert!(text(store, "nodes/long").await.is_some());
    let batches = follow(store, "nodes/", before, before + 1).await;
    let gone: Vec<_> = batches.iter().flat_map(|batch| &batch.changes).collect();
    assert!(gone.len() == 1 && gone[0].key == "nodes/short" && gone[0].value.is_none(), "a watch hears of it");
    assert!(!store.keep(short, after(20)).await.expect("kept"), "an ended lease stays ended");
    let outcome = store.commit(leased("nodes/late", short)).await.expect("a commit");
    assert!(matches!(outcome, CommitOutcome::Conflict(_)), "nothing can be put under an ended lease");
    store.revoke(long).await.expect("revoked");
    assert_eq!(text(store, "nodes/long").await, None);
}

pub(super) async fn what_was_written_is_there_after_opening_again(bench: impl Bench) {
    let store = bench.open();
    let revision = done(store.as_ref(), put("kept", "yes")).await;
    let lease = store.grant(Duration::from_secs(10), Timestamp::UNIX_EPOCH).await.expect("a lease");
    drop(store);
    let store = bench.open();
    assert_eq!(text(store.as_ref(), "kept").await.as_deref(), Some("yes"));
    let next = done(store.as_ref(), put("next", "yes")).await;
    assert!(next > revision, "revisions go on growing");
    assert_eq!(follow(store.as_ref(), "", 0, next).await.iter().map(|batch| batch.changes.len()).sum::<usize>(), 2);
    assert!(store.keep(lease, Timestamp::UNIX_EPOCH).await.expect("kept"), "leases outlast the process");
}

pub(super) async fn a_watch_too_far_back_is_said_so(bench: impl Bench) {
    let store = bench.open();
    // Commits without writes are cheap, and make the log long enough to be truncated.
    let mut newest = done(store.as_ref(), put("first", "1")).await;
    while newest < 11_000 {
        let batch = (0..500).map(|_| store.commit(Commit::default()));
        futures::future::try_join_all(batch).await.expect("commits");
        newest = done(store.as_ref(), put("last", newest.to_string())).await;
    }
    let mut watch = store.watch("", 0);
    assert!(matches!(watch.next().await, Err(StoreError::Compacted(0))));
    assert!(matches!(store.subscribe(0, Box::new(|_, _| ())).await, Err(StoreError::Compacted(0))));
    let batches = follow(store.as_ref(), "", newest - 1, newest).await;
    assert_eq!(batches[0].changes.len(), 1, "the newest changes are still there");
}

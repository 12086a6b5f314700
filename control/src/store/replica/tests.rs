//! The suite for every engine on a real etcd, and what only a shared store meets: silence, compaction, other people's keys.

mod access;
mod faults;
mod proxy;

use super::*;
use crate::store::{CommitCondition, suite::engine_suite};
use postern_test_kit::{etcd::Etcd, eventually};

/// A cluster of one.
struct Alone(Etcd);

impl crate::store::suite::Bench for Alone {
    const COUNTS_BY_ONE: bool = true;
    async fn new() -> Self {
        Alone(Etcd::single().await)
    }
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(open(&self.0.addresses()).await)
    }
}

engine_suite!(Alone);

fn location(address: &str) -> SharedLocation {
    let address = crate::store::Address::parse(address).expect("an address");
    SharedLocation { address, authority: None, certificate: None, user: None }
}

/// A replica of the members at these addresses.
async fn open(addresses: &str) -> Replica {
    Replica::open(&location(&format!("etcd://{addresses}/test"))).await.expect("the store opens")
}

async fn done(store: &Replica, commit: Commit) -> Revision {
    match store.commit(commit).await.expect("a commit") {
        CommitOutcome::Done(revision) => revision,
        CommitOutcome::Conflict(condition) => panic!("{condition:?} should hold"),
    }
}

async fn text(store: &Replica, key: &str) -> Option<String> {
    store.get(key).await.expect("a read").map(|entry| String::from_utf8(entry.value).expect("text"))
}

fn put(key: &str, value: &str) -> Commit {
    Commit::default().put(key, value)
}

#[tokio::test]
async fn keys_beside_the_prefix_are_of_others() {
    let etcd = Etcd::single().await;
    let one = open(&etcd.addresses()).await;
    let other = Replica::open(&location(&format!("etcd://{}/test2", etcd.addresses()))).await.expect("the store opens");
    let before = done(&one, put("a", "one")).await;
    done(&other, put("a", "other")).await;
    assert!(matches!(
        other.commit(put("b", "x").when(CommitCondition::NoneNewer(String::new(), before))).await,
        Ok(CommitOutcome::Conflict(_))
    ));
    // A key without text below the prefix: `/test/` and a byte.
    etcd.ask("/v3/kv/put", r#"{"key":"L3Rlc3Qv/w==","value":"eA=="}"#).await;
    let last = done(&one, put("b", "one").when(CommitCondition::NoneNewer("a".to_owned(), before))).await;
    assert!(last > before + 1, "revisions count the commits of all");
    let page = one.range(Range::new("", 10)).await.expect("a range");
    assert_eq!((page.entries.len(), page.revision), (2, last));
    let again = open(&etcd.addresses()).await;
    assert_eq!(again.range(Range::new("", 10)).await.expect("a range").entries, page.entries);
    let deleted = done(&other, Commit::default().delete("none")).await;
    assert!(deleted <= last, "what changes nothing has no revision of its own");
}

#[tokio::test]
async fn two_replicas_see_each_others_commits() {
    let etcd = Etcd::single().await;
    let (one, other) = (open(&etcd.addresses()).await, open(&etcd.addresses()).await);
    let claim = |holder: &str| put("claim", holder).when(CommitCondition::Absent("claim".to_owned()));
    let both = futures::future::join(one.commit(claim("one")), other.commit(claim("other"))).await;
    let won = [both.0.expect("a commit"), both.1.expect("a commit")];
    assert_eq!(won.iter().filter(|outcome| matches!(outcome, CommitOutcome::Done(_))).count(), 1, "{won:?}");
    // The one that lost sees already what it lost to.
    let loser = if matches!(won[0], CommitOutcome::Done(_)) { &other } else { &one };
    assert!(text(loser, "claim").await.is_some());
    done(&one, Commit::default().delete("claim")).await;
    assert!(matches!(other.commit(claim("again")).await, Ok(CommitOutcome::Done(_))));
}

#[tokio::test]
async fn what_is_larger_than_the_store_takes_is_refused_before_it_is_sent() {
    let etcd = Etcd::single().await;
    let store = open(&etcd.addresses()).await;
    let limits = store.limits();
    let large = Commit::default().put("large", vec![b'x'; limits.bytes - 1000]);
    done(&store, large).await;
    let too_large = store.commit(Commit::default().put("large", vec![b'x'; limits.bytes])).await;
    assert!(matches!(too_large, Err(StoreError::TooLarge)), "{too_large:?}");
    let shown = postern_api::Error::from(too_large.expect_err("refused"));
    assert_eq!(shown.code, postern_api::Code::StorageTooLarge);
    let present = |number: usize| CommitCondition::Present(format!("c/{number}"));
    let absent = |number: usize| CommitCondition::Absent(format!("c/{number}"));
    let whole = (0..limits.writes).fold(Commit::default(), |commit, number| commit.put(format!("w/{number}"), "x"));
    let whole = (0..limits.conditions).map(absent).fold(whole, Commit::when);
    done(&store, whole).await;
    let many = (0..200).map(present).fold(put("a", "x"), Commit::when);
    assert!(matches!(store.commit(many).await, Err(StoreError::TooLarge)));
}

//! Members that die, halt, forget, or do not answer.

use super::{proxy::Proxy, *};
use crate::store::Change;
use postern_test_kit::{until, within};
use std::sync::Mutex;

/// Everything that a subscriber was told: each commit once, in order.
fn follow(store: &Replica) -> Arc<Mutex<Vec<Change>>> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = seen.clone();
    let reached = store.state.reached();
    let subscriber = move |changes: &[Change], _| told.lock().expect("unpoisoned").extend_from_slice(changes);
    store.state.subscribe(reached, Box::new(subscriber)).expect("subscribed");
    seen
}

fn keys(seen: &Mutex<Vec<Change>>) -> Vec<String> {
    seen.lock().expect("unpoisoned").iter().map(|change| change.key.clone()).collect()
}

/// Commits until one is done, as callers do after an error that invites them to.
async fn commit_at_last(store: &Replica, commit: Commit) -> Revision {
    eventually("the commit is done", async || match store.commit(commit.clone()).await {
        Ok(CommitOutcome::Done(revision)) => Some(revision),
        Ok(CommitOutcome::Conflict(condition)) => panic!("{condition:?} should hold"),
        Err(StoreError::Unreachable { .. } | StoreError::Uncertain { .. }) => None,
        Err(error) => panic!("{error}"),
    })
    .await
}

/// The error of a commit, which is not told much later than promised.
async fn refused_in_time(store: &Replica) -> StoreError {
    within(CALL_TIMEOUT * 2, "the commit fails", async || store.commit(put("a", "2")).await.err()).await
}

#[tokio::test]
async fn an_answer_that_is_lost_is_found_in_the_history() {
    let etcd = Etcd::three().await;
    let proxy = Proxy::start(etcd.member(0)).await;
    let store = open(&format!("{},{},{}", proxy.address, etcd.member(1), etcd.member(2))).await;
    done(&store, put("a", "1")).await;
    let seen = follow(&store);
    let create = |id: &str| {
        put(&format!("records/{id}"), "x")
            .put(format!("events/{id}"), "made")
            .when(CommitCondition::Absent(format!("records/{id}")))
    };
    assert_eq!(store.client.preferred(), 0, "commits go through the proxy");
    proxy.swallow();
    // It is performed, and the second try is told so by the mark: there is no conflict with itself.
    let revision = done(&store, create("one")).await;
    assert_eq!(store.get("records/one").await.expect("a read").map(|entry| entry.revision), Some(revision));
    assert_eq!(keys(&seen), ["records/one", "events/one"], "once");
    assert_ne!(store.client.preferred(), 0, "the next commit goes elsewhere");
    done(&store, create("two")).await;
}

#[tokio::test]
async fn a_commit_whose_outcome_stays_unknown_says_so() {
    let etcd = Etcd::single().await;
    let proxy = Proxy::start(etcd.member(0)).await;
    let store = open(&proxy.address.to_string()).await;
    done(&store, put("a", "1")).await;
    proxy.swallow();
    let error = refused_in_time(&store).await;
    assert!(matches!(error, StoreError::Uncertain { .. }), "{error}");
    let shown = postern_api::Error::from(error);
    assert_eq!((shown.code, shown.code.status()), (postern_api::Code::StorageUncertain, 503));
    assert!(shown.message.contains("before you try again"), "{shown}");
    assert_eq!(text(&store, "a").await.as_deref(), Some("1"), "reads go on");
    // Later ones are refused at once, because no watch is answered.
    until("the store is known to be away", || *store.health().borrow() == Health::Away).await;
    let error = store.commit(put("a", "3")).await.expect_err("away");
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
    assert_eq!(postern_api::Error::from(error).code.status(), 503);
}

#[tokio::test]
async fn compaction_past_a_replica_shows_as_changes() {
    let mut etcd = Etcd::single().await;
    let proxy = Proxy::start(etcd.member(0)).await;
    let behind = open(&proxy.address.to_string()).await;
    let ahead = open(&etcd.addresses()).await;
    done(&behind, put("stays", "1").put("changes", "1").put("goes", "1")).await;
    let seen = follow(&behind);
    let mut watch = behind.watch("", behind.state.reached());
    let proxy_at = proxy.address;
    drop(proxy);
    etcd.kill(0);
    etcd.restart(0);
    commit_at_last(&ahead, put("changes", "2").put("comes", "1")).await;
    done(&ahead, Commit::default().delete("goes").put("short", "1")).await;
    done(&ahead, Commit::default().delete("short")).await;
    etcd.compact().await;
    let _back = Proxy::start_at(proxy_at, etcd.member(0)).await;
    until("the replica has caught up", || behind.state.reached() >= ahead.state.reached()).await;
    let mut changed: Vec<(String, bool)> =
        seen.lock().expect("unpoisoned").iter().map(|change| (change.key.clone(), change.value.is_some())).collect();
    changed.sort();
    let expected = [("changes", true), ("comes", true), ("goes", false)];
    assert_eq!(changed, expected.map(|(key, there)| (key.to_owned(), there)));
    assert_eq!(watch.next().await.expect("a batch").changes.len(), 3, "watches above go on");
    let all = |store: &Replica| store.state.memory().page(&Range::new("", 10)).entries;
    assert_eq!(all(&behind), all(&ahead));
    done(&behind, put("after", "1")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_may_die_and_halt_one_at_a_time() {
    let mut etcd = Etcd::three().await;
    let store = open(&etcd.addresses()).await;
    let seen = follow(&store);
    let mut expected = Vec::new();
    let mut number = 0;
    let mut commits = async |store: &Replica| {
        for _ in 0..5 {
            let key = format!("events/{number}");
            commit_at_last(store, put(&key, "x")).await;
            expected.push(key);
            number += 1;
        }
    };
    commits(&store).await;
    let follower = etcd.follower().await;
    etcd.stop(follower);
    commits(&store).await;
    etcd.go_on(follower);
    etcd.kill(follower);
    commits(&store).await;
    etcd.restart(follower);
    let leader = etcd.leader().await;
    etcd.kill(leader);
    commits(&store).await;
    etcd.restart(leader);
    let leader = etcd.leader().await;
    etcd.stop(leader);
    commits(&store).await;
    etcd.go_on(leader);
    commits(&store).await;
    assert_eq!(keys(&seen), expected, "each commit once, in order");
    let again = open(&etcd.addresses()).await;
    assert_eq!(again.range(Range::new("events/", 100)).await.expect("a range").entries.len(), expected.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_quorum_reads_go_on_and_changes_are_refused() {
    let mut etcd = Etcd::three().await;
    let store = open(&etcd.addresses()).await;
    done(&store, put("a", "1")).await;
    etcd.kill(1);
    etcd.kill(2);
    let error = refused_in_time(&store).await;
    assert!(matches!(error, StoreError::Uncertain { .. } | StoreError::Unreachable { .. }), "{error}");
    assert_eq!(text(&store, "a").await.as_deref(), Some("1"));
    until("the store is known to be away", || *store.health().borrow() == Health::Away).await;
    let error = store.commit(put("a", "3")).await.expect_err("away");
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
    etcd.restart(1);
    etcd.restart(2);
    until("the store is known to be there", || *store.health().borrow() == Health::Reachable).await;
    commit_at_last(&store, put("a", "4")).await;
    assert_eq!(text(&store, "a").await.as_deref(), Some("4"));
}

#[tokio::test]
async fn a_store_that_is_not_there_is_a_clear_error() {
    let address = postern_test_kit::ports::unused_address();
    let error = Replica::open(&location(&format!("etcd://{address}"))).await.err().expect("refused");
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains(&address.to_string()), "{error}");
}

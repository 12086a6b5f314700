use super::*;
use crate::store::{Address, Commit, SharedLocation, StoreError, Write, open_shared};
use postern_test_kit::{etcd::Etcd, eventually};
use tempfile::TempDir;

/// A server with its data folder and its own connection to the store.
struct Server {
    store: Arc<dyn Store>,
    presence: Presence,
    folder: TempDir,
}

async fn open(etcd: &Etcd) -> Arc<dyn Store> {
    let address = Address::parse(&format!("etcd://{}/test", etcd.addresses())).expect("an address");
    let location = SharedLocation { address, authority: None, certificate: None, user: None };
    open_shared(&location).await.expect("the store opens")
}

async fn begin(etcd: &Etcd, folder: TempDir, usage: Usage) -> Result<Server> {
    let store = open(etcd).await;
    let lock = FolderLock::take(folder.path())?;
    let presence = Presence::begin(store.clone(), folder.path(), usage, lock).await?;
    Ok(Server { store, presence, folder })
}

async fn node(etcd: &Etcd, name: &str) -> Server {
    let usage = Usage::Shared { name: name.to_owned(), address: format!("{name}:1"), for_agents: None };
    begin(etcd, tempfile::tempdir().expect("a folder"), usage).await.expect("a node")
}

impl Server {
    fn lease(&self) -> LeaseId {
        let kept = self.presence.kept.lock().expect("unpoisoned");
        *kept.as_ref().expect("it goes on").lease.lock().expect("unpoisoned")
    }

    fn leads(&self) -> bool {
        *self.presence.leading().expect("a node").borrow()
    }
}

#[tokio::test]
async fn one_node_is_the_keeper_and_another_takes_over() {
    let etcd = Etcd::single().await;
    let (one, two) = (node(&etcd, "one").await, node(&etcd, "two").await);
    assert!(one.leads() && !two.leads());
    let mut leading = two.presence.leading().expect("a node");
    one.presence.end().await;
    leading.wait_for(|leads| *leads).await.expect("the other one leads");
    eventually("it is gone", async || {
        let nodes = two.presence.nodes().expect("a node").borrow().clone();
        nodes.records.values().all(|record| record.name == "two").then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_lease_that_ended_is_replaced_with_all_that_was_under_it() {
    let etcd = Etcd::single().await;
    let one = node(&etcd, "one").await;
    let id = one.presence.node().expect("a node").clone();
    let ended = one.lease();
    open(&etcd).await.revoke(ended).await.expect("revoked");
    eventually("it is registered again, and the keeper", async || {
        let is_there = one.presence.nodes().expect("a node").borrow().records.contains_key(id.as_str());
        (is_there && one.lease() != ended && *one.presence.registered().borrow() && one.leads()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_server_alone_becomes_a_node_in_the_same_folder_only_after_its_end() {
    let etcd = Etcd::single().await;
    let alone = begin(&etcd, tempfile::tempdir().expect("a folder"), Usage::Alone).await.expect("alone");
    let usage = Usage::Shared { name: "two".to_owned(), address: "two:1".to_owned(), for_agents: None };
    let refused = begin(&etcd, tempfile::tempdir().expect("a folder"), usage.clone()).await.err().expect("in use");
    assert!(matches!(refused, StoreError::InUse { .. }), "{refused}");
    // It is killed: nothing gives its claim up.
    let Server { store, presence, folder } = alone;
    drop((presence, store));
    let again = begin(&etcd, folder, usage).await.expect("a node");
    let refused = begin(&etcd, tempfile::tempdir().expect("a folder"), Usage::Alone).await.err().expect("in use");
    assert!(refused.to_string().contains("node two"), "{refused}");
    again.presence.set_state(NodeState::Draining).await.expect("told");
    let nodes = again.presence.nodes().expect("a node").borrow().clone();
    assert_eq!(nodes.records.values().map(|record| record.state).collect::<Vec<_>>(), [NodeState::Draining]);
}

#[tokio::test]
async fn a_node_waits_for_the_lease_that_it_had_on_another_host() {
    let etcd = Etcd::single().await;
    let one = node(&etcd, "one").await;
    let key = format!("nodes/{}", one.presence.node().expect("a node"));
    let mut record: serde_json::Value =
        serde_json::from_slice(&one.store.get(&key).await.expect("read").expect("a record").value).expect("json");
    let Server { store, presence, folder } = one;
    presence.end().await;
    (record["host"], record["run"]) = ("elsewhere".into(), "another".into());
    let lease = store.grant(Duration::from_secs(2), clock::now()).await.expect("a lease");
    let write = Write::PutLeased(key, serde_json::to_vec(&record).expect("json"), lease);
    store.commit(Commit { writes: vec![write], ..Commit::default() }).await.expect("a commit");
    let usage = Usage::Shared { name: "one".to_owned(), address: "one:1".to_owned(), for_agents: None };
    let moved = begin(&etcd, folder, usage).await.expect("a node");
    assert!(moved.leads());
}

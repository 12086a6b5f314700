//! Changes that are followed to all nodes, and writes of which none may be lost.

use crate::{
    visitors::{TIMEOUT, Visitors},
    world::Faults,
};
use serde_json::json;
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

/// Changes that are followed to all nodes.
const CHANGES: usize = 1000;
/// Writes that must not be lost while members of etcd are killed, and how many make them at the same time.
const WRITES: usize = 5000;
const WRITERS: usize = 8;
/// How often a member is killed meanwhile.
const KILLS: usize = 20;

impl Faults {
    /// Makes changes at one node after the other, and reads each at all nodes once it is answered.
    pub(crate) async fn changes(&self) {
        let visitors = Visitors::new(&self.cluster, &self.names);
        let (mut at_once, mut longest, mut slowest) = (0, Duration::ZERO, Duration::ZERO);
        for change in 0..CHANGES {
            let text = format!("change {change}");
            let node = rand::random_range(0..3);
            let began = Instant::now();
            let path = format!("/backends/http_response/{}", self.backend);
            self.cluster.operator(node).patch(&path, json!({ "body": text })).await.ok();
            slowest = slowest.max(began.elapsed());
            let answered = Instant::now();
            let mut is_behind = false;
            for (node, client) in visitors.clients.iter().enumerate() {
                let url = format!("https://fixed.localhost:{}/", visitors.addresses[node].port());
                loop {
                    let body = client.get(&url).send().await.expect("a response").text().await.expect("a body");
                    if body == text {
                        break;
                    }
                    is_behind = true;
                    longest = longest.max(answered.elapsed());
                    assert!(answered.elapsed() < TIMEOUT, "node {node} still answers {body}");
                }
            }
            at_once += usize::from(!is_behind);
        }
        println!(
            "{CHANGES} changes at random nodes: {at_once} in force at all three when answered, the others {} ms later at most; the slowest answer took {} ms",
            longest.as_millis(),
            slowest.as_millis()
        );
    }

    /// Makes writes at all nodes while members of etcd are killed, and looks for each that was acknowledged.
    pub(crate) async fn writes(&mut self) {
        let acknowledged: Arc<Mutex<Vec<String>>> = Arc::default();
        let refused = Arc::new(AtomicUsize::new(0));
        let left = Arc::new(AtomicUsize::new(WRITES));
        let mut writers = JoinSet::new();
        for writer in 0..WRITERS {
            let operator = self.cluster.operator(writer % 3);
            let (acknowledged, refused, left) = (acknowledged.clone(), refused.clone(), left.clone());
            writers.spawn(async move {
                while left.load(Ordering::Relaxed) > 0 {
                    let response = operator.post("/users", json!({ "name": "Ada" })).await;
                    if response.status == 201 {
                        acknowledged.lock().expect("unpoisoned").push(response.text("id"));
                        let _ = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
                    } else {
                        assert_eq!(response.status, 503, "{}", response.text);
                        refused.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        let mut kills = 0;
        while kills < KILLS || left.load(Ordering::Relaxed) > 0 {
            // Spread over the writes.
            let due = WRITES - (kills + 1) * WRITES / (KILLS + 1);
            if kills < KILLS && left.load(Ordering::Relaxed) <= due {
                let member = rand::random_range(0..3);
                self.cluster.etcd.kill(member);
                sleep(Duration::from_millis(300)).await;
                self.cluster.etcd.restart(member);
                kills += 1;
            }
            sleep(Duration::from_millis(20)).await;
        }
        while let Some(ended) = writers.join_next().await {
            ended.expect("a writer ends");
        }
        let acknowledged = acknowledged.lock().expect("unpoisoned").clone();
        let mut lost = 0;
        for node in 0..3 {
            let operator = self.cluster.operator(node);
            for id in &acknowledged {
                let path = format!("/users/{id}");
                let found = async || operator.get(&path).await.status == 200;
                if !found().await {
                    sleep(Duration::from_secs(1)).await;
                    lost += usize::from(!found().await);
                }
            }
        }
        println!(
            "{} writes acknowledged at three nodes over {kills} SIGKILLs of members of etcd, {} answered 503: {lost} lost at any node",
            acknowledged.len(),
            refused.load(Ordering::Relaxed)
        );
    }
}

//! Nodes that are killed, halted and stopped.

use crate::{downloads::Downloads, visitors::Outcome, world::Faults};
use postern_test_kit::eventually;
use postern_tests::process::exited_successfully;
use rustix::process::Signal;
use serde_json::json;
use std::time::Duration;
use tokio::time::sleep;

/// How often a node is killed, and how often one is halted.
const ROUNDS: usize = 10;

impl Faults {
    pub(crate) async fn kill_nodes(&mut self) {
        let mut outcome = Outcome::default();
        for round in 0..ROUNDS {
            let node = round % 3;
            let (visits, began, again) = self
                .during(async |faults, _| {
                    let again = faults.cluster.kill(node);
                    sleep(Duration::from_secs(2)).await;
                    again
                })
                .await;
            outcome.count(visits, Some(node), began);
            self.cluster.nodes[node] = again.start().await;
            self.until_whole().await;
        }
        outcome.print("SIGKILL of a node", "");
    }

    pub(crate) async fn halt_nodes(&mut self) {
        let mut outcome = Outcome::default();
        let mut within = Duration::ZERO;
        for round in 0..ROUNDS {
            let node = round % 3;
            let (visits, began, ()) = self
                .during(async |faults, visitors| {
                    // The load balancer's health checks find it at once; what matters is who was sent over it.
                    visitors.set_avoided(&[node]);
                    sleep(Duration::from_millis(100)).await;
                    faults.cluster.nodes[node].process.signal(Signal::STOP);
                    sleep(Duration::from_secs(5)).await;
                })
                .await;
            let late = visits.iter().filter(|visit| visit.error.is_some() && visit.node != node);
            within =
                late.map(|visit| visit.start.saturating_duration_since(began)).max().unwrap_or_default().max(within);
            outcome.count(visits, Some(node), began);
            self.cluster.nodes[node].process.signal(Signal::CONT);
            self.until_whole().await;
        }
        outcome.print(
            "SIGSTOP of a node for 5 s",
            &format!("the last that failed began {} ms after it", within.as_millis()),
        );
    }

    pub(crate) async fn drain_nodes(&mut self) {
        let (mut outcome, mut bytes) = (Outcome::default(), 0);
        for node in 0..3 {
            let downloads = Downloads::start(&self.cluster, &self.names[1..]);
            let (visits, began, again) = self
                .during(async |faults, visitors| {
                    downloads.until_all_began().await;
                    let again = faults.cluster.nodes[node].restart_setup();
                    let operator = faults.cluster.operator(node);
                    faults.cluster.nodes[node].process.terminate();
                    // What a load balancer does.
                    eventually("the health check fails", async || {
                        (operator.try_call(http::Method::GET, "/healthz", json!(null)).await?.status == 503)
                            .then_some(())
                    })
                    .await;
                    visitors.set_avoided(&[node]);
                    let ended = faults.cluster.nodes[node].process.wait_for_exit().await;
                    assert!(exited_successfully(ended), "it ends in order");
                    again
                })
                .await;
            // None may fail, not even at the node.
            outcome.count(visits, None, began);
            bytes += downloads.end().await;
            self.cluster.nodes[node] = again.start().await;
            self.until_whole().await;
        }
        let notes = format!("{} MiB of slow downloads at all nodes, none lost or changed", bytes >> 20);
        outcome.print("SIGTERM of each node in turn, `--drain-delay 1s`", &notes);
    }
}

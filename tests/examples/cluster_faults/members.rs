//! Members of etcd that are killed and halted, one or most of them.

use crate::{visitors::Outcome, world::Faults};
use postern_test_kit::eventually;
use serde_json::json;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often a member is killed.
const ROUNDS: usize = 10;

impl Faults {
    /// Makes a change each 100 ms until `until` is over. Gives the number of changes and the longest, and counts those refused.
    async fn change(&self, until: Duration) -> (usize, usize, Duration) {
        let (start, mut made, mut refused, mut longest) = (Instant::now(), 0, 0, Duration::ZERO);
        while start.elapsed() < until {
            let operator = self.cluster.operator(made % 3);
            let began = Instant::now();
            let path = format!("/backends/http_response/{}", self.backend);
            let response = operator.patch(&path, json!({ "description": format!("change {made}") })).await;
            longest = longest.max(began.elapsed());
            made += 1;
            match response.status {
                200 => {}
                503 => refused += 1,
                status => panic!("a change gets {status}: {}", response.text),
            }
            sleep(Duration::from_millis(100)).await;
        }
        (made, refused, longest)
    }

    pub(crate) async fn kill_members(&mut self) {
        let (mut outcome, mut made, mut refused, mut longest) = (Outcome::default(), 0, 0, Duration::ZERO);
        for round in 0..ROUNDS {
            let member = round % 3;
            let (visits, began, changes) = self
                .during(async |faults, _| {
                    faults.cluster.etcd.kill(member);
                    let changes = faults.change(Duration::from_secs(3)).await;
                    faults.cluster.etcd.restart(member);
                    changes
                })
                .await;
            outcome.count(visits, None, began);
            (made, refused, longest) = (made + changes.0, refused + changes.1, longest.max(changes.2));
            sleep(Duration::from_secs(2)).await;
            self.until_whole().await;
        }
        outcome.print(
            "SIGKILL of a member of etcd",
            &format!("{made} changes, {refused} refused, the longest {} ms", longest.as_millis()),
        );
    }

    pub(crate) async fn halt_members(&mut self) {
        for (what, leads) in [("the leader", true), ("a follower", false)] {
            let mut outcome = Outcome::default();
            let (visits, began, (made, refused, longest)) = self
                .during(async |faults, _| {
                    let etcd = &faults.cluster.etcd;
                    let member = if leads { etcd.leader().await } else { etcd.follower().await };
                    etcd.stop(member);
                    let changes = faults.change(Duration::from_secs(5)).await;
                    faults.cluster.etcd.go_on(member);
                    changes
                })
                .await;
            outcome.count(visits, None, began);
            let notes = format!("{made} changes, {refused} refused, the longest {} ms", longest.as_millis());
            outcome.print(&format!("SIGSTOP of {what} of etcd for 5 s"), &notes);
            self.until_whole().await;
        }
    }

    pub(crate) async fn lose_quorum(&mut self) {
        let mut outcome = Outcome::default();
        let (visits, began, (made, refused, longest)) = self
            .during(async |faults, _| {
                faults.cluster.etcd.stop(0);
                faults.cluster.etcd.stop(1);
                let changes = faults.change(Duration::from_secs(30)).await;
                faults.cluster.etcd.go_on(0);
                faults.cluster.etcd.go_on(1);
                changes
            })
            .await;
        outcome.count(visits, None, began);
        let back = Instant::now();
        let path = format!("/backends/http_response/{}", self.backend);
        eventually("changes are made again", async || {
            let response = self.cluster.operator(0).patch(&path, json!({ "description": "again" })).await;
            (response.status == 200).then_some(())
        })
        .await;
        let back = back.elapsed();
        for (agent, tunnel) in &self.agents {
            let now = agent.wait_for_tunnel("site").await;
            assert_eq!(now.host(), tunnel.host(), "names are those from before");
        }
        self.until_whole().await;
        let notes = format!(
            "{made} changes, {refused} refused, the longest {} ms; the first made {} ms after the return",
            longest.as_millis(),
            back.as_millis()
        );
        outcome.print("no quorum for 30 s", &notes);
    }
}

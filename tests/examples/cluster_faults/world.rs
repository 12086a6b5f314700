//! Three servers on three members of etcd, an edge with a fixed response, and three agents with a tunnel each.

use crate::visitors::{Visit, Visitors};
use postern_test_kit::etcd::Etcd;
use postern_tests::{Agent, Origin, agent::Tunnel, cluster::Cluster};
use serde_json::json;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The servers, their agents, and the names that visitors ask for.
pub(crate) struct Faults {
    pub(crate) cluster: Cluster,
    pub(crate) agents: Vec<(Agent, Tunnel)>,
    pub(crate) _origin: Origin,
    pub(crate) names: Vec<String>,
    /// What changes are made to.
    pub(crate) backend: String,
}

impl Faults {
    pub(crate) async fn start() -> Faults {
        let cluster = Cluster::on(Etcd::three().await, 3, &["--drain-delay", "1s"]).await;
        cluster.until_linked().await;
        let operator = cluster.operator(0);
        let backend = operator.post("/backends/http_response", json!({ "body": "fixed" })).await.ok().text("id");
        let edge = json!({ "hostports": ["fixed.localhost:443"] });
        let edge = operator.post("/edges/https", edge).await.ok().text("id");
        let route = json!({ "match": "/", "match_type": "path_prefix", "backend": { "backend_id": backend } });
        operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok();
        let origin = Origin::start("hello").await;
        let mut agents = Vec::new();
        let mut names = vec!["fixed.localhost".to_owned()];
        for number in 0..3 {
            let (_, token) = cluster.operator(0).credential(&[]).await;
            let servers: Vec<String> = (0..3).map(|step| cluster.nodes[(number + step) % 3].agent_address()).collect();
            let setup = cluster.agent_setup(number, &format!("agent{number}"), &token);
            let agent = setup.setting("server_addr", &servers.join(",")).start().await;
            let tunnel = agent.https("site", &origin).await;
            names.push(tunnel.host());
            agents.push((agent, tunnel));
        }
        let faults = Faults { cluster, agents, _origin: origin, names, backend };
        faults.until_whole().await;
        faults
    }

    /// Waits until all nodes are linked and all agents have two sessions.
    pub(crate) async fn until_whole(&self) {
        self.cluster.until_linked().await;
        for node in 0..3 {
            let start = Instant::now();
            loop {
                let listed = self.cluster.operator(node).get("/tunnel_sessions").await.ok().body;
                if listed["tunnel_sessions"].as_array().is_some_and(|sessions| sessions.len() == 2 * self.agents.len())
                {
                    break;
                }
                assert!(start.elapsed() < Duration::from_secs(60), "sessions are missing: {listed}");
                sleep(Duration::from_millis(100)).await;
            }
        }
    }

    /// Visits while `fault` is made and for a while after it. Gives the visits and the time of the fault.
    pub(crate) async fn during<T>(
        &mut self,
        fault: impl AsyncFnOnce(&mut Self, &Visitors) -> T,
    ) -> (Vec<Visit>, Instant, T) {
        let visitors = Visitors::new(&self.cluster, &self.names);
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        let visiting = tokio::spawn(visitors.clone().visit(async {
            let _ = ended.await;
        }));
        sleep(Duration::from_millis(500)).await;
        let began = Instant::now();
        let result = fault(self, &visitors).await;
        sleep(Duration::from_secs(1)).await;
        drop(end);
        visiting.await.expect("the visitors end");
        let visits = std::mem::take(&mut *visitors.visits.lock().expect("unpoisoned"));
        (visits, began, result)
    }
}

//! Reconnection after network changes: links go down, routers drop packets, addresses change.

use super::{SINGLE_CASE_LIMIT, is_there_once, record, sessions};
use postern_api::Code;
use postern_tests::{Agent, Network, World, within};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The time to detect a dead connection.
const SILENCE: Duration = Duration::from_secs(15);
/// The time for the kernel to report a change.
const GRACE: Duration = Duration::from_secs(4);

/// An agent behind a router, with two tunnels.
struct Remote {
    agent: Agent,
    names: [String; 2],
    world: World,
    network: Network,
}

impl Remote {
    async fn start() -> Remote {
        let network = Network::new();
        let world = World::reached_over(&network).await;
        let token = world.operator().credential(&[]).await.1;
        let definition = json!({ "proto": "http", "addr": "127.0.0.1:9" });
        let setup = world.agent_setup("agent", &token).tunnel("site", definition.clone()).tunnel("shop", definition);
        let agent = setup.inside(&network, &world.server).start().await;
        let names = [agent.wait_for_tunnel("site").await.public_url, agent.wait_for_tunnel("shop").await.public_url];
        let remote = Remote { agent, names, world, network };
        remote.is_reached(GRACE).await;
        remote
    }

    /// Waits until a visitor's request reaches the agent, although no local service.
    async fn is_reached(&self, limit: Duration) {
        for name in &self.names {
            within(limit, "the agent is reached", async || {
                let response = self.world.visitor().get(&format!("{name}/")).await;
                (response.refused() == Code::ServiceUnreachable).then_some(())
            })
            .await;
        }
    }

    async fn session(&self) -> Value {
        self.agent.get("/api/status").await.ok()["session"].clone()
    }

    async fn is_lost(&self, limit: Duration) {
        within(limit, "the agent knows that the session is lost", async || {
            (self.session().await["state"] != "online").then_some(())
        })
        .await;
    }

    /// Measures the time from the restored link to the session, then checks that everything works.
    async fn is_back(&self, what: &str, limit: Duration) {
        let free = Instant::now();
        within(limit, "the agent is back", async || (self.session().await["state"] == "online").then_some(())).await;
        record(what, &mut [free.elapsed()]);
        for (tunnel, name) in ["site", "shop"].iter().zip(&self.names) {
            assert_eq!(&self.agent.wait_for_tunnel(tunnel).await.public_url, name, "the same name");
        }
        self.is_reached(limit.saturating_sub(free.elapsed())).await;
        is_there_once(&self.agent, &self.world.operator()).await;
    }
}

#[tokio::test]
async fn the_agent_reconnects_after_its_link_was_cut_for_half_a_minute() {
    let remote = Remote::start().await;
    remote.network.cut();
    remote.is_lost(SILENCE + GRACE).await;
    sleep(Duration::from_secs(30)).await;
    assert_ne!(remote.session().await["state"], "online");
    assert!(remote.session().await["reason"]["message"].is_string(), "it says why");
    remote.network.restore();
    remote.is_back("link cut for 30 s", SINGLE_CASE_LIMIT).await;
}

#[tokio::test]
async fn a_link_that_was_cut_for_a_moment_costs_no_session() {
    let remote = Remote::start().await;
    let since = remote.session().await["since"].clone();
    remote.network.cut();
    sleep(Duration::from_millis(500)).await;
    remote.network.restore();
    within(Duration::from_secs(10), "the server responds again", async || {
        (remote.world.visitor().get(&format!("{}/", remote.names[0])).await.status == 502).then_some(())
    })
    .await;
    assert_eq!(remote.session().await["since"], since, "the same session");
    assert_eq!(sessions(&remote.world.operator()).await, 1);
}

#[tokio::test]
async fn a_dead_connection_is_detected_within_fifteen_seconds() {
    let remote = Remote::start().await;
    remote.network.drop_packets();
    let deaf = Instant::now();
    remote.is_lost(SILENCE + GRACE).await;
    record("half-open connection, until it was found", &mut [deaf.elapsed()]);
    remote.network.forward_packets();
    remote.is_back("half-open connection", SINGLE_CASE_LIMIT).await;
}

#[tokio::test]
async fn the_agent_reconnects_after_a_router_dropped_packets_for_long() {
    let remote = Remote::start().await;
    remote.network.drop_packets();
    remote.is_lost(SILENCE + GRACE).await;
    within(Duration::from_secs(20), "several tries are lost on the way", async || {
        (remote.session().await["attempt"].as_u64() >= Some(4)).then_some(())
    })
    .await;
    remote.network.forward_packets();
    remote.is_back("deaf router", SINGLE_CASE_LIMIT).await;
}

#[tokio::test]
async fn another_address_means_another_session_at_once() {
    let remote = Remote::start().await;
    remote.network.remove_address();
    remote.is_lost(GRACE).await;
    within(Duration::from_secs(20), "a try fails without an address", async || {
        (remote.session().await["attempt"].as_u64() >= Some(2)).then_some(())
    })
    .await;
    remote.network.add_other_address();
    remote.is_back("another address", SINGLE_CASE_LIMIT).await;
}

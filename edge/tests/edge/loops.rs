//! Tunnels that lead back to the edge.

use crate::kit::{ScriptedOrigin, World, agent::Agent, visitor};
use postern_tunnel::message::Scheme;

#[tokio::test]
async fn a_tunnel_to_the_edge_itself_ends_after_a_few_turns() {
    let world = World::start().await;
    let agent = Agent::connect(&world, "one").await;
    agent.http_on(Scheme::Http, Some("loop"), None, world.edge.http_addr()).await.unwrap();
    let response = visitor::plain(&world).await.request("GET / HTTP/1.1\r\nHost: loop.localhost\r\n\r\n").await;
    assert_eq!(response.status, 508, "{}", response.text());
    // The page comes from the innermost turn; a local service cannot set the code of the edge.
    assert!(response.text().contains("ERR_POSTERN_3023"), "{}", response.text());
    assert_eq!(agent.starts.lock().unwrap().len(), 3, "three turns");
}

#[tokio::test]
async fn the_local_service_is_told_that_the_edge_stands_in_front() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("ok").await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("a"), origin.address).await.unwrap();
    let mut visitor = visitor::https(&world, "a.localhost").await;
    visitor.request("GET / HTTP/1.1\r\nHost: a.localhost\r\nVia: 1.1 cdn\r\n\r\n").await;
    let lines =
        |text: &str| text.lines().filter(|line| line.starts_with("via:")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&origin.request_texts()[0].to_lowercase()), ["via: 1.1 cdn", "via: 1.1 postern"]);
}

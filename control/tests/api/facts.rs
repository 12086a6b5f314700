//! Facts about the server.

use crate::kit::World;
use http::StatusCode;
use postern_api::Code;

#[tokio::test]
async fn every_caller_gets_the_addresses_of_the_server() {
    let world = World::start().await;
    reads_facts(&world).await;
}

/// The suite for the facts about the server.
pub(crate) async fn reads_facts(world: &World) {
    let caller = world.stranger().await;
    let facts = caller.get("/server").await.is(StatusCode::OK);
    assert_eq!(facts["domain"], "tunnels.test");
    assert_eq!(facts["https_port"], 4443);
    assert_eq!(facts["login_url"], "https://login.tunnels.test:4443");
    assert_eq!(facts["callback_url"], "https://login.tunnels.test:4443/oauth2/callback");
    assert!(facts["first_tcp_port"].as_u64() <= facts["last_tcp_port"].as_u64());
    caller.get("/server?limit=1").await.refused(Code::QueryUnknown);
}

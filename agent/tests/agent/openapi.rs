//! The OpenAPI description of the local API.

use crate::world::World;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../api/agent-openapi.json");
/// Set to write the file instead of comparing it, as `make gen` does.
const WRITE: &str = "POSTERN_WRITE_DESCRIPTION";

#[test]
fn the_committed_description_is_up_to_date() {
    let made = serde_json::to_string_pretty(&postern_agent::local_api::description()).expect("JSON") + "\n";
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(FILE, &made).expect("api/agent-openapi.json can be written");
    }
    let committed = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(made == committed, "api/agent-openapi.json is stale: run `make gen` and commit the file");
}

#[tokio::test]
async fn the_agent_serves_its_description() {
    let world = World::start().await;
    let description = world.get("/api/openapi.json").await;
    assert_eq!(description["openapi"], "3.1.0");
    assert!(description["paths"]["/api/requests/http/{id}"]["get"].is_object());
}

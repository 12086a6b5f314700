//! The committed description matches the code.

use crate::{
    audit, console_sessions, decisions, dependents, description_check, facts, kinds,
    kit::{BASE_URL, World},
    modules, people, requests, reserved, traffic, views,
};
use postern_api::resource::COLLECTIONS;
use serde_json::json;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../api/openapi.json");

/// Set by `make gen` to write the file instead of comparing it.
const WRITE: &str = "POSTERN_WRITE_DESCRIPTION";

#[test]
fn the_committed_description_is_up_to_date() {
    let made = serde_json::to_string_pretty(&postern_control::description()).expect("JSON") + "\n";
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(FILE, &made).expect("api/openapi.json can be written");
    }
    let committed = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(made == committed, "api/openapi.json is not what the code makes: run `make gen` and commit the file");
}

/// Detects kinds and modules that are missing in the tables of the suites. [`description_check`] validates the responses.
#[tokio::test]
async fn the_suites_call_every_operation() {
    let mut worlds = Vec::new();
    for _ in 0..13 {
        worlds.push(World::start().await);
    }
    kinds::made_read_changed_and_deleted(&worlds[0]).await;
    kinds::listed_in_pages(&worlds[1]).await;
    modules::put_read_and_removed(&worlds[2]).await;
    views::listed_and_read(&worlds[3]).await;
    reserved::certificates_replaced_and_removed(&worlds[4]).await;
    reserved::dns_records_listed(&worlds[4]).await;
    decisions::listed_for_each_edge(&worlds[5]).await;
    people::listed_read_and_ended(&worlds[6]).await;
    facts::reads_facts(&worlds[7]).await;
    traffic::shown_and_listed(&worlds[8]).await;
    dependents::listed_for_each_kind(&worlds[9]).await;
    audit::listed_and_read(&worlds[10]).await;
    console_sessions::begun_read_and_ended(&worlds[11]).await;
    requests::listed_for_each(&worlds[12]).await;
    let seen = worlds.iter().flat_map(|world| world.operation_log.calls()).collect();
    let described = description_check::operations();
    assert!(described.len() > 100, "only {} operations were found", described.len());
    let missed: Vec<_> = described.difference(&seen).collect();
    assert!(missed.is_empty(), "no suite saw these done: {missed:#?}");
}

#[test]
fn every_operation_is_in_a_collection_that_windows_may_open() {
    let description = postern_control::description();
    let paths = description["paths"].as_object().expect("an object").keys();
    let is_known =
        |path: &&String| COLLECTIONS.iter().any(|known| path == known || path.starts_with(&format!("{known}/")));
    let unknown: Vec<_> = paths.filter(|path| !is_known(path)).collect();
    assert!(unknown.is_empty(), "not in `COLLECTIONS` of api/src/resources.rs: {unknown:?}");
}

#[tokio::test]
async fn a_server_adds_its_url() {
    let world = World::start().await;
    let served = world.control.description().parts().concat();
    let mut served: serde_json::Value = serde_json::from_slice(&served).expect("JSON");
    assert_eq!(served["servers"], json!([{ "url": BASE_URL }]));
    served.as_object_mut().and_then(|document| document.shift_remove("servers"));
    assert_eq!(served, postern_control::description());
}

#[test]
fn operation_ids_follow_a_pattern() {
    let description = postern_control::description();
    let id = |path: &str, method: &str| description["paths"][path][method]["operationId"].clone();
    assert_eq!(id("/ip_policies", "get"), "list_ip_policies");
    assert_eq!(id("/ip_policies", "post"), "create_ip_policy");
    assert_eq!(id("/ip_policies/{id}", "patch"), "update_ip_policy");
    assert_eq!(id("/edges/tcp/{id}/backend", "put"), "put_tcp_edge_backend");
    let schemas = description["components"]["schemas"].as_object().expect("schemas");
    for name in ["IpPolicy", "IpPolicyList", "IpPolicyCreate", "IpPolicyUpdate", "BackendModule", "BackendModulePut"] {
        assert!(schemas.contains_key(name), "no `{name}` among {:?}", schemas.keys().collect::<Vec<_>>());
    }
    assert_eq!(schemas["IpPolicyCreate"]["additionalProperties"], json!({ "type": "null" }));
}

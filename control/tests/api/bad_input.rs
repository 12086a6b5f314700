//! Any input gets a proper refusal with a complete error, never an internal error.

use crate::kit::{ApiResponse, Caller, World};
use axum::body::Body;
use http::StatusCode;
use postern_api::description::OPENAPI;
use rand::{Rng, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Generated bodies; the same in every run.
const BODIES: usize = 3000;
const SEED: u64 = 20_261_121;

/// Texts that are known to break programs.
const TEXTS: &[&str] = &[
    "",
    " ",
    "0",
    "null",
    "true",
    "a",
    "ä",
    "\u{0}",
    "\u{7}\r\n",
    "\u{202e}",
    "%00",
    "../../etc",
    "*",
    "*.*",
    "*.tunnels.test",
    "tunnels.test:24001",
    "shop.tunnels.test:443",
    "[::1]:443",
    "host:99999",
    ":1",
    "10.0.0.0/8",
    "10.1.2.3/8",
    "::/0",
    "1.2.3.4/33",
    "allow",
    "deny",
    "path_prefix",
    "/",
    "/a/../b",
    "//",
    "bind:*",
    "bind:a=b=c",
    "TWILIO",
    "sns",
    "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
    "ssh-ed25519 AAAA",
    "ssh-rsa",
    "2024-05-23T20:36:22Z",
    "9999-12-31T23:59:59Z",
    "-000001-01-01T00:00:00Z",
    "<EntityDescriptor/>",
    "<a><b></a>",
    "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
    "(",
    "(?:a{1000}){1000}",
    "https://issuer.test",
    "http://127.0.0.1",
    "javascript:x",
    "a@b",
    "@",
    "org/team",
    "1.2",
    "upstream",
    "ipp_0ujtsYcgvSTl8PAuAdqWYSMnLOv",
    "bkdtg_0ujtsYcgvSTl8PAuAdqWYSMnLOv",
    "usr_0ujtsYcgvSTl8PAuAdqWYSMnLOv",
    "ca_0ujtsYcgvSTl8PAuAdqWYSMnLOv",
    "sshca_0ujtsYcgvSTl8PAuAdqWYSMnLOv",
    "${req.host}",
    "host",
    "Content-Length",
];

/// An operation that takes a body.
struct Operation {
    method: String,
    path: String,
    /// Members of its body.
    members: Vec<String>,
}

fn operations() -> Vec<Operation> {
    let description: Value = serde_json::from_str(OPENAPI).expect("JSON");
    let mut operations = Vec::new();
    for (path, item) in description["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            let named = schema["$ref"].as_str().and_then(|name| description.pointer(name.trim_start_matches('#')));
            let Some(properties) = named.unwrap_or(schema)["properties"].as_object() else { continue };
            let members = properties.keys().cloned().collect();
            operations.push(Operation { method: method.to_uppercase(), path: path.clone(), members });
        }
    }
    assert!(operations.len() > 40, "the description names {} operations with a body", operations.len());
    operations
}

/// Any JSON value, sometimes deep, sometimes long.
fn value(chance: &mut StdRng, depth: usize) -> Value {
    match chance.random_range(0..if depth == 0 { 7 } else { 10 }) {
        0 => Value::Null,
        1 => chance.random_bool(0.5).into(),
        2 => chance.random::<i64>().into(),
        3 => json!([-1, 0, 1, 128, 10_000, 10_001].choose(chance)),
        4 => json!([0.0, 0.5, 1.0, -0.0, 1e308, 1e-308].choose(chance)),
        5 => "x".repeat(*[255, 256, 4096, 4097, 20_000].choose(chance).expect("some")).into(),
        6 => (*TEXTS.choose(chance).expect("some")).into(),
        7 => (0..chance.random_range(0..6)).map(|_| value(chance, depth - 1)).collect(),
        8 => (0..chance.random_range(0..3)).map(|_| Value::from(*TEXTS.choose(chance).expect("some"))).collect(),
        _ => {
            let members = (0..chance.random_range(0..5))
                .map(|_| ((*TEXTS.choose(chance).expect("some")).to_owned(), value(chance, depth - 1)));
            Value::Object(members.collect())
        }
    }
}

/// A body with some known members of an operation, and sometimes an unknown one.
fn body(chance: &mut StdRng, operation: &Operation) -> Value {
    let mut body = Map::new();
    for member in &operation.members {
        if chance.random_bool(0.6) {
            body.insert(member.clone(), value(chance, 3));
        }
    }
    if chance.random_bool(0.1) {
        body.insert((*TEXTS.choose(chance).expect("some")).to_owned(), value(chance, 1));
    }
    Value::Object(body)
}

/// Records that exist, by the path of their collection.
async fn records(caller: &Caller) -> HashMap<String, String> {
    let edge = caller.id("/edges/https", &json!({})).await;
    let routes = format!("/edges/https/{edge}/routes");
    let route = caller.id(&routes, &json!({"match_type": "path_prefix", "match": "/"})).await;
    let mut records = HashMap::from([("edge".to_owned(), edge), ("/edges/https/{edge_id}/routes".to_owned(), route)]);
    for path in ["/edges/https", "/edges/tls", "/edges/tcp", "/ip_policies", "/credentials", "/api_keys"] {
        records.insert(path.to_owned(), caller.id(path, &json!({})).await);
    }
    records.insert("/backends/tunnel_group".to_owned(), caller.group().await);
    records
}

/// The path of an operation with ids in place of its parameters.
fn path_with_ids(operation: &Operation, records: &HashMap<String, String>) -> String {
    let collection = operation.path.split("/{id}").next().unwrap_or_default();
    let id = records.get(collection).map_or("usr_0ujtsYcgvSTl8PAuAdqWYSMnLOv", String::as_str);
    operation.path.replace("{edge_id}", &records["edge"]).replace("{id}", id)
}

/// Checks for a success, or a client error with all its members.
#[track_caller]
fn check_response(response: &ApiResponse, sent: &str) {
    if response.status.is_success() {
        return;
    }
    assert!(response.status.is_client_error(), "{}: {}\nsent: {sent}", response.status, response.text);
    let error = response.json();
    assert_eq!(error["status_code"], response.status.as_u16(), "{error}");
    assert!(error["error_code"].as_str().is_some_and(|code| code.starts_with("ERR_POSTERN_")), "{error}");
    assert!(error["msg"].as_str().is_some_and(|sentence| sentence.len() > 10 && sentence.len() < 2000), "{error}");
    assert!(error["details"].is_object(), "{error}");
}

#[tokio::test]
async fn any_object_is_handled() {
    let world = World::start().await;
    let operator = world.operator().await;
    let (records, operations) = (records(&operator).await, operations());
    let mut chance = StdRng::seed_from_u64(SEED);
    let mut refused = 0;
    for number in 0..BODIES {
        let operation = &operations[number % operations.len()];
        let (path, body) = (path_with_ids(operation, &records), body(&mut chance, operation));
        let response = operator.with_body(&operation.method, &path, &body).await;
        check_response(&response, &format!("{} {path} {body}", operation.method));
        refused += usize::from(!response.status.is_success());
    }
    assert!(refused > BODIES / 2 && refused < BODIES, "{refused} of {BODIES} were refused");
    operator.get("/ip_policies").await.is(StatusCode::OK);
}

#[tokio::test]
async fn any_bytes_are_handled() {
    let world = World::start().await;
    let operator = world.operator().await;
    let (records, operations) = (records(&operator).await, operations());
    let mut chance = StdRng::seed_from_u64(SEED);
    for number in 0..BODIES / 3 {
        let operation = &operations[number % operations.len()];
        let mut bytes = body(&mut chance, operation).to_string().into_bytes();
        match chance.random_range(0..4) {
            0 => bytes.truncate(chance.random_range(0..bytes.len())),
            1 => {
                let position = chance.random_range(0..bytes.len());
                bytes[position] = chance.random();
            }
            2 => bytes = (0..chance.random_range(0..64)).map(|_| chance.random()).collect(),
            _ => bytes = "[".repeat(chance.random_range(1..100_000)).into_bytes(),
        }
        let path = path_with_ids(operation, &records);
        let request = operator.request(&operation.method, &path).header("content-type", "application/json");
        let response = operator.send(request.body(Body::from(bytes.clone())).expect("a request")).await;
        check_response(&response, &format!("{} {path} {:?}", operation.method, bytes.get(..200).unwrap_or(&bytes)));
    }
}

#[tokio::test]
async fn any_method_path_and_query_is_handled() {
    let world = World::start().await;
    let operator = world.operator().await;
    let operations = operations();
    for broken in ["%", "%zz", "%ff", "%00", "%2e%2e", "a%2Fb", "%E2%80%AE", "x'--", "~", "{id}"] {
        for operation in &operations {
            let path = operation.path.replace("{edge_id}", broken).replace("{id}", broken);
            for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"] {
                let Ok(request) = operator.request(method, &path).body(Body::empty()) else { continue };
                let response = operator.send(request).await;
                let known = path == operation.path && method == "GET";
                assert!(
                    response.status.is_client_error() || known || !path.contains(broken),
                    "{method} {path}: {response:?}"
                );
                check_response(&response, &format!("{method} {path}"));
            }
        }
        operator.get(&format!("/ip_policies?limit={broken}")).await.refused(postern_api::Code::LimitInvalid);
    }
}

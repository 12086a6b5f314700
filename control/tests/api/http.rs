//! HTTP interface of the API: paths, methods, the order of checks, admission, URIs.

use crate::kit::World;
use axum::body::Body;
use http::{Request, StatusCode};
use postern_api::{Code, Error};
use postern_control::Control;
use serde_json::json;
use std::sync::Arc;

#[tokio::test]
async fn every_path_responds_with_json() {
    let world = World::start().await;
    let operator = world.operator().await;
    for path in
        ["/", "/nothing", "/ip_policies/", "/ip_policies//x", "/edges", "/edges/tcp/x/y/z", "/edges/tcp/x/colour"]
    {
        operator.get(path).await.refused(Code::NotFound);
    }
    let response = operator.put("/ip_policies", &json!({})).await;
    response.refused(Code::MethodNotAllowed);
    let allow = response.headers["allow"].to_str().expect("text");
    assert!(allow.contains("GET") && allow.contains("POST") && !allow.contains("PUT"), "{allow}");
    let policy = operator.policy().await;
    let response = operator.post(&format!("/ip_policies/{policy}"), &json!({})).await;
    response.refused(Code::MethodNotAllowed);
    let allow = response.headers["allow"].to_str().expect("text");
    assert!(["GET", "PATCH", "DELETE"].iter().all(|method| allow.contains(method)), "{allow}");
}

#[tokio::test]
async fn successes_carry_an_operation_id_too() {
    let world = World::start().await;
    let operator = world.operator().await;
    let responses = [operator.get("/ip_policies").await, operator.post("/ip_policies", &json!({})).await];
    let ids: Vec<_> =
        responses.iter().map(|response| response.headers["postern-operation-id"].to_str().expect("text")).collect();
    assert!(ids[0] != ids[1] && ids.iter().all(|id| id.starts_with("op_") && id.len() == 30), "{ids:?}");
}

#[tokio::test]
async fn checks_run_in_order() {
    let world = World::start().await;
    let operator = world.operator().await;
    let wrong = |request: http::request::Builder| request.body(Body::from("nonsense")).expect("a request");
    let anonymous = Request::builder().method("PUT").uri("/nothing?x=1");
    operator.send(wrong(anonymous)).await.refused(Code::KeyMissing);
    let key = format!("Bearer {}", operator.key);
    let no_version = Request::builder().method("PUT").uri("/nothing?x=1").header("authorization", &key);
    operator.send(wrong(no_version)).await.refused(Code::VersionMissing);
    operator.send(wrong(operator.request("PUT", "/nothing"))).await.refused(Code::NotFound);
    operator.send(wrong(operator.request("PUT", "/ip_policies"))).await.refused(Code::MethodNotAllowed);
    operator.send(wrong(operator.request("POST", "/ip_policies"))).await.refused(Code::ContentTypeMissing);
    let typed = operator.request("POST", "/ip_policies").header("content-type", "application/json");
    operator.send(wrong(typed)).await.refused(Code::BodyMalformed);
}

#[tokio::test]
async fn get_and_delete_accept_a_content_type_and_an_empty_body() {
    let world = World::start().await;
    let operator = world.operator().await;
    let policy = operator.policy().await;
    for (method, status) in [("GET", StatusCode::OK), ("DELETE", StatusCode::NO_CONTENT)] {
        let request = operator.request(method, &format!("/ip_policies/{policy}")).header("content-type", "text/plain");
        operator.send(request.body(Body::empty()).expect("a request")).await.is(status);
    }
}

#[tokio::test]
async fn admission_is_checked_after_the_key_and_before_everything_else() {
    let world = World::start().await;
    let operator = world.operator().await;
    let control: Control = world.control.with_admission_check(Arc::new(|parts, caller| {
        assert!(caller.key.starts_with("ak_") && caller.admin, "{caller:?}");
        match parts.headers.get("x-test-from") {
            Some(_) => Ok(()),
            None => Err(Error::new(Code::ApiAddressDenied, "This address may not use the API.")),
        }
    }));
    let router = world.operation_log.wrap(control.router());
    let send = async |request: Request<Body>| {
        let response = tower::ServiceExt::oneshot(router.clone(), request).await.expect("a response");
        response.status().as_u16()
    };
    let request = |from: bool| {
        let request = operator.request("GET", "/ip_policies");
        let request = if from { request.header("x-test-from", "here") } else { request };
        request.body(Body::empty()).expect("a request")
    };
    assert_eq!(send(request(true)).await, 200);
    assert_eq!(send(request(false)).await, 403);
    let anonymous = Request::builder().uri("/ip_policies").body(Body::empty()).expect("a request");
    assert_eq!(send(anonymous).await, 401);
}

#[tokio::test]
async fn a_panic_is_a_response_with_a_code() {
    let world = World::start().await;
    let operator = world.operator().await;
    let control = world.control.with_admission_check(Arc::new(|_, _| panic!("planted")));
    let response = tower::ServiceExt::oneshot(
        world.operation_log.wrap(control.router()),
        operator.request("GET", "/ip_policies").body(Body::empty()).expect("a request"),
    );
    let response = response.await.expect("a response");
    assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    assert!(response.headers().contains_key("postern-operation-id"));
    let body = http_body_util::BodyExt::collect(response.into_body()).await.expect("a body").to_bytes();
    let body: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(body["error_code"], Code::Internal.to_string());
    assert!(!body.to_string().contains("planted"));
}

//! Sessions of the console: what a cookie is good for, and what other pages cannot do with it.

use crate::kit::{ApiResponse, Caller, World};
use axum::body::Body;
use http::StatusCode;
use postern_api::{Code, Role};
use serde_json::{Value, json};

const HOST: &str = "127.0.0.1:4041";
const ORIGIN: &str = "http://127.0.0.1:4041";

/// A browser with the cookies that it was given.
struct Browser<'a> {
    world: &'a World,
    cookie: String,
}

impl Browser<'_> {
    /// What the console sends, with other headers.
    async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> ApiResponse {
        let mut request = http::Request::builder()
            .method(method)
            .uri(path)
            .header("host", HOST)
            .header("cookie", &self.cookie)
            .header("service-version", "2");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = if method == "POST" { Body::from("{}") } else { Body::empty() };
        self.world.caller("").send(request.body(body).expect("a request")).await
    }

    async fn console(&self, method: &str, path: &str) -> ApiResponse {
        let headers = [
            ("console-session", "active"),
            ("sec-fetch-site", "same-origin"),
            ("origin", ORIGIN),
            ("content-type", "application/json"),
        ];
        self.send(method, path, &headers).await
    }
}

async fn sign_in(caller: &Caller) -> ApiResponse {
    let request = caller.request("POST", "/console_sessions").header("host", HOST).header("origin", ORIGIN);
    caller.send(request.body(Body::empty()).expect("a request")).await
}

fn browser<'a>(world: &'a World, response: &ApiResponse) -> Browser<'a> {
    let cookie = response.headers["set-cookie"].to_str().expect("text");
    Browser { world, cookie: cookie.split(';').next().expect("a pair").to_owned() }
}

#[tokio::test]
async fn a_session_is_begun_read_and_ended() {
    begun_read_and_ended(&World::start().await).await;
}

/// The suite for all operations.
pub(crate) async fn begun_read_and_ended(world: &World) {
    let operator = world.operator().await;
    let response = sign_in(&operator).await;
    let session = response.is(StatusCode::CREATED);
    let cookie = response.headers["set-cookie"].to_str().expect("text");
    let (pair, attributes) = cookie.split_once("; ").expect("attributes");
    assert_eq!(attributes, "Path=/; Max-Age=43200; HttpOnly; SameSite=Strict");
    let (name, token) = pair.split_once('=').expect("a pair");
    assert_eq!(name, "postern_console_4041");
    assert!(!response.text.contains(token) && !token.contains(&operator.key), "no token in a body, no key in a cookie");
    assert_eq!((&session["owner_name"], &session["role"]), (&json!("admin"), &json!("admin")));
    assert_eq!(session["inactivity_timeout"], 3600);

    let browser = browser(world, &response);
    assert_eq!(browser.console("GET", "/console_sessions/current").await.is(StatusCode::OK), session);
    let made = browser.console("POST", "/ip_policies").await.is(StatusCode::CREATED);
    operator.get("/console_sessions/current").await.refused(Code::NotFound);
    operator.delete("/console_sessions/current").await.refused(Code::NotFound);

    let events = operator.get("/audit_events").await.is(StatusCode::OK)["audit_events"].clone();
    assert_eq!((&events[0]["kind"], &events[0]["object_id"]), (&json!("ip_policy"), &made["id"]));
    assert_eq!((&events[1]["kind"], &events[1]["object_id"]), (&json!("console_session"), &session["id"]));
    for event in [&events[0], &events[1]] {
        assert_eq!((&event["actor_id"], &event["api_key_id"]), (&session["owner_id"], &session["api_key_id"]));
        assert_eq!((&event["operation"], &event["actor_name"]), (&json!("created"), &json!("admin")));
    }

    let signed_out = browser.console("DELETE", "/console_sessions/current").await;
    signed_out.is(StatusCode::NO_CONTENT);
    let removed = signed_out.headers["set-cookie"].to_str().expect("text");
    assert!(removed.starts_with("postern_console_4041=; Path=/; Max-Age=0"), "{removed}");
    browser.console("GET", "/ip_policies").await.refused(Code::ConsoleSessionEnded);
    browser.console("DELETE", "/console_sessions/current").await.refused(Code::ConsoleSessionEnded);
    let event = operator.get("/audit_events?limit=1").await.is(StatusCode::OK)["audit_events"][0].clone();
    assert_eq!((&event["operation"], &event["object_id"]), (&json!("deleted"), &session["id"]));
    operator.delete("/console_sessions").await.is(StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn pages_of_other_origins_are_refused_with_a_code_of_their_own() {
    let world = World::start().await;
    let operator = world.operator().await;
    let browser = browser(&world, &sign_in(&operator).await);
    let form = ("content-type", "application/x-www-form-urlencoded");
    let json = ("content-type", "application/json");
    let console = ("console-session", "active");
    for (what, headers) in [
        ("a form of another site", &[("sec-fetch-site", "cross-site"), ("origin", "https://evil.test"), form][..]),
        ("a form of another port", &[("sec-fetch-site", "same-site"), ("origin", "http://127.0.0.1:3000"), form]),
        ("a script of another port", &[("sec-fetch-site", "same-site"), json, console]),
        ("an older browser at another port", &[("origin", "http://127.0.0.1:3000"), json, console]),
        ("a sandboxed page", &[("origin", "null"), json, console]),
        ("a link", &[("sec-fetch-site", "none"), console]),
        ("a form of the same origin", &[("sec-fetch-site", "same-origin"), ("origin", ORIGIN), form]),
        ("a program with the cookie alone", &[json]),
    ] {
        for method in ["POST", "GET", "DELETE", "PATCH", "PUT"] {
            let response = browser.send(method, "/ip_policies", headers).await;
            assert_eq!(response.refused(Code::ConsoleOrigin)["status_code"], 403, "{what}, {method}");
            assert!(!response.headers.contains_key("access-control-allow-origin"), "{what}");
        }
    }
    let policies = operator.get("/ip_policies").await.is(StatusCode::OK);
    assert_eq!(policies["ip_policies"], json!([]), "nothing was created");
}

#[tokio::test]
async fn another_page_signs_no_browser_in() {
    let world = World::start().await;
    let operator = world.operator().await;
    for (name, value) in [("sec-fetch-site", "cross-site"), ("origin", "http://127.0.0.1:3000")] {
        let request = operator.request("POST", "/console_sessions").header("host", HOST).header(name, value);
        let response = operator.send(request.body(Body::empty()).expect("a request")).await;
        response.refused(Code::ConsoleOrigin);
        assert!(!response.headers.contains_key("set-cookie"));
    }
    let browser = browser(&world, &sign_in(&operator).await);
    browser.console("POST", "/console_sessions").await.refused(Code::KeyMissing);
}

#[tokio::test]
async fn a_key_takes_precedence_over_a_session() {
    let world = World::start().await;
    let operator = world.operator().await;
    let cookie = browser(&world, &sign_in(&operator).await).cookie;
    let stranger = world.stranger().await;
    let with_both = |key: &Caller| {
        let request = key.request("GET", "/users").header("host", HOST).header("cookie", &cookie);
        request.header("sec-fetch-site", "cross-site").body(Body::empty()).expect("a request")
    };
    stranger.send(with_both(&stranger)).await.refused(Code::AdminNeeded);
    operator.send(with_both(&operator)).await.is(StatusCode::OK);
    let unknown = world.caller("nonsense");
    unknown.send(with_both(&unknown)).await.refused(Code::KeyShape);
}

#[tokio::test]
async fn a_session_ends_with_its_key_and_with_its_owner() {
    let world = World::start().await;
    let operator = world.operator().await;
    let key = operator.made("/api_keys", &json!({})).await;
    let signed_in = browser(&world, &sign_in(&world.caller(key["token"].as_str().expect("a token"))).await);
    signed_in.console("GET", "/ip_policies").await.is(StatusCode::OK);
    operator.delete(&format!("/api_keys/{}", key["id"].as_str().expect("an id"))).await.is(StatusCode::NO_CONTENT);
    signed_in.console("GET", "/ip_policies").await.refused(Code::ConsoleSessionEnded);

    let bot = operator.id("/bot_users", &json!({"name": "bot"})).await;
    let key = operator.made("/api_keys", &json!({"owner_id": bot})).await;
    let signed_in = browser(&world, &sign_in(&world.caller(key["token"].as_str().expect("a token"))).await);
    let path = format!("/bot_users/{bot}");
    operator.patch(&path, &json!({"active": false})).await.is(StatusCode::OK);
    signed_in.console("GET", "/ip_policies").await.refused(Code::CallerInactive);
    operator.patch(&path, &json!({"active": true, "role": "viewer"})).await.is(StatusCode::OK);
    signed_in.console("GET", "/ip_policies").await.is(StatusCode::OK);
    signed_in.console("POST", "/ip_policies").await.refused(Code::RoleTooLow);
}

#[tokio::test]
async fn signing_out_everywhere_ends_the_sessions_of_all_keys_of_the_user() {
    let world = World::start().await;
    let operator = world.operator().await;
    let other_key = operator.made("/api_keys", &json!({"role": "viewer"})).await;
    let other_key = world.caller(other_key["token"].as_str().expect("a token"));
    let (here, there) = (browser(&world, &sign_in(&operator).await), browser(&world, &sign_in(&other_key).await));
    let stranger = browser(&world, &sign_in(&world.stranger().await).await);
    there.console("DELETE", "/console_sessions").await.is(StatusCode::NO_CONTENT);
    for browser in [&here, &there] {
        browser.console("GET", "/ip_policies").await.refused(Code::ConsoleSessionEnded);
    }
    stranger.console("GET", "/ip_policies").await.is(StatusCode::OK);
}

#[tokio::test]
async fn roles_that_change_nothing_may_sign_in() {
    let world = World::start().await;
    world.operator().await;
    for role in [Role::Viewer, Role::AgentOwner] {
        let key = world.control.create_api_key("few rights", role).await.expect("a key");
        let response = sign_in(&world.caller(key.reveal())).await;
        assert_eq!(response.is(StatusCode::CREATED)["role"], json!(role));
        let browser = browser(&world, &response);
        browser.console("DELETE", "/console_sessions/current").await.is(StatusCode::NO_CONTENT);
    }
}

#[tokio::test]
async fn sign_ins_are_bounded_and_never_displace_the_last_change() {
    let world = World::start().await;
    let operator = world.operator().await;
    let first = browser(&world, &sign_in(&operator).await);
    for _ in 0..20 {
        sign_in(&operator).await.is(StatusCode::CREATED);
    }
    first.console("GET", "/ip_policies").await.refused(Code::ConsoleSessionEnded);
    let page = operator.get("/audit_events?kind=console_session&operation=deleted").await.is(StatusCode::OK);
    assert_eq!(page["audit_events"].as_array().map(Vec::len), Some(1), "the longest idle one has ended");
    assert_ne!(page["audit_events"][0]["object_id"], Value::Null);
}

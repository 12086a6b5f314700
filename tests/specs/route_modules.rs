//! Modules of routes: a change in the management API applies to the next visitor.

use futures::{SinkExt, StreamExt};
use postern_api::Code;
use postern_tests::{Origin, World, eventually, tcp::Echo, visitor::VisitorResponse};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use std::io::Read;
use tokio_tungstenite::tungstenite::{Message, client::IntoClientRequest, protocol::frame::coding::CloseCode};

const HOST: &str = "shop.localhost";

/// A server, an agent, and an HTTPS edge with one route that leads to a local service.
struct Shop {
    world: World,
    /// The path of the route in the management API.
    route: String,
    agent: postern_tests::Agent,
}

impl Shop {
    async fn leading_to(service: impl std::fmt::Display) -> Shop {
        let world = World::start().await;
        let operator = world.operator();
        let agent = world.agent().await;
        agent.labelled("shop", "app=shop", service).await;
        let backend = operator.group("app", "shop").await;
        let edge = operator.post("/edges/https", json!({ "hostports": [format!("{HOST}:443")] })).await.ok().text("id");
        let routes = format!("/edges/https/{edge}/routes");
        let body = json!({ "match_type": "path_prefix", "match": "/", "backend": { "backend_id": backend } });
        let route = operator.post(&routes, body).await.ok().text("id");
        let shop = Shop { world, route: format!("{routes}/{route}"), agent };
        eventually("the agent's tunnel serves the edge", async || {
            (shop.get("/").await.header("postern-error-code") != "ERR_POSTERN_6515").then_some(())
        })
        .await;
        shop
    }

    async fn put_module(&self, module: &str, body: Value) {
        self.world.operator().put(&format!("{}/{module}", self.route), body).await.ok();
    }

    async fn delete_module(&self, module: &str) {
        self.world.operator().delete(&format!("{}/{module}", self.route)).await.ok();
    }

    fn request(&self, path: &str) -> RequestBuilder {
        let port = self.world.server.addresses.https.port();
        self.world.visitor().http.get(format!("https://{HOST}:{port}{path}"))
    }

    async fn get(&self, path: &str) -> VisitorResponse {
        self.world.visitor().send(self.request(path)).await
    }
}

/// A circuit breaker that opens when half of at least 4 requests fail, for this number of seconds.
fn breaker(tripped_duration: u32) -> Value {
    json!({ "tripped_duration": tripped_duration, "rolling_window": 60, "volume_threshold": 4, "error_threshold_percentage": 0.5 })
}

/// A shop whose circuit is open for an hour.
async fn shop_with_open_circuit(origin: &Origin) -> Shop {
    let shop = Shop::leading_to(origin).await;
    shop.put_module("circuit_breaker", breaker(3600)).await;
    for _ in 0..4 {
        shop.get("/status/500").await;
    }
    assert_eq!(shop.get("/").await.refused(), Code::CircuitOpen);
    shop
}

#[tokio::test]
async fn a_circuit_opens_when_the_backend_fails_and_closes_when_it_recovers() {
    let origin = Origin::start("hello").await;
    let shop = Shop::leading_to(&origin).await;
    shop.put_module("circuit_breaker", breaker(1)).await;
    for path in ["/", "/status/404", "/status/500", "/status/503"] {
        assert!(shop.get(path).await.header("postern-error-code").is_empty(), "{path} passes");
    }
    let requests = origin.requests().len();
    let refused = shop.get("/").await;
    assert_eq!((refused.status, refused.refused()), (503, Code::CircuitOpen));
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(origin.requests().len(), requests, "the service receives nothing");
    let response = eventually("a request is admitted", async || {
        Some(shop.get("/").await).filter(|response| response.status != 503)
    })
    .await;
    assert_eq!(response.text(), "hello");
    assert_eq!(shop.get("/status/500").await.status, 500, "closed, and counting from zero");
}

#[tokio::test]
async fn a_rate_limit_applies_to_the_next_request_and_its_refusals_are_recorded() {
    let origin = Origin::start("hello").await;
    let shop = Shop::leading_to(&origin).await;
    shop.put_module("rate_limit", json!({ "requests": 2, "interval": 3600 })).await;
    for _ in 0..2 {
        assert_eq!(shop.get("/").await.text(), "hello");
    }
    let requests = origin.requests().len();
    let refused = shop.get("/").await;
    assert_eq!((refused.status, refused.refused()), (429, Code::RateLimited));
    let wait: u32 = refused.header("retry-after").parse().expect("seconds");
    assert!((1..=3600).contains(&wait), "{wait}");
    shop.put_module("compression", json!({})).await;
    assert_eq!(shop.get("/").await.refused(), Code::RateLimited, "other settings change nothing");
    assert_eq!(origin.requests().len(), requests, "the service receives nothing");
    shop.put_module("rate_limit", json!({ "requests": 2, "interval": 3600, "enabled": false })).await;
    assert_eq!(shop.get("/").await.text(), "hello");
}

#[tokio::test]
async fn requests_are_limited_redirected_and_rewritten_and_captured_ones_show_it() {
    let origin = Origin::start("hello").await;
    let shop = Shop::leading_to(&origin).await;
    shop.put_module("rate_limit", json!({ "requests": 1000, "interval": 1 })).await;
    let rule = json!({ "path": "/old/(.*)", "to": "/new/${1}?${req.query}", "status_code": 307 });
    shop.put_module("redirect", json!({ "rules": [rule] })).await;
    shop.put_module("rewrite", json!({ "strip_prefix": "/new", "host": "app.internal" })).await;
    let redirected = shop.get("/old/page?x=1").await;
    assert_eq!((redirected.status, redirected.header("location")), (307, "/new/page?x=1"));
    assert_eq!(shop.get("/new/page?x=1").await.text(), "hello");
    let received = &origin.requests_to("/page")[0];
    assert_eq!(received.target, "/page?x=1");
    assert_eq!((received.header("host"), received.header("x-original-host").starts_with(HOST)), ("app.internal", true));
    let is_rewritten = |request: &Value| request["request"]["uri"] == "/page?x=1";
    let captured = shop.agent.wait_for_exchange("the rewritten request", is_rewritten).await;
    let decisions = captured["trace"]["decisions"].as_array().expect("decisions");
    let shown: Vec<_> = decisions.iter().map(|one| (one["module"].as_str(), one["rule"].as_str())).collect();
    let expected = [("rate_limit", ""), ("redirect", ""), ("rewrite", "/new -> ")];
    assert_eq!(shown, expected.map(|(module, rule)| (Some(module), Some(rule))));
}

#[tokio::test]
async fn a_maintenance_and_error_pages_answer_for_the_route() {
    let origin = Origin::start("hello").await;
    let shop = Shop::leading_to(&origin).await;
    shop.put_module("error_pages", json!({ "pages": { "503": "own ${error.code}", "404": "none" }, "upstream": true }))
        .await;
    shop.put_module("maintenance", json!({ "until": "2999-01-01T00:00:00Z" })).await;
    let browsing = async |path: &str| shop.world.visitor().send(shop.request(path).header("accept", "text/html")).await;
    let refused = browsing("/").await;
    assert_eq!((refused.status, refused.text().as_str()), (503, "own ERR_POSTERN_3029"));
    assert_eq!(shop.get("/").await.refused(), Code::Maintenance);
    shop.put_module("maintenance", json!({ "until": "2020-01-01T00:00:00Z" })).await;
    assert_eq!(browsing("/").await.text(), "hello", "it is over");
    assert_eq!(browsing("/status/404").await.text(), "none");
}

#[tokio::test]
async fn an_open_circuit_stays_open_when_other_settings_of_the_route_change() {
    let origin = Origin::start("hello").await;
    let shop = shop_with_open_circuit(&origin).await;
    shop.world.operator().patch(&shop.route, json!({ "description": "another word" })).await.ok();
    shop.put_module("compression", json!({})).await;
    assert_eq!(shop.get("/").await.refused(), Code::CircuitOpen);
}

#[tokio::test]
async fn disabling_or_deleting_the_circuit_breaker_resets_it() {
    let origin = Origin::start("hello").await;
    let shop = shop_with_open_circuit(&origin).await;
    shop.put_module("circuit_breaker", json!({ "enabled": false })).await;
    assert_eq!(shop.get("/").await.text(), "hello", "disabled");
    shop.put_module("circuit_breaker", breaker(3600)).await;
    assert_eq!(shop.get("/").await.text(), "hello", "enabled again without its count");
    shop.delete_module("circuit_breaker").await;
    for _ in 0..8 {
        assert_eq!(shop.get("/status/500").await.status, 500, "without the module nothing is counted");
    }
}

#[tokio::test]
async fn headers_change_on_their_way_to_the_service_and_back() {
    let origin = Origin::start("hello").await;
    let shop = Shop::leading_to(&origin).await;
    let changes = json!({
        "add": { "X-Who": "${conn.client_ip} asks ${req.host}${req.path}", "X-Kind": "new", "Host": "inner.test" },
        "remove": ["X-Kind", "X-Forwarded-For"],
    });
    shop.put_module("request_headers", changes).await;
    shop.put_module("response_headers", json!({ "add": { "X-Status": "${res.status}" }, "remove": ["Content-Type"] }))
        .await;
    let reply = shop.world.visitor().send(shop.request("/page").header("x-kind", "old").header("x-mine", "kept")).await;
    assert_eq!((reply.text().as_str(), reply.header("x-status")), ("hello", "200"));
    assert!(reply.headers.get("content-type").is_none());
    let received = &origin.requests_to("/page")[0];
    assert_eq!(received.header("x-who"), "127.0.0.1 asks shop.localhost/page");
    assert_eq!(received.headers.get_all("x-kind").iter().collect::<Vec<_>>(), ["new"]);
    assert_eq!((received.header("host"), received.header("x-mine")), ("inner.test", "kept"));
    assert!(received.header("x-forwarded-for").is_empty());
    assert_eq!(received.header("x-forwarded-host").split(':').next(), Some(HOST));

    shop.delete_module("request_headers").await;
    shop.delete_module("response_headers").await;
    let reply = shop.get("/plain").await;
    assert!(reply.headers.get("x-status").is_none() && reply.headers.get("content-type").is_some());
    assert_eq!(origin.requests_to("/plain")[0].header("x-forwarded-for"), "127.0.0.1");
    let refused = shop
        .world
        .operator()
        .put(&format!("{}/request_headers", shop.route), json!({ "remove": ["content-length"] }))
        .await;
    assert_eq!(refused.code(), Code::HeaderForbidden);
}

/// The bytes that can be read so far.
fn unzipped(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    let _ = flate2::read::GzDecoder::new(bytes).read_to_end(&mut text);
    String::from_utf8(text).unwrap()
}

#[tokio::test]
async fn responses_are_compressed_for_clients_that_accept_it_and_events_are_not_delayed() {
    let greeting = "the same words again and again; ".repeat(100);
    let origin = Origin::start(&greeting).await;
    let shop = Shop::leading_to(&origin).await;
    let fetch =
        async |accept: &str| shop.world.visitor().send(shop.request("/").header("accept-encoding", accept)).await;
    assert_eq!(fetch("gzip").await.text(), greeting, "not enabled");
    shop.put_module("compression", json!({})).await;
    let reply = fetch("gzip").await;
    assert_eq!((reply.header("content-encoding"), reply.header("vary")), ("gzip", "Accept-Encoding"));
    assert!(reply.body.len() < 200 && unzipped(&reply.body) == greeting, "{} bytes", reply.body.len());
    assert_eq!(fetch("br").await.header("content-encoding"), "br");
    assert_eq!(fetch("identity").await.text(), greeting);

    let mut events = shop.request("/events").header("accept-encoding", "gzip").send().await.unwrap();
    assert_eq!(events.headers()["content-encoding"], "gzip");
    let mut body = Vec::new();
    while unzipped(&body) != "data: first\n\n" {
        body.extend(events.chunk().await.unwrap().expect("the first event comes before the second is sent"));
    }
    shop.put_module("compression", json!({ "enabled": false })).await;
    assert_eq!(fetch("gzip").await.text(), greeting, "switched off");
    origin.release();
    while let Some(chunk) = events.chunk().await.unwrap() {
        body.extend(chunk);
    }
    assert_eq!(unzipped(&body), "data: first\n\ndata: second\n\n", "what had begun goes on");
}

#[tokio::test]
async fn websocket_connections_become_streams_to_a_tcp_service() {
    let echo = Echo::named("welcome").await;
    let shop = Shop::leading_to(&echo).await;
    shop.put_module("websocket_tcp_converter", json!({})).await;
    assert_eq!(shop.get("/").await.refused(), Code::WebsocketExpected);
    let connect = async || {
        let stream = shop.world.visitor().tls(HOST, &[b"http/1.1"]).await.unwrap();
        let request = format!("wss://{HOST}/").into_client_request().unwrap();
        tokio_tungstenite::client_async(request, stream).await.unwrap().0
    };
    let mut socket = connect().await;
    let mut received = Vec::new();
    let sent: Vec<u8> = (0..200_000_u32).map(|number| (number % 251) as u8).collect();
    for piece in sent.chunks(50_000) {
        socket.send(Message::binary(piece.to_vec())).await.unwrap();
        while received.len() < piece.len() {
            match socket.next().await.unwrap().unwrap() {
                Message::Binary(bytes) => received.extend_from_slice(&bytes),
                other => panic!("{other:?}"),
            }
            if received.starts_with(b"welcome\n") {
                received.drain(..8);
            }
        }
        assert!(received == piece, "the same bytes in the same order");
        received.clear();
    }
    shop.delete_module("websocket_tcp_converter").await;
    socket.send(Message::binary(&b"still open"[..])).await.unwrap();
    assert_eq!(socket.next().await.unwrap().unwrap(), Message::binary(&b"still open"[..]), "a change does not cut it");
    shop.put_module("websocket_tcp_converter", json!({})).await;
    let mut other = connect().await;
    assert_eq!(other.next().await.unwrap().unwrap(), Message::binary(&b"welcome\n"[..]));
    other.send(Message::text("words")).await.unwrap();
    match other.next().await.unwrap().unwrap() {
        Message::Close(Some(frame)) => assert_eq!(frame.code, CloseCode::Unsupported),
        other => panic!("{other:?}"),
    }
}

/// Users of a `basic_auth` module.
fn users<const N: usize>(users: [(&str, &str); N]) -> Value {
    let users = users.map(|(name, password)| json!({ "username": name, "password": password }));
    json!({ "users": users.as_slice() })
}

impl Shop {
    /// The status of a request with this user and password.
    async fn login(&self, user: &str, password: &str) -> u16 {
        self.world.visitor().send(self.request("/page").basic_auth(user, Some(password))).await.status
    }
}

#[tokio::test]
async fn a_password_of_a_route_admits_its_user_and_is_not_forwarded() {
    let origin = Origin::start("hello").await;
    let shop = Shop::leading_to(&origin).await;
    let before = origin.requests().len();
    shop.put_module("basic_auth", users([("ada", "planted-secret-1"), ("bob", "planted-secret-2")])).await;
    let refused = shop.get("/").await;
    assert_eq!((refused.status, refused.refused()), (401, Code::PasswordNeeded));
    assert_eq!(refused.header("www-authenticate"), r#"Basic realm="postern", charset="UTF-8""#);
    for (user, password) in [("ada", "planted-secret-2"), ("ada", ""), ("", "planted-secret-1"), ("eve", "longenough")]
    {
        assert_eq!(shop.login(user, password).await, 401, "{user}");
    }
    assert_eq!(origin.requests().len(), before, "the service is left alone");
    for (user, password) in [("ada", "planted-secret-1"), ("bob", "planted-secret-2"), ("ada", "planted-secret-1")] {
        assert_eq!(shop.login(user, password).await, 200, "{user}");
    }
    let received = origin.requests_to("/page");
    assert_eq!(received.len(), 3);
    assert!(received.iter().all(|request| request.header("authorization").is_empty()), "it goes no further");
}

#[tokio::test]
async fn a_user_without_a_new_password_keeps_the_present_one() {
    let origin = Origin::start("hello").await;
    let shop = Shop::leading_to(&origin).await;
    shop.put_module("basic_auth", users([("ada", "planted-secret-1")])).await;
    let body = json!({ "users": [{ "username": "ada" }, { "username": "bob", "password": "planted-secret-2" }] });
    shop.put_module("basic_auth", body).await;
    assert_eq!((shop.login("ada", "planted-secret-1").await, shop.login("bob", "planted-secret-2").await), (200, 200));
    shop.put_module("basic_auth", users([("ada", "planted-secret-3")])).await;
    assert_eq!((shop.login("ada", "planted-secret-1").await, shop.login("ada", "planted-secret-3").await), (401, 200));
    assert_eq!(shop.login("bob", "planted-secret-2").await, 401, "removed");
    shop.put_module("basic_auth", json!({ "enabled": false, "users": [{ "username": "ada" }] })).await;
    assert_eq!(shop.get("/").await.status, 200, "a disabled module admits all");
}

#[tokio::test]
async fn passwords_of_a_route_are_never_shown_and_stored_as_slow_hashes_only() {
    let origin = Origin::start("hello").await;
    let shop = Shop::leading_to(&origin).await;
    let operator = shop.world.operator();
    let module = format!("{}/basic_auth", shop.route);
    let put = operator.put(&module, users([("ada", "planted-secret-1")])).await.ok();
    assert_eq!(shop.login("ada", "planted-secret-1").await, 200);
    let shown = [put.text, operator.get(&module).await.ok().text, operator.get(&shop.route).await.ok().text];
    for text in shown {
        assert!(text.contains(r#""username":"ada""#) && !text.contains("planted"), "{text}");
        assert!(!text.contains("argon2"), "the hash is not shown either: {text}");
    }
    let stored = String::from_utf8_lossy(&shop.world.stored()).into_owned();
    assert!(stored.contains("$argon2id$") && !stored.contains("planted"), "the password is nowhere");
}

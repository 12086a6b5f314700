//! Local services that speak HTTP/2: capture and replay.

use crate::world::World;
use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response};
use postern_test_kit::{eventually, in_time};
use postern_tunnel::{StreamKind, request_note::RequestDigest};
use serde_json::{Value as Json, json};
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;

/// One message of gRPC: its flag, its length, `hi`.
const MESSAGE: &[u8] = b"\0\0\0\0\x02hi";

/// Path and body of a request.
type Call = (String, Vec<u8>);

/// A service that answers each call with the message it got and a status in trailers. Records paths and bodies.
struct Service {
    port: u16,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Service {
    async fn start() -> Service {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let calls: Arc<Mutex<Vec<Call>>> = Arc::default();
        let recorded = calls.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let recorded = recorded.clone();
                tokio::spawn(async move {
                    let Ok(mut connection) = h2::server::handshake(stream).await else { return };
                    while let Some(Ok((request, respond))) = connection.accept().await {
                        tokio::spawn(answer(request, respond, recorded.clone()));
                    }
                });
            }
        });
        Service { port, calls }
    }

    fn calls(&self) -> Vec<(String, Vec<u8>)> {
        self.calls.lock().unwrap().clone()
    }
}

async fn answer(
    request: Request<h2::RecvStream>,
    mut respond: h2::server::SendResponse<Bytes>,
    calls: Arc<Mutex<Vec<Call>>>,
) {
    let (parts, mut body) = request.into_parts();
    let mut whole = Vec::new();
    while let Some(Ok(data)) = body.data().await {
        let _ = body.flow_control().release_capacity(data.len());
        whole.extend_from_slice(&data);
    }
    calls.lock().unwrap().push((parts.uri.path().to_owned(), whole.clone()));
    let response = Response::builder().header("content-type", "application/grpc").body(()).expect("valid");
    let Ok(mut send) = respond.send_response(response, false) else { return };
    let _ = send.send_data(whole.into(), false);
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static("5"));
    let _ = send.send_trailers(trailers);
}

async fn tunnel(world: &World, service: &Service) {
    let body = json!({ "name": "rpc", "proto": "http", "addr": service.port, "app_protocol": "http2" });
    let (status, tunnel) = world.call("POST", "/api/tunnels", Some(body)).await;
    assert_eq!((status, &tunnel["config"]["inspect"]), (201, &json!(true)), "{tunnel}");
}

/// Makes calls over one stream of the tunnel, as the server does.
async fn call(world: &World, paths: &[&str]) {
    let stream = world.server.visit("rpc", StreamKind::Http).await;
    let (mut send, connection) = h2::client::handshake(stream).await.expect("HTTP/2");
    let connection = tokio::spawn(connection);
    for path in paths {
        let request = Request::post(format!("http://rpc.localhost{path}"))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .header("x-forwarded-for", "203.0.113.9");
        let (response, mut body) = send.send_request(request.body(()).expect("valid"), false).expect("open");
        body.send_data(Bytes::from_static(MESSAGE), true).expect("open");
        let mut body = in_time(response).await.expect("answered").into_body();
        assert_eq!(in_time(body.data()).await.expect("data").expect("whole"), MESSAGE);
        let trailers = in_time(body.trailers()).await.expect("ended").expect("trailers");
        assert_eq!(trailers["grpc-status"], "5");
    }
    drop(send);
    connection.abort();
}

fn raw(message: &Json) -> String {
    let bytes = BASE64_STANDARD.decode(message["raw"].as_str().expect("base64")).expect("base64");
    String::from_utf8_lossy(&bytes).into_owned()
}

#[tokio::test]
async fn calls_are_captured_with_their_messages_and_trailers() {
    let world = World::start().await;
    let service = Service::start().await;
    tunnel(&world, &service).await;
    call(&world, &["/shop.Cart/Add", "/shop.Cart/List"]).await;
    let captured = world.captured(2).await;
    let first = &captured[1];
    assert_eq!((&first["request"]["uri"], &first["request"]["proto"]), (&json!("/shop.Cart/Add"), &json!("HTTP/2.0")));
    assert_eq!(first["request"]["headers"]["content-type"], json!(["application/grpc"]));
    assert_eq!((&first["remote_addr"], &first["response"]["status_code"]), (&json!("203.0.113.9"), &json!(200)));
    assert!(raw(&first["response"]).ends_with("\r\n0\r\ngrpc-status: 5\r\n\r\n"), "{first}");
    let id = first["id"].as_str().expect("an id");
    let body = reqwest::get(format!("{}/api/requests/http/{id}/response/body", world.web())).await.expect("answered");
    assert_eq!(body.bytes().await.expect("a body"), MESSAGE, "without chunks and trailers");
    let found = world.get("/api/requests/http?filter=path%3D%2Fshop.Cart%2FList").await;
    assert_eq!(found["requests"].as_array().map(Vec::len), Some(1), "{found}");
    let metrics = world.get("/api/tunnels/rpc").await["metrics"].clone();
    assert_eq!(metrics["http"]["count"], 2, "{metrics}");
}

#[tokio::test]
async fn notes_of_the_server_are_shown_with_the_requests_that_they_name() {
    let world = World::start().await;
    let service = Service::start().await;
    tunnel(&world, &service).await;
    let mut stream = world.server.visit("rpc", StreamKind::Http).await;
    let notes = stream.metadata();
    let (mut send, connection) = h2::client::handshake(stream).await.expect("HTTP/2");
    let connection = tokio::spawn(connection);
    let mut responses = Vec::new();
    for (path, note) in [("/a", Some("for a")), ("/b", None), ("/c", Some("for c"))] {
        if let Some(note) = note {
            let mut digest = RequestDigest::default();
            for (name, value) in [(":method", "GET"), (":authority", "rpc.localhost"), (":path", path), ("x-y", "z")] {
                digest.add(name.as_bytes(), value.as_bytes());
            }
            notes.push(digest.with_note(json!({ "id": note }).to_string().as_bytes()));
        }
        let request = Request::get(format!("http://rpc.localhost{path}")).header("x-y", "z");
        responses.push(send.send_request(request.body(()).expect("valid"), true).expect("open").0);
    }
    for response in responses {
        in_time(response).await.expect("answered");
    }
    let captured = world.captured(3).await;
    let trace =
        |path: &str| captured.iter().find(|one| one["request"]["uri"] == path).expect("listed")["trace"].clone();
    assert_eq!(["/a", "/b", "/c"].map(trace), [json!({ "id": "for a" }), Json::Null, json!({ "id": "for c" })]);
    connection.abort();
}

#[tokio::test]
async fn a_call_is_replayed_over_http2() {
    let world = World::start().await;
    let service = Service::start().await;
    tunnel(&world, &service).await;
    call(&world, &["/shop.Cart/Add"]).await;
    let id = world.captured(1).await[0]["id"].clone();
    let (status, body) = world.call("POST", "/api/requests/http", Some(json!({ "id": id }))).await;
    assert_eq!(status, 204, "{body}");
    let calls =
        eventually("the service got the call again", async || Some(service.calls()).filter(|calls| calls.len() == 2))
            .await;
    assert_eq!(calls[0], calls[1]);
    assert_eq!(calls[1], ("/shop.Cart/Add".to_owned(), MESSAGE.to_vec()));
    let replayed = eventually("the replay is captured", async || {
        let list = world.get("/api/requests/http").await["requests"].as_array().expect("a list").clone();
        list.into_iter().find(|one| one["replay_of"] == id && one["complete"]["response"] == true)
    })
    .await;
    assert_eq!(replayed["request"]["proto"], "HTTP/2.0");
    assert!(raw(&replayed["response"]).ends_with("\r\n0\r\ngrpc-status: 5\r\n\r\n"), "{replayed}");
}

//! Local services of a tunnel: Unix sockets, folders, TLS services, responses of the agent itself, and their `Host`.

use postern_api::Code;
use postern_tests::{
    Agent, Origin, World,
    agent::Tunnel,
    scripted_origin::{OriginConnection, ScriptedOrigin},
    tls,
    visitor::VisitorResponse,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::UnixListener,
};

/// A server and an agent.
struct Shop {
    world: World,
    agent: Agent,
}

impl Shop {
    async fn open() -> Shop {
        let world = World::start().await;
        Shop { agent: world.agent().await, world }
    }

    async fn tunnel(&self, name: &str, keys: Value) -> Tunnel {
        let mut body = json!({ "name": name, "proto": "http" });
        body.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        self.agent.tunnel(body).await
    }

    async fn get(&self, tunnel: &Tunnel, path: &str) -> VisitorResponse {
        self.world.visitor().get(&tunnel.url(path)).await
    }
}

/// Reads a request, responds with a text, and closes.
async fn respond(mut connection: OriginConnection<impl AsyncRead + AsyncWrite + Unpin>, text: &str) {
    if connection.request().await.is_some() {
        let response = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{text}", text.len());
        connection.close_with(response.as_bytes()).await;
    }
}

#[tokio::test]
async fn a_unix_socket_can_be_a_local_service() {
    let shop = Shop::open().await;
    let path = shop.world.path("app.sock");
    let tunnel = shop.tunnel("socket", json!({ "addr": format!("unix:{}", path.display()) })).await;
    let refused = shop.get(&tunnel, "/").await;
    assert_eq!((refused.status, refused.refused()), (502, Code::ServiceUnreachable));
    let listener = UnixListener::bind(&path).expect("a socket");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(respond(OriginConnection::new(stream), "from the socket"));
        }
    });
    assert_eq!(shop.get(&tunnel, "/page").await.text(), "from the socket");
    shop.agent.wait_for_capture("it is captured", |request| request["request"]["uri"] == "/page").await;
}

#[tokio::test]
async fn a_folder_is_served_and_cannot_be_left() {
    let shop = Shop::open().await;
    let folder = shop.world.path("site");
    std::fs::create_dir_all(folder.join("sub")).expect("made");
    std::fs::write(folder.join("page.html"), "<p>hello</p>").expect("written");
    std::fs::write(shop.world.path("secret"), "planted-secret").expect("written");
    std::os::unix::fs::symlink("../secret", folder.join("link")).expect("linked");
    let tunnel = shop.tunnel("folder", json!({ "addr": format!("file://{}", folder.display()) })).await;
    let reply = shop.get(&tunnel, "/page.html").await;
    assert_eq!((reply.text().as_str(), reply.header("content-type")), ("<p>hello</p>", "text/html; charset=utf-8"));
    let visitor = shop.world.visitor();
    let part = visitor.send(visitor.http.get(tunnel.url("/page.html")).header("range", "bytes=3-7")).await;
    assert_eq!((part.status, part.text().as_str(), part.header("content-range")), (206, "hello", "bytes 3-7/12"));
    let tag = reply.header("etag").to_owned();
    let known = visitor.send(visitor.http.get(tunnel.url("/page.html")).header("if-none-match", tag)).await;
    assert_eq!(known.status, 304);
    assert!(shop.get(&tunnel, "/").await.text().contains("href=\"/sub/\""));
    assert_eq!(visitor.send(visitor.http.put(tunnel.url("/new")).body("x")).await.status, 405);
    for path in ["/link", "/%2e%2e/secret", "/..%2fsecret", "/sub/%2e%2e/%2e%2e/secret", "/%00"] {
        let reply = shop.get(&tunnel, path).await;
        assert!(reply.status >= 400 && !reply.text().contains("planted"), "{path}: {}", reply.status);
    }
    let nothing = shop
        .agent
        .request_tunnel(json!({ "name": "missing", "proto": "http", "addr": "file:///no/such/folder" }))
        .await;
    assert_eq!(nothing.code(), Code::ServiceUnreachable);
}

#[tokio::test]
async fn a_webhook_can_be_inspected_before_there_is_a_service() {
    let shop = Shop::open().await;
    let script = json!({ "status": 202, "headers": { "X-Caught": "yes" }, "body": "thank you" });
    let tunnel = shop.tunnel("hooks", json!({ "catch": script })).await;
    let visitor = shop.world.visitor();
    let reply = visitor.send(visitor.http.post(tunnel.url("/hook")).body("the event".repeat(1000))).await;
    assert_eq!((reply.status, reply.text().as_str(), reply.header("x-caught")), (202, "thank you", "yes"));
    let seen = shop.agent.wait_for_exchange("the webhook", |request| request["request"]["uri"] == "/hook").await;
    assert_eq!(seen["request"]["method"], "POST");
    assert!(seen["response"]["status"].as_str().is_some_and(|status| status.starts_with("202")), "{seen}");
    let plain = shop.tunnel("plain", json!({ "addr": "catch" })).await;
    let reply = shop.get(&plain, "/").await;
    assert_eq!((reply.status, reply.text().as_str()), (200, ""));
}

#[tokio::test]
async fn the_service_gets_the_configured_host_and_its_redirects_lead_back() {
    let shop = Shop::open().await;
    let origin = Origin::start("hello").await;
    let port = origin.address().port();
    let rewritten = json!({ "addr": format!("localhost:{port}"), "host_header": "rewrite" });
    let rewritten = shop.tunnel("rewritten", rewritten).await;
    let named = shop.tunnel("named", json!({ "addr": port, "host_header": "inner.test" })).await;
    let kept = shop.tunnel("kept", json!({ "addr": port, "host_header": "preserve" })).await;
    let visitor = shop.world.visitor();
    let public = |tunnel: &Tunnel| tunnel.public_url.trim_start_matches("https://").to_owned();
    for (tunnel, path, host) in [
        (&rewritten, "/rewritten", format!("localhost:{port}")),
        (&named, "/named", "inner.test".to_owned()),
        (&kept, "/kept", public(&kept)),
    ] {
        let asks = visitor.http.get(tunnel.url(path)).header("x-original-host", "forged.test");
        assert_eq!(visitor.send(asks).await.text(), "hello");
        let received = &origin.requests_to(path)[0];
        assert_eq!(
            (received.header("host"), received.header("x-forwarded-host")),
            (host.as_str(), public(tunnel).as_str())
        );
        if path != "/kept" {
            assert_eq!(received.header("x-original-host"), public(tunnel));
        }
    }
    let to = "http://inner.test/login?next=%2F".to_owned();
    let script = json!({ "status": 302, "headers": { "Location": to } });
    let redirecting = shop.tunnel("redirecting", json!({ "catch": script, "host_header": "inner.test" })).await;
    let reply = shop.get(&redirecting, "/").await;
    assert_eq!(reply.header("location"), redirecting.url("/login?next=%2F"));
    let elsewhere = json!({ "status": 302, "headers": { "Location": "https://other.test/" } });
    let elsewhere = shop.tunnel("elsewhere", json!({ "catch": elsewhere, "host_header": "inner.test" })).await;
    assert_eq!(shop.get(&elsewhere, "/").await.header("location"), "https://other.test/");
}

/// A TLS service with a certificate for `localhost`, and that certificate.
async fn tls_service() -> (ScriptedOrigin, String) {
    let own = tls::self_signed("localhost");
    let service =
        ScriptedOrigin::serving_tls(tls::acceptor(&own, &[]), |connection| respond(connection, "over TLS")).await;
    (service, own.cert.pem())
}

#[tokio::test]
async fn certificates_of_local_services_are_verified_as_configured() {
    let shop = Shop::open().await;
    let (service, certificate) = tls_service().await;
    let addr = format!("https://localhost:{}", service.port());
    let file = shop.world.path("own.pem");
    std::fs::write(&file, certificate).expect("written");
    let other = shop.world.path("other.pem");
    std::fs::write(&other, tls::self_signed("localhost").cert.pem()).expect("written");
    for (name, keys, good) in [
        ("usual", json!({}), true),
        ("any", json!({ "verify_upstream_tls": false }), true),
        ("system", json!({ "verify_upstream_tls": true }), false),
        ("own", json!({ "verify_upstream_tls_cas": file }), true),
        ("other", json!({ "verify_upstream_tls_cas": other }), false),
    ] {
        let mut keys = keys;
        keys["addr"] = addr.clone().into();
        let tunnel = shop.tunnel(name, keys).await;
        let reply = shop.get(&tunnel, "/").await;
        match good {
            true => assert_eq!(reply.text(), "over TLS", "{name}"),
            false => assert_eq!((reply.status, reply.refused()), (502, Code::ServiceUnreachable), "{name}"),
        }
    }
}

//! A local web service gets a public address.

use postern_api::Code;
use postern_tests::{Origin, World, eventually};
use serde_json::json;

#[tokio::test]
async fn a_generated_name_publishes_the_local_service_over_https() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let tunnel = world.agent().await.https("site", &origin).await;
    assert_eq!(tunnel.port(), world.server.addresses.https.port());
    assert!(tunnel.public_url.starts_with("https://"), "{}", tunnel.public_url);
    let label = tunnel.host().strip_suffix(".localhost").unwrap().to_owned();
    assert!(label.split('-').count() >= 3 && !label.contains('.'), "words and a number: {label}");
}

#[tokio::test]
pub(crate) async fn the_origin_receives_the_request_as_sent_and_the_visitors_address() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    let visitor = world.visitor();
    let request = visitor
        .http
        .post(tunnel.url("/page?x=1&y=%20z"))
        .header("X-Forwarded-For", "6.6.6.6")
        .header("X-Forwarded-Proto", "gopher")
        .header("Forwarded", "for=6.6.6.6")
        .header("X-Mine", "kept")
        .body("a body");
    let reply = visitor.send(request).await;
    assert_eq!((reply.status, reply.text().as_str()), (200, "hello"));
    let received = &origin.requests()[0];
    assert_eq!((received.method.as_str(), received.target.as_str()), ("POST", "/page?x=1&y=%20z"));
    assert_eq!(received.header("x-mine"), "kept");
    assert_eq!(received.header("x-forwarded-for"), "127.0.0.1", "rebuilt, never trusted");
    assert_eq!(received.header("x-forwarded-proto"), "https");
    assert!(!received.header("forwarded").contains("6.6.6.6"), "{}", received.header("forwarded"));
    assert!(received.header("host").starts_with(&tunnel.host()), "{}", received.header("host"));
}

#[tokio::test]
async fn a_requested_name_may_be_a_label_a_full_name_or_a_custom_host() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    for (wanted, expected) in [
        ("shop", "shop.localhost"),
        ("full.localhost", "full.localhost"),
        ("Deep.Er.localhost", "deep.er.localhost"),
        ("www.example.test", "www.example.test"),
    ] {
        let tunnel = agent.https_at(&expected.replace('.', "-"), wanted, &origin).await;
        assert_eq!(tunnel.host(), expected);
        assert_eq!(world.visitor().get(&tunnel.url("/")).await.text(), "hello", "{expected}, with a valid certificate");
    }
}

#[tokio::test]
async fn a_wildcard_takes_every_name_below_it_and_an_exact_name_goes_first() {
    let world = World::start().await;
    let (all, one) = (Origin::start("all").await, Origin::start("one").await);
    let agent = world.agent().await;
    let wildcard = agent.https_at("all", "*.shop.localhost", &all).await;
    agent.https_at("one", "one.shop.localhost", &one).await;
    let port = wildcard.port();
    let visitor = world.visitor();
    for (host, answer) in [("two.shop", "all"), ("a.b.shop", "all"), ("one.shop", "one")] {
        assert_eq!(visitor.get(&format!("https://{host}.localhost:{port}/")).await.text(), answer, "{host}");
    }
    let apex = visitor.get(&format!("https://shop.localhost:{port}/")).await;
    assert_eq!(apex.refused(), Code::HostUnknown, "a wildcard never covers its own parent");
}

#[tokio::test]
async fn plain_http_is_served_on_request_and_redirected_otherwise() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let http = world.server.addresses.http.port();
    let plain = agent
        .tunnel(json!({ "name": "plain", "proto": "http", "addr": origin.to_string(), "domain": "plain", "schemes": ["http"] }))
        .await;
    assert_eq!(plain.public_url, format!("http://plain.localhost:{http}"));
    let visitor = world.visitor();
    assert_eq!(visitor.get(&plain.url("/")).await.text(), "hello");
    assert_eq!(origin.requests()[0].header("x-forwarded-proto"), "http");

    let secure = agent.https_at("secure", "secure", &origin).await;
    let reply = visitor.get(&format!("http://secure.localhost:{http}/a/b?c=d")).await;
    assert_eq!((reply.status, reply.header("location")), (308, secure.url("/a/b?c=d").as_str()));
}

#[tokio::test]
async fn both_schemes_are_two_tunnels_of_one_definition() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent
        .tunnel(json!({ "name": "both", "proto": "http", "addr": origin.to_string(), "domain": "both", "schemes": ["http", "https"] }))
        .await;
    assert!(tunnel.public_url.starts_with("https://both.localhost"), "the answer describes the https one");
    let plain = agent.get("/api/tunnels/both%20(http)").await.ok();
    let visitor = world.visitor();
    assert_eq!(visitor.get(plain["public_url"].as_str().unwrap()).await.text(), "hello");
    assert_eq!(visitor.get(&tunnel.public_url).await.text(), "hello");
}

#[tokio::test]
async fn an_unpublished_name_is_404_as_a_page_or_as_json() {
    let world = World::start().await;
    let visitor = world.visitor();
    let url = format!("https://unpublished.localhost:{}/", world.server.addresses.https.port());
    let page = visitor.send(visitor.http.get(&url).header("Accept", "text/html")).await;
    assert_eq!((page.status, page.refused()), (404, Code::HostUnknown));
    assert!(page.header("content-type").starts_with("text/html") && page.text().contains("ERR_POSTERN_3200"));
    let json = visitor
        .send(visitor.http.get(&url).header("Accept", "application/json").header("Origin", "https://app.test"))
        .await;
    let body: serde_json::Value = serde_json::from_slice(&json.body).unwrap();
    assert_eq!(body["error_code"], "ERR_POSTERN_3200");
    assert!(!json.header("access-control-allow-origin").is_empty(), "a page's script may read the error");
    assert!(!json.header("postern-request-id").is_empty());
}

#[tokio::test]
async fn a_stopped_tunnel_is_gone_and_its_name_is_free() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https_at("site", "site", &origin).await;
    let stopped = agent.delete("/api/tunnels/site").await;
    assert_eq!((stopped.status, stopped.text.as_str()), (204, ""));
    let visitor = world.visitor();
    let reply = eventually("the end is known where visitors come", async || {
        Some(visitor.get(&tunnel.url("/")).await).filter(|reply| reply.refused() != Code::AgentOffline)
    })
    .await;
    assert_eq!((reply.status, reply.refused()), (404, Code::HostUnknown));
    assert_eq!(agent.get("/api/tunnels/site").await.status, 404);
    let other = world.agent_setup("other", &world.operator().credential(&[]).await.1).start().await;
    other.https_at("mine-now", "site", &origin).await;
}

#[tokio::test]
async fn an_agent_that_ends_cleanly_leaves_404_and_one_that_is_killed_leaves_503() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let visitor = world.visitor();
    for (name, cleanly, status) in [("clean", true, 404), ("killed", false, 503)] {
        let token = world.operator().credential(&[]).await.1;
        let agent = world.agent_setup(name, &token).start().await;
        let url = agent.https_at(name, name, &origin).await.url("/");
        if cleanly {
            agent.process.terminate();
            let ended = agent.process.wait_with_output().await;
            assert!(ended.status.success(), "{ended:?}");
        } else {
            agent.process.kill();
        }
        let reply = eventually("the end is noticed", async || {
            Some(visitor.get(&url).await).filter(|reply| reply.status != 502 && reply.status != 200)
        })
        .await;
        assert_eq!(reply.status, status, "{name}: {}", reply.text());
        assert_eq!(reply.header("retry-after").is_empty(), cleanly, "only who may come back is worth waiting for");
    }
}

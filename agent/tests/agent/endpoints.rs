use crate::world::World;
use postern_test_kit::scripted_origin::ScriptedOrigin;
use serde_json::json;

#[tokio::test]
async fn an_endpoint_is_started_shown_replaced_and_stopped() {
    let world = World::start().await;
    let origin = ScriptedOrigin::closing_after_end(b"\r\n\r\n", b"HTTP/1.1 204 No Content\r\n\r\n").await;
    let body = json!({
        "name": "my shop", "url": "https://shop.test", "metadata": "the shop", "upstream": {"url": origin.port()},
    });
    let (status, mut endpoint) = world.call("POST", "/api/endpoints", Some(body)).await;
    assert_eq!(status, 201, "{endpoint}");
    let metrics = endpoint["metrics"].take();
    assert!(metrics["conns"]["count"] == 0 && metrics["http"]["count"] == 0, "{metrics}");
    let expected = json!({
        "name": "my shop",
        "uri": "/api/endpoints/my%20shop",
        "url": "https://shop.test",
        "upstream": {"url": format!("http://localhost:{}", origin.port()), "protocol": "http1"},
        "bindings": ["public"],
        "metadata": "the shop",
        "inspect": true,
        "metrics": null,
    });
    assert_eq!(endpoint, expected);
    world.server.http("my shop", b"GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n").await.expect("answered");
    assert_eq!(world.get("/api/endpoints/my%20shop").await["metrics"]["http"]["count"], 1);
    assert_eq!(world.get("/api/tunnels/my%20shop").await["public_url"], "https://shop.test", "a tunnel like any other");

    let body = json!({"url": "tls://other.test", "upstream": {"url": 4443, "proxy_protocol": "2"}});
    let (status, endpoint) = world.call("PUT", "/api/endpoints/my%20shop", Some(body)).await;
    assert_eq!((status, endpoint["url"].as_str()), (200, Some("tls://other.test")), "{endpoint}");
    assert_eq!(endpoint["upstream"], json!({"url": "localhost:4443", "proxy_protocol": "2"}));
    let list = world.get("/api/endpoints").await;
    assert_eq!(list["uri"], "/api/endpoints");
    assert_eq!(list["endpoints"].as_array().map(Vec::len), Some(1), "one in the place of the other: {list}");

    assert_eq!(world.call("DELETE", "/api/endpoints/my%20shop", None).await.0, 204);
    assert_eq!(world.call("DELETE", "/api/endpoints/my%20shop", None).await.0, 404);
    assert_eq!(world.get("/api/endpoints").await["endpoints"], json!([]));
}

#[tokio::test]
async fn the_former_endpoint_returns_when_its_replacement_is_refused() {
    let world = World::start().await;
    let body = json!({"name": "shop", "url": "https://shop.test", "upstream": {"url": 8080}});
    assert_eq!(world.call("POST", "/api/endpoints", Some(body)).await.0, 201);
    world.server.refuse_host("taken.test");
    let body = json!({"url": "https://taken.test", "upstream": {"url": 9090}});
    let (status, refused) = world.call("PUT", "/api/endpoints/shop", Some(body)).await;
    assert_eq!((status, refused["error_code"].as_u64()), (502, Some(103)), "{refused}");
    assert_eq!(refused["details"]["code"], "ERR_POSTERN_334");
    world.wait_until(|_, list| list["tunnels"][0]["state"] == "running").await;
    let back = world.get("/api/endpoints/shop").await;
    assert_eq!(
        (back["url"].as_str(), back["upstream"]["url"].as_str()),
        (Some("https://shop.test"), Some("http://localhost:8080"))
    );
}

#[tokio::test]
async fn a_labelled_tunnel_is_no_endpoint() {
    let world = World::start().await;
    let body = json!({"name": "box", "addr": 1, "labels": ["app=shop"]});
    assert_eq!(world.call("POST", "/api/tunnels", Some(body)).await.0, 201);
    assert_eq!(world.get("/api/endpoints").await["endpoints"], json!([]));
    for (method, body) in [("GET", None), ("DELETE", None), ("PUT", Some(json!({"upstream": {"url": 2}})))] {
        assert_eq!(world.call(method, "/api/endpoints/box", body).await.0, 404, "{method}");
    }
    assert_eq!(world.get("/api/tunnels/box").await["name"], "box", "and it is left alone");
}

#[tokio::test]
async fn problems_of_an_endpoint_use_the_keys_of_version_3() {
    let world = World::start().await;
    for (body, sentence) in [
        (json!({"upstream": {"url": 80}}), "name: Is missing"),
        (json!({"name": "a"}), "upstream: Is missing"),
        (json!({"name": "a", "url": "gopher://x", "upstream": {"url": 80}}), "url: Must begin with"),
        (json!({"name": "a", "upstream": {"uri": 80}}), "Did you mean `url`?"),
        (json!({"name": "a", "upstream": {"url": 80}, "bindings": ["internal"]}), "Endpoints are always public"),
        (json!({"name": "a", "upstream": {"url": 80}, "traffic_policy": {}}), "Traffic policies are not supported"),
        (json!({"name": "a", "upstream": {"url": "x y"}}), "is not a local address"),
    ] {
        let (status, answer) = world.call("POST", "/api/endpoints", Some(body.clone())).await;
        assert_eq!((status, answer["error_code"].as_u64()), (400, Some(102)), "{body}: {answer}");
        assert!(answer["details"]["err"].as_str().unwrap().contains(sentence), "{body}: {answer}");
    }
    assert_eq!(world.get("/api/endpoints").await["endpoints"], json!([]));
    assert_eq!(world.get("/api/").await["endpoints_uri"], "/api/endpoints");
}

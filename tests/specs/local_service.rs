//! A local service that is down, slow or broken: the response names the cause.

use base64::{Engine, prelude::BASE64_STANDARD};
use postern_api::Code;
use postern_tests::{Origin, World, eventually};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

#[tokio::test]
async fn a_service_that_is_down_is_502_as_json_and_as_a_page() {
    let world = World::start().await;
    let closed = Origin::start("closed").await.stop().await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", closed).await;
    let visitor = world.visitor();
    for (accept, kind) in [("application/json", "application/json"), ("text/html", "text/html")] {
        let reply = visitor.send(visitor.http.get(tunnel.url("/")).header("Accept", accept)).await;
        assert_eq!((reply.status, reply.refused()), (502, Code::ServiceUnreachable), "{}", reply.text());
        assert!(reply.header("content-type").starts_with(kind), "{:?}", reply.headers);
        assert!(reply.text().contains("ERR_POSTERN_8012"));
        assert!(!reply.header("postern-request-id").is_empty());
    }
    let posted = visitor.send(visitor.http.post(tunnel.url("/order?n=1")).body("one of these")).await;
    assert_eq!(posted.refused(), Code::ServiceUnreachable);
    // The visitor has the answer a moment before the agent has written down why.
    let summaries = eventually("the last visit has its reason", async || {
        let summaries = agent.get("/api/requests/http/summaries").await.ok()["requests"].clone();
        summaries[0]["error"].is_string().then_some(summaries)
    })
    .await;
    assert_eq!(summaries.as_array().unwrap().len(), 3, "each visit is listed: {summaries}");
    let order = &summaries[0];
    assert_eq!((&order["method"], &order["path"]), (&json!("POST"), &json!("/order?n=1")), "{summaries}");
    assert_eq!(order["status_code"], Value::Null);
    assert!(order["error"].as_str().is_some_and(|why| why.contains(&closed.to_string())), "why it failed: {order}");
    let detail = agent.get(&format!("/api/requests/http/{}", order["id"].as_str().unwrap())).await.ok();
    assert_eq!(detail["response"], Value::Null);
    let raw = BASE64_STANDARD.decode(detail["request"]["raw"].as_str().unwrap()).unwrap();
    assert!(String::from_utf8(raw).unwrap().ends_with("\r\n\r\none of these"), "whole, so that it can be replayed");
}

#[tokio::test]
async fn a_service_that_hangs_up_or_speaks_no_http_is_502() {
    let world = World::start().await;
    let agent = world.agent().await;
    for (name, answer, code) in
        [("silent", &b""[..], Code::UpstreamClosed), ("odd", b"SSH-2.0-OpenSSH_9.9\r\n\r\n", Code::UpstreamInvalid)]
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = [0; 1024];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(answer).await;
            }
        });
        let tunnel = agent.https(name, address).await;
        let reply = world.visitor().get(&tunnel.url("/")).await;
        assert_eq!((reply.status, reply.refused()), (502, code), "{name}: {}", reply.text());
        serving.abort();
    }
}

#[tokio::test]
async fn errors_of_the_service_itself_pass_unchanged() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    for status in [404, 418, 500, 502, 503] {
        let reply = world.visitor().get(&tunnel.url(&format!("/status/{status}"))).await;
        assert_eq!((reply.status, reply.text()), (status, format!("status {status}")));
        assert!(reply.header("postern-error-code").is_empty(), "not an error of ours");
    }
}

//! Webhook verification on a route: only signed requests are admitted, and a change applies at once.

use aws_lc_rs::hmac;
use postern_api::Code;
use postern_tests::{Origin, Visitor, World, visitor::VisitorResponse};
use serde_json::{Value, json};

/// A body that is not text.
fn payload(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 7 + at / 251) as u8).collect()
}

fn signature(secret: &str, body: &[u8]) -> String {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), body);
    tag.as_ref().iter().fold("sha256=".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

/// Sends a body, signed with a secret or not at all.
async fn sent(visitor: &Visitor, url: &str, secret: Option<&str>, body: &[u8]) -> VisitorResponse {
    let mut request = visitor.http.post(url).body(body.to_vec());
    if let Some(secret) = secret {
        request = request.header("X-Hub-Signature-256", signature(secret, body));
    }
    visitor.send(request).await
}

#[tokio::test]
async fn only_signed_webhooks_reach_the_service_until_the_module_is_disabled() {
    let world = World::start().await;
    let (operator, visitor) = (world.operator(), world.visitor());
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    agent.labelled("hooks", "app=hooks", origin.address()).await;
    let group = operator.group("app", "hooks").await;
    let port = world.server.addresses.https.port();
    let edge = operator.post("/edges/https", json!({ "hostports": [format!("hooks.localhost:{port}")] })).await.ok();
    let routes = format!("/edges/https/{}/routes", edge.text("id"));
    let route = json!({ "match_type": "path_prefix", "match": "/", "backend": { "backend_id": group } });
    let route = operator.post(&routes, route).await.ok();
    let module = format!("{routes}/{}/webhook_verification", route.text("id"));
    let put = async |body: Value| operator.put(&module, body).await.ok();
    let (url, body) = (format!("https://hooks.localhost:{port}/echo"), payload(300_000));

    assert_eq!(sent(&visitor, &url, None, &body).await.body, body, "without the module every request is admitted");
    put(json!({ "provider": "GITHUB", "secret": "first secret" })).await;
    for secret in [None, Some("another secret")] {
        let refused = sent(&visitor, &url, secret, &body).await;
        assert_eq!((refused.status, refused.refused()), (403, Code::WebhookRefused), "{secret:?}");
        assert!(!refused.text().contains("first secret"), "{}", refused.text());
    }
    let passed = sent(&visitor, &url, Some("first secret"), &body).await;
    assert_eq!((passed.status, passed.body == body), (200, true), "{:?}", passed.headers);
    assert_eq!(origin.requests_to("/echo").len(), 2);
    let large = sent(&visitor, &url, Some("first secret"), &payload(10 * 1024 * 1024 + 1)).await;
    assert_eq!((large.status, large.refused()), (413, Code::BodyTooLarge));

    put(json!({ "provider": "github", "secret": "second secret" })).await;
    assert_eq!(sent(&visitor, &url, Some("first secret"), &body).await.status, 403);
    assert_eq!(sent(&visitor, &url, Some("second secret"), &body).await.status, 200);
    put(json!({ "provider": "shopify", "secret": "second secret" })).await;
    assert_eq!(
        sent(&visitor, &url, Some("second secret"), &body).await.status,
        403,
        "another provider signs otherwise"
    );

    put(json!({ "enabled": false, "provider": "shopify", "secret": "second secret" })).await;
    assert_eq!(sent(&visitor, &url, None, &body).await.body, body);
    put(json!({ "provider": "sns" })).await;
    assert_eq!(sent(&visitor, &url, None, &body).await.status, 403);
    operator.delete(&module).await.ok();
    assert_eq!(sent(&visitor, &url, None, &body).await.body, body);
    assert_eq!(origin.requests_to("/echo").len(), 5);
}

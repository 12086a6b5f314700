//! Challenges: requests by which providers validate an endpoint.

use super::{
    field::Field,
    senders::{HOST, Hook, Sending, b64, hex, hook},
};
use aws_lc_rs::hmac;
use bytes::Bytes;
use http_body_util::Full;
use hyper::{Request, StatusCode};
use postern_api::webhooks::Provider;

fn get(target: &str) -> http::request::Builder {
    Request::get(format!("https://{HOST}{target}"))
}

fn nothing() -> Full<Bytes> {
    Full::default()
}

fn mac(text: &str) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, b"right"), text.as_bytes()).as_ref().to_vec()
}

/// A signed request of a provider with another body.
fn signed(field: &Field, provider: Provider, secret: &str, body: &str) -> Hook {
    let path = format!("/{}", provider.name());
    let sending = Sending { path: &path, secret, second: field.second(), number: 1 };
    let mut made = hook(provider, 0, &sending).expect("a form");
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let signature = match provider {
        Provider::Zoom => {
            let text = format!("v0:{}:{body}", field.second());
            format!("v0={}", hex(hmac::sign(&key, text.as_bytes())))
        }
        _ => b64(hmac::sign(&key, body.as_bytes())),
    };
    let name = made.signing[0].clone();
    made.headers.retain(|(other, _)| *other != name);
    made.headers.push((name, signature));
    made.body = body.as_bytes().to_vec();
    made
}

#[tokio::test]
async fn twitter_gets_its_token_signed_but_never_anything_that_could_be_a_webhook() {
    let field = Field::of_all_providers().await;
    let token = "OWJlZTY1NjQtMjI4_a.b~c+d/e=";
    let response = field.request(get(&format!("/twitter?crc_token={token}&nonce=1")).body(nothing()).unwrap()).await;
    assert_eq!(
        (response.status, response.headers["content-type"].to_str().unwrap()),
        (StatusCode::OK, "application/json")
    );
    let value: serde_json::Value = serde_json::from_slice(&response.body).unwrap();
    assert_eq!(value, serde_json::json!({ "response_token": format!("sha256={}", b64(mac(token))) }));
    let long = "x".repeat(2000);
    for wrong in ["", "{%22a%22:1}", "%7B%22a%22:1%7D", "[1]", "\"x\"", &long] {
        let Ok(request) = get(&format!("/twitter?crc_token={wrong}")).body(nothing()) else { continue };
        let response = field.request(request).await;
        assert_eq!((response.status, response.code()), (StatusCode::FORBIDDEN, "ERR_POSTERN_3204"), "{wrong}");
    }
    let plain = field.request(get("/twitter").body(nothing()).unwrap()).await;
    assert_eq!(plain.code(), "ERR_POSTERN_3204", "without a token it is no challenge");
    let with_body = Request::post(format!("https://{HOST}/twitter?crc_token=a")).body(Full::from("a")).unwrap();
    assert_eq!(field.request(with_body).await.code(), "ERR_POSTERN_3204");
    assert_eq!(field.received(), 0, "the service never sees a challenge");
}

#[tokio::test]
async fn worldline_gets_its_token_back() {
    let field = Field::of_all_providers().await;
    let header = "X-GCS-Webhooks-Endpoint-Verification";
    let response = field.request(get("/worldline/x").header(header, "a <b> c").body(nothing()).unwrap()).await;
    assert_eq!((response.status, response.text().as_str()), (StatusCode::OK, "a <b> c"));
    assert_eq!(response.headers["content-type"], "text/plain");
    assert_eq!(response.headers["x-content-type-options"], "nosniff");
    let twice = get("/worldline").header(header, "a").header(header, "b").body(nothing()).unwrap();
    assert_eq!(field.request(twice).await.code(), "ERR_POSTERN_3204");
    let long = get("/worldline").header(header, "x".repeat(1025)).body(nothing()).unwrap();
    assert_eq!(field.request(long).await.code(), "ERR_POSTERN_3204");
    let post = Request::post(format!("https://{HOST}/worldline")).header(header, "a").body(nothing()).unwrap();
    assert_eq!(field.request(post).await.code(), "ERR_POSTERN_3204");
    assert_eq!(field.received(), 0);
}

#[tokio::test]
async fn xero_gets_a_status_that_tells_valid_from_invalid_signatures() {
    let field = Field::of_all_providers().await;
    let intent = r#"{"events":[],"firstEventSequence":0,"lastEventSequence":0,"entropy":"ABC"}"#;
    let response = field.send("xero", &signed(&field, Provider::Xero, "right", intent)).await;
    assert_eq!((response.status, response.body.len()), (StatusCode::OK, 0));
    let response = field.send("xero", &signed(&field, Provider::Xero, "wrong", intent)).await;
    assert_eq!((response.status, response.body.len()), (StatusCode::UNAUTHORIZED, 0));
    let mut unsigned = signed(&field, Provider::Xero, "right", intent);
    unsigned.headers.retain(|(name, _)| name != "x-xero-signature");
    assert_eq!(field.send("xero", &unsigned).await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(field.received(), 0);
    let events = r#"{"events":[{"resourceId":"1"}]}"#;
    let response = field.send("xero", &signed(&field, Provider::Xero, "wrong", events)).await;
    assert_eq!((response.status, response.code()), (StatusCode::FORBIDDEN, "ERR_POSTERN_3204"));
    let response = field.send("xero", &signed(&field, Provider::Xero, "right", events)).await;
    assert_eq!((response.status, response.text().as_str()), (StatusCode::OK, events));
    assert_eq!(field.received(), 1);
}

#[tokio::test]
async fn zoom_gets_its_token_signed_if_the_challenge_is_signed() {
    let field = Field::of_all_providers().await;
    let question =
        r#"{"event":"endpoint.url_validation","payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"},"event_ts":1}"#;
    let response = field.send("zoom", &signed(&field, Provider::Zoom, "right", question)).await;
    let value: serde_json::Value = serde_json::from_slice(&response.body).unwrap();
    let token = "qgg8vlvZRS6UYooatFL8Aw";
    assert_eq!(value, serde_json::json!({ "plainToken": token, "encryptedToken": hex(mac(token)) }));
    // Otherwise anyone could have a forged webhook signed.
    let forged = format!(r#"v0:{}:{{"event":"meeting.ended"}}"#, field.second());
    let question = serde_json::json!({ "event": "endpoint.url_validation", "payload": { "plainToken": forged } });
    let response = field.send("zoom", &signed(&field, Provider::Zoom, "wrong", &question.to_string())).await;
    assert_eq!(response.code(), "ERR_POSTERN_3204");
    assert!(!response.text().contains(&hex(mac(&forged))));
    assert_eq!(field.received(), 0);
    let other = r#"{"event":"meeting.started","payload":{"plainToken":"x"}}"#;
    assert_eq!(field.send("zoom", &signed(&field, Provider::Zoom, "right", other)).await.text(), other);
}

#[tokio::test]
async fn challenges_that_only_the_service_can_answer_reach_it() {
    let field = Field::of_all_providers().await;
    let meta = "hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=mine";
    for (provider, query) in [
        ("dropbox", "challenge=abc"),
        ("facebook_graph_api", meta),
        ("facebook_messenger", meta),
        ("instagram", meta),
        ("whatsapp", meta),
    ] {
        let target = format!("/{provider}/hook?{query}");
        assert_eq!(field.request(get(&target).body(nothing()).unwrap()).await.status, StatusCode::OK, "{provider}");
        assert_eq!(field.last_received().target, target);
        let post = Request::post(format!("https://{HOST}{target}")).body(nothing()).unwrap();
        assert_eq!(field.request(post).await.code(), "ERR_POSTERN_3204", "{provider}");
        let body = get(&target).body(Full::from("x")).unwrap();
        assert_eq!(field.request(body).await.code(), "ERR_POSTERN_3204", "{provider}");
        let less = target.rsplit_once(['&', '?']).unwrap().0;
        assert_eq!(field.request(get(less).body(nothing()).unwrap()).await.code(), "ERR_POSTERN_3204", "{less}");
    }
    for provider in ["github", "slack", "stripe", "zoom", "xero"] {
        for query in ["challenge=abc", "crc_token=abc", meta] {
            let response = field.request(get(&format!("/{provider}?{query}")).body(nothing()).unwrap()).await;
            assert_eq!(response.code(), "ERR_POSTERN_3204", "{provider} {query}");
        }
    }
}

//! Modules of tunnels: the agent's configuration applies to the next visitor.

use futures::{SinkExt, StreamExt};
use postern_api::Code;
use postern_tests::{
    Agent, Origin, World,
    agent::Tunnel,
    eventually,
    tcp::{Echo, EchoClient},
    visitor::{Visitor, VisitorResponse},
};
use rcgen::{BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};
use serde_json::{Value, json};
use std::io::Read;
use tokio_tungstenite::tungstenite::{Message, client::IntoClientRequest};

/// A server, an agent, and a local service.
struct Shop {
    world: World,
    agent: Agent,
    origin: Origin,
}

impl Shop {
    async fn open() -> Shop {
        let world = World::start().await;
        let agent = world.agent().await;
        Shop { agent, world, origin: Origin::start("hello").await }
    }

    /// A tunnel to the service with these keys.
    async fn tunnel(&self, name: &str, keys: Value) -> Tunnel {
        self.agent.tunnel(definition(name, &self.origin.to_string(), keys)).await
    }

    fn visitor(&self) -> Visitor {
        self.world.visitor()
    }

    async fn get(&self, tunnel: &Tunnel, path: &str) -> VisitorResponse {
        self.visitor().get(&tunnel.url(path)).await
    }
}

fn definition(name: &str, addr: &str, keys: Value) -> Value {
    let mut body = json!({ "name": name, "proto": "http", "addr": addr });
    body.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    body
}

#[tokio::test]
async fn a_password_admits_a_visitor_and_is_not_forwarded() {
    let shop = Shop::open().await;
    let users = json!({ "basic_auth": ["ada:planted-secret-1", "bob:planted-secret-2"] });
    let tunnel = shop.tunnel("guarded", users).await;
    let visitor = shop.visitor();
    let refused = visitor.get(&tunnel.url("/")).await;
    assert_eq!((refused.status, refused.refused()), (401, Code::PasswordNeeded));
    assert_eq!(refused.header("www-authenticate"), r#"Basic realm="postern", charset="UTF-8""#);
    let request = |user: &str, password: &str| visitor.http.get(tunnel.url("/page")).basic_auth(user, Some(password));
    for (user, password) in [("ada", "planted-secret-2"), ("ada", ""), ("", "planted-secret-1"), ("eve", "longenough")]
    {
        assert_eq!(visitor.send(request(user, password)).await.status, 401, "{user}");
    }
    assert!(shop.origin.requests().is_empty(), "the service is left alone");
    for (user, password) in [("ada", "planted-secret-1"), ("bob", "planted-secret-2")] {
        assert_eq!(visitor.send(request(user, password)).await.text(), "hello");
    }
    let received = shop.origin.requests_to("/page");
    assert!(received.iter().all(|request| request.header("authorization").is_empty()), "it goes no further");
    let token = visitor.http.get(tunnel.url("/")).bearer_auth("planted-secret-1");
    assert_eq!(visitor.send(token).await.status, 401);

    let configured = shop.agent.get("/api/configured").await;
    assert!(configured.text.contains("ada:***"), "{}", configured.text);
    let captured = shop.agent.get("/api/requests/http").await.text;
    let logs = [shop.agent.process.stderr(), shop.world.logs(), configured.text, captured].concat();
    assert!(!logs.contains("planted-secret"), "{logs}");
    assert!(!shop.agent.get("/api/tunnels").await.text.contains("planted"));
}

#[tokio::test]
async fn saving_the_asterisks_of_a_password_keeps_it() {
    let shop = Shop::open().await;
    let path = "/api/configured/site";
    let body = json!({ "proto": "http", "addr": shop.origin.to_string(), "basic_auth": ["ada:planted-secret"] });
    let put = |body: Value| shop.agent.call(reqwest::Method::PUT, path, body);
    put(body).await.ok();
    shop.agent.post("/api/configured/site/start", json!({})).await.ok();
    let mut shown = shop.agent.get("/api/configured").await.ok()["tunnels"][0]["definition"].clone();
    assert_eq!(shown["basic_auth"], json!(["ada:***"]));
    shown["metadata"] = "changed".into();
    put(shown.clone()).await.ok();
    let tunnel = shop.agent.wait_for_tunnel("site").await;
    let request = shop.visitor().http.get(tunnel.url("/")).basic_auth("ada", Some("planted-secret"));
    assert_eq!(shop.visitor().send(request).await.text(), "hello");
    shown["basic_auth"] = json!(["eve:***"]);
    assert_eq!(put(shown).await.code(), Code::PasswordInvalid, "asterisks without a stored password are no password");
}

#[tokio::test]
async fn ip_rules_of_a_tunnel_apply_over_http_and_tcp() {
    let shop = Shop::open().await;
    let here = json!({ "allow_cidrs": ["127.0.0.0/8"] });
    let elsewhere = json!({ "allow_cidrs": ["0.0.0.0/0"], "deny_cidrs": ["127.0.0.1"] });
    let open = shop.tunnel("open", json!({ "ip_restriction": here })).await;
    let closed = shop.tunnel("closed", json!({ "ip_restriction": elsewhere })).await;
    assert_eq!(shop.get(&open, "/").await.text(), "hello");
    let refused = shop.get(&closed, "/").await;
    assert_eq!((refused.status, refused.refused()), (403, Code::AddressDenied));
    assert_eq!(shop.origin.requests().len(), 1);

    let echo = Echo::named("welcome").await;
    let body = |name: &str, rules: &Value| json!({ "name": name, "proto": "tcp", "addr": echo.to_string(), "ip_restriction": rules });
    let open = shop.agent.tunnel(body("tcp open", &here)).await;
    let closed = shop.agent.tunnel(body("tcp closed", &elsewhere)).await;
    assert_eq!(EchoClient::connect(open.port()).await.expect("let in").1, "welcome");
    assert!(EchoClient::connect(closed.port()).await.is_none(), "closed before a byte is carried");
}

#[tokio::test]
async fn user_agents_and_signatures_are_checked_before_the_service_is_called() {
    let shop = Shop::open().await;
    let visitor = shop.visitor();
    let filter = json!({ "user_agent_filter": { "allow": ["^good/"], "deny": ["(?i)bot", "^$"] } });
    let filtered = shop.tunnel("filtered", filter).await;
    let by = |agent: &str| visitor.send(visitor.http.get(filtered.url("/")).header("user-agent", agent));
    assert_eq!(by("EvilBot/1").await.refused(), Code::UserAgentDenied);
    assert_eq!(by("good/bot").await.text(), "hello");

    let hooked = shop.tunnel("hooked", json!({ "verify_webhook": { "provider": "github", "secret": "s3cret" } })).await;
    let body = r#"{"a":1}"#;
    let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, b"s3cret");
    let signature: String =
        aws_lc_rs::hmac::sign(&key, body.as_bytes()).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let hook = |signature: &str| {
        let header = format!("sha256={signature}");
        visitor.send(visitor.http.post(hooked.url("/hook")).header("x-hub-signature-256", header).body(body))
    };
    assert_eq!(hook(&signature).await.text(), "hello");
    assert_eq!(hook(&"0".repeat(64)).await.refused(), Code::WebhookRefused);
    assert_eq!(shop.origin.requests_to("/hook").len(), 1);
}

#[tokio::test]
async fn headers_are_changed_and_responses_compressed() {
    let shop = Shop::open().await;
    let changes = json!({
        "request_header": { "add": ["X-Who: ${conn.client_ip}", "X-Kind: new"], "remove": ["X-Kind"] },
        "response_header": { "add": { "X-Status": "${res.status}" }, "remove": ["Content-Type"] },
    });
    let tunnel = shop.tunnel("changed", changes).await;
    let visitor = shop.visitor();
    let reply = visitor.send(visitor.http.get(tunnel.url("/page")).header("x-kind", "old")).await;
    assert_eq!((reply.text().as_str(), reply.header("x-status")), ("hello", "200"));
    assert!(reply.headers.get("content-type").is_none());
    let received = &shop.origin.requests_to("/page")[0];
    assert_eq!(received.header("x-who"), "127.0.0.1");
    assert_eq!(received.headers.get_all("x-kind").iter().collect::<Vec<_>>(), ["new"]);

    let words = "the same words again and again; ".repeat(100);
    let long = Origin::start(&words).await;
    let (squeezed, plain) = (json!({ "compression": true }), json!({ "compression": false }));
    let squeezed = shop.agent.tunnel(definition("squeezed", &long.to_string(), squeezed)).await;
    let plain = shop.agent.tunnel(definition("plain", &long.to_string(), plain)).await;
    let request = |tunnel: &Tunnel| visitor.send(visitor.http.get(tunnel.url("/")).header("accept-encoding", "gzip"));
    let reply = request(&squeezed).await;
    assert_eq!(reply.header("content-encoding"), "gzip");
    let mut text = String::new();
    flate2::read::GzDecoder::new(&reply.body[..]).read_to_string(&mut text).expect("whole");
    assert_eq!(text, words);
    assert!(request(&plain).await.headers.get("content-encoding").is_none());
}

#[tokio::test]
async fn an_open_circuit_stays_open_when_its_tunnel_is_bound_again() {
    let shop = Shop::open().await;
    let body = json!({ "circuit_breaker": 0.5, "domain": "breaking.localhost" });
    let tunnel = shop.tunnel("breaking", body.clone()).await;
    for _ in 0..20 {
        shop.get(&tunnel, "/status/500").await;
    }
    let refused = shop.get(&tunnel, "/").await;
    assert_eq!((refused.status, refused.refused()), (503, Code::CircuitOpen));
    shop.agent.delete("/api/tunnels/breaking").await.ok();
    let again = shop.tunnel("breaking", body).await;
    assert_eq!(shop.get(&again, "/").await.refused(), Code::CircuitOpen, "another tunnel, the same circuit");
    let other = shop.tunnel("other", json!({ "circuit_breaker": 0.5 })).await;
    assert_eq!(shop.get(&other, "/").await.text(), "hello", "each has its own");
    let healed = eventually("a trial request closes it", async || {
        Some(shop.get(&again, "/").await).filter(|reply| reply.status == 200)
    });
    assert_eq!(healed.await.text(), "hello");
}

#[tokio::test]
async fn a_rate_limit_counts_each_tunnel_and_outlives_its_binding() {
    let shop = Shop::open().await;
    let body = json!({ "rate_limit": { "requests": 3, "interval": "1h" }, "domain": "limited.localhost" });
    let tunnel = shop.tunnel("limited", body.clone()).await;
    for _ in 0..3 {
        assert_eq!(shop.get(&tunnel, "/").await.text(), "hello");
    }
    let refused = shop.get(&tunnel, "/").await;
    assert_eq!((refused.status, refused.refused()), (429, Code::RateLimited));
    assert_eq!(refused.header("ratelimit-policy"), "\"default\";q=3;w=3600");
    shop.agent.delete("/api/tunnels/limited").await.ok();
    let again = shop.tunnel("limited", body).await;
    assert_eq!(shop.get(&again, "/").await.refused(), Code::RateLimited);
    let other = shop.tunnel("other", json!({ "rate_limit": { "requests": 3, "interval": "1h" } })).await;
    assert_eq!(shop.get(&other, "/").await.text(), "hello", "each has its own");
}

#[tokio::test]
async fn websockets_become_byte_streams() {
    let shop = Shop::open().await;
    let echo = Echo::named("welcome").await;
    let body = definition("bytes", &echo.to_string(), json!({ "websocket_tcp_converter": true }));
    let tunnel = shop.agent.tunnel(body).await;
    assert_eq!(shop.get(&tunnel, "/").await.refused(), Code::WebsocketExpected);
    let stream = shop.visitor().tls(&tunnel.host(), &[b"http/1.1"]).await.expect("a handshake");
    let request = format!("wss://{}:{}/", tunnel.host(), tunnel.port()).into_client_request().expect("a request");
    let (mut socket, _) = tokio_tungstenite::client_async(request, stream).await.expect("taken");
    socket.send(Message::binary(b"ping".as_slice())).await.expect("sent");
    let mut received = Vec::new();
    while received.len() < b"welcome\nping".len() {
        received.extend(socket.next().await.expect("an answer").expect("readable").into_data());
    }
    assert_eq!(received, b"welcome\nping");
}

#[tokio::test]
async fn a_tunnel_with_a_login_admits_only_logged_in_visitors() {
    let shop = Shop::open().await;
    let login = json!({ "provider": "google", "client_id": "a", "client_secret": "b", "allow_domains": ["a.test"] });
    let oidc = json!({ "issuer_url": "https://id.test", "client_id": "a", "client_secret": "b" });
    let tunnel = shop.tunnel("with oauth", json!({ "oauth": login })).await;
    let sent = shop.get(&tunnel, "/").await;
    assert_eq!(sent.status, 302, "to log in: {}", sent.text());
    assert!(sent.header("location").starts_with("https://"), "{:?}", sent.headers);
    let tunnel = shop.tunnel("with oidc", json!({ "oidc": oidc })).await;
    let sent = shop.get(&tunnel, "/").await;
    assert!(sent.status == 302 || sent.status >= 500, "to log in, or nowhere without the issuer: {}", sent.status);
    assert!(shop.origin.requests().is_empty());
}

#[tokio::test]
async fn visitors_present_certificates_of_the_authorities_in_a_file() {
    let shop = Shop::open().await;
    let authority = KeyPair::generate().expect("a key");
    let mut params = CertificateParams::new(Vec::<String>::new()).expect("parameters");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let certificate = params.self_signed(&authority).expect("an authority");
    let file = shop.world.path("authorities.pem");
    std::fs::write(&file, certificate.pem()).expect("written");
    let issuer = Issuer::from_params(&params, &authority);
    let tunnel = shop.tunnel("mutual", json!({ "mutual_tls_cas": file })).await;

    let identity = |issuer: Option<&Issuer<'_, &KeyPair>>| {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(vec!["ada.test".to_owned()]).expect("parameters");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        let certificate = match issuer {
            Some(issuer) => params.signed_by(&key, issuer),
            None => params.self_signed(&key),
        };
        let pem = format!("{}{}", certificate.expect("a certificate").pem(), key.serialize_pem());
        reqwest::Identity::from_pem(pem.as_bytes()).expect("an identity")
    };
    let known = shop.visitor().with(|client| client.identity(identity(Some(&issuer))));
    let reply = known.send(known.http.get(tunnel.url("/page")).header("postern-mtls-subject-cn", "forged")).await;
    assert_eq!(reply.text(), "hello");
    let received = &shop.origin.requests_to("/page")[0];
    assert_eq!(received.header("postern-mtls-subject-alt-name-dns"), "ada.test");
    assert_ne!(received.header("postern-mtls-subject-cn"), "forged");
    let stranger = shop.visitor().with(|client| client.identity(identity(None)));
    assert!(stranger.http.get(tunnel.url("/")).send().await.is_err(), "the handshake fails");
    assert!(shop.visitor().http.get(tunnel.url("/")).send().await.is_err(), "and so it does without a certificate");
    let plain = definition("plain", &shop.origin.to_string(), json!({ "mutual_tls_cas": file, "schemes": ["http"] }));
    assert_eq!(shop.agent.request_tunnel(plain).await.status, 400);
}

#[tokio::test]
async fn an_invalid_definition_is_refused_before_anything_is_published() {
    let shop = Shop::open().await;
    for (keys, code) in [
        (json!({ "basic_auth": ["ada:short"] }), Code::PasswordInvalid),
        (json!({ "circuit_breaker": 2 }), Code::CircuitThreshold),
        (json!({ "ip_restriction": { "deny_cidrs": ["10.0.0.0/8"] } }), Code::DenyWithoutAllow),
        (json!({ "rate_limit": { "requests": 5, "interval": 1, "key": "ip" } }), Code::RateKey),
        (json!({ "request_header": { "remove": ["connection"] } }), Code::HeaderForbidden),
        (json!({ "user_agent_filter": { "deny": ["("] } }), Code::PatternInvalid),
        (json!({ "verify_webhook": { "provider": "github" } }), Code::WebhookSecretMissing),
        (json!({ "oauth": { "provider": "google", "client_id": "a" } }), Code::OAuthClientPair),
        (json!({ "compresion": true }), Code::ConfigInvalid),
    ] {
        let answer = shop.agent.request_tunnel(definition("wrong", &shop.origin.to_string(), keys.clone())).await;
        assert_eq!((answer.status, answer.code()), (400, code), "{keys}");
    }
    assert_eq!(shop.agent.get("/api/tunnels").await.ok()["tunnels"], json!([]));
}

//! The userinfo formats of all OAuth providers, and which of them verify e-mail addresses.

use crate::kit::{World, browser::Browser};
use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, Uri},
    routing::any,
};
use postern_api::{
    Code,
    module::IdentityProvider::{self, Amazon, Facebook, Gitlab, Google, Linkedin, Microsoft, Twitch},
};
use postern_logins::{OAuthEndpoints, OAuthProvider, OAuthProviders};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// Serves tokens, a user and a tenant, and records the requests.
#[derive(Clone)]
struct FakeProvider {
    person: Value,
    requests: Arc<Mutex<Vec<(String, HeaderMap)>>>,
}

async fn answer(State(it): State<FakeProvider>, uri: Uri, headers: HeaderMap) -> Json<Value> {
    it.requests.lock().expect("requests").push((uri.to_string(), headers));
    Json(match uri.path() {
        "/token" => json!({"access_token": "opens", "refresh_token": "again", "token_type": "bearer"}),
        "/organization" => json!({"value": [{"id": "TENANT-1"}]}),
        _ => it.person,
    })
}

async fn start(provider: IdentityProvider, person: Value, tenants: &[&str]) -> (World, FakeProvider) {
    let it = FakeProvider { person, requests: Arc::default() };
    let router = Router::new().fallback(any(answer)).with_state(it.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let endpoints = OAuthEndpoints {
        authorization: format!("{base}/authorize"),
        token: format!("{base}/token"),
        user: format!("{base}/me?fields=id"),
        emails: String::new(),
        organizations: format!("{base}/organization"),
        teams: String::new(),
    };
    let tenants = tenants.iter().map(|tenant| (*tenant).to_owned()).collect();
    let operators: OAuthProviders = [(provider, OAuthProvider { app: None, endpoints, tenants })].into();
    (World::new(operators), it)
}

fn module(provider: IdentityProvider) -> Value {
    let login = json!({"client_id": "app", "client_secret": "secret", "email_domains": ["example.com"]});
    json!({"provider": {provider.name(): login}, "cookie_prefix": "postern."})
}

#[tokio::test]
async fn every_userinfo_format_is_understood() {
    let userinfo =
        |verified: Value| json!({"sub": "7", "name": "Ann", "email": "ann@example.com", "email_verified": verified});
    let microsoft =
        json!({"id": "7", "displayName": "Ann", "mail": "ann@example.com", "userPrincipalName": "a@example.com"});
    let table = [
        (Google, userinfo(json!(true)), Ok(())),
        (Google, userinfo(json!("true")), Ok(())),
        (Google, userinfo(json!(false)), Err(Code::EmailUnverified)),
        (Google, userinfo(json!("false")), Err(Code::EmailUnverified)),
        (Google, json!({"sub": "7", "email": "ann@example.com"}), Err(Code::EmailUnverified)),
        (Google, json!({"email": "ann@example.com", "email_verified": true}), Err(Code::IssuerUnreachable)),
        (Linkedin, userinfo(json!(true)), Ok(())),
        (Gitlab, userinfo(json!(true)), Ok(())),
        (Gitlab, userinfo(json!(false)), Err(Code::EmailUnverified)),
        (Facebook, json!({"id": "7", "name": "Ann", "email": "ann@example.com"}), Ok(())),
        (Facebook, json!({"id": "7", "name": "Ann"}), Err(Code::LoginNotAllowed)),
        (
            Twitch,
            json!({"data": [{"id": "7", "login": "ann", "display_name": "Ann", "email": "ann@example.com"}]}),
            Ok(()),
        ),
        (Twitch, json!({"data": []}), Err(Code::IssuerUnreachable)),
        (Amazon, json!({"user_id": "7", "name": "Ann", "email": "ann@example.com"}), Ok(())),
        (Amazon, json!({"user_id": "", "email": "ann@example.com"}), Err(Code::IssuerUnreachable)),
        (Amazon, json!("nonsense"), Err(Code::IssuerUnreachable)),
        (Microsoft, microsoft, Err(Code::EmailUnverified)),
    ];
    for (provider, person, expected) in table {
        let (world, it) = start(provider, person.clone(), &[]).await;
        let realm = world.oauth("edghtsrt_1", module(provider));
        let mut browser = Browser::default();
        let outcome = browser.log_in(&world, &realm, "one").await;
        assert_eq!(outcome.map_err(|error| error.code), expected, "{provider}: {person}");
        if expected.is_ok() {
            let known = browser.authenticate(&world, &realm).await.expect("known");
            let person = &known.session().person;
            let named = (person.id.as_str(), person.name.as_str(), person.email.as_str(), person.provider.as_str());
            assert_eq!(named, ("7", "Ann", "ann@example.com", provider.name()));
        }
        let requests = it.requests.lock().expect("requests");
        let (uri, headers) = &requests[1];
        assert_eq!(headers["authorization"], "Bearer opens");
        // HMAC-SHA256 of the token, keyed with the secret.
        let proof = "appsecret_proof=baaa8200b68fd96fd4807bd735f8eeb12e8349d87811e4b5d2fd5b81ad684b0d";
        assert_eq!(uri.ends_with(proof), provider == Facebook, "{uri}");
        assert_eq!(headers.get("client-id").is_some_and(|id| id == "app"), provider == Twitch);
    }
}

#[tokio::test]
async fn addresses_of_listed_tenants_count_as_verified() {
    let person = json!({"id": "7", "displayName": "Ann", "mail": null, "userPrincipalName": "ann@example.com"});
    let (world, _) = start(Microsoft, person.clone(), &["tenant-1"]).await;
    let realm = world.oauth("edghtsrt_1", module(Microsoft));
    Browser::default().log_in(&world, &realm, "one").await.expect("in");
    let (world, _) = start(Microsoft, person, &["tenant-2"]).await;
    let realm = world.oauth("edghtsrt_1", module(Microsoft));
    let refusal = Browser::default().log_in(&world, &realm, "one").await.expect_err("refused");
    assert_eq!(refusal.code, Code::EmailUnverified);
    let text = refusal.to_string();
    assert!(text.contains("tenant") && !text.contains("Verify it there"), "Microsoft offers no verification: {text}");
}

#[tokio::test]
async fn modules_without_a_client_use_the_operators_and_its_tokens_stay_hidden() {
    let person = json!({"sub": "7", "email": "ann@example.com", "email_verified": true});
    let (world, _) = start(Google, person.clone(), &[]).await;
    let module = json!({"provider": {"google": {"email_domains": ["example.com"]}}, "cookie_prefix": "postern."});
    let login = postern_api::published::Login::OAuth(serde_json::from_value(module.clone()).expect("a module"));
    assert_eq!(
        world.logins.realm("edghtsrt_1", "edghts_1", &login).err().map(|error| error.code),
        Some(Code::LoginUnavailable)
    );

    let it = FakeProvider { person, requests: Arc::default() };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    let router = Router::new().fallback(any(answer)).with_state(it);
    tokio::spawn(async move { axum::serve(listener, router).await });
    let endpoints = OAuthEndpoints {
        authorization: format!("{base}/authorize"),
        token: format!("{base}/token"),
        user: format!("{base}/me"),
        ..OAuthEndpoints::default()
    };
    let app = Some(("managed".to_owned(), "secret".to_owned().into()));
    let world = World::new([(Google, OAuthProvider { app, endpoints, tenants: Vec::new() })].into());
    let realm = world.oauth("edghtsrt_1", module);
    let mut browser = Browser::default();
    let sent = browser.begin(&world, &realm, "/").await.expect("sent");
    assert_eq!(sent.parameter("client_id").as_deref(), Some("managed"));
    assert_eq!(sent.parameter("access_type").as_deref(), Some("offline"));
    browser.return_from_provider(&world, &format!("code=x&state={}", sent.state)).await.expect("in");
    let known = browser.authenticate(&world, &realm).await.expect("known");
    assert!(known.headers().iter().all(|(name, _)| !name.as_str().contains("token")));
}

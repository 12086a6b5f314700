//! What is particular to the login modules of HTTPS routes: one of them is enabled, and SAML has a certificate.

use crate::kit::{Caller, World};
use http::StatusCode;
use postern_api::Code;
use serde_json::{Value, json};

/// A metadata document as an identity provider might offer it.
const METADATA: &str =
    r#"<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.test"/>"#;

fn github() -> Value {
    json!({"provider": {"github": {"client_id": "app", "client_secret": "planted-oauth", "teams": ["acme/web"]}}})
}
fn oidc() -> Value {
    json!({"issuer": "https://id.test", "client_id": "app", "client_secret": "planted-oidc"})
}
fn saml() -> Value {
    json!({"idp_metadata": METADATA})
}
fn logins() -> [(&'static str, Value); 3] {
    [("oauth", github()), ("oidc", oidc()), ("saml", saml())]
}
fn disabled(mut module: Value) -> Value {
    module["enabled"] = json!(false);
    module
}

/// A new route: its collection and its own path.
async fn route(operator: &Caller) -> (String, String) {
    let edge = operator.id("/edges/https", &json!({})).await;
    let routes = format!("/edges/https/{edge}/routes");
    let route = operator.id(&routes, &json!({"match_type": "path_prefix", "match": "/"})).await;
    (routes.clone(), format!("{routes}/{route}"))
}

#[tokio::test]
async fn saml_shows_what_the_identity_provider_must_be_told_and_keeps_its_certificate() {
    let world = World::start().await;
    let operator = world.operator().await;
    let (_, item) = route(&operator).await;
    let place = format!("{item}/saml");
    let first = operator.put(&place, &saml()).await.is(StatusCode::OK);
    let entity = format!("https://login.tunnels.test:4443/saml/{}", item.rsplit('/').next().expect("an id"));
    let certificate = first["request_signing_certificate_pem"].as_str().expect("PEM").to_owned();
    assert!(certificate.starts_with("-----BEGIN CERTIFICATE-----"), "{certificate}");
    for (member, address) in [
        ("entity_id", entity.clone()),
        ("metadata_url", entity.clone()),
        ("assertion_consumer_service_url", format!("{entity}/acs")),
        ("single_logout_url", format!("{entity}/slo")),
        ("idp_metadata_url", String::new()),
    ] {
        assert_eq!(first[member], address, "{member}");
    }
    assert_eq!(operator.get(&place).await.is(StatusCode::OK), first);
    assert_eq!(operator.get(&item).await.json()["saml"], first);

    let other = json!({
        "idp_metadata": "<EntityDescriptor/>", "force_authn": true, "allow_idp_initiated": false,
        "authorized_groups": ["ops", "web", "ops"],
        "nameid_format": "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress", "enabled": false,
    });
    let replaced = operator.put(&place, &other).await.is(StatusCode::OK);
    assert_eq!(replaced["request_signing_certificate_pem"], certificate, "it outlives a replacement");
    assert_eq!(replaced["authorized_groups"], json!(["ops", "web"]));
    assert_eq!(replaced["idp_metadata"], "<EntityDescriptor/>");
    let patched = operator.patch(&item, &json!({"saml": saml()})).await.is(StatusCode::OK);
    assert_eq!(patched["saml"]["request_signing_certificate_pem"], certificate, "and a change of the route");

    operator.delete(&place).await.is(StatusCode::NO_CONTENT);
    let anew = operator.put(&place, &saml()).await.is(StatusCode::OK);
    assert_ne!(anew["request_signing_certificate_pem"], certificate, "a removed module takes its key along");
}

#[tokio::test]
async fn a_route_has_one_enabled_login() {
    let world = World::start().await;
    let operator = world.operator().await;
    for (name, module) in logins() {
        for (other, second) in logins().into_iter().filter(|(other, _)| *other != name) {
            let (routes, item) = route(&operator).await;
            let body = json!({"match_type": "exact_path", "match": "/", name: module, other: second});
            let refused = operator.post(&routes, &body).await.refused(Code::Logins);
            let sentence = refused["msg"].as_str().expect("a sentence");
            assert!(sentence.contains(name) && sentence.contains(other), "{sentence}");
            operator.patch(&item, &json!({name: module, other: second})).await.refused(Code::Logins);
            operator.put(&format!("{item}/{name}"), &module).await.is(StatusCode::OK);
            operator.put(&format!("{item}/{other}"), &second).await.refused(Code::Logins);
            operator.patch(&item, &json!({other: second})).await.refused(Code::Logins);
            assert_eq!(operator.get(&item).await.json()[other], Value::Null, "nothing was stored");
            // A disabled one may stand beside it, and two may change places in one step.
            operator.put(&format!("{item}/{other}"), &disabled(second.clone())).await.is(StatusCode::OK);
            operator.put(&format!("{item}/{other}"), &second).await.refused(Code::Logins);
            let swapped = json!({name: disabled(module.clone()), other: second});
            operator.patch(&item, &swapped).await.is(StatusCode::OK);
            operator.put(&format!("{item}/{name}"), &module).await.refused(Code::Logins);
            operator.delete(&format!("{item}/{other}")).await.is(StatusCode::NO_CONTENT);
            operator.put(&format!("{item}/{name}"), &module).await.is(StatusCode::OK);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_logins_that_come_at_once_one_is_enabled() {
    let world = World::start().await;
    let operator = world.operator().await;
    for round in 0..10 {
        let (_, item) = route(&operator).await;
        let calls = logins().into_iter().enumerate().map(|(number, (name, module))| {
            let (operator, item) = (operator.clone(), item.clone());
            async move {
                if (number + round) % 2 == 0 {
                    operator.put(&format!("{item}/{name}"), &module).await
                } else {
                    operator.patch(&item, &json!({name: module})).await
                }
            }
        });
        let answers = futures::future::join_all(calls).await;
        let (done, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == StatusCode::OK);
        assert_eq!((done.len(), refused.len()), (1, 2));
        for answer in refused {
            answer.refused(Code::Logins);
        }
        let read = operator.get(&item).await.json();
        assert_eq!(logins().iter().filter(|(name, _)| !read[*name].is_null()).count(), 1, "{read}");
    }
}

//! Login modules of HTTPS routes: at most one is enabled, and SAML has a certificate.

use crate::{
    description_check::OperationLog,
    kit::{ApiResponse, BASE_URL, Caller, Tunnels, World},
};
use http::StatusCode;
use postern_api::{Code, Secret, module::IdentityProvider};
use postern_control::{Control, ControlSettings, OAuthApp};
use serde_json::{Value, json};
use std::sync::Arc;

/// A metadata document of an identity provider.
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
async fn saml_shows_the_values_for_the_identity_provider_and_keeps_its_certificate() {
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
            // A disabled one may be set too, and two may be swapped in one step.
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
async fn one_of_several_concurrent_logins_is_enabled() {
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
        let responses = futures::future::join_all(calls).await;
        let (done, refused): (Vec<_>, Vec<_>) =
            responses.iter().partition(|response| response.status == StatusCode::OK);
        assert_eq!((done.len(), refused.len()), (1, 2));
        for response in refused {
            response.refused(Code::Logins);
        }
        let read = operator.get(&item).await.json();
        assert_eq!(logins().iter().filter(|(name, _)| !read[*name].is_null()).count(), 1, "{read}");
    }
}

#[tokio::test]
async fn routes_with_a_login_are_published() {
    let world = World::start().await;
    let operator = world.operator().await;
    let (_, item) = route(&operator).await;
    let (edge, id) = (item.split('/').nth(3).expect("the edge"), item.rsplit('/').next().expect("the route"));
    operator.patch(&format!("/edges/https/{edge}"), &json!({"hostports": ["shop.test:443"]})).await.is(StatusCode::OK);
    let asks = || {
        let published = world.control.published().borrow().clone();
        let edge = published.https_edges.get(edge).expect("the edge").clone();
        edge.routes.iter().find(|route| route.id == id).expect("the route").settings.login().is_some()
    };
    assert!(!asks());
    for (name, module) in logins() {
        let place = format!("{item}/{name}");
        operator.put(&place, &module).await.is(StatusCode::OK);
        assert!(asks(), "{name}");
        operator.put(&place, &disabled(module.clone())).await.is(StatusCode::OK);
        assert!(!asks(), "{name} is disabled");
        operator.put(&place, &module).await.is(StatusCode::OK);
        operator.delete(&place).await.is(StatusCode::NO_CONTENT);
        assert!(!asks(), "{name} was removed");
    }
}

#[tokio::test]
async fn an_app_of_the_server_is_used_by_modules_without_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = OAuthApp { client_id: "managed".to_owned(), client_secret: Secret::new("planted-managed") };
    let oauth_apps = [(IdentityProvider::Google, app)].into();
    let settings = ControlSettings { base_url: BASE_URL.to_owned(), oauth_apps, ..ControlSettings::new(folder.path()) };
    let live = Arc::new(Tunnels::default());
    let control = Control::open(settings, live.clone()).await.expect("it opens");
    let world = World { control, live, folder, operation_log: OperationLog::default() };
    let operator = world.operator().await;
    let place = format!("{}/oauth", route(&operator).await.1);
    let lists = json!({"email_domains": ["Example.com"]});
    let shown = operator.put(&place, &json!({"provider": {"google": lists}})).await.is(StatusCode::OK);
    let google = json!({
        "client_id": "", "client_secret": "", "scopes": [], "email_addresses": [], "email_domains": ["example.com"],
    });
    assert_eq!(shown["provider"]["google"], google, "the server's own app stays its own");
    operator.put(&place, &shown).await.is(StatusCode::OK);
    for (login, code) in
        [(json!({"scopes": ["x"]}), Code::OAuthScopesNeedApp), (json!({"client_id": "x"}), Code::OAuthClientPair)]
    {
        operator.put(&place, &json!({"provider": {"google": login}})).await.refused(code);
    }
    operator.put(&place, &json!({"provider": {"github": {}}})).await.refused(Code::OAuthAppMissing);
    assert!(!format!("{:?}", world.control).contains("planted"));
}

#[tokio::test]
async fn a_disabled_module_can_be_stored_before_the_server_has_an_app() {
    let world = World::start().await;
    let operator = world.operator().await;
    let place = format!("{}/oauth", route(&operator).await.1);
    let module = |enabled: bool| json!({"enabled": enabled, "provider": {"github": {}}});
    let stored = operator.put(&place, &module(false)).await.is(StatusCode::OK);
    assert_eq!(stored["enabled"], false);
    let refused = operator.put(&place, &module(true)).await.refused(Code::OAuthAppMissing);
    assert!(refused["msg"].as_str().is_some_and(|text| text.contains("--oauth-apps")), "{refused}");
}

#[tokio::test]
async fn lists_of_addresses_for_microsoft_warn_until_the_operator_lists_tenants() {
    let lists = json!({"client_id": "a", "client_secret": "planted", "email_domains": ["example.com"]});
    let module = |provider: &str, lists: &Value| json!({"provider": {provider: lists}});
    let warning = |response: &ApiResponse| {
        let warning = response.headers.get("postern-warning");
        warning.map(|warning| warning.to_str().expect("ASCII").to_owned())
    };
    for has_tenants in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = ControlSettings {
            base_url: BASE_URL.to_owned(),
            has_microsoft_tenants: has_tenants,
            ..ControlSettings::new(folder.path())
        };
        let live = Arc::new(Tunnels::default());
        let control = Control::open(settings, live.clone()).await.expect("it opens");
        let world = World { control, live, folder, operation_log: OperationLog::default() };
        let operator = world.operator().await;
        let place = format!("{}/oauth", route(&operator).await.1);
        let warned = operator.put(&place, &module("microsoft", &lists)).await;
        assert_eq!(warning(&warned).is_some_and(|text| text.contains("tenants")), !has_tenants);
        warned.is(StatusCode::OK);
        let mut all = lists.clone();
        all["email_domains"] = json!([]);
        for (provider, lists) in [("microsoft", &all), ("google", &lists)] {
            let response = operator.put(&place, &module(provider, lists)).await;
            assert_eq!(warning(&response), None, "{provider}");
            response.is(StatusCode::OK);
        }
    }
}

#[tokio::test]
async fn the_key_that_signs_requests_is_sealed() {
    let world = World::start().await;
    let operator = world.operator().await;
    let place = format!("{}/saml", route(&operator).await.1);
    let shown = operator.put(&place, &saml()).await.is(StatusCode::OK);
    assert!(!shown.to_string().contains("PRIVATE"), "{shown}");
    let mut stored = false;
    for entry in std::fs::read_dir(world.folder.path()).expect("a folder") {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("readable");
        let text = String::from_utf8_lossy(&bytes);
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("postern.db")) {
            stored |= text.contains("certificate_pem") && text.contains("key_pem");
            assert!(!text.contains("PRIVATE KEY"), "a private key stands in {}", path.display());
        }
    }
    assert!(stored, "the database was looked at");
}

//! Logouts that start here and logouts that start at the identity provider.

use super::{
    SamlFixture,
    idp::{Pair, ROGUE, RSA_SHA256, TRUSTED, logout_request, logout_response, redirect_query},
    parse_redirect,
};
use crate::kit::browser::{code, location};
use base64::{Engine, engine::general_purpose::STANDARD};
use http::Method;
use postern_api::{Code, Error};
use postern_logins::LoginResponse;
use serde_json::json;

const ALICE: &str = "alice@example.test";
const RSA_SHA1: &str = "http://www.w3.org/2000/09/xmldsig#rsa-sha1";

async fn logged_in() -> SamlFixture {
    let mut fixture = SamlFixture::new(&json!({}));
    fixture.log_in(|_| ()).await.expect("in");
    fixture
}

/// Sends a message with the redirect binding.
async fn send_by_redirect(fixture: &SamlFixture, query: &str) -> Result<LoginResponse, Error> {
    fixture.at_login_host(Method::GET, "/saml/edghtsrt_1/slo", Some(query), String::new()).await
}

#[tokio::test]
async fn a_logout_here_leads_to_the_identity_provider_and_back() {
    for (target, back) in
        [("/.postern/logout?redirect_path=/bye", Some("https://shop.test:4443/bye")), ("/.postern/logout", None)]
    {
        let mut fixture = logged_in().await;
        let response = fixture.log_out(target).await.expect("out");
        assert!(fixture.world.store.sessions().is_empty(), "the session here ends immediately");
        assert!(fixture.browser.cookies.is_empty());
        let message = parse_redirect(location(&response));
        assert!(message.url.as_str().starts_with("https://idp.test/slo?"));
        assert!(message.url.query().expect("a query").contains("&Signature="));
        assert!(message.xml.contains(&format!(">{ALICE}<")) && message.xml.contains(">_s1<"), "{}", message.xml);
        let answer = logout_response(&message.id, fixture.now());
        let query = redirect_query("SAMLResponse", &answer, Some(&message.state), Some(&*TRUSTED), RSA_SHA256);
        let response = send_by_redirect(&fixture, &query).await.expect("a response");
        match back {
            Some(back) => assert_eq!(location(&response), back),
            None => {
                let page = String::from_utf8(response.body().to_vec()).expect("text");
                assert!(page.contains("Logged out") && page.contains("\"https://shop.test:4443/.postern/login\""));
            }
        }
        assert_eq!(code(send_by_redirect(&fixture, &query).await), Code::LoginUnknown, "a second time");
    }
}

#[tokio::test]
async fn a_logout_response_without_a_valid_signature_is_refused() {
    for (pair, algorithm, refusal) in [
        (None, RSA_SHA256, Code::SamlLogout),
        (Some(&*ROGUE), RSA_SHA256, Code::SamlLogout),
        (Some(&*TRUSTED), RSA_SHA1, Code::SamlAlgorithm),
    ] {
        let mut fixture = logged_in().await;
        let message =
            parse_redirect(location(&fixture.log_out("/.postern/logout?redirect_path=/bye").await.expect("out")));
        let answer = logout_response(&message.id, fixture.now());
        let query = redirect_query("SAMLResponse", &answer, Some(&message.state), pair, algorithm);
        assert_eq!(code(send_by_redirect(&fixture, &query).await), refusal);
    }
}

#[tokio::test]
async fn the_identity_provider_ends_sessions_and_gets_a_response() {
    for session in [None, Some("_s1")] {
        let fixture = logged_in().await;
        let query = redirect_query(
            "SAMLRequest",
            &logout_request(ALICE, session, fixture.now()),
            Some("keep"),
            Some(&*TRUSTED),
            RSA_SHA256,
        );
        let response = send_by_redirect(&fixture, &query).await.expect("a response");
        assert!(fixture.world.store.sessions().is_empty(), "{session:?}");
        assert!(fixture.browser.authenticate(&fixture.world, &fixture.realm).await.is_err());
        let answer = parse_redirect(location(&response));
        assert!(answer.url.as_str().starts_with("https://idp.test/slo?SAMLResponse="));
        assert_eq!(answer.state, "keep");
        assert!(
            answer.xml.contains(&format!("InResponseTo=\"_l{}\"", fixture.now())) && answer.xml.contains(":Success")
        );
        assert_eq!(code(send_by_redirect(&fixture, &query).await), Code::SamlLogout, "a second time");
    }
}

#[tokio::test]
async fn the_identity_provider_ends_sessions_with_a_form() {
    let fixture = logged_in().await;
    let request = super::idp::IdpResponse::valid(None, fixture.now());
    let xml = logout_request(ALICE, None, fixture.now());
    let signed = request.signed(&xml, &format!("_l{}", fixture.now()));
    fixture.post("/slo", &[("SAMLRequest", &STANDARD.encode(signed))]).await.expect("a response");
    assert!(fixture.world.store.sessions().is_empty());
}

#[tokio::test]
async fn sessions_of_other_users_continue() {
    let fixture = logged_in().await;
    for (name, session) in [("bob@example.test", None), ("alice", None), (ALICE, Some("_s2"))] {
        let query = redirect_query(
            "SAMLRequest",
            &logout_request(name, session, fixture.now()),
            None,
            Some(&*TRUSTED),
            RSA_SHA256,
        );
        send_by_redirect(&fixture, &query).await.expect("a response");
        assert_eq!(fixture.world.store.sessions().len(), 1, "{name} {session:?}");
        fixture.world.advance(1);
    }
}

#[tokio::test]
async fn only_valid_requests_end_a_session() {
    let fixture = logged_in().await;
    let request = || logout_request(ALICE, None, fixture.now());
    let by = |pair: Option<&Pair>, algorithm: &str| redirect_query("SAMLRequest", &request(), None, pair, algorithm);
    let fine = by(Some(&*TRUSTED), RSA_SHA256);
    let message = |query: &str| query.split('&').next().unwrap_or_default().to_owned();
    let other =
        redirect_query("SAMLRequest", &logout_request(ALICE, Some("_s1"), fixture.now()), None, None, RSA_SHA256);
    let elsewhere = request().replace("login.test", "other.test");
    let issuer = request().replace("https://idp.test/metadata", "https://other.test/");
    for (name, query, refusal) in [
        ("unsigned", by(None, RSA_SHA256), Code::SamlLogout),
        ("another key", by(Some(&*ROGUE), RSA_SHA256), Code::SamlLogout),
        ("SHA-1", by(Some(&*TRUSTED), RSA_SHA1), Code::SamlAlgorithm),
        ("no algorithm", fine.replace("&SigAlg=", "&Other="), Code::SamlLogout),
        ("an unsigned relay state", format!("{fine}&RelayState=x"), Code::SamlLogout),
        ("another message", fine.replace(&message(&fine), &message(&other)), Code::SamlLogout),
        ("twice", format!("{fine}&{fine}"), Code::QueryRepeated),
        ("another URL", redirect_query("SAMLRequest", &elsewhere, None, Some(&*TRUSTED), RSA_SHA256), Code::SamlLogout),
        ("another issuer", redirect_query("SAMLRequest", &issuer, None, Some(&*TRUSTED), RSA_SHA256), Code::SamlLogout),
        ("nothing", String::new(), Code::SamlUnreadable),
        ("no message", "SAMLRequest=x".to_owned(), Code::SamlLogout),
    ] {
        assert_eq!(code(send_by_redirect(&fixture, &query).await), refusal, "{name}");
        assert_eq!(fixture.world.store.sessions().len(), 1, "{name}");
    }
    let unsigned = STANDARD.encode(request());
    assert_eq!(code(fixture.post("/slo", &[("SAMLRequest", &unsigned)]).await), Code::SamlLogout);
}

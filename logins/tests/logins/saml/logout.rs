//! Logouts: begun here, and begun at the identity provider.

use super::{
    Scene,
    idp::{Pair, ROGUE, RSA_SHA256, TRUSTED, in_address, logged_out, logout},
    sent,
};
use crate::kit::browser::{code, location};
use base64::{Engine, engine::general_purpose::STANDARD};
use http::Method;
use postern_api::{Code, Error};
use postern_logins::Reply;
use serde_json::json;

const ALICE: &str = "alice@example.test";
const RSA_SHA1: &str = "http://www.w3.org/2000/09/xmldsig#rsa-sha1";

async fn logged_in() -> Scene {
    let mut scene = Scene::new(&json!({}));
    scene.logs_in(|_| ()).await.expect("in");
    scene
}

/// Sends a message in the address.
async fn redirected(scene: &Scene, query: &str) -> Result<Reply, Error> {
    scene.at_login_host(Method::GET, "/saml/edghtsrt_1/slo", Some(query), String::new()).await
}

#[tokio::test]
async fn who_logs_out_here_is_sent_to_the_identity_provider_and_back() {
    for (target, back) in
        [("/.postern/logout?redirect_path=/bye", Some("https://shop.test:4443/bye")), ("/.postern/logout", None)]
    {
        let mut scene = logged_in().await;
        let reply = scene.log_out(target).await.expect("out");
        assert!(scene.world.books.sessions().is_empty(), "the session here is over at once");
        assert!(scene.browser.cookies.is_empty());
        let message = sent(location(&reply));
        assert!(message.url.as_str().starts_with("https://idp.test/slo?"));
        assert!(message.url.query().expect("a query").contains("&Signature="));
        assert!(message.xml.contains(&format!(">{ALICE}<")) && message.xml.contains(">_s1<"), "{}", message.xml);
        let answer = logged_out(&message.id, scene.now());
        let query = in_address("SAMLResponse", &answer, Some(&message.state), Some(&*TRUSTED), RSA_SHA256);
        let reply = redirected(&scene, &query).await.expect("an answer");
        match back {
            Some(back) => assert_eq!(location(&reply), back),
            None => {
                let page = String::from_utf8(reply.body().to_vec()).expect("text");
                assert!(page.contains("Logged out") && page.contains("\"https://shop.test:4443/.postern/login\""));
            }
        }
        assert_eq!(code(redirected(&scene, &query).await), Code::LoginUnknown, "a second time");
    }
}

#[tokio::test]
async fn an_answer_that_is_not_signed_leads_nowhere() {
    for (pair, algorithm, refusal) in [
        (None, RSA_SHA256, Code::SamlLogout),
        (Some(&*ROGUE), RSA_SHA256, Code::SamlLogout),
        (Some(&*TRUSTED), RSA_SHA1, Code::SamlAlgorithm),
    ] {
        let mut scene = logged_in().await;
        let message = sent(location(&scene.log_out("/.postern/logout?redirect_path=/bye").await.expect("out")));
        let answer = logged_out(&message.id, scene.now());
        let query = in_address("SAMLResponse", &answer, Some(&message.state), pair, algorithm);
        assert_eq!(code(redirected(&scene, &query).await), refusal);
    }
}

#[tokio::test]
async fn the_identity_provider_ends_sessions_and_gets_an_answer() {
    for session in [None, Some("_s1")] {
        let scene = logged_in().await;
        let query =
            in_address("SAMLRequest", &logout(ALICE, session, scene.now()), Some("keep"), Some(&*TRUSTED), RSA_SHA256);
        let reply = redirected(&scene, &query).await.expect("an answer");
        assert!(scene.world.books.sessions().is_empty(), "{session:?}");
        assert!(scene.browser.visits(&scene.world, &scene.realm).await.is_err());
        let answer = sent(location(&reply));
        assert!(answer.url.as_str().starts_with("https://idp.test/slo?SAMLResponse="));
        assert_eq!(answer.state, "keep");
        assert!(answer.xml.contains(&format!("InResponseTo=\"_l{}\"", scene.now())) && answer.xml.contains(":Success"));
        assert_eq!(code(redirected(&scene, &query).await), Code::SamlLogout, "a second time");
    }
}

#[tokio::test]
async fn a_form_does_the_same() {
    let scene = logged_in().await;
    let request = super::idp::Answer::fine(None, scene.now());
    let xml = logout(ALICE, None, scene.now());
    let signed = request.signed(&xml, &format!("_l{}", scene.now()));
    scene.brings("/slo", &[("SAMLRequest", &STANDARD.encode(signed))]).await.expect("an answer");
    assert!(scene.world.books.sessions().is_empty());
}

#[tokio::test]
async fn sessions_of_others_go_on() {
    let scene = logged_in().await;
    for (name, session) in [("bob@example.test", None), ("alice", None), (ALICE, Some("_s2"))] {
        let query = in_address("SAMLRequest", &logout(name, session, scene.now()), None, Some(&*TRUSTED), RSA_SHA256);
        redirected(&scene, &query).await.expect("an answer");
        assert_eq!(scene.world.books.sessions().len(), 1, "{name} {session:?}");
        scene.world.later(1);
    }
}

#[tokio::test]
async fn nobody_else_ends_a_session() {
    let scene = logged_in().await;
    let request = || logout(ALICE, None, scene.now());
    let by = |pair: Option<&Pair>, algorithm: &str| in_address("SAMLRequest", &request(), None, pair, algorithm);
    let fine = by(Some(&*TRUSTED), RSA_SHA256);
    let message = |query: &str| query.split('&').next().unwrap_or_default().to_owned();
    let other = in_address("SAMLRequest", &logout(ALICE, Some("_s1"), scene.now()), None, None, RSA_SHA256);
    let elsewhere = request().replace("login.test", "other.test");
    let issuer = request().replace("https://idp.test/metadata", "https://other.test/");
    for (name, query, refusal) in [
        ("unsigned", by(None, RSA_SHA256), Code::SamlLogout),
        ("another key", by(Some(&*ROGUE), RSA_SHA256), Code::SamlLogout),
        ("SHA-1", by(Some(&*TRUSTED), RSA_SHA1), Code::SamlAlgorithm),
        ("no algorithm", fine.replace("&SigAlg=", "&Other="), Code::SamlLogout),
        ("a state that is not signed", format!("{fine}&RelayState=x"), Code::SamlLogout),
        ("another message", fine.replace(&message(&fine), &message(&other)), Code::SamlLogout),
        ("twice", format!("{fine}&{fine}"), Code::QueryRepeated),
        ("another address", in_address("SAMLRequest", &elsewhere, None, Some(&*TRUSTED), RSA_SHA256), Code::SamlLogout),
        ("another issuer", in_address("SAMLRequest", &issuer, None, Some(&*TRUSTED), RSA_SHA256), Code::SamlLogout),
        ("nothing", String::new(), Code::SamlUnreadable),
        ("no message", "SAMLRequest=x".to_owned(), Code::SamlLogout),
    ] {
        assert_eq!(code(redirected(&scene, &query).await), refusal, "{name}");
        assert_eq!(scene.world.books.sessions().len(), 1, "{name}");
    }
    let unsigned = STANDARD.encode(request());
    assert_eq!(code(scene.brings("/slo", &[("SAMLRequest", &unsigned)]).await), Code::SamlLogout);
}

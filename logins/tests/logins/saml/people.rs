//! Who comes in, and what local services are told of them.

use super::{
    Scene,
    idp::{Answer, OWN, SP, Signs},
};
use crate::kit::browser::code;
use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use base64::{Engine, engine::general_purpose::STANDARD};
use http::{Method, header};
use postern_api::Code;
use serde_json::json;
use url::form_urlencoded;

#[tokio::test]
async fn whoever_the_identity_provider_vouches_for_comes_in_and_back_to_their_page() {
    for signs in [Signs::Assertion, Signs::Response, Signs::Both] {
        let mut scene = Scene::new(&json!({}));
        assert!(scene.browser.visits(&scene.world, &scene.realm).await.is_err());
        let back = scene.logs_in(|answer| answer.signs = signs).await.expect("in");
        assert_eq!(back, "https://shop.test:4443/a?b=c", "{signs:?}");
        let known = scene.browser.visits(&scene.world, &scene.realm).await.expect("known");
        let told = |name: &str| {
            let found = known.headers().iter().find(|(found, _)| found.as_str() == format!("postern-auth-user-{name}"));
            found.map(|(_, value)| value.to_str().expect("text").to_owned())
        };
        assert_eq!(told("id").as_deref(), Some("alice@example.test"));
        assert_eq!(told("email").as_deref(), Some("alice@example.test"));
        assert_eq!(told("name").as_deref(), Some("Alice"));
        assert_eq!(told("groups").as_deref(), Some("staff"));
        let session = &scene.world.books.sessions()[0];
        assert_eq!((session.person.provider.as_str(), session.provider_session.as_str()), ("saml", "_s1"));
        assert_eq!(session.person.provider_url, "https://idp.test/metadata");
    }
}

#[tokio::test]
async fn requests_are_signed_and_say_what_the_module_asks_for() {
    let mut scene = Scene::new(&json!({"force_authn": true}));
    let sent = scene.begins().await.expect("sent");
    assert!(sent.url.as_str().starts_with("https://idp.test/sso?"));
    assert!(sent.state.len() <= 80);
    assert!(sent.xml.contains("ForceAuthn=\"true\"") && sent.xml.contains(&format!("{SP}/acs")), "{}", sent.xml);
    assert!(sent.xml.contains("Format=\"urn:oasis:names:tc:SAML:2.0:nameid-format:persistent\""), "{}", sent.xml);
    let query = sent.url.query().expect("a query");
    let (signed, signature) = query.split_once("&Signature=").expect("a signature");
    let signature = form_urlencoded::parse(format!("s={signature}").as_bytes()).next().expect("one").1.into_owned();
    let (_, pem) = x509_parser::pem::parse_x509_pem(OWN.certificate_pem.as_bytes()).expect("PEM");
    let certificate = pem.parse_x509().expect("a certificate");
    let key =
        UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, certificate.public_key().subject_public_key.data.as_ref());
    key.verify(signed.as_bytes(), &STANDARD.decode(signature).expect("Base64")).expect("our signature");
    let mut plain = Scene::new(&json!({}));
    assert!(!plain.begins().await.expect("sent").xml.contains("ForceAuthn=\"true\""));
}

#[tokio::test]
async fn the_metadata_says_what_identity_providers_must_know_even_before_there_is_one() {
    for module in [json!({}), json!({"idp_metadata": "<EntityDescriptor/>"})] {
        let scene = Scene::new(&module);
        let reply = scene.at_login_host(Method::GET, "/saml/edghtsrt_1", None, String::new()).await.expect("metadata");
        assert_eq!(reply.headers()[header::CONTENT_TYPE], "application/samlmetadata+xml");
        let xml = String::from_utf8(reply.body().to_vec()).expect("text");
        for part in [
            format!("entityID=\"{SP}\""),
            format!("Location=\"{SP}/acs\""),
            format!("Location=\"{SP}/slo\""),
            OWN.certificate(),
            "AuthnRequestsSigned=\"true\"".to_owned(),
            "WantAssertionsSigned=\"true\"".to_owned(),
        ] {
            assert!(xml.contains(&part), "{part} in {xml}");
        }
    }
}

#[tokio::test]
async fn nobody_comes_in_without_a_signing_certificate_and_everybody_is_told_why() {
    let metadata = super::idp::metadata().replace("use=\"signing\"", "use=\"encryption\"");
    let mut scene = Scene::new(&json!({"idp_metadata": metadata}));
    let error = scene.begins().await.err().expect("refused");
    assert_eq!(error.code, Code::IdpMetadataIncomplete);
    assert!(error.message.contains("signing certificate"), "{}", error.message);
    let answer = Answer::fine(None, scene.now());
    assert_eq!(code(scene.responds(&answer.xml(), "").await), Code::IdpMetadataIncomplete);
    let rogue = Answer { rogue: true, ..answer };
    assert_eq!(code(scene.responds(&rogue.xml(), "").await), Code::IdpMetadataIncomplete);
}

#[tokio::test]
async fn groups_decide_and_are_asked_again_when_the_module_changes() {
    let mut scene = Scene::new(&json!({"authorized_groups": ["admins"]}));
    assert_eq!(code(scene.logs_in(|_| ()).await), Code::SamlGroups);
    scene.logs_in(|answer| answer.groups = vec!["staff", "admins"]).await.expect("in");
    assert!(scene.browser.visits(&scene.world, &scene.realm).await.is_ok());
    scene.change(&json!({"authorized_groups": ["staff", "x"]}));
    assert!(scene.browser.visits(&scene.world, &scene.realm).await.is_ok(), "a member of that one, too");
    assert_eq!(scene.world.books.renewals.load(std::sync::atomic::Ordering::Relaxed), 1);
    scene.change(&json!({"authorized_groups": ["others"]}));
    let refused = scene.browser.visits(&scene.world, &scene.realm).await.err().flatten().expect("refused");
    assert_eq!(refused.code, Code::SamlGroups);
    assert!(scene.world.books.sessions().is_empty(), "the session is over");
}

#[tokio::test]
async fn another_identity_provider_ends_the_sessions_of_the_one_before() {
    let mut scene = Scene::new(&json!({}));
    scene.logs_in(|_| ()).await.expect("in");
    let other = super::idp::metadata().replace("https://idp.test/metadata", "https://other.test/metadata");
    scene.change(&json!({"idp_metadata": other}));
    assert!(scene.browser.visits(&scene.world, &scene.realm).await.is_err());
}

#[tokio::test]
async fn only_the_browser_that_asked_comes_in() {
    let mut scene = Scene::new(&json!({}));
    let sent = scene.begins().await.expect("sent");
    let reply = scene.responds(&Answer::fine(Some(&sent.id), scene.now()).xml(), &sent.state).await.expect("verified");
    scene.browser.cookies.clear();
    assert_eq!(code(scene.goes_on(&reply).await), Code::LoginForeign);
    assert_eq!(code(scene.goes_on(&reply).await), Code::LoginUnknown, "and not a second time");
}

#[tokio::test]
async fn clocks_may_differ_by_two_minutes() {
    for (shift, verdict) in
        [(119, None), (-300 - 119, None), (121, Some(Code::SamlNotYet)), (-300 - 121, Some(Code::SamlExpired))]
    {
        let mut scene = Scene::new(&json!({}));
        let outcome = scene.logs_in(|answer| answer.now += shift).await;
        assert_eq!(outcome.err().map(|error| error.code), verdict, "{shift} s");
    }
}

#[tokio::test]
async fn a_login_is_finished_in_ten_minutes_and_once() {
    let mut scene = Scene::new(&json!({}));
    let sent = scene.begins().await.expect("sent");
    scene.world.later(601);
    let late = Answer::fine(Some(&sent.id), scene.now()).xml();
    assert_eq!(code(scene.responds(&late, &sent.state).await), Code::LoginUnknown);
    let sent = scene.begins().await.expect("sent");
    let answer = Answer::fine(Some(&sent.id), scene.now()).xml();
    scene.responds(&answer, &sent.state).await.expect("verified");
    assert!(scene.responds(&answer, &sent.state).await.is_err(), "the same answer again");
}

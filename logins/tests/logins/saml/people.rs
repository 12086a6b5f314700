//! Users that may log in, and the headers that local services receive.

use super::{
    SamlFixture,
    idp::{IdpResponse, OWN, SP, SignedParts},
};
use crate::kit::browser::code;
use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use base64::{Engine, engine::general_purpose::STANDARD};
use http::{Method, header::CONTENT_TYPE};
use postern_api::Code;
use serde_json::json;
use url::form_urlencoded;

#[tokio::test]
async fn a_verified_user_is_logged_in_and_returns_to_the_requested_page() {
    for signs in [SignedParts::Assertion, SignedParts::Response, SignedParts::Both] {
        let mut fixture = SamlFixture::new(&json!({}));
        assert!(fixture.browser.authenticate(&fixture.world, &fixture.realm).await.is_err());
        let back = fixture.log_in(|answer| answer.signed_parts = signs).await.expect("in");
        assert_eq!(back, "https://shop.test:4443/a?b=c", "{signs:?}");
        let known = fixture.browser.authenticate(&fixture.world, &fixture.realm).await.expect("known");
        let header = |name: &str| {
            let found = known.headers().iter().find(|(found, _)| found.as_str() == format!("postern-auth-user-{name}"));
            found.map(|(_, value)| value.to_str().expect("text").to_owned())
        };
        assert_eq!(header("id").as_deref(), Some("alice@example.test"));
        assert_eq!(header("email").as_deref(), Some("alice@example.test"));
        assert_eq!(header("name").as_deref(), Some("Alice"));
        assert_eq!(header("groups").as_deref(), Some("staff"));
        let session = &fixture.world.store.sessions()[0];
        assert_eq!((session.person.provider.as_str(), session.provider_session.as_str()), ("saml", "_s1"));
        assert_eq!(session.person.provider_url, "https://idp.test/metadata");
    }
}

#[tokio::test]
async fn requests_are_signed_and_reflect_the_module() {
    let mut fixture = SamlFixture::new(&json!({"force_authn": true}));
    let sent = fixture.begin().await.expect("sent");
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
    let mut plain = SamlFixture::new(&json!({}));
    assert!(!plain.begin().await.expect("sent").xml.contains("ForceAuthn=\"true\""));
}

#[tokio::test]
async fn the_service_provider_metadata_is_complete_even_without_an_identity_provider() {
    for module in [json!({}), json!({"idp_metadata": "<EntityDescriptor/>"})] {
        let fixture = SamlFixture::new(&module);
        let response =
            fixture.at_login_host(Method::GET, "/saml/edghtsrt_1", None, String::new()).await.expect("metadata");
        assert_eq!(response.headers()[CONTENT_TYPE], "application/samlmetadata+xml");
        let xml = String::from_utf8(response.body().to_vec()).expect("text");
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
async fn without_a_signing_certificate_logins_fail_with_the_reason() {
    let metadata = super::idp::metadata().replace("use=\"signing\"", "use=\"encryption\"");
    let mut fixture = SamlFixture::new(&json!({"idp_metadata": metadata}));
    let error = fixture.begin().await.err().expect("refused");
    assert_eq!(error.code, Code::IdpMetadataIncomplete);
    assert!(error.message.contains("signing certificate"), "{}", error.message);
    let answer = IdpResponse::valid(None, fixture.now());
    assert_eq!(code(fixture.post_response(&answer.xml(), "").await), Code::IdpMetadataIncomplete);
    let rogue = IdpResponse { rogue_key: true, ..answer };
    assert_eq!(code(fixture.post_response(&rogue.xml(), "").await), Code::IdpMetadataIncomplete);
}

#[tokio::test]
async fn groups_are_checked_at_login_and_when_the_module_changes() {
    let mut fixture = SamlFixture::new(&json!({"authorized_groups": ["admins"]}));
    assert_eq!(code(fixture.log_in(|_| ()).await), Code::SamlGroups);
    fixture.log_in(|answer| answer.groups = vec!["staff", "admins"]).await.expect("in");
    assert!(fixture.browser.authenticate(&fixture.world, &fixture.realm).await.is_ok());
    fixture.change(&json!({"authorized_groups": ["staff", "x"]}));
    assert!(
        fixture.browser.authenticate(&fixture.world, &fixture.realm).await.is_ok(),
        "a member of the new group, too"
    );
    assert_eq!(fixture.world.store.renewals.load(std::sync::atomic::Ordering::Relaxed), 1);
    fixture.change(&json!({"authorized_groups": ["others"]}));
    let refused = fixture.browser.authenticate(&fixture.world, &fixture.realm).await.err().flatten().expect("refused");
    assert_eq!(refused.code, Code::SamlGroups);
    assert!(fixture.world.store.sessions().is_empty(), "the session has ended");
}

#[tokio::test]
async fn another_identity_provider_invalidates_former_sessions() {
    let mut fixture = SamlFixture::new(&json!({}));
    fixture.log_in(|_| ()).await.expect("in");
    let other = super::idp::metadata().replace("https://idp.test/metadata", "https://other.test/metadata");
    fixture.change(&json!({"idp_metadata": other}));
    assert!(fixture.browser.authenticate(&fixture.world, &fixture.realm).await.is_err());
}

#[tokio::test]
async fn only_the_browser_that_began_a_login_finishes_it() {
    let mut fixture = SamlFixture::new(&json!({}));
    let sent = fixture.begin().await.expect("sent");
    let response = fixture
        .post_response(&IdpResponse::valid(Some(&sent.id), fixture.now()).xml(), &sent.state)
        .await
        .expect("verified");
    fixture.browser.cookies.clear();
    assert_eq!(code(fixture.follow_to_endpoint(&response).await), Code::LoginForeign);
    assert_eq!(code(fixture.follow_to_endpoint(&response).await), Code::LoginUnknown, "not a second time either");
}

#[tokio::test]
async fn clocks_may_differ_by_two_minutes() {
    for (shift, verdict) in
        [(119, None), (-300 - 119, None), (121, Some(Code::SamlNotYet)), (-300 - 121, Some(Code::SamlExpired))]
    {
        let mut fixture = SamlFixture::new(&json!({}));
        let outcome = fixture.log_in(|answer| answer.now += shift).await;
        assert_eq!(outcome.err().map(|error| error.code), verdict, "{shift} s");
    }
}

#[tokio::test]
async fn a_login_is_finished_in_ten_minutes_and_once() {
    let mut fixture = SamlFixture::new(&json!({}));
    let sent = fixture.begin().await.expect("sent");
    fixture.world.advance(601);
    let late = IdpResponse::valid(Some(&sent.id), fixture.now()).xml();
    assert_eq!(code(fixture.post_response(&late, &sent.state).await), Code::LoginUnknown);
    let sent = fixture.begin().await.expect("sent");
    let answer = IdpResponse::valid(Some(&sent.id), fixture.now()).xml();
    fixture.post_response(&answer, &sent.state).await.expect("verified");
    assert!(fixture.post_response(&answer, &sent.state).await.is_err(), "the same response again");
}

//! Logins that start at the identity provider.

use super::{SamlFixture, idp::IdpResponse};
use crate::kit::browser::{code, location};
use postern_api::Code;
use serde_json::json;

fn allowed() -> SamlFixture {
    let fixture = SamlFixture::new(&json!({"allow_idp_initiated": true}));
    fixture.world.advance(10);
    fixture
}

#[tokio::test]
async fn they_lead_to_a_url_of_the_edge_or_to_its_first_host() {
    for (state, back) in [
        ("", "https://shop.test:4443/"),
        ("https://shop.test:4443/deep?a=b#c", "https://shop.test:4443/deep?a=b"),
        ("https://SHOP.test:4443", "https://shop.test:4443/"),
    ] {
        let mut fixture = allowed();
        let response =
            fixture.post_response(&IdpResponse::valid(None, fixture.now()).xml(), state).await.expect("verified");
        assert_eq!(fixture.follow_to_endpoint(&response).await.expect("in"), back, "{state}");
        assert!(fixture.browser.authenticate(&fixture.world, &fixture.realm).await.is_ok());
    }
    let fixture = allowed();
    let state = "https://some.any.test:4443/x";
    let response =
        fixture.post_response(&IdpResponse::valid(None, fixture.now()).xml(), state).await.expect("verified");
    assert!(
        location(&response).starts_with("https://some.any.test:4443/.postern/callback?state="),
        "a name covered by a wildcard"
    );
}

#[tokio::test]
async fn they_never_lead_to_another_host() {
    for (state, refusal) in [
        ("home", Code::RelayStateUnreadable),
        ("/deep", Code::RelayStateUnreadable),
        ("//evil.test/", Code::RelayStateUnreadable),
        ("https://evil.test:4443/", Code::RelayStateForeign),
        ("https://shop.test.evil.test:4443/", Code::RelayStateForeign),
        ("https://shop.test@evil.test:4443/", Code::RelayStateForeign),
        ("https://evil.test\\@shop.test:4443/", Code::RelayStateForeign),
        ("https://any.test:4443/", Code::RelayStateForeign),
        ("https://*.any.test:4443/", Code::RelayStateForeign),
        ("https://login.test:4443/", Code::RelayStateForeign),
        ("javascript:alert(1)", Code::RelayStateForeign),
        ("data:text/html,x", Code::RelayStateForeign),
        ("https://user:pass@shop.test:4443/", Code::RelayStateScheme),
        ("http://shop.test:4443/", Code::RelayStateScheme),
        ("https://shop.test/", Code::RelayStateScheme),
        ("ftp://shop.test:4443/", Code::RelayStateScheme),
    ] {
        let fixture = allowed();
        assert_eq!(
            code(fixture.post_response(&IdpResponse::valid(None, fixture.now()).xml(), state).await),
            refusal,
            "{state}"
        );
    }
}

#[tokio::test]
async fn they_fail_unless_the_module_allows_them() {
    let fixture = SamlFixture::new(&json!({"allow_idp_initiated": false}));
    assert_eq!(
        code(fixture.post_response(&IdpResponse::valid(None, fixture.now()).xml(), "").await),
        Code::SamlUnsolicited
    );
}

#[tokio::test]
async fn an_assertion_is_accepted_once() {
    let mut fixture = allowed();
    let answer = IdpResponse::valid(None, fixture.now());
    let response = fixture.post_response(&answer.xml(), "").await.expect("verified");
    fixture.follow_to_endpoint(&response).await.expect("in");
    assert_eq!(code(fixture.post_response(&answer.xml(), "").await), Code::SamlReplayed);
    fixture.change(&json!({"allow_idp_initiated": true, "force_authn": true}));
    assert_eq!(
        code(fixture.post_response(&answer.xml(), "").await),
        Code::SamlReplayed,
        "after a change of the module, too"
    );
    fixture.world.logins.flush().await;
    fixture.world.advance(300 + 119);
    assert_eq!(code(fixture.post_response(&answer.xml(), "").await), Code::SamlReplayed, "while it is valid");
    let before = IdpResponse::valid(None, fixture.now() - 10_000);
    let before = IdpResponse { validity: 20_000, ..before };
    assert_eq!(code(fixture.post_response(&before.xml(), "").await), Code::SamlReplayed, "older than the replay cache");
}

#[tokio::test]
async fn a_response_to_a_request_is_never_accepted_as_unsolicited() {
    let mut fixture = allowed();
    let sent = fixture.begin().await.expect("sent");
    let answer = IdpResponse::valid(Some(&sent.id), fixture.now());
    assert_eq!(code(fixture.post_response(&answer.xml(), "").await), Code::LoginUnknown);
    assert_eq!(code(fixture.post_response(&answer.xml(), "https://shop.test:4443/").await), Code::LoginUnknown);
    let hidden = IdpResponse { in_response_to: None, confirmation_request: Some(sent.id.clone()), ..answer };
    assert_eq!(code(fixture.post_response(&hidden.xml(), "").await), Code::SamlInResponseTo);
}

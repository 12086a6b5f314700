//! Logins that begin at the identity provider.

use super::{Scene, idp::Answer};
use crate::kit::browser::{code, location};
use postern_api::Code;
use serde_json::json;

fn allowed() -> Scene {
    let scene = Scene::new(&json!({"allow_idp_initiated": true}));
    scene.world.later(10);
    scene
}

#[tokio::test]
async fn they_lead_to_an_address_of_the_edge_or_to_its_first_host() {
    for (state, back) in [
        ("", "https://shop.test:4443/"),
        ("https://shop.test:4443/deep?a=b#c", "https://shop.test:4443/deep?a=b"),
        ("https://SHOP.test:4443", "https://shop.test:4443/"),
    ] {
        let mut scene = allowed();
        let reply = scene.responds(&Answer::fine(None, scene.now()).xml(), state).await.expect("verified");
        assert_eq!(scene.goes_on(&reply).await.expect("in"), back, "{state}");
        assert!(scene.browser.visits(&scene.world, &scene.realm).await.is_ok());
    }
    let scene = allowed();
    let state = "https://some.any.test:4443/x";
    let reply = scene.responds(&Answer::fine(None, scene.now()).xml(), state).await.expect("verified");
    assert!(
        location(&reply).starts_with("https://some.any.test:4443/.postern/callback?state="),
        "a name of a wildcard"
    );
}

#[tokio::test]
async fn they_lead_nowhere_else() {
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
        let scene = allowed();
        assert_eq!(code(scene.responds(&Answer::fine(None, scene.now()).xml(), state).await), refusal, "{state}");
    }
}

#[tokio::test]
async fn they_happen_only_where_they_are_allowed() {
    let scene = Scene::new(&json!({"allow_idp_initiated": false}));
    assert_eq!(code(scene.responds(&Answer::fine(None, scene.now()).xml(), "").await), Code::SamlUnsolicited);
}

#[tokio::test]
async fn an_assertion_counts_once() {
    let mut scene = allowed();
    let answer = Answer::fine(None, scene.now());
    let reply = scene.responds(&answer.xml(), "").await.expect("verified");
    scene.goes_on(&reply).await.expect("in");
    assert_eq!(code(scene.responds(&answer.xml(), "").await), Code::SamlReplayed);
    scene.change(&json!({"allow_idp_initiated": true, "force_authn": true}));
    assert_eq!(code(scene.responds(&answer.xml(), "").await), Code::SamlReplayed, "after a change of the module, too");
    scene.world.logins.write_down().await;
    scene.world.later(300 + 119);
    assert_eq!(code(scene.responds(&answer.xml(), "").await), Code::SamlReplayed, "as long as it is valid");
    let before = Answer::fine(None, scene.now() - 10_000);
    let before = Answer { lasting: 20_000, ..before };
    assert_eq!(code(scene.responds(&before.xml(), "").await), Code::SamlReplayed, "older than the memory");
}

#[tokio::test]
async fn an_answer_to_a_request_is_never_taken_for_one_of_them() {
    let mut scene = allowed();
    let sent = scene.begins().await.expect("sent");
    let answer = Answer::fine(Some(&sent.id), scene.now());
    assert_eq!(code(scene.responds(&answer.xml(), "").await), Code::LoginUnknown);
    assert_eq!(code(scene.responds(&answer.xml(), "https://shop.test:4443/").await), Code::LoginUnknown);
    let hidden = Answer { in_response_to: None, confirmed: Some(sent.id.clone()), ..answer };
    assert_eq!(code(scene.responds(&hidden.xml(), "").await), Code::SamlInResponseTo);
}

//! SAML in a cluster: a response to a request of one node is accepted at another, and each assertion once at all nodes.

use super::{SamlFixture, idp::IdpResponse};
use crate::kit::{browser::code, nodes::Nodes, session_store::MemoryStore};
use postern_api::Code;
use serde_json::{Value, json};
use std::sync::Arc;

/// Three nodes that share what was accepted.
fn cluster(changes: &Value) -> (Nodes, [SamlFixture; 3]) {
    let (nodes, shared) = (Nodes::default(), Arc::default());
    let fixtures = ["a", "b", "c"].map(|id| {
        let fixture = SamlFixture::on(changes, MemoryStore::sharing(&shared));
        nodes.join(id, &fixture.world.logins);
        fixture
    });
    (nodes, fixtures)
}

#[tokio::test]
async fn a_response_is_accepted_at_another_node_and_once() {
    for node_that_dies in [None, Some("a")] {
        let (nodes, [mut first, second, mut third]) = cluster(&json!({}));
        let sent = first.begin().await.expect("the request");
        assert!(sent.state.len() <= 80, "{}", sent.state);
        if let Some(node) = node_that_dies {
            nodes.lose(node);
        }
        third.browser = first.browser.clone();
        let answer = IdpResponse::valid(Some(&sent.id), second.now()).xml();
        let response = second.post_response(&answer, &sent.state).await.expect("accepted");
        for node in [&second, &third] {
            // The attempt now waits for the browser, and a second response ends it.
            let again = node.post_response(&answer, "").await;
            assert_eq!(code(again), Code::LoginUnknown);
        }
        assert_eq!(third.follow_to_endpoint(&response).await.expect("in"), "https://shop.test:4443/a?b=c");
        assert_eq!(third.world.store.sessions().len(), 1);
        let mut replay = second;
        replay.browser = first.browser.clone();
        assert_eq!(code(replay.follow_to_endpoint(&response).await), Code::LoginUnknown, "a second time");
    }
}

#[tokio::test]
async fn an_unsolicited_assertion_is_refused_at_every_other_node() {
    let (nodes, [first, second, third]) = cluster(&json!({"allow_idp_initiated": true}));
    let answer = IdpResponse::valid(None, first.now()).xml();
    first.post_response(&answer, "").await.expect("accepted");
    nodes.lose("a");
    for node in [&first, &second, &third] {
        assert_eq!(code(node.post_response(&answer, "").await), Code::SamlReplayed);
    }
}

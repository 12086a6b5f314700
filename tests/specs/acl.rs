//! Names that a credential may bind.

use postern_api::Code;
use postern_tests::{Origin, World, tcp::Echo};
use serde_json::{Value, json};

async fn request_as(world: &World, acl: &[&str], definition: Value) -> Result<String, Code> {
    let token = world.operator().credential(acl).await.1;
    let folder = format!("agent-{:x}", rand::random::<u64>());
    let agent = world.agent_setup(&folder, &token).start().await;
    let answer = agent.request_tunnel(definition).await;
    if answer.status == 201 {
        return Ok(answer.body["public_url"].as_str().unwrap_or_default().to_owned());
    }
    assert!(!answer.sentence().is_empty(), "a refusal says why: {answer:?}");
    Err(answer.code())
}

#[tokio::test]
async fn each_bind_needs_a_rule_that_permits_it() {
    let world = World::start().await;
    let (origin, echo) = (Origin::start("hello").await, Echo::named("echo").await);
    let http = |domain: &str| json!({ "name": "t", "proto": "http", "addr": origin.to_string(), "domain": domain });
    let port = world.server.tcp_ports().1;
    let tcp = json!({ "name": "t", "proto": "tcp", "addr": echo.to_string(), "remote_addr": port.to_string() });
    let any_tcp = json!({ "name": "t", "proto": "tcp", "addr": echo.to_string() });
    let labels = |label: &str| json!({ "name": "t", "labels": [label], "addr": echo.to_string() });
    let own_port = format!("bind:localhost:{port}");
    let other_port = format!("bind:{}:{}", world.agents_server().addresses.https.ip(), port - 1);
    let cases: &[(&[&str], Value, Option<Code>)] = &[
        (&["*"], http("free"), None),
        (&["bind:mine.localhost"], http("mine"), None),
        (&["bind:mine.localhost"], http("other"), Some(Code::NameNotPermitted)),
        (&["bind:*.shop.test"], http("a.b.shop.test"), None),
        (&["bind:*.shop.test"], http("*.shop.test"), None),
        (&["bind:*.shop.test"], http("shop.test"), Some(Code::NameNotPermitted)),
        (&[&own_port], tcp.clone(), None),
        (&["bind:localhost:1"], tcp, Some(Code::AddressNotPermitted)),
        (&["bind:localhost:1"], any_tcp.clone(), Some(Code::RandomAddressNotPermitted)),
        (&[&other_port], any_tcp, None),
        (&["bind:app=*"], labels("app=shop"), None),
        (&["bind:*=blue"], labels("app=blue"), None),
        (&["bind:app=shop"], labels("app=other"), Some(Code::LabelNotPermitted)),
    ];
    for (acl, definition, refused) in cases {
        let result = request_as(&world, acl, definition.clone()).await;
        assert_eq!(result.as_ref().err(), refused.as_ref(), "{acl:?} {definition} {result:?}");
    }
}

#[tokio::test]
async fn a_chosen_name_must_match_a_permitted_wildcard() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let any = json!({ "name": "t", "proto": "http", "addr": origin.to_string() });
    let inside = request_as(&world, &["bind:*.team.localhost"], any.clone()).await.expect("permitted");
    assert!(inside.contains(".team.localhost:"), "{inside}");
    assert_eq!(request_as(&world, &["bind:one.localhost"], any).await, Err(Code::NameNotPermitted));
}

#[tokio::test]
async fn a_deleted_credential_ends_its_sessions() {
    let world = World::start().await;
    let operator = world.operator();
    let (id, token) = operator.credential(&[]).await;
    let agent = world.agent_setup("agent", &token).start().await;
    operator.delete(&format!("/credentials/{id}")).await.ok();
    let session = agent.wait_for_session("refused").await;
    assert!(
        [Code::CredentialDeleted.to_string(), Code::TokenUnknown.to_string()]
            .contains(&session["reason"]["code"].as_str().unwrap().to_owned()),
        "{session}"
    );
}

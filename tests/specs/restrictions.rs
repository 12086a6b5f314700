//! IP restrictions of the whole service: who is locked out is locked out at once, and the machine itself has the rescue.

use postern_api::Code;
use postern_tests::{Operator, Origin, World};
use serde_json::json;

/// Restricts a part of the service to an address nobody here has: its id.
async fn closed(operator: &Operator, part: &str, enforced: bool) -> String {
    let elsewhere = operator.policy(&[("allow", "203.0.113.0/24")]).await;
    let body = json!({ "type": part, "enforced": enforced, "ip_policy_ids": [elsewhere] });
    operator.post("/ip_restrictions", body).await.ok().text("id")
}

#[tokio::test]
async fn who_locks_himself_out_of_the_api_is_let_in_again_by_unlock() {
    let world = World::with(|setup| setup.flags(&["--api-host", "api.example.test"])).await;
    let operator = world.operator();
    let ended = world.server.command(&["unlock"]).await;
    assert!(ended.status.success() && ended.stdout.contains("nothing to unlock"), "{ended:?}");

    let console = closed(&operator, "dashboard", true).await;
    assert_eq!(operator.get("/console").await.code(), Code::ConsoleAddressDenied);
    let warns = closed(&operator, "api", false).await;
    operator.get("/ip_restrictions").await.ok();
    let locked = closed(&operator, "api", true).await;
    let refused = operator.get("/ip_restrictions").await;
    assert_eq!((refused.status, refused.code()), (403, Code::ApiAddressDenied), "{refused:?}");
    let url = format!("https://api.example.test:{}/ip_restrictions", world.server.addresses.https.port());
    let visitor = world.visitor();
    let request = visitor.http.get(&url).bearer_auth(world.admin_key()).header("Service-Version", "2");
    let public = visitor.send(request).await;
    assert!(public.status == 403 && public.text().contains("ERR_POSTERN_220"), "{}", public.text());
    assert_eq!(world.stranger().get("/ip_restrictions").await.status, 401, "who has no key learns nothing");
    assert_eq!(world.stranger().get("/healthz").await.status, 200);

    let ended = world.server.command(&["unlock"]).await;
    assert!(ended.status.success(), "{ended:?}");
    assert!(ended.stdout.contains(&locked) && ended.stdout.contains(&console), "{ended:?}");
    assert!(!ended.stdout.contains(&warns), "it locked nobody out: {ended:?}");
    for id in [&locked, &console] {
        let now = operator.get(&format!("/ip_restrictions/{id}")).await.ok();
        assert_eq!(now.body["enforced"], false, "suspended, and still there");
    }
    operator.get("/console/").await.ok();
}

#[tokio::test]
async fn unlock_works_without_a_server_too() {
    let world = World::start().await;
    let locked = closed(&world.operator(), "api", true).await;
    let (again, key) = (world.server.again(), world.admin_key());
    world.server.process.kill();
    let ended = world.server.command(&["unlock"]).await;
    assert!(ended.status.success() && ended.stdout.contains(&locked), "{ended:?}");
    let server = again.start().await;
    Operator::new(server.addresses.api, Some(&key)).get("/ip_restrictions").await.ok();
}

#[tokio::test]
async fn a_refused_agent_says_why_and_comes_in_when_it_may() {
    let world = World::start().await;
    let operator = world.operator();
    let restriction = closed(&operator, "agent", true).await;
    let token = operator.credential(&[]).await.1;
    let agent = world.agent_setup("agent", &token).start_alone().await;
    agent.process.says("ERR_POSTERN_115").await;
    operator.patch(&format!("/ip_restrictions/{restriction}"), json!({ "enforced": false })).await.ok();
    let agent = world.agent_setup("other", &token).start().await;
    let origin = Origin::says("hello").await;
    let url = agent.https("site", &origin).await.url("/");

    let visitor = world.visitor();
    assert_eq!(visitor.get(&url).await.text(), "hello");
    let restriction = closed(&operator, "endpoints", true).await;
    let refused = visitor.get(&url).await;
    assert_eq!((refused.status, refused.refused()), (403, Code::EndpointAddressDenied));
    assert_eq!(origin.heard().len(), 1, "refused before the tunnel");
    operator.delete(&format!("/ip_restrictions/{restriction}")).await.ok();
    assert_eq!(visitor.get(&url).await.text(), "hello");
}

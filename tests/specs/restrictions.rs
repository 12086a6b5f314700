//! IP restrictions of the whole service: they apply at once, and `unlock` on the machine lifts them.

use postern_api::Code;
use postern_tests::{Operator, Origin, World};
use serde_json::json;

/// Restricts a part of the service to an address that no client here has. Returns its id.
async fn closed(operator: &Operator, part: &str, enforced: bool) -> String {
    let elsewhere = operator.policy(&[("allow", "203.0.113.0/24")]).await;
    let body = json!({ "type": part, "enforced": enforced, "ip_policy_ids": [elsewhere] });
    operator.post("/ip_restrictions", body).await.ok().text("id")
}

#[tokio::test]
async fn unlock_restores_access_after_a_lockout_from_the_api() {
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
    assert!(!ended.stdout.contains(&warns), "it did not enforce anything: {ended:?}");
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
    let (again, key) = (world.server.restart_setup(), world.admin_key());
    world.server.process.kill();
    let ended = world.server.command(&["unlock"]).await;
    assert!(ended.status.success() && ended.stdout.contains(&locked), "{ended:?}");
    let server = again.start().await;
    Operator::new(server.addresses.api, Some(&key)).get("/ip_restrictions").await.ok();
}

#[tokio::test]
async fn a_refused_agent_reports_the_reason_and_connects_once_allowed() {
    let world = World::start().await;
    let operator = world.operator();
    let restriction = closed(&operator, "agent", true).await;
    let token = operator.credential(&[]).await.1;
    let agent = world.agent_setup("agent", &token).start_without_session().await;
    agent.process.wait_for_log("ERR_POSTERN_115").await;
    operator.patch(&format!("/ip_restrictions/{restriction}"), json!({ "enforced": false })).await.ok();
    let agent = world.agent_setup("other", &token).start().await;
    let origin = Origin::start("hello").await;
    let url = agent.https("site", &origin).await.url("/");

    let visitor = world.visitor();
    assert_eq!(visitor.get(&url).await.text(), "hello");
    let restriction = closed(&operator, "endpoints", true).await;
    let refused = visitor.get(&url).await;
    assert_eq!((refused.status, refused.refused()), (403, Code::EndpointAddressDenied));
    assert_eq!(origin.requests().len(), 1, "refused before the tunnel");
    operator.delete(&format!("/ip_restrictions/{restriction}")).await.ok();
    assert_eq!(visitor.get(&url).await.text(), "hello");
}

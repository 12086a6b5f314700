//! Saving the agent's configuration restarts only what changed.

use postern_api::Code;
use postern_tests::{
    Origin, World,
    bytes::{self, Sum},
    eventually,
    tcp::{Echo, EchoClient},
};
use serde_json::{Value, json};

#[tokio::test]
async fn a_saved_change_restarts_only_the_changed_tunnels() {
    let world = World::start().await;
    let (old, new, echo) = (Origin::start("old").await, Origin::start("new").await, Echo::named("echo").await);
    let token = world.operator().credential(&[]).await.1;
    let web = |origin: &Origin, domain: &str| json!({ "proto": "http", "addr": origin.to_string(), "domain": domain });
    let mut agent = world
        .agent_setup("agent", &token)
        .tunnel("echo", json!({ "proto": "tcp", "addr": echo.to_string() }))
        .tunnel("site", web(&old, "site"))
        .start()
        .await;
    let (echoing, site) = (agent.wait_for_tunnel("echo").await, agent.wait_for_tunnel("site").await);
    let (mut line, _) = EchoClient::connect(echoing.port()).await.expect("open");
    let visitor = world.visitor();
    assert_eq!(visitor.get(&site.url("/")).await.text(), "old");

    agent.edit_config(|setup| setup.tunnel("site", web(&new, "site")).tunnel("more", web(&new, "more")));
    eventually("the changed tunnel leads elsewhere", async || {
        (visitor.get(&site.url("/")).await.text() == "new").then_some(())
    })
    .await;
    let more = agent.wait_for_tunnel("more").await;
    assert_eq!(visitor.get(&more.url("/")).await.text(), "new");
    assert_eq!(line.echo("still here").await.as_deref(), Some("still here"), "the other tunnel's connection stays");
    assert_eq!(agent.wait_for_tunnel("echo").await.public_url, echoing.public_url);

    agent.edit_config(|setup| setup.tunnel("more", json!({ "proto": "http", "adr": 1 })));
    agent.process.wait_for_log("ERR_POSTERN_8100").await;
    assert_eq!(visitor.get(&more.url("/")).await.text(), "new", "a broken file changes nothing");
    assert_eq!(line.echo("still here").await.as_deref(), Some("still here"));

    agent.edit_config(|setup| setup.without_tunnel("more"));
    eventually("the removed tunnel has ended", async || {
        Some(visitor.get(&more.url("/")).await)
            .filter(|reply| reply.status == 404)
            .map(|reply| assert_eq!(reply.refused(), Code::HostUnknown))
    })
    .await;
    assert_eq!(line.echo("still here").await.as_deref(), Some("still here"));
}

#[tokio::test]
async fn a_long_download_of_one_tunnel_outlasts_every_change_of_others() {
    const LENGTH: u64 = 48 << 20;
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let token = world.operator().credential(&[]).await.1;
    let web = |domain: &str, more: Value| {
        let mut keys = json!({ "proto": "http", "addr": origin.to_string(), "domain": domain });
        keys.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        keys
    };
    let setup = world.agent_setup("agent", &token);
    let setup = setup.tunnel("files", web("files", json!({ "compression": false })));
    let mut agent = setup.tunnel("site", web("site", json!({}))).start().await;
    let (files, site) = (agent.wait_for_tunnel("files").await, agent.wait_for_tunnel("site").await);
    let visitor = world.visitor();
    let mut download =
        visitor.http.get(files.url(&format!("/flow?seed=7&length={LENGTH}"))).send().await.expect("begun");
    let mut sum = Sum::default();
    sum.add(&download.chunk().await.expect("flowing").expect("a piece"));

    agent.edit_config(|setup| setup.tunnel("site", web("site", json!({ "basic_auth": ["ada:longenough"] }))));
    eventually("a password is required", async || (visitor.get(&site.url("/")).await.status == 401).then_some(()))
        .await;
    agent
        .edit_config(|setup| setup.tunnel("site", web("site", json!({ "request_header": { "add": ["X-New: yes"] } }))));
    eventually("and no more", async || (visitor.get(&site.url("/")).await.status == 200).then_some(())).await;
    agent.edit_config(|setup| setup.without_tunnel("site").tunnel("caught", json!({ "proto": "http", "catch": true })));
    agent.wait_for_tunnel("caught").await;

    while let Some(piece) = download.chunk().await.expect("the download goes on") {
        sum.add(&piece);
    }
    assert_eq!(sum.finish(), bytes::sum(7, LENGTH));
}

//! Views of the management API: an agent's session, its tunnels and their endpoints.

use postern_api::{
    Code,
    resource::{Endpoint, EndpointType, Ref, SessionCommand, Tunnel, TunnelSession},
};
use postern_tests::{Origin, World, eventually, tcp::Echo};
use serde_json::json;

#[tokio::test]
async fn an_agents_session_tunnels_and_endpoints_come_and_go() {
    let world = World::start().await;
    let operator = world.operator();
    let client = operator.client();
    let (sessions, tunnels, endpoints) =
        (client.views::<TunnelSession>(), client.views::<Tunnel>(), client.views::<Endpoint>());
    assert!(sessions.list().await.expect("a list").is_empty());

    let (site, echo) = (Origin::start("hello").await, Echo::named("echo").await);
    let (credential, token) = operator.credential(&[]).await;
    let agent = world.agent_setup("agent", &token).with_one_session().start().await;
    let session =
        &eventually("the session is listed", async || sessions.list().await.expect("a list").into_iter().next()).await;
    assert_eq!(session.credential.id.as_str(), credential);
    assert_eq!((session.ip.as_str(), session.transport.as_str()), ("127.0.0.1", "postern/1"));
    assert!(session.os.starts_with(std::env::consts::OS), "{session:?}");
    assert_eq!(&sessions.get(&session.id).await.expect("there"), session);

    let group = operator.group("app", "shop").await;
    let https = agent.https("site", &site).await;
    let tcp = agent.tcp("echo", &echo).await;
    agent.labelled("shop", "app=shop", &echo).await;
    let up = tunnels.list().await.expect("a list");
    assert_eq!(up.len(), 3);
    assert!(up.iter().all(|tunnel| tunnel.tunnel_session.id == session.id.any()));
    let labelled = up.iter().find(|tunnel| !tunnel.labels.is_empty()).expect("a labelled tunnel");
    assert_eq!((labelled.public_url.as_str(), &labelled.endpoint), ("", &None));
    assert_eq!(labelled.backends[0].id.as_str(), group);

    let found = endpoints.list().await.expect("a list");
    assert_eq!(found.len(), 2);
    let port = tcp.port();
    for (scheme, url) in [("https", &https.public_url), ("tcp", &tcp.public_url)] {
        let endpoint = found.iter().find(|endpoint| endpoint.scheme == scheme).expect("an endpoint");
        assert_eq!((&endpoint.url, endpoint.r#type), (url, EndpointType::Ephemeral));
        let tunnel = up.iter().find(|tunnel| tunnel.proto == scheme).expect("a tunnel");
        assert_eq!(tunnel.public_url, endpoint.public_url);
        assert_eq!(endpoint.tunnel.as_ref().map(|tunnel| &tunnel.id), Some(&tunnel.id.any()));
        assert_eq!(tunnel.endpoint.as_ref().map(|endpoint| &endpoint.id), Some(&endpoint.id.any()));
        assert_eq!(&endpoints.get(&endpoint.id).await.expect("there"), endpoint);
    }

    // An edge is an endpoint even if no agent is behind it.
    let (first, last) = world.server.tcp_ports();
    let free = if port == first { last } else { first };
    let edge = operator.post("/edges/tcp", json!({ "hostports": [format!("localhost:{free}")] })).await.ok();
    let found = endpoints.list().await.expect("a list");
    let of_edge = found.iter().find(|endpoint| endpoint.r#type == EndpointType::Edge).expect("the edge's endpoint");
    assert_eq!(of_edge.url, format!("tcp://localhost:{free}"));
    assert_eq!(of_edge.edge.as_ref().map(|edge| edge.id.as_str()), Some(edge.text("id").as_str()));

    agent.delete("/api/tunnels/site").await;
    eventually("the tunnel has ended", async || (tunnels.list().await.ok()?.len() == 2).then_some(())).await;
    agent.process.terminate();
    eventually("the session has ended", async || sessions.list().await.ok()?.is_empty().then_some(())).await;
    assert!(tunnels.list().await.expect("a list").is_empty());
    assert_eq!(endpoints.list().await.expect("a list").len(), 1, "the edge stays");
    let ended = sessions.get(&session.id).await.expect_err("it has ended");
    assert_eq!(ended.code, Code::NotFound);
}

#[tokio::test]
async fn a_session_can_be_restarted_and_stopped_remotely_if_the_agent_allows_it() {
    let world = World::start().await;
    let operator = world.operator();
    let client = operator.client();
    let sessions = client.views::<TunnelSession>();
    let site = Origin::start("hello").await;
    let token = operator.credential(&[]).await.1;
    let agent = world.agent_setup("agent", &token).with_one_session().start().await;
    let tunnel = agent.https("site", &site).await;
    let first = sessions.list().await.expect("a list")[0].id.clone();
    let refused = sessions.command(&first, SessionCommand::Update).await.expect_err("no agent updates itself");
    assert_eq!(refused.code, Code::RemoteUpdate);

    sessions.command(&first, SessionCommand::Restart).await.expect("accepted");
    let second = eventually("there is a new session and only that", async || {
        let now = sessions.list().await.ok()?;
        (now.len() == 1 && now[0].id != first).then(|| now[0].id.clone())
    })
    .await;
    eventually("the tunnel is up again", async || {
        (world.visitor().get(&tunnel.url("/")).await.status == 200).then_some(())
    })
    .await;

    sessions.command(&second, SessionCommand::Stop).await.expect("accepted");
    assert!(sessions.list().await.expect("a list").is_empty(), "it is over when the answer is there");
    let session = agent.wait_for_session("refused").await;
    assert_eq!(session["reason"]["code"], Code::SessionStopped.to_string(), "{session}");
    assert!(session["next_try"].is_null(), "and stays so: {session}");
    assert_eq!(world.visitor().get(&tunnel.url("/")).await.status, 404);
    agent.process.kill();

    let _closed =
        world.agent_setup("closed", &token).with_one_session().setting("remote_management", "false").start().await;
    let closed = sessions.list().await.expect("a list")[0].id.clone();
    for command in SessionCommand::ALL {
        let refused = sessions.command(&closed, command).await.expect_err("the agent refuses remote commands");
        assert_eq!(refused.code, Code::RemoteRefused);
    }
}

#[tokio::test]
async fn an_endpoint_names_the_reservation_it_is_on() {
    let world = World::start().await;
    let operator = world.operator();
    let client = operator.client();
    let endpoints = client.views::<Endpoint>();
    let (first, last) = world.server.tcp_ports();
    let reserve = async |path: &str, body| operator.post(path, body).await.ok().text("id");
    let shop = reserve("/reserved_domains", json!({ "domain": "shop.localhost" })).await;
    let all = reserve("/reserved_domains", json!({ "domain": "*.shop.localhost" })).await;
    let address = reserve("/reserved_addrs", json!({ "addr": format!("localhost:{first}") })).await;
    operator.post("/edges/https", json!({ "hostports": ["shop.localhost:443", "free.localhost:443"] })).await.ok();
    operator.post("/edges/tcp", json!({ "hostports": [format!("localhost:{first}")] })).await.ok();
    let (site, echo) = (Origin::start("hello").await, Echo::named("echo").await);
    let agent = world.agent().await;
    agent.https_at("below", "a.b.shop.localhost", &site).await;
    let definition =
        json!({ "name": "line", "proto": "tcp", "remote_addr": last.to_string(), "addr": echo.to_string() });
    agent.tunnel(definition).await;

    let domain = |id: &str| Some(("/reserved_domains/".to_owned() + id, id.to_owned()));
    let line = format!("localhost:{first}");
    for (place, on, port) in [
        ("shop.localhost", domain(&shop), None),
        ("a.b.shop.localhost", domain(&all), None),
        ("free.localhost", None, None),
        (&line, None, Some((format!("/reserved_addrs/{address}"), address))),
        (&format!("localhost:{last}"), None, None),
    ] {
        let found = endpoints.list().await.expect("a list");
        let there = found.iter().find(|endpoint| endpoint.host == place || endpoint.hostport == place).expect(place);
        let shown = |found: &Option<Ref>| found.as_ref().map(|found| (found.uri.clone(), found.id.to_string()));
        let expected = |path: &Option<(String, String)>| {
            path.as_ref().map(|(path, id)| (format!("http://{}{path}", world.api()), id.clone()))
        };
        assert_eq!(shown(&there.domain), expected(&on), "{place}");
        assert_eq!(shown(&there.tcp_addr), expected(&port), "{place}");
        assert_eq!(&endpoints.get(&there.id).await.expect("there"), there);
    }
}

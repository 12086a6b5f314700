//! Reservations of names and addresses by agents, edges and owners.

use postern_api::Code;
use postern_tests::{
    Agent, Operator, Origin, World, eventually,
    tcp::{Echo, EchoClient},
};
use serde_json::{Value, json};

/// Creates a user with a credential. Returns the id of the user and the token.
async fn user_with_token(operator: &Operator, name: &str) -> (String, String) {
    let user = operator.post("/users", json!({ "name": name })).await.ok().text("id");
    let made = operator.post("/credentials", json!({ "owner_id": user })).await.ok();
    (user, made.text("token"))
}

async fn agent_of(world: &World, name: &str, token: &str) -> Agent {
    world.agent_setup(name, token).start().await
}

fn http(name: &str, domain: &str, origin: &Origin) -> Value {
    json!({ "name": name, "proto": "http", "domain": domain, "addr": origin.to_string() })
}

fn tcp(name: &str, port: u16, echo: &Echo) -> Value {
    json!({ "name": name, "proto": "tcp", "remote_addr": port.to_string(), "addr": echo.to_string() })
}

#[tokio::test]
async fn a_reserved_domain_is_for_its_owners_agents_and_free_again_afterwards() {
    let world = World::start().await;
    let operator = world.operator();
    let origin = Origin::start("hello").await;
    let ((owner, own), (_, other)) =
        (user_with_token(&operator, "owner").await, user_with_token(&operator, "other").await);
    let (owners, others) = (agent_of(&world, "owners", &own).await, agent_of(&world, "others", &other).await);
    let reserve = json!({ "domain": "shop.localhost", "owner_id": owner });
    let item = format!("/reserved_domains/{}", operator.post("/reserved_domains", reserve).await.ok().text("id"));
    let visitor = world.visitor();
    let url = format!("https://shop.localhost:{}/", world.server.addresses.https.port());
    let offline = visitor.get(&url).await;
    assert_eq!(
        (offline.status, offline.refused()),
        (503, Code::AgentOffline),
        "the name is known, but its agent is offline"
    );
    assert!(!offline.header("retry-after").is_empty());

    for name in ["shop", "below.shop.localhost", "*.shop.localhost"] {
        assert_eq!(others.request_tunnel(http("t", name, &origin)).await.code(), Code::NameReserved, "{name}");
    }
    owners.tunnel(http("shop", "shop", &origin)).await;
    owners.tunnel(http("below", "below.shop.localhost", &origin)).await;
    assert_eq!(visitor.get(&url).await.text(), "hello");
    assert_eq!(owners.delete("/api/tunnels/shop").await.status, 204);
    eventually("the tunnel has ended, and the name is still reserved", async || {
        Some(visitor.get(&url).await).filter(|reply| reply.status == 503)
    })
    .await;

    operator.delete(&item).await.ok();
    assert_eq!(visitor.get(&url).await.status, 404);
    others.tunnel(http("shop", "shop", &origin)).await;
    assert_eq!(visitor.get(&url).await.text(), "hello");
}

#[tokio::test]
async fn a_name_is_reserved_only_if_no_other_owners_tunnel_has_it() {
    let world = World::start().await;
    let operator = world.operator();
    let origin = Origin::start("hello").await;
    let (owner, token) = user_with_token(&operator, "owner").await;
    let agent = agent_of(&world, "agent", &token).await;
    agent.tunnel(http("shop", "a.shop.test", &origin)).await;
    for name in ["a.shop.test", "shop.test", "*.shop.test"] {
        let refused = operator.post("/reserved_domains", json!({ "domain": name })).await;
        assert_eq!(refused.code(), Code::ReservedLive, "{name}");
    }
    operator.post("/reserved_domains", json!({ "domain": "shop.test", "owner_id": owner })).await.ok();
    agent.delete("/api/tunnels/shop").await;
    agent.tunnel(http("shop", "a.shop.test", &origin)).await;
}

#[tokio::test]
async fn a_name_belongs_to_an_edge_or_to_a_tunnel() {
    let world = World::start().await;
    let operator = world.operator();
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let edge_on = |name: &str| json!({ "hostports": [format!("{name}:443")] });
    for path in ["/edges/https", "/edges/tls"] {
        agent.tunnel(http("t", "shop.localhost", &origin)).await;
        assert_eq!(operator.post(path, edge_on("shop.localhost")).await.code(), Code::HostportBound);
        assert_eq!(agent.delete("/api/tunnels/t").await.status, 204);
        let edge = eventually("the name is free", async || {
            Some(operator.post(path, edge_on("shop.localhost")).await).filter(|answer| answer.status == 201)
        })
        .await;
        assert_eq!(agent.request_tunnel(http("t", "shop.localhost", &origin)).await.code(), Code::NameOfEdge);
        agent.tunnel(http("beside", "beside.localhost", &origin)).await;
        agent.delete("/api/tunnels/beside").await;
        operator.delete(&format!("{path}/{}", edge.text("id"))).await.ok();
        agent.tunnel(http("t", "shop.localhost", &origin)).await;
        agent.delete("/api/tunnels/t").await;
    }
}

#[tokio::test]
async fn a_reserved_address_is_for_its_owners_agents_and_for_edges() {
    let world = World::start().await;
    let operator = world.operator();
    let echo = Echo::named("echo").await;
    let ((owner, own), (_, other)) =
        (user_with_token(&operator, "owner").await, user_with_token(&operator, "other").await);
    let (owners, others) = (agent_of(&world, "owners", &own).await, agent_of(&world, "others", &other).await);
    let made = operator.post("/reserved_addrs", json!({ "owner_id": owner })).await.ok();
    let item = format!("/reserved_addrs/{}", made.text("id"));
    let port: u16 = made.text("addr").strip_prefix("localhost:").unwrap().parse().unwrap();
    let (first, last) = world.server.tcp_ports();
    assert!((first..=last).contains(&port), "{port}");

    assert_eq!(others.request_tunnel(tcp("t", port, &echo)).await.code(), Code::AddressReserved);
    let tunnel = owners.tunnel(tcp("t", port, &echo)).await;
    assert_eq!(tunnel.port(), port);
    let (mut line, greeting) = EchoClient::connect(port).await.unwrap();
    assert_eq!((greeting.as_str(), line.echo("hi").await.as_deref()), ("echo", Some("hi")));
    let edge = json!({ "hostports": [format!("localhost:{port}")] });
    assert_eq!(operator.post("/edges/tcp", edge.clone()).await.code(), Code::HostportBound);
    owners.delete("/api/tunnels/t").await;
    let edge = eventually("the port is free", async || {
        Some(operator.post("/edges/tcp", edge.clone()).await).filter(|answer| answer.status == 201)
    })
    .await;
    assert_eq!(owners.request_tunnel(tcp("t", port, &echo)).await.code(), Code::NameOfEdge);
    assert_eq!(operator.delete(&item).await.code(), Code::ReservedInUse);
    operator.delete(&format!("/edges/tcp/{}", edge.text("id"))).await.ok();
    owners.tunnel(tcp("t", port, &echo)).await;
    owners.delete("/api/tunnels/t").await;
    operator.delete(&item).await.ok();
    eventually("the port is free", async || {
        let response = others.request_tunnel(tcp("t", port, &echo)).await;
        (response.status == 201).then_some(()).or_else(|| {
            assert_eq!(response.code(), Code::NameTaken, "nothing but the former tunnel may be in the way");
            None
        })
    })
    .await;
}

#[tokio::test]
async fn agents_that_let_the_server_choose_never_get_a_reserved_address() {
    let world = World::start().await;
    let operator = world.operator();
    let echo = Echo::named("echo").await;
    let (first, last) = world.server.tcp_ports();
    for _ in first..last {
        operator.post("/reserved_addrs", json!({})).await.ok();
    }
    let agent = world.agent().await;
    let chosen = agent.tcp("free", &echo).await.port();
    let reserved = operator.get("/reserved_addrs").await.ok();
    let reserved: Vec<&str> =
        reserved.body["reserved_addrs"].as_array().unwrap().iter().map(|one| one["addr"].as_str().unwrap()).collect();
    assert!(!reserved.contains(&format!("localhost:{chosen}").as_str()), "{chosen} is one of {reserved:?}");
    let any = json!({ "name": "more", "proto": "tcp", "addr": echo.to_string() });
    assert_eq!(agent.request_tunnel(any).await.code(), Code::NoPortFree);
    assert_eq!(operator.post("/reserved_addrs", json!({})).await.code(), Code::NoPortFree);
}

/// An edge and an agent request the same name at the same moment: one gets it, the other gets the reason.
#[tokio::test]
async fn of_an_edge_and_an_agent_that_request_one_name_one_gets_it() {
    let world = World::start().await;
    let operator = world.operator();
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    for round in 0..15 {
        let name = format!("name-{round}.localhost");
        let tunnel = format!("t{round}");
        let edge = json!({ "hostports": [format!("{name}:443")] });
        let (made, bound) =
            tokio::join!(operator.post("/edges/https", edge), agent.request_tunnel(http(&tunnel, &name, &origin)));
        match (made.status, bound.status) {
            (201, _) => assert_eq!(bound.code(), Code::NameOfEdge, "{name}"),
            (_, 201) => assert_eq!(made.code(), Code::HostportBound, "{name}"),
            _ => panic!("neither or both: {made:?} {bound:?}"),
        }
    }
}

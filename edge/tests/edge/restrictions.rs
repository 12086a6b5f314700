//! IP restrictions of visitors and agents: every endpoint, edges and tunnels alike, by the address of the socket.

use crate::{
    kit::{
        ScriptedOrigin, World,
        agent::Agent,
        edges::{below, https, response, tls, to},
        until, visitor,
    },
    tcp::connect,
};
use postern_api::{
    Code,
    ip_rules::{Action, IpRule, IpRules, parse_cidr},
    published::IpRestriction,
    resource::RestrictionType,
};
use postern_tunnel::{ConnectError, message::Scheme};
use std::sync::Arc;

/// A restriction that lets in what the CIDR says.
fn restriction(id: &str, guards: RestrictionType, enforced: bool, allowed: &str) -> Arc<IpRestriction> {
    let network = parse_cidr(allowed).unwrap();
    let rules =
        Arc::new(IpRules::new(vec![IpRule { network, action: Action::Allow, id: format!("ipr_{allowed}").into() }]));
    Arc::new(IpRestriction { id: id.to_owned(), guards, enforced, rules })
}

impl World {
    async fn restrict(&self, restrictions: &[Arc<IpRestriction>]) {
        self.change(|published| published.ip_restrictions = Arc::new(restrictions.to_vec()));
        self.applied().await;
    }
}

#[tokio::test]
async fn every_endpoint_is_closed_to_an_address_that_is_not_allowed_and_open_again_at_once() {
    let world = World::start().await;
    let (web, greeter) = (ScriptedOrigin::with_text("hello").await, ScriptedOrigin::greeting("220 ready\r\n").await);
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("tunnel"), web.address).await.unwrap();
    agent.http_on(Scheme::Http, Some("plain"), None, web.address).await.unwrap();
    let port = agent.tcp(None, greeter.address).await.unwrap().port.unwrap();
    agent.labels(&[("app", "raw")], greeter.address).await.unwrap();
    let raw = crate::kit::edges::group(&[("app", "raw")]);
    world.backends([("bkdhr_1", response(200, "fixed")), ("bkdtg_1", raw)]).await;
    world.https_edge(https(&["edge.test"], &[below("/", to("bkdhr_1"))])).await;
    world.tls_edge(tls("raw.test", to("bkdtg_1"))).await;

    let mut kept = visitor::https(&world, "edge.test").await;
    let request = "GET / HTTP/1.1\r\nHost: edge.test\r\n\r\n";
    assert_eq!(kept.request(request).await.text(), "fixed");
    assert_eq!(connect(port).await.rest().await, b"220 ready\r\n");

    world.restrict(&[restriction("ipx_1", RestrictionType::Endpoints, true, "203.0.113.0/24")]).await;
    assert_eq!(kept.request(request).await.code(), "ERR_POSTERN_3205", "on a connection that stands");
    for host in ["edge.test", "tunnel.localhost", "unknown.test"] {
        let response = visitor::get(&world, host, "/").await;
        assert_eq!((response.status, response.code()), (403, "ERR_POSTERN_3205"), "{host}");
    }
    let plain = visitor::plain(&world).await.request("GET / HTTP/1.1\r\nHost: plain.localhost\r\n\r\n").await;
    assert_eq!((plain.status, plain.code()), (403, "ERR_POSTERN_3205"));
    assert!(connect(port).await.rest().await.is_empty(), "closed before any byte");
    let stream = tokio::net::TcpStream::connect(world.edge.https_addr()).await.unwrap();
    let name = rustls::pki_types::ServerName::try_from("raw.test").unwrap();
    assert!(crate::kit::connector(&world, &[]).connect(name, stream).await.is_err(), "no handshake");

    world.restrict(&[restriction("ipx_1", RestrictionType::Endpoints, false, "203.0.113.0/24")]).await;
    assert_eq!(kept.request(request).await.text(), "fixed", "what is not enforced only warns");
    assert_eq!(visitor::get(&world, "tunnel.localhost", "/").await.text(), "hello");
    assert_eq!(connect(port).await.rest().await, b"220 ready\r\n");

    let two = [("ipx_1", "127.0.0.0/8"), ("ipx_2", "127.0.0.2")];
    let both = two.map(|(id, allowed)| restriction(id, RestrictionType::Endpoints, true, allowed));
    world.restrict(&both[..1]).await;
    assert_eq!(kept.request(request).await.text(), "fixed");
    world.restrict(&both).await;
    assert_eq!(kept.request(request).await.code(), "ERR_POSTERN_3205", "each enforced one must let it pass");
}

#[tokio::test]
async fn an_agent_whose_address_is_not_allowed_starts_no_session() {
    let world = World::start().await;
    let (there, there_origin) = (Agent::connect(&world, "one").await, ScriptedOrigin::with_text("hello").await);
    for part in [RestrictionType::Api, RestrictionType::Dashboard, RestrictionType::Endpoints] {
        world.restrict(&[restriction("ipx_1", part, true, "203.0.113.0/24")]).await;
        Agent::connect(&world, "other").await.session.goodbye().await;
    }
    world.restrict(&[restriction("ipx_1", RestrictionType::Agent, true, "203.0.113.0/24")]).await;
    match Agent::connect_as(&world, &world.token, "two").await {
        Err(ConnectError::Refused(error)) => assert_eq!(error.code, Code::AgentAddressDenied),
        Err(other) => panic!("not refused but broken: {other}"),
        Ok(_) => panic!("welcomed"),
    }
    assert!(there.labels(&[("app", "still")], there_origin.address).await.is_ok(), "a session that stands goes on");
    world.restrict(&[restriction("ipx_1", RestrictionType::Agent, false, "203.0.113.0/24")]).await;
    let _two = Agent::connect(&world, "two").await;
    until("both are there", || world.live().sessions().len() == 2).await;
}

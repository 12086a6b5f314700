//! What is written down of visitors: the access log, and the last refusals of each edge.

use crate::{
    kit::{
        Http1Client, ScriptedOrigin, World,
        access_log::Lines,
        agent::Agent,
        edges::{below, https, response, tls, to},
        ports, visitor,
    },
    tcp::connect,
};
use postern_api::{
    Code,
    ip_rules::{Action, IpRule, IpRules, parse_cidr},
    published::{Listed, Settings, TcpEdge},
    trace::Verdict,
};
use postern_edge::AccessLog;
use std::sync::Arc;

async fn world() -> (World, Lines) {
    let (log, reader) = AccessLog::new();
    (World::with(|settings| settings.access_log = Some(log)).await, Lines::new(reader))
}

fn rules(cidr: &str) -> Option<Arc<IpRules>> {
    let network = parse_cidr(cidr).unwrap();
    Some(Arc::new(IpRules::new(vec![IpRule { network, action: Action::Allow, id: format!("ipr_{cidr}").into() }])))
}

#[tokio::test]
async fn every_request_is_an_entry_with_its_way_and_its_bytes() {
    let (world, mut entries) = world().await;
    let origin = ScriptedOrigin::with_text("hello").await;
    let agent = Agent::connect(&world, "one").await;
    let tunnel = agent.http(Some("shop"), origin.address).await.unwrap().tunnel;
    let request = "POST /a/b?token=secret HTTP/1.1\r\nHost: shop.localhost\r\nContent-Length: 4\r\n\r\nbody";
    visitor::https(&world, "shop.localhost").await.request(request).await;
    let entry = entries.next().await;
    assert_eq!((entry.kind.as_str(), entry.scheme.as_str(), entry.protocol.as_str()), ("request", "https", "HTTP/1.1"));
    assert_eq!((entry.method.as_str(), entry.host.as_str(), entry.path.as_str()), ("POST", "shop.localhost", "/a/b"));
    assert_eq!((entry.status, entry.bytes_in, entry.bytes_out), (200, 4, 5));
    assert_eq!((entry.edge.as_str(), entry.served_by), ("", tunnel));
    assert!(entry.id.starts_with("op_") && entry.error_code.is_none() && entry.duration_microseconds > 0);

    world.backends([("bkdhr_1", response(200, "fixed"))]).await;
    let settings = Settings { ip_restriction: rules("127.0.0.0/8"), ..to("bkdhr_1") };
    world.https_edge(https(&["edge.test"], &[below("/", settings)])).await;
    assert_eq!(visitor::get(&world, "edge.test", "/x").await.text(), "fixed");
    let entry = entries.next().await;
    let way = (entry.edge.as_str(), entry.route.as_str(), entry.backend.as_str());
    assert_eq!(way, ("edghts_edge.test", "edghtsrt_/", "bkdhr_1"));
    assert_eq!(entry.decisions.len(), 1);
    let decision = &entry.decisions[0];
    assert_eq!((decision.module.as_str(), decision.rule.as_str()), ("ip_restriction", "ipr_127.0.0.0/8"));
    assert_eq!(decision.verdict, Verdict::Passed);

    let response = visitor::get(&world, "unknown.test", "/").await;
    let entry = entries.next().await;
    assert_eq!(
        (entry.status, entry.error_code, entry.bytes_out),
        (404, Some(Code::HostUnknown), response.body.len() as u64)
    );
    assert_eq!(response.header("postern-request-id"), Some(entry.id.as_str()), "what the visitor sees names the line");
}

#[tokio::test]
async fn a_connection_is_an_entry_when_it_is_over() {
    let (world, mut entries) = world().await;
    let echo = ScriptedOrigin::echo().await;
    let agent = Agent::connect(&world, "one").await;
    let bound = agent.tcp(None, echo.address).await.unwrap();
    let mut line = connect(bound.port.unwrap()).await;
    line.send(b"ping").await;
    assert_eq!(line.read_exactly(4).await, b"ping");
    assert!(entries.written().is_none(), "it is not over");
    drop(line);
    let entry = entries.next().await;
    assert_eq!(
        (entry.kind.as_str(), entry.scheme.as_str(), entry.bytes_in, entry.bytes_out),
        ("connection", "tcp", 4, 4)
    );
    assert_eq!((entry.served_by, entry.method.as_str()), (bound.tunnel, ""));
}

#[tokio::test]
async fn what_an_edge_turns_away_is_kept_and_named_until_the_edge_is_gone() {
    let world = World::start().await;
    world.backends([("bkdhr_1", response(200, "fixed"))]).await;
    let closed = || Settings { ip_restriction: rules("203.0.113.0/24"), ..to("bkdhr_1") };
    world.https_edge(https(&["a.test"], &[below("/", to("bkdhr_1")), below("/in", closed())])).await;
    world.tls_edge(tls("b.test", closed())).await;
    let port = ports::free_tcp_port();
    world.change(|published| {
        let edge = TcpEdge { id: "edgtcp_1".into(), ports: vec![port], settings: closed() };
        published.tcp_edges.insert_mut(edge.id.clone(), Arc::new(edge));
    });
    world.applied().await;

    assert_eq!(visitor::get(&world, "a.test", "/").await.status, 200);
    assert!(world.live().refused("edghts_a.test").is_empty(), "who is served is not refused");
    let responses = [visitor::get(&world, "a.test", "/in/1").await, visitor::get(&world, "a.test", "/in/2").await];
    let kept = world.live().refused("edghts_a.test");
    let paths: Vec<&str> = kept.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(paths, ["/in/2", "/in/1"], "the newest first");
    assert_eq!(responses[1].header("postern-request-id"), Some(kept[0].id.as_str()));
    assert_eq!((kept[0].status, kept[0].error_code), (403, Some(Code::AddressDenied)));
    assert_eq!((kept[0].route.as_str(), kept[0].host.as_str()), ("edghtsrt_/in", "a.test"));
    assert_eq!(kept[0].decisions.last().unwrap().verdict, Verdict::Refused);

    let stream = tokio::net::TcpStream::connect(world.edge.https_addr()).await.unwrap();
    let name = rustls::pki_types::ServerName::try_from("b.test").unwrap();
    assert!(crate::kit::connector(&world, &[]).connect(name, stream).await.is_err());
    assert!(connect(port).await.rest().await.is_empty());
    for (edge, scheme, host) in [("edgtls_b.test", "tls", "b.test"), ("edgtcp_1", "tcp", "")] {
        let kept = world.live().refused(edge);
        assert_eq!(kept.len(), 1, "{edge}");
        assert_eq!((kept[0].kind, kept[0].scheme, kept[0].host.as_str()), ("connection", scheme, host));
        assert_eq!(kept[0].error_code, Some(Code::AddressDenied));
    }
    world.change(|published| published.tls_edges = Listed::default());
    world.applied().await;
    assert!(world.live().refused("edgtls_b.test").is_empty());
    assert_eq!(world.live().refused("edgtcp_1").len(), 1);
}

#[tokio::test]
async fn a_handshake_that_comes_to_nothing_is_an_entry() {
    let (world, mut entries) = world().await;
    // A port probe without a byte gets no line.
    drop(tokio::net::TcpStream::connect(world.edge.https_addr()).await.unwrap());
    let mut rude = Http1Client::new(tokio::net::TcpStream::connect(world.edge.https_addr()).await.unwrap());
    rude.send(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n").await;
    rude.rest().await;
    let entry = entries.next().await;
    assert_eq!((entry.kind.as_str(), entry.scheme.as_str(), entry.host.as_str()), ("connection", "tls", ""));
    assert_eq!((entry.status, entry.error_code), (0, Some(Code::HandshakeFailed)));
    assert!(entry.message.starts_with("The TLS handshake failed: "), "{}", entry.message);

    let stream = tokio::net::TcpStream::connect(world.edge.https_addr()).await.unwrap();
    let side =
        rustls::ClientConfig::builder().with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth();
    let name = rustls::pki_types::ServerName::try_from("shop.test").unwrap();
    let side = tokio_rustls::TlsConnector::from(Arc::new(side));
    assert!(side.connect(name, stream).await.is_err(), "it does not trust the certificate");
    let entry = entries.next().await;
    assert_eq!((entry.host.as_str(), entry.error_code), ("shop.test", Some(Code::HandshakeFailed)));
    assert!(entry.duration_microseconds > 0);
}

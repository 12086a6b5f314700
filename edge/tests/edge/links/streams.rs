//! Streams over a link: every protocol, refusals, back-pressure, groups.

use crate::kit::{
    Http1Client, ScriptedOrigin, World,
    agent::Agent,
    cluster::Cluster,
    edges::{below, group, https, to},
    in_time, ports, until, visitor,
};
use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use postern_test_kit::tls;
use postern_tunnel::{StreamKind, message::BindKind};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{io::AsyncWriteExt, net::TcpStream};

async fn agent_at(cluster: &Cluster, place: usize, instance: &str) -> Agent {
    match Agent::connect_as(&cluster.nodes[place], &cluster.token, instance).await {
        Ok(agent) => agent,
        Err(error) => panic!("no session: {error}"),
    }
}

#[tokio::test]
async fn http_visitors_of_one_node_reach_an_agent_of_another() {
    let cluster = Cluster::start(2).await;
    let origin = ScriptedOrigin::with_text("hello").await;
    let agent = agent_at(&cluster, 0, "one").await;
    let bound = agent.http(Some("shop"), origin.address).await.unwrap();
    cluster.serve("shop.localhost").await;
    let other = &cluster.nodes[1];
    let mut visitor = visitor::https(other, "shop.localhost").await;
    for _ in 0..5 {
        let response = visitor.request("GET /x HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await;
        assert_eq!((response.status, response.text().as_str()), (200, "hello"));
    }
    assert_eq!(origin.connections(), 1, "one connection to the local service is used again");
    let mut sender = visitor::http2(other, "shop.localhost").await;
    let request = Request::builder().uri("https://shop.localhost/").body(Full::new(Bytes::new())).unwrap();
    let (parts, body) = visitor::whole(in_time(sender.send_request(request)).await.unwrap()).await;
    assert_eq!((parts.status.as_u16(), &body[..]), (200, &b"hello"[..]));
    let start = agent.starts.lock().unwrap()[0];
    assert_eq!((start.tunnel, start.kind, start.tls), (bound.number, StreamKind::Http, true));
    let tunnel = other.live().tunnels().pop().unwrap();
    assert_eq!((tunnel.id, tunnel.url), (bound.tunnel, bound.url));
    assert_eq!(tunnel.node.as_deref(), Some("node_0"));
}

#[tokio::test]
async fn a_websocket_crosses_a_link_and_ends_with_its_visitor() {
    let cluster = Cluster::start(2).await;
    let origin = ScriptedOrigin::serving(|mut connection| async move {
        connection.request().await.unwrap();
        let response = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nearly";
        connection.send(response).await.unwrap();
        let (mut reader, mut writer) = connection.stream.into_split();
        let _ = tokio::io::copy(&mut reader, &mut writer).await;
    })
    .await;
    let agent = agent_at(&cluster, 0, "one").await;
    agent.http(Some("ws"), origin.address).await.unwrap();
    cluster.serve("ws.localhost").await;
    let mut visitor = visitor::https(&cluster.nodes[1], "ws.localhost").await;
    let request = "GET /chat HTTP/1.1\r\nHost: ws.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n";
    assert_eq!(visitor.request(request).await.status, 101);
    assert_eq!(visitor.read_exactly(5).await, b"early");
    for size in [1usize, 1000, 300_000] {
        let message: Vec<u8> = (0..size).map(|index| index as u8).collect();
        let (mut reader, mut writer) = tokio::io::split(visitor.stream);
        let mut echoed = vec![0; size];
        let reading = tokio::io::AsyncReadExt::read_exact(&mut reader, &mut echoed);
        let (sent, read) = in_time(futures::future::join(writer.write_all(&message), reading)).await;
        sent.unwrap();
        read.unwrap();
        assert!(echoed == message);
        visitor = Http1Client::new(reader.unsplit(writer));
    }
    let streams = |node: &World| node.live().tunnels()[0].streams;
    until("both nodes count the stream", || cluster.nodes.iter().all(|node| streams(node) == 1)).await;
    drop(visitor);
    until("it ends with the visitor", || cluster.nodes.iter().all(|node| streams(node) == 0)).await;
}

#[tokio::test]
async fn tls_is_passed_through_over_a_link() {
    let cluster = Cluster::start(2).await;
    let own = tls::self_signed("secret.localhost");
    let origin = ScriptedOrigin::serving_tls(tls::acceptor(&own, &[]), |mut connection| async move {
        connection.close_with(b"from inside").await;
    })
    .await;
    let agent = agent_at(&cluster, 0, "one").await;
    let what = BindKind::Tls { host: Some("secret".into()), previous: None, terminate: false };
    agent.bind(what, origin.address).await.unwrap();
    cluster.serve("secret.localhost").await;
    let stream = TcpStream::connect(cluster.nodes[1].edge.https_addr()).await.unwrap();
    let name = rustls::pki_types::ServerName::try_from("secret.localhost").unwrap();
    let stream = in_time(tls::connector([own.cert.der()], &[]).connect(name, stream)).await.unwrap();
    assert_eq!(Http1Client::new(stream).rest().await, b"from inside");
    assert_eq!(agent.starts.lock().unwrap()[0].kind, StreamKind::Tls);
}

#[tokio::test]
async fn a_tcp_port_is_open_at_every_node_and_half_closing_works() {
    let cluster = Cluster::start(2).await;
    let (greeter, echo) = (ScriptedOrigin::greeting("220 ready\r\n").await, ScriptedOrigin::echo().await);
    let agent = agent_at(&cluster, 0, "one").await;
    for (origin, expected) in [(&greeter, &b"220 ready\r\n"[..]), (&echo, &b"0123456789"[..])] {
        let bound = agent.tcp(None, origin.address).await.unwrap();
        let port = bound.port.unwrap();
        let other = &cluster.nodes[1];
        until("the other node listens", || other.live().listens_on(port).is_some()).await;
        let mut visitor = Http1Client::new(TcpStream::connect(("127.0.0.2", port)).await.unwrap());
        visitor.try_send(b"0123456789").await;
        let _ = visitor.stream.shutdown().await;
        assert_eq!(visitor.rest().await, expected);
        agent.session.unbind(bound.number);
        until("the port is closed everywhere", || {
            cluster.nodes.iter().all(|node| node.live().listens_on(port).is_none() && !node.live().port_in_use(port))
        })
        .await;
    }
}

#[tokio::test]
async fn what_an_agent_refuses_is_refused_at_every_node_in_its_own_words() {
    let cluster = Cluster::start(2).await;
    let agent = agent_at(&cluster, 0, "one").await;
    let nowhere = ports::unused_address();
    agent.http(Some("shop"), nowhere).await.unwrap();
    cluster.serve("shop.localhost").await;
    for node in &cluster.nodes {
        let response = visitor::get(node, "shop.localhost", "/").await;
        assert_eq!((response.status, response.code()), (502, "ERR_POSTERN_8012"));
        assert!(response.text().contains(&nowhere.to_string()), "{}", response.text());
    }
}

#[tokio::test]
async fn a_group_turns_over_the_tunnels_of_all_nodes() {
    let cluster = Cluster::start(2).await;
    let (a, b) = (ScriptedOrigin::with_text("a").await, ScriptedOrigin::with_text("b").await);
    let (one, two) = (agent_at(&cluster, 0, "one").await, agent_at(&cluster, 1, "two").await);
    one.labels(&[("app", "shop"), ("zone", "a")], a.address).await.unwrap();
    two.labels(&[("app", "shop")], b.address).await.unwrap();
    for node in &cluster.nodes {
        node.backends([("bkdtg_1", group(&[("app", "shop")]))]).await;
        node.https_edge(https(&["shop.localhost"], &[below("/", to("bkdtg_1"))])).await;
        until("both tunnels are known", || node.live().tunnels().len() == 2).await;
        // Links announce what there was before they count as complete.
        let mut counts: HashMap<String, u32> = HashMap::new();
        let mut visitor = visitor::https(node, "shop.localhost").await;
        for _ in 0..10 {
            let response = visitor.request("GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await;
            *counts.entry(response.text()).or_default() += 1;
        }
        assert_eq!((counts["a"], counts["b"]), (5, 5), "each tunnel takes its turn");
    }
    drop(one);
    until("the tunnel is gone", || cluster.nodes[1].live().tunnels().len() == 1).await;
    for _ in 0..4 {
        assert_eq!(visitor::get(&cluster.nodes[1], "shop.localhost", "/").await.text(), "b");
    }
}

#[tokio::test]
async fn a_visitor_who_does_not_read_holds_up_the_sender_and_no_other_visitor() {
    const PIECE: usize = 64 * 1024;
    const WHOLE: usize = 1 << 30;
    let cluster = Cluster::start(2).await;
    let sent = Arc::new(AtomicUsize::new(0));
    let origin = {
        let sent = sent.clone();
        ScriptedOrigin::serving(move |mut connection| {
            let sent = sent.clone();
            async move {
                let request = connection.request().await.unwrap();
                if !request.starts_with("GET /large") {
                    return connection.close_with(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nsmall").await;
                }
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {WHOLE}\r\n\r\n");
                connection.send(head.as_bytes()).await.unwrap();
                while connection.send(&[0; PIECE]).await.is_ok() {
                    sent.fetch_add(PIECE, Ordering::SeqCst);
                }
            }
        })
        .await
    };
    let agent = agent_at(&cluster, 0, "one").await;
    agent.http(Some("shop"), origin.address).await.unwrap();
    cluster.serve("shop.localhost").await;
    let other = &cluster.nodes[1];
    let mut stalled = visitor::https(other, "shop.localhost").await;
    stalled.send(b"GET /large HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await;
    until("the response is on its way", || sent.load(Ordering::SeqCst) > 0).await;
    // Others are served until the sender stands still between two of them.
    let mut before = 0;
    loop {
        for _ in 0..20 {
            assert_eq!(in_time(visitor::get(other, "shop.localhost", "/")).await.text(), "small");
        }
        let now = sent.load(Ordering::SeqCst);
        assert!(now < WHOLE / 8, "a response of {now} bytes is buffered on the way");
        if std::mem::replace(&mut before, now) == now {
            break;
        }
    }
    drop(stalled);
}

#[tokio::test]
async fn a_group_turns_over_tunnels_and_not_over_the_ways_to_one() {
    let cluster = Cluster::start(2).await;
    let (a, b) = (ScriptedOrigin::with_text("a").await, ScriptedOrigin::with_text("b").await);
    // One agent is at both nodes, another at the first only.
    let agents = [(0, "one", &a), (1, "one", &a), (0, "two", &b)];
    let mut connected = Vec::new();
    for (place, instance, origin) in agents {
        let agent = agent_at(&cluster, place, instance).await;
        agent.labels(&[("app", "shop")], origin.address).await.unwrap();
        connected.push(agent);
    }
    for node in &cluster.nodes {
        until("all ways are known", || node.live().tunnels().iter().map(|tunnel| tunnel.ways).sum::<usize>() == 3)
            .await;
        node.backends([("bkdtg_1", group(&[("app", "shop")]))]).await;
        node.https_edge(https(&["shop.localhost"], &[below("/", to("bkdtg_1"))])).await;
        let mut counts: HashMap<String, u32> = HashMap::new();
        let mut visitor = visitor::https(node, "shop.localhost").await;
        for _ in 0..10 {
            let response = visitor.request("GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await;
            *counts.entry(response.text()).or_default() += 1;
        }
        assert_eq!((counts["a"], counts["b"]), (5, 5));
    }
}

#[tokio::test]
async fn an_agent_learns_of_the_visitors_of_other_nodes_until_their_link_is_lost() {
    let mut cluster = Cluster::start(2).await;
    let origin = ScriptedOrigin::with_text("hello").await;
    let agent = agent_at(&cluster, 0, "one").await;
    let bound = agent.http(Some("shop"), origin.address).await.unwrap();
    cluster.serve("shop.localhost").await;
    let open = || {
        let changes = agent.visitors.lock().unwrap();
        let own = changes.iter().filter(|changes| changes.number == bound.number);
        own.map(|changes| i64::from(changes.opened) - changes.ended.iter().map(|end| i64::from(end.count)).sum::<i64>())
            .sum::<i64>()
    };
    let ask = async |visitor: &mut Http1Client<_>| {
        assert_eq!(visitor.request("GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await.status, 200);
    };
    let (mut first, mut second) = (
        visitor::https(&cluster.nodes[1], "shop.localhost").await,
        visitor::https(&cluster.nodes[1], "shop.localhost").await,
    );
    ask(&mut first).await;
    ask(&mut second).await;
    until("both visitors are counted", || open() == 2).await;
    drop(first);
    until("one has left", || open() == 1).await;
    drop(cluster.nodes.remove(1));
    until("the other is gone with its node", || open() == 0).await;
}

//! The path to the server: through proxies, and with configured name servers.

use crate::world::World;
use postern_agent::agent::AutoStart;
use simple_dns::{
    CLASS, Packet, ResourceRecord, TYPE,
    rdata::{A, RData},
};
use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream, UdpSocket},
};

/// A proxy that leads to the server for any target, and records the requests.
struct RecordingProxy {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl RecordingProxy {
    async fn start(server: u16, says: &'static str) -> RecordingProxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("it listens");
        let address = listener.local_addr().expect("an address");
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let recorded = requests.clone();
        tokio::spawn(async move {
            while let Ok((mut visitor, _)) = listener.accept().await {
                let recorded = recorded.clone();
                tokio::spawn(async move {
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") {
                        head.push(visitor.read_u8().await.expect("a head"));
                    }
                    recorded.lock().unwrap().push(String::from_utf8(head).expect("text"));
                    let _ = visitor.write_all(format!("HTTP/1.1 {says}\r\n\r\n").as_bytes()).await;
                    if says.starts_with("200") {
                        let mut way = TcpStream::connect(("127.0.0.1", server)).await.expect("the server");
                        let _ = copy_bidirectional(&mut visitor, &mut way).await;
                    }
                });
            }
        });
        RecordingProxy { address, requests }
    }
}

/// A configuration with a server name that the system's resolver does not know.
fn configured(world: &World, lines: &str) {
    let text = format!(
        "version: 2\nauthtoken: a-token\nserver_addr: server.test:{}\nserver_name: localhost\nroot_cas: {}\nweb_addr: 127.0.0.1:0\n{lines}",
        world.server.port(),
        world.folder.path().join("ca.pem").display(),
    );
    std::fs::write(world.config(), text).expect("written");
}

#[tokio::test]
async fn a_proxy_connects_to_a_server_whose_name_only_it_knows() {
    let mut world = World::stopped("").await;
    let proxy = RecordingProxy::start(world.server.port(), "200 OK").await;
    configured(&world, &format!("proxy_url: http://ada:secret-word@{}\n", proxy.address));
    world.run(AutoStart::All).await;
    world.wait_until(|status, _| status["status"] == "online").await;
    let requests = proxy.requests.lock().unwrap().clone();
    let first = format!("CONNECT server.test:{} HTTP/1.1\r\n", world.server.port());
    assert!(!requests.is_empty() && requests.iter().all(|head| head.starts_with(&first)), "{requests:?}");
    assert!(requests[0].contains("Proxy-Authorization: Basic YWRhOnNlY3JldC13b3Jk\r\n"), "{requests:?}");
}

#[tokio::test]
async fn a_refusing_proxy_is_reported_with_its_reason() {
    let mut world = World::stopped("").await;
    let proxy = RecordingProxy::start(world.server.port(), "407 Who are you?").await;
    configured(&world, &format!("proxy_url: http://ada:secret-word@{}\n", proxy.address));
    world.run(AutoStart::All).await;
    let why = format!("the proxy at {} failed (", proxy.address);
    world
        .wait_until(|status, _| {
            let text = status["session"]["reason"].to_string();
            assert!(!text.contains("secret-word"), "{text}");
            text.contains(&why)
        })
        .await;
}

#[tokio::test]
async fn configured_name_servers_resolve_the_server() {
    let mut world = World::stopped("").await;
    let socket = UdpSocket::bind("127.0.0.1:0").await.expect("it listens");
    configured(&world, &format!("dns_resolver_ips: [\"{}\"]\n", socket.local_addr().expect("an address")));
    tokio::spawn(async move {
        let mut buffer = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
            let query = Packet::parse(&buffer[..length]).expect("a question");
            let question = query.questions[0].clone();
            let mut reply = Packet::new_reply(query.id());
            if question.qtype == TYPE::A.into() && question.qname.to_string() == "server.test" {
                let address = RData::A(A { address: Ipv4Addr::LOCALHOST.into() });
                reply.answers.push(ResourceRecord::new(question.qname.clone(), CLASS::IN, 60, address));
            }
            reply.questions.push(question);
            let _ = socket.send_to(&reply.build_bytes_vec().expect("a response"), from).await;
        }
    });
    world.run(AutoStart::All).await;
    world.wait_until(|status, _| status["status"] == "online").await;
}

//! The way to the server: through proxies, and to addresses that name servers of one's own know.

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

/// A proxy that leads everybody to the server, and what it was asked for.
struct Proxy {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    async fn start(server: u16, says: &'static str) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("it listens");
        let address = listener.local_addr().expect("an address");
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = asked.clone();
        tokio::spawn(async move {
            while let Ok((mut visitor, _)) = listener.accept().await {
                let kept = kept.clone();
                tokio::spawn(async move {
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") {
                        head.push(visitor.read_u8().await.expect("a head"));
                    }
                    kept.lock().unwrap().push(String::from_utf8(head).expect("text"));
                    let _ = visitor.write_all(format!("HTTP/1.1 {says}\r\n\r\n").as_bytes()).await;
                    if says.starts_with("200") {
                        let mut way = TcpStream::connect(("127.0.0.1", server)).await.expect("the server");
                        let _ = copy_bidirectional(&mut visitor, &mut way).await;
                    }
                });
            }
        });
        Proxy { address, asked }
    }
}

/// A configuration whose server has a name that this machine's system does not know.
fn configured(world: &World, lines: &str) {
    let text = format!(
        "version: 2\nauthtoken: a-token\nserver_addr: server.test:{}\nserver_name: localhost\nroot_cas: {}\nweb_addr: 127.0.0.1:0\n{lines}",
        world.server.port(),
        world.folder.path().join("ca.pem").display(),
    );
    std::fs::write(world.config(), text).expect("written");
}

#[tokio::test]
async fn a_proxy_leads_to_a_server_whose_name_only_it_knows() {
    let mut world = World::stopped("").await;
    let proxy = Proxy::start(world.server.port(), "200 OK").await;
    configured(&world, &format!("proxy_url: http://ada:secret-word@{}\n", proxy.address));
    world.run(AutoStart::All).await;
    world.wait_until(|status, _| status["status"] == "online").await;
    let asked = proxy.asked.lock().unwrap().clone();
    let first = format!("CONNECT server.test:{} HTTP/1.1\r\n", world.server.port());
    assert!(!asked.is_empty() && asked.iter().all(|head| head.starts_with(&first)), "{asked:?}");
    assert!(asked[0].contains("Proxy-Authorization: Basic YWRhOnNlY3JldC13b3Jk\r\n"), "{asked:?}");
}

#[tokio::test]
async fn a_proxy_that_refuses_is_named_with_what_it_said() {
    let mut world = World::stopped("").await;
    let proxy = Proxy::start(world.server.port(), "407 Who are you?").await;
    configured(&world, &format!("proxy_url: http://ada:secret-word@{}\n", proxy.address));
    world.run(AutoStart::All).await;
    let why = format!("the proxy at {} is no way there (", proxy.address);
    world
        .wait_until(|status, _| {
            let text = status["session"]["reason"].to_string();
            assert!(!text.contains("secret-word"), "{text}");
            text.contains(&why)
        })
        .await;
}

#[tokio::test]
async fn name_servers_of_ones_own_are_asked_for_the_server() {
    let mut world = World::stopped("").await;
    let socket = UdpSocket::bind("127.0.0.1:0").await.expect("it listens");
    configured(&world, &format!("dns_resolver_ips: [\"{}\"]\n", socket.local_addr().expect("an address")));
    tokio::spawn(async move {
        let mut buffer = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
            let asked = Packet::parse(&buffer[..length]).expect("a question");
            let question = asked.questions[0].clone();
            let mut reply = Packet::new_reply(asked.id());
            if question.qtype == TYPE::A.into() && question.qname.to_string() == "server.test" {
                let address = RData::A(A { address: Ipv4Addr::LOCALHOST.into() });
                reply.answers.push(ResourceRecord::new(question.qname.clone(), CLASS::IN, 60, address));
            }
            reply.questions.push(question);
            let _ = socket.send_to(&reply.build_bytes_vec().expect("an answer"), from).await;
        }
    });
    world.run(AutoStart::All).await;
    world.wait_until(|status, _| status["status"] == "online").await;
}

//! A scripted name server, over both transports.

use super::*;
use postern_dns::MAX_DATAGRAM_BYTES;
use proptest::prelude::*;
use simple_dns::{
    CLASS, Name, Question, ResourceRecord,
    rdata::{A, AAAA, CNAME},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, UdpSocket},
};

/// How the name server behaves.
#[derive(Clone, Copy)]
struct ServerBehaviour {
    /// Datagrams are truncated.
    truncates: bool,
    knows: bool,
    /// The number of queries that are lost.
    lost_queries: usize,
}

fn response(question: &[u8], behaviour: ServerBehaviour, over_tcp: bool) -> Vec<u8> {
    let query = Packet::parse(question).expect("a question");
    let mut reply = Packet::new_reply(query.id());
    let name = query.questions[0].qname.clone();
    reply.questions.push(query.questions[0].clone());
    if !behaviour.knows {
        *reply.rcode_mut() = RCODE::NameError;
    } else if behaviour.truncates && !over_tcp {
        reply.set_flags(PacketFlag::TRUNCATION);
    } else {
        let real = Name::new_unchecked("real.test");
        reply.answers.push(ResourceRecord::new(name, CLASS::IN, 60, RData::CNAME(CNAME(real.clone()))));
        let data = if query.questions[0].qtype == TYPE::A.into() {
            RData::A(A { address: Ipv4Addr::new(192, 0, 2, 7).into() })
        } else {
            RData::AAAA(AAAA { address: "2001:db8::7".parse::<Ipv6Addr>().expect("an address").into() })
        };
        reply.answers.push(ResourceRecord::new(real, CLASS::IN, 60, data));
    }
    reply.build_bytes_vec().expect("a response")
}

async fn name_server(behaviour: ServerBehaviour) -> SocketAddr {
    let stream = TcpListener::bind("127.0.0.1:0").await.expect("it listens");
    let address = stream.local_addr().expect("an address");
    let datagrams = UdpSocket::bind(address).await.expect("the same port");
    tokio::spawn(async move {
        let mut buffer = [0; MAX_DATAGRAM_BYTES];
        let mut lost = 0;
        while let Ok((length, from)) = datagrams.recv_from(&mut buffer).await {
            lost += 1;
            if lost > behaviour.lost_queries {
                // A forged response comes first and is ignored.
                let mut forged = response(&buffer[..length], ServerBehaviour { knows: false, ..behaviour }, false);
                forged[0] ^= 0xff;
                let _ = datagrams.send_to(&forged, from).await;
                let _ = datagrams.send_to(&response(&buffer[..length], behaviour, false), from).await;
            }
        }
    });
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = stream.accept().await {
            let mut question = vec![0; usize::from(stream.read_u16().await.expect("a length"))];
            stream.read_exact(&mut question).await.expect("a question");
            let bytes = response(&question, behaviour, true);
            stream.write_u16(bytes.len() as u16).await.expect("received");
            stream.write_all(&bytes).await.expect("received");
        }
    });
    address
}

const KNOWS: ServerBehaviour = ServerBehaviour { truncates: false, knows: true, lost_queries: 0 };

fn both() -> Vec<SocketAddr> {
    ["[2001:db8::7]:4443", "192.0.2.7:4443"].map(|text| text.parse().expect("an address")).to_vec()
}

#[tokio::test]
async fn both_families_are_queried() {
    for behaviour in [KNOWS, ServerBehaviour { truncates: true, ..KNOWS }, ServerBehaviour { lost_queries: 3, ..KNOWS }]
    {
        let resolver = name_server(behaviour).await;
        assert_eq!(look_up("Shop.Server.test.", 4443, &[resolver]).await.expect("known"), both());
    }
}

#[tokio::test]
async fn the_next_name_server_is_queried_if_one_is_silent_or_has_no_answer() {
    let silent = name_server(ServerBehaviour { lost_queries: usize::MAX, ..KNOWS }).await;
    let ignorant = name_server(ServerBehaviour { knows: false, ..KNOWS }).await;
    let knowing = name_server(KNOWS).await;
    assert_eq!(look_up("server.test", 4443, &[silent, ignorant, knowing]).await.expect("known"), both());
    let error = look_up("server.test", 4443, &[ignorant]).await.expect_err("unknown");
    assert!(error.to_string().contains("does not exist"), "{error}");
}

#[tokio::test]
async fn local_names_and_addresses_need_no_query() {
    let silent: SocketAddr = "127.0.0.1:1".parse().expect("an address");
    for host in ["127.0.0.1", "::1", "localhost"] {
        let found = look_up(host, 1, &[silent]).await.expect("known");
        assert!(found.iter().all(|address| address.ip().is_loopback()), "{found:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_parsed_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut query = Packet::new_query(7);
        query.questions.push(Question::new(Name::new_unchecked("a.test"), TYPE::A.into(), CLASS::IN.into(), false));
        let _ = parse_response(&bytes, &query);
    }
}

//! A name server that says what it is told to say, over both transports.

use super::*;
use proptest::prelude::*;
use simple_dns::{
    ResourceRecord,
    rdata::{A, AAAA, CNAME},
};
use tokio::net::TcpListener;

/// How a name server behaves.
#[derive(Clone, Copy)]
struct Manner {
    /// Datagrams say that there is more.
    cuts: bool,
    knows: bool,
    /// So many questions are lost.
    loses: usize,
}

fn answer(question: &[u8], manner: Manner, over_tcp: bool) -> Vec<u8> {
    let asked = Packet::parse(question).expect("a question");
    let mut reply = Packet::new_reply(asked.id());
    let name = asked.questions[0].qname.clone();
    reply.questions.push(asked.questions[0].clone());
    if !manner.knows {
        *reply.rcode_mut() = RCODE::NameError;
    } else if manner.cuts && !over_tcp {
        reply.set_flags(PacketFlag::TRUNCATION);
    } else {
        let real = Name::new_unchecked("real.test");
        reply.answers.push(ResourceRecord::new(name, CLASS::IN, 60, RData::CNAME(CNAME(real.clone()))));
        let data = if asked.questions[0].qtype == TYPE::A.into() {
            RData::A(A { address: Ipv4Addr::new(192, 0, 2, 7).into() })
        } else {
            RData::AAAA(AAAA { address: "2001:db8::7".parse::<Ipv6Addr>().expect("an address").into() })
        };
        reply.answers.push(ResourceRecord::new(real, CLASS::IN, 60, data));
    }
    reply.build_bytes_vec().expect("an answer")
}

async fn name_server(manner: Manner) -> SocketAddr {
    let stream = TcpListener::bind("127.0.0.1:0").await.expect("it listens");
    let address = stream.local_addr().expect("an address");
    let datagrams = UdpSocket::bind(address).await.expect("the same port");
    tokio::spawn(async move {
        let mut buffer = [0; LONGEST];
        let mut lost = 0;
        while let Ok((length, from)) = datagrams.recv_from(&mut buffer).await {
            lost += 1;
            if lost > manner.loses {
                // Somebody else's answer comes first, and is not believed.
                let mut forged = answer(&buffer[..length], Manner { knows: false, ..manner }, false);
                forged[0] ^= 0xff;
                let _ = datagrams.send_to(&forged, from).await;
                let _ = datagrams.send_to(&answer(&buffer[..length], manner, false), from).await;
            }
        }
    });
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = stream.accept().await {
            let mut question = vec![0; usize::from(stream.read_u16().await.expect("a length"))];
            stream.read_exact(&mut question).await.expect("a question");
            let bytes = answer(&question, manner, true);
            stream.write_u16(bytes.len() as u16).await.expect("heard");
            stream.write_all(&bytes).await.expect("heard");
        }
    });
    address
}

const KNOWS: Manner = Manner { cuts: false, knows: true, loses: 0 };

fn both() -> Vec<SocketAddr> {
    ["[2001:db8::7]:4443", "192.0.2.7:4443"].map(|text| text.parse().expect("an address")).to_vec()
}

#[tokio::test]
async fn name_servers_are_asked_for_both_families() {
    for manner in [KNOWS, Manner { cuts: true, ..KNOWS }, Manner { loses: 3, ..KNOWS }] {
        let resolver = name_server(manner).await;
        assert_eq!(look_up("Shop.Server.test.", 4443, &[resolver]).await.expect("known"), both());
    }
}

#[tokio::test]
async fn the_next_name_server_is_asked_if_one_is_silent_or_does_not_know() {
    let silent = name_server(Manner { loses: usize::MAX, ..KNOWS }).await;
    let ignorant = name_server(Manner { knows: false, ..KNOWS }).await;
    let knowing = name_server(KNOWS).await;
    assert_eq!(look_up("server.test", 4443, &[silent, ignorant, knowing]).await.expect("known"), both());
    let error = look_up("server.test", 4443, &[ignorant]).await.expect_err("unknown");
    assert!(error.to_string().contains("no such name"), "{error}");
}

#[tokio::test]
async fn this_machine_and_addresses_are_known_without_asking() {
    let nobody: SocketAddr = "127.0.0.1:1".parse().expect("an address");
    for host in ["127.0.0.1", "::1", "localhost"] {
        let found = look_up(host, 1, &[nobody]).await.expect("known");
        assert!(found.iter().all(|address| address.ip().is_loopback()), "{found:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut asked = Packet::new_query(7);
        asked.questions.push(Question::new(Name::new_unchecked("a.test"), TYPE::A.into(), CLASS::IN.into(), false));
        let _ = read(&bytes, &asked);
    }
}

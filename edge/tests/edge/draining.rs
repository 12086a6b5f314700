//! Draining: idle visitors are let go at once, and connections that were accepted before are served.

use crate::kit::{
    Http1Client, ScriptedOrigin, WAIT_TIMEOUT, World,
    agent::Agent,
    eventually,
    frames::{Fate, Frames},
    in_time, visitor,
};
use std::net::SocketAddr;
use tokio::net::TcpStream;

async fn refuses_connections(address: SocketAddr) {
    eventually("new connections are refused", async || TcpStream::connect(address).await.is_err().then_some(())).await;
}

#[tokio::test]
async fn idle_http2_visitors_do_not_hold_a_drain() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("ok").await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("a"), origin.address).await.unwrap();
    let mut polite = visitor::http2(&world, "a.localhost").await;
    let request = hyper::Request::get("https://a.localhost/").body(Default::default()).unwrap();
    let (parts, _) = visitor::whole(in_time(polite.send_request(request)).await.unwrap()).await;
    assert_eq!(parts.status, 200);
    // This one asks, and then neither reads nor acknowledges anything.
    let mut silent = Frames::open(&world, "a.localhost", &[]).await;
    let fields: [(&[u8], &[u8]); 4] =
        [(b":method", b"GET"), (b":scheme", b"https"), (b":authority", b"a.localhost"), (b":path", b"/")];
    silent.request(1, &fields).await;
    assert_eq!(silent.fate(1).await, Fate::Responded(200));
    let never_used = visitor::tls(&world, "a.localhost", &[b"h2"]).await;
    in_time(world.edge.drain(WAIT_TIMEOUT * 3)).await;
    drop((polite, silent, never_used));
}

#[tokio::test]
async fn a_connection_accepted_before_the_drain_is_served() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("ok").await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("a"), origin.address).await.unwrap();
    let (https, http) = (world.edge.https_addr(), world.edge.http_addr());
    let mut after_handshake = visitor::https(&world, "a.localhost").await;
    let mut second = visitor::http2(&world, "a.localhost").await;
    let mut plain = visitor::plain(&world).await;
    let before_handshake = TcpStream::connect(https).await.unwrap();
    let connector = crate::kit::connector(&world, &[b"http/1.1"]);
    let draining = tokio::spawn(world.edge.drain(WAIT_TIMEOUT * 3));
    for address in [https, http] {
        refuses_connections(address).await;
    }
    let request = "GET / HTTP/1.1\r\nHost: a.localhost\r\n\r\n";
    let over_http2 = hyper::Request::get("https://a.localhost/").body(Default::default()).unwrap();
    let handshake = async {
        let name = "a.localhost".try_into().unwrap();
        let stream = connector.connect(name, before_handshake).await.expect("the handshake is finished");
        Http1Client::new(stream).request(request).await
    };
    let (first, second, third, fourth) = tokio::join!(
        after_handshake.request(request),
        in_time(second.send_request(over_http2)),
        handshake,
        plain.request(request)
    );
    assert_eq!((first.status, second.unwrap().status().as_u16(), third.status), (200, 200, 200));
    assert_eq!(fourth.status, 308, "the name is published over HTTPS only");
    assert_eq!(first.header("connection"), Some("close"), "no further request is taken");
    in_time(draining).await.unwrap();
}

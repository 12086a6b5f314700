//! The rate limit: which requests share a count, what is refused, and which counts outlive a change.

use crate::{
    kit::{
        Http1Client, ScriptedOrigin, World, connector,
        edges::{address, below, https, response, tls, to},
        ports, until, visitor,
    },
    tcp::connect,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use postern_api::{
    Secret,
    module::{BasicAuthUsers, RateLimit, TerminateAt, TlsVersion, UserAgentFilter},
    published::{Settings, TcpEdge, Termination, listed},
};
use std::sync::Arc;
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::client::TlsStream;

const HOST: &str = "shop.localhost";
const REQUEST: &str = "GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n";
/// The code of a request beyond the limit.
const LIMITED: &str = "ERR_POSTERN_3028";

/// A limit whose interval does not end during a test.
fn limit(requests: u32, key: &str) -> RateLimit {
    RateLimit { enabled: true, requests, interval: 86_400, burst: 0, key: key.to_owned() }
}

fn limited(limit: &RateLimit) -> Settings {
    Settings { rate_limit: Some(limit.clone()), ..to("bkdsc_1") }
}

async fn world(settings: Settings) -> (World, ScriptedOrigin) {
    let (world, origin) = (World::start().await, ScriptedOrigin::with_text("hello").await);
    world.backends([("bkdsc_1", address(origin.address))]).await;
    world.https_edge(https(&[HOST], &[below("/", settings)])).await;
    (world, origin)
}

/// A visitor at an address of this machine.
async fn visitor_at(world: &World, address: &str) -> Http1Client<TlsStream<TcpStream>> {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(format!("{address}:0").parse().unwrap()).unwrap();
    let stream = socket.connect(world.edge.https_addr()).await.unwrap();
    let name = rustls::pki_types::ServerName::try_from(HOST).unwrap();
    Http1Client::new(connector(world, &[b"http/1.1"]).connect(name, stream).await.unwrap())
}

/// How many of these requests are admitted, on one connection.
async fn admitted(visitor: &mut Http1Client<TlsStream<TcpStream>>, request: &str, many: usize) -> usize {
    let mut admitted = 0;
    for _ in 0..many {
        admitted += usize::from(visitor.request(request).await.status == 200);
    }
    admitted
}

#[tokio::test]
async fn a_flood_of_one_address_is_refused_and_good_visitors_are_not() {
    let (world, origin) = world(limited(&limit(20, "address"))).await;
    let mut flood = visitor_at(&world, "127.0.0.2").await;
    let flooding = tokio::spawn(async move { admitted(&mut flood, REQUEST, 500).await });
    for last in 3..13 {
        let mut good = visitor_at(&world, &format!("127.0.0.{last}")).await;
        assert_eq!(admitted(&mut good, REQUEST, 20).await, 20);
    }
    assert_eq!(flooding.await.unwrap(), 20);
    assert_eq!(origin.requests().len(), 11 * 20, "refused requests do not reach the service");
}

#[tokio::test]
async fn a_refusal_says_what_is_allowed_and_when() {
    let (world, _origin) = world(limited(&limit(1, "address"))).await;
    let mut visitor = visitor::https(&world, HOST).await;
    assert_eq!(visitor.request(REQUEST).await.status, 200);
    let refused = visitor.request(REQUEST).await;
    assert_eq!((refused.status, refused.code()), (429, LIMITED));
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((86_000..=86_400).contains(&wait), "{wait}");
    assert_eq!(refused.header("ratelimit-policy"), Some("\"default\";q=1;w=86400"));
    assert_eq!(refused.header("ratelimit"), Some(&*format!("\"default\";r=0;t={wait}")));
    assert_eq!(visitor.request(REQUEST).await.status, 429, "the connection goes on");
}

#[tokio::test]
async fn two_routes_do_not_share_a_count() {
    let (world, _origin) = world(limited(&limit(3, "everyone"))).await;
    let routes = [below("/", limited(&limit(3, "everyone"))), below("/other", limited(&limit(3, "everyone")))];
    world.https_edge(https(&[HOST], &routes)).await;
    let mut visitor = visitor::https(&world, HOST).await;
    assert_eq!(admitted(&mut visitor, REQUEST, 5).await, 3);
    assert_eq!(admitted(&mut visitor, &REQUEST.replace(" / ", " /other "), 5).await, 3);
}

#[tokio::test]
async fn counts_outlive_changes_of_other_settings() {
    let (world, _origin) = world(limited(&limit(2, "address"))).await;
    let mut visitor = visitor::https(&world, HOST).await;
    assert_eq!(admitted(&mut visitor, REQUEST, 5).await, 2);
    let every_agent = UserAgentFilter { enabled: true, allow: Vec::new(), deny: Vec::new() };
    let other = Settings { user_agent_filter: Some(every_agent), ..limited(&limit(2, "address")) };
    world.https_edge(https(&[HOST, "other.localhost"], &[below("/", other)])).await;
    assert_eq!(admitted(&mut visitor, REQUEST, 5).await, 0);
    world.https_edge(https(&[HOST], &[below("/", limited(&limit(3, "address")))])).await;
    assert_eq!(admitted(&mut visitor, REQUEST, 5).await, 3, "its own settings begin anew");
}

#[tokio::test]
async fn a_header_is_counted_by_its_values_and_its_absence_by_the_address() {
    let (world, _origin) = world(limited(&limit(2, "header:x-key"))).await;
    let with = |value: &str| format!("GET / HTTP/1.1\r\nHost: {HOST}\r\nX-Key: {value}\r\n\r\n");
    let mut visitor = visitor::https(&world, HOST).await;
    for value in ["a", "b"] {
        assert_eq!(admitted(&mut visitor, &with(value), 5).await, 2, "{value}");
    }
    assert_eq!(admitted(&mut visitor, REQUEST, 5).await, 2, "without the header");
    let mut other = visitor_at(&world, "127.0.0.2").await;
    assert_eq!(admitted(&mut other, &with("a"), 5).await, 0, "from anywhere");
    assert_eq!(admitted(&mut other, REQUEST, 5).await, 2);
}

#[tokio::test]
async fn persons_are_counted_after_their_password_was_verified() {
    let users = ["ada:longenough", "bob:longenough"].map(Secret::new);
    let basic_auth = Some(Arc::new(BasicAuthUsers::Passwords(users.into())));
    let (world, _origin) = world(Settings { basic_auth, ..limited(&limit(2, "identity")) }).await;
    let with = |user: &str| {
        let credentials = BASE64_STANDARD.encode(user);
        format!("GET / HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Basic {credentials}\r\n\r\n")
    };
    let mut visitor = visitor::https(&world, HOST).await;
    for _ in 0..5 {
        let refused = visitor.request(&with("ada:guessed-wrong")).await;
        assert_eq!((refused.status, refused.code()), (401, "ERR_POSTERN_3022"), "a guess uses up nothing of ada's");
    }
    for user in ["ada:longenough", "bob:longenough"] {
        assert_eq!(admitted(&mut visitor, &with(user), 5).await, 2, "{user}");
    }
    let mut elsewhere = visitor_at(&world, "127.0.0.2").await;
    assert_eq!(admitted(&mut elsewhere, &with("ada:longenough"), 5).await, 0, "at any address");
}

#[tokio::test]
async fn connections_of_tcp_and_tls_edges_are_counted() {
    let world = World::start().await;
    world.backends([("bkdhr_1", response(200, "fixed"))]).await;
    let settings = Settings { rate_limit: Some(limit(2, "address")), ..to("bkdhr_1") };
    let port = ports::unused_address().port();
    let edge = TcpEdge { id: "edgtcp_1".into(), ports: vec![port], settings: settings.clone() };
    world.change(|published| published.tcp_edges = listed([("edgtcp_1".to_owned(), edge)]));
    until("the edge listens", || world.live().listens_on(port).is_some()).await;
    for expected in [&b"fixed"[..], b"fixed", b"", b""] {
        assert_eq!(connect(port).await.rest().await, expected);
    }
    let termination = Termination { at: TerminateAt::Edge, oldest: Some(TlsVersion::Tls12) };
    world.tls_edge(tls("raw.test", Settings { tls_termination: Some(termination), ..settings })).await;
    for _ in 0..2 {
        assert_eq!(Http1Client::new(visitor::tls(&world, "raw.test", &[]).await).rest().await, b"fixed");
    }
    let stream = TcpStream::connect(world.edge.https_addr()).await.unwrap();
    let name = rustls::pki_types::ServerName::try_from("raw.test").unwrap();
    assert!(connector(&world, &[]).connect(name, stream).await.is_err(), "closed before the handshake");
}

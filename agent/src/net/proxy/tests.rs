//! Proxies that accept, refuse, ask for a password, or respond with garbage.

use super::*;
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    time::timeout,
};

const WAIT_TIMEOUT: Duration = Duration::from_secs(20);

fn server() -> ServerAddress {
    ServerAddress { host: "server.test".into(), port: 4443 }
}

/// A peer that accepts one connection and, for each step of the script, reads a number of bytes and responds.
async fn says(script: Vec<(usize, &'static [u8])>) -> (SocketAddr, tokio::task::JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("it listens");
    let address = listener.local_addr().expect("an address");
    let received = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let mut all = Vec::new();
        for (length, answer) in script {
            let mut bytes = vec![0; length];
            stream.read_exact(&mut bytes).await.expect("as many bytes");
            all.extend(bytes);
            stream.write_all(answer).await.expect("received");
        }
        let mut rest = Vec::new();
        let _ = timeout(WAIT_TIMEOUT, stream.read_to_end(&mut rest)).await;
        all.extend(rest);
        all
    });
    (address, received)
}

async fn reach(proxy: &str, remote: SocketAddr) -> io::Result<BoxedTransport> {
    let proxy = Proxy::parse(proxy).expect("a proxy");
    timeout(WAIT_TIMEOUT, connect(remote, Some(&proxy), &server())).await.expect("in time").map(|(way, _)| way)
}

#[tokio::test]
async fn an_http_proxy_gets_a_connect_request() {
    let request: &[u8] =
        b"CONNECT server.test:4443 HTTP/1.1\r\nHost: server.test:4443\r\nProxy-Authorization: Basic YWRhOnB3\r\n\r\n";
    let (remote, received) = says(vec![(request.len(), b"HTTP/1.1 200 Connection established\r\n\r\n")]).await;
    let mut way = reach("http://ada:pw@proxy.test", remote).await.expect("a way");
    way.write_all(b"inside").await.expect("sent");
    drop(way);
    assert_eq!(received.await.expect("received"), [request, b"inside"].concat());
}

#[tokio::test]
async fn a_socks_proxy_resolves_the_name() {
    let name = b"\x05\x01\x00\x03\x0bserver.test\x11\x5b";
    let script: Vec<(usize, &[u8])> =
        vec![(3, b"\x05\x02"), (3 + 3 + 2, b"\x01\x00"), (name.len(), b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")];
    let (remote, received) = says(script).await;
    let mut way = reach("socks5://ada:pw@proxy.test", remote).await.expect("a way");
    way.write_all(b"inside").await.expect("sent");
    drop(way);
    let expected = [b"\x05\x01\x02".as_slice(), b"\x01\x03ada\x02pw", name, b"inside"].concat();
    assert_eq!(received.await.expect("received"), expected);
}

#[tokio::test]
async fn refusals_of_a_proxy_are_reported() {
    let connect = b"CONNECT server.test:4443 HTTP/1.1\r\nHost: server.test:4443\r\n\r\n".len();
    for (proxy, script) in [
        ("http://p", vec![(connect, b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n".as_slice())]),
        ("http://p", vec![(connect, b"HTTP/1.1 403 Forbidden\r\n\r\n".as_slice())]),
        ("http://p", vec![(connect, b"220 mail.test ESMTP\r\n\r\n".as_slice())]),
        ("socks5://p", vec![(3, b"\x05\xff".as_slice())]),
        ("socks5://p", vec![(3, b"\x05\x00".as_slice()), (18, b"\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00".as_slice())]),
        ("socks5://p", vec![(3, b"HT".as_slice())]),
    ] {
        let (remote, _heard) = says(script.clone()).await;
        let error = reach(proxy, remote).await.err().unwrap_or_else(|| panic!("{script:?} is no way"));
        assert!(!error.to_string().is_empty());
    }
}

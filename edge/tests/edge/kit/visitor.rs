//! Visitors: raw bytes over TLS or TCP, and HTTP/2 with hyper.

use super::{Http1Client, Http1Response, World, in_time};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

pub(crate) async fn tls(world: &World, name: &str, protocols: &[&[u8]]) -> TlsStream<TcpStream> {
    let stream = TcpStream::connect(world.edge.https_addr()).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let name = rustls::pki_types::ServerName::try_from(name.to_owned()).unwrap();
    super::connector(world, protocols).connect(name, stream).await.unwrap()
}

pub(crate) async fn https(world: &World, name: &str) -> Http1Client<TlsStream<TcpStream>> {
    Http1Client::new(tls(world, name, &[b"http/1.1"]).await)
}

pub(crate) async fn plain(world: &World) -> Http1Client<TcpStream> {
    Http1Client::new(TcpStream::connect(world.edge.http_addr()).await.unwrap())
}

/// `GET` on a connection of its own.
pub(crate) async fn get(world: &World, host: &str, path: &str) -> Http1Response {
    https(world, host).await.request(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n")).await
}

/// A visitor who speaks HTTP/2.
pub(crate) async fn http2(world: &World, name: &str) -> hyper::client::conn::http2::SendRequest<Full<Bytes>> {
    let stream = tls(world, name, &[b"h2"]).await;
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let (sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender
}

/// The whole response to an HTTP/2 request.
pub(crate) async fn whole(response: hyper::Response<hyper::body::Incoming>) -> (hyper::http::response::Parts, Bytes) {
    let (parts, body) = response.into_parts();
    (parts, in_time(body.collect()).await.expect("whole").to_bytes())
}

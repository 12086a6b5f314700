//! Visitors: raw bytes over TLS or TCP, and HTTP/2 with hyper.

use super::{WAIT_TIMEOUT, World};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::client::TlsStream;

/// One connection for raw bytes.
pub(crate) struct Visitor<S> {
    pub(crate) stream: S,
    buffer: Vec<u8>,
}

/// A raw HTTP/1.1 response.
#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl TestResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub(crate) fn code(&self) -> &str {
        self.header("Postern-Error-Code").unwrap_or("none")
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

pub(crate) async fn tls(world: &World, name: &str, protocols: &[&[u8]]) -> TlsStream<TcpStream> {
    let stream = TcpStream::connect(world.edge.https_addr()).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let name = rustls::pki_types::ServerName::try_from(name.to_owned()).unwrap();
    super::connector(world, protocols).connect(name, stream).await.unwrap()
}

pub(crate) async fn https(world: &World, name: &str) -> Visitor<TlsStream<TcpStream>> {
    Visitor { stream: tls(world, name, &[b"http/1.1"]).await, buffer: Vec::new() }
}

pub(crate) async fn plain(world: &World) -> Visitor<TcpStream> {
    Visitor { stream: TcpStream::connect(world.edge.http_addr()).await.unwrap(), buffer: Vec::new() }
}

/// `GET` on a connection of its own.
pub(crate) async fn get(world: &World, host: &str, path: &str) -> TestResponse {
    https(world, host).await.ask(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n")).await
}

impl<S: AsyncRead + AsyncWrite + Unpin> Visitor<S> {
    pub(crate) fn on(stream: S) -> Self {
        Visitor { stream, buffer: Vec::new() }
    }

    /// Sends bytes; the peer may have closed already.
    pub(crate) async fn try_say(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes).await;
        let _ = self.stream.flush().await;
    }

    pub(crate) async fn say(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
        self.stream.flush().await.unwrap();
    }

    pub(crate) async fn ask(&mut self, request: &str) -> TestResponse {
        self.say(request.as_bytes()).await;
        self.answer(request.starts_with("HEAD")).await
    }

    pub(crate) async fn answer(&mut self, headless: bool) -> TestResponse {
        let head = self.read_until(b"\r\n\r\n").await;
        let head = String::from_utf8(head).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut answer = TestResponse { status, head, body: Vec::new() };
        if headless || matches!(status, 100..200 | 204 | 304) {
            return answer;
        }
        if answer.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
            loop {
                let line = String::from_utf8(self.read_until(b"\r\n").await).unwrap();
                let size = usize::from_str_radix(line.trim(), 16).unwrap();
                if size == 0 {
                    let trailers = self.read_until(b"\r\n").await;
                    if trailers.len() > 2 {
                        answer.body.extend_from_slice(&trailers);
                        self.read_until(b"\r\n").await;
                    }
                    return answer;
                }
                answer.body.extend(self.read_exactly(size).await);
                self.read_exactly(2).await;
            }
        }
        let length = answer.header("content-length").map(|length| length.parse::<usize>().unwrap());
        answer.body = match length {
            Some(length) => self.read_exactly(length).await,
            None => self.rest().await,
        };
        answer
    }

    pub(crate) async fn read_until(&mut self, end: &[u8]) -> Vec<u8> {
        loop {
            if let Some(at) = self.buffer.windows(end.len()).position(|window| window == end) {
                return self.buffer.drain(..at + end.len()).collect();
            }
            assert!(self.fill().await, "the connection ended after {:?}", String::from_utf8_lossy(&self.buffer));
        }
    }

    pub(crate) async fn read_exactly(&mut self, size: usize) -> Vec<u8> {
        while self.buffer.len() < size {
            assert!(self.fill().await, "the connection ended early");
        }
        self.buffer.drain(..size).collect()
    }

    /// Everything until the connection ends.
    pub(crate) async fn rest(&mut self) -> Vec<u8> {
        while self.fill().await {}
        std::mem::take(&mut self.buffer)
    }

    async fn fill(&mut self) -> bool {
        let mut piece = vec![0; 16 * 1024];
        match timeout(WAIT_TIMEOUT, self.stream.read(&mut piece)).await.expect("the edge says something in time") {
            Ok(read) => {
                self.buffer.extend_from_slice(&piece[..read]);
                read > 0
            }
            Err(_) => false,
        }
    }
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
    (parts, timeout(WAIT_TIMEOUT, body.collect()).await.expect("in time").expect("whole").to_bytes())
}

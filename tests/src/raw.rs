//! Raw HTTP/1.1 requests, for those that no correct client sends.

use std::net::SocketAddr;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// A response, split at its first empty line.
#[derive(Clone, Debug)]
pub struct RawResponse {
    /// The status code; 0 if there was no response.
    pub status: u16,
    /// The header block.
    pub head: String,
    /// The bytes until the connection was closed.
    pub body: String,
}

/// Sends header lines and a body with `Connection: close`, and reads the whole response.
pub async fn send(address: SocketAddr, lines: &[&str], body: &str) -> RawResponse {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let mut request = lines.join("\r\n");
    request.push_str("\r\nConnection: close\r\n");
    if !body.is_empty() {
        request.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    request.push_str("\r\n");
    request.push_str(body);
    // A server that refuses early may close before it has read the request.
    let _ = stream.write_all(request.as_bytes()).await;
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    RawResponse { status, head: head.to_owned(), body: body.to_owned() }
}

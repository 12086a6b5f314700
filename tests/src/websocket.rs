//! WebSockets of visitors.

use crate::{condition::finishes, visitor::Visitor};
use futures::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Message, handshake::client::Response},
};

/// An open WebSocket.
pub type WebSocket = WebSocketStream<TlsStream<TcpStream>>;

impl Visitor {
    /// Opens a WebSocket at an `https://` URL. Returns it with the response to the upgrade.
    pub async fn websocket(&self, url: &str) -> (WebSocket, Response) {
        let host = reqwest::Url::parse(url).expect("a URL").host_str().expect("a host").to_owned();
        let stream = self.tls(&host, &[b"http/1.1"]).await.expect("a handshake");
        client_async(url.replace("https://", "wss://"), stream).await.expect("an upgrade")
    }
}

/// Sends a message and checks that it comes back.
pub async fn assert_echoes(socket: &mut WebSocket, message: Message) {
    socket.send(message.clone()).await.expect("sent");
    let back = finishes("the echo", socket.next()).await.expect("open").expect("a message");
    assert!(back == message, "another message came back: {:.200}", format!("{back:?}"));
}

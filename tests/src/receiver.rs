//! A receiver of webhooks: a web server that keeps what it is sent, and responds as a test says.

use axum::{
    Router,
    extract::{Request, State},
    response::{IntoResponse, Response},
    serve::Listener,
};
use http::{HeaderMap, StatusCode, header};
use postern_test_kit::eventually;
use serde_json::Value;
use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// A receiver on a loopback port.
pub struct Receiver {
    address: SocketAddr,
    scheme: &'static str,
    shared: Arc<Shared>,
    serving: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    received: Mutex<Vec<ReceivedWebhook>>,
    /// Statuses of the next responses; those after them are 204.
    statuses: Mutex<Vec<u16>>,
}

/// A request as it was received.
#[derive(Clone, Debug)]
pub struct ReceivedWebhook {
    /// Path and query.
    pub target: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: String,
    /// Status of the response.
    pub status: u16,
}

impl ReceivedWebhook {
    /// The value of a header; empty if it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("the body is JSON")
    }
}

impl Receiver {
    /// Starts a receiver on a free port.
    pub async fn start() -> Receiver {
        Receiver::start_at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await
    }

    /// Starts a receiver at an address.
    pub async fn start_at(address: SocketAddr) -> Receiver {
        let listener = TcpListener::bind(address).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        Receiver::serve(listener, address, "http")
    }

    /// Starts a receiver over TLS on a free port.
    pub async fn start_with_tls(acceptor: TlsAcceptor) -> Receiver {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        Receiver::serve(TlsListener { listener, acceptor }, address, "https")
    }

    fn serve(listener: impl Listener<Addr = SocketAddr>, address: SocketAddr, scheme: &'static str) -> Receiver {
        let shared = Arc::new(Shared::default());
        let router = Router::new().fallback(receive).with_state(shared.clone());
        let serving = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Receiver { address, scheme, shared, serving }
    }

    /// The listen address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    /// Responds to the next requests with these statuses, and to later ones with 204.
    pub fn respond_with(&self, statuses: &[u16]) {
        *self.shared.statuses.lock().expect("not poisoned") = statuses.to_vec();
    }

    /// Everything that was received.
    pub fn received(&self) -> Vec<ReceivedWebhook> {
        self.shared.received.lock().expect("not poisoned").clone()
    }

    /// Waits until a number of webhooks was accepted; gives these.
    pub async fn wait_for_accepted(&self, count: usize) -> Vec<ReceivedWebhook> {
        eventually(&format!("{count} events are accepted"), async || {
            let accepted: Vec<_> = self.received().into_iter().filter(|received| received.status < 300).collect();
            (accepted.len() >= count).then_some(accepted)
        })
        .await
    }

    /// Stops listening and waits until the port is free. Returns the unused address.
    pub async fn stop(mut self) -> SocketAddr {
        self.serving.abort();
        let _ = (&mut self.serving).await;
        self.address
    }
}

/// Accepts connections over TLS; those without a handshake are passed over.
struct TlsListener {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        loop {
            let Ok((stream, peer)) = self.listener.accept().await else { continue };
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, peer);
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn receive(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap_or_default();
    let status = {
        let mut statuses = shared.statuses.lock().expect("not poisoned");
        if statuses.is_empty() { 204 } else { statuses.remove(0) }
    };
    shared.received.lock().expect("not poisoned").push(ReceivedWebhook {
        target: parts.uri.to_string(),
        headers: parts.headers,
        body: String::from_utf8_lossy(&body).into_owned(),
        status,
    });
    // A connection that is kept open would outlive the receiver.
    (StatusCode::from_u16(status).unwrap_or(StatusCode::NO_CONTENT), [(header::CONNECTION, "close")]).into_response()
}

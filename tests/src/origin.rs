//! The local service behind a tunnel: a web server that remembers what it heard.

use crate::bytes::{Sum, flow};
use crate::condition::eventually;
use axum::Router;
use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use futures::{SinkExt, StreamExt, stream};
use http::{HeaderMap, StatusCode, header};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;

/// A web server on a port of its own.
///
/// `/` says its greeting · `/echo` sends the body back · `/sum` answers length and SHA-256 of the body ·
/// `/flow?seed=&length=` sends so many bytes · `/events` sends one event and holds the rest back until
/// [`Origin::goes_on`] · `/slow` answers only then · `/socket` echoes WebSocket messages · `/status/<code>` answers so ·
/// any other path says its greeting.
pub struct Origin {
    address: SocketAddr,
    shared: Arc<Shared>,
    serving: tokio::task::JoinHandle<()>,
}

struct Shared {
    greeting: String,
    heard: Mutex<Vec<Heard>>,
    go_on: watch::Sender<bool>,
}

/// A request as the origin saw it.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// The headers.
    pub headers: HeaderMap,
}

impl Heard {
    /// A header's text; empty if it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

impl Origin {
    /// Starts with a greeting.
    pub async fn says(greeting: &str) -> Origin {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            greeting: greeting.to_owned(),
            heard: Mutex::default(),
            go_on: watch::Sender::new(false),
        });
        let router = Router::new()
            .route("/echo", any(echo))
            .route("/sum", any(sum))
            .route("/flow", any(flows))
            .route("/events", any(events))
            .route("/slow", any(slow))
            .route("/socket", any(socket))
            .route("/status/{code}", any(status))
            .fallback(greet)
            .layer(axum::middleware::from_fn_with_state(shared.clone(), remember))
            .with_state(shared.clone());
        let serving = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Origin { address, shared, serving }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it heard so far.
    pub fn heard(&self) -> Vec<Heard> {
        self.shared.heard.lock().expect("not poisoned").clone()
    }

    /// What it heard under a path.
    pub fn heard_at(&self, path: &str) -> Vec<Heard> {
        self.heard().into_iter().filter(|heard| heard.target.split('?').next() == Some(path)).collect()
    }

    /// Waits until it heard a path so often.
    pub async fn hears(&self, path: &str, count: usize) -> Vec<Heard> {
        eventually(&format!("the origin hears {path} {count} times"), async || {
            Some(self.heard_at(path)).filter(|heard| heard.len() >= count)
        })
        .await
    }

    /// Answers what was held back, from now on at once.
    pub fn goes_on(&self) {
        self.shared.go_on.send_replace(true);
    }

    /// Stops listening and waits until the port is free; gives the address nobody answers at any more.
    pub async fn stops(mut self) -> SocketAddr {
        self.serving.abort();
        let _ = (&mut self.serving).await;
        self.address
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.address.fmt(f)
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

type Here = State<Arc<Shared>>;

async fn remember(State(shared): Here, request: Request, next: axum::middleware::Next) -> Response {
    shared.heard.lock().expect("not poisoned").push(Heard {
        method: request.method().to_string(),
        target: request.uri().to_string(),
        headers: request.headers().clone(),
    });
    next.run(request).await
}

async fn greet(State(shared): Here) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], shared.greeting.clone()).into_response()
}

async fn echo(request: Request) -> Response {
    let kind = request.headers().get(header::CONTENT_TYPE).cloned();
    let mut response = request.into_body().into_response();
    if let Some(kind) = kind {
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
    }
    response
}

async fn sum(request: Request) -> Response {
    let mut body = request.into_body().into_data_stream();
    let mut sum = Sum::default();
    while let Some(piece) = body.next().await {
        match piece {
            Ok(piece) => sum.add(&piece),
            Err(error) => return (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
        }
    }
    sum.finish().into_response()
}

#[derive(Deserialize)]
struct Amount {
    seed: u64,
    length: u64,
}

async fn flows(Query(amount): Query<Amount>) -> Response {
    Body::from_stream(flow(amount.seed, amount.length)).into_response()
}

async fn events(State(shared): Here) -> Response {
    let mut go_on = shared.go_on.subscribe();
    let rest = async move {
        let _ = go_on.wait_for(|go_on| *go_on).await;
        Ok::<_, Infallible>("data: second\n\n")
    };
    let all = stream::iter([Ok("data: first\n\n")]).chain(stream::once(rest));
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(all)).into_response()
}

async fn slow(State(shared): Here) -> Response {
    let _ = shared.go_on.subscribe().wait_for(|go_on| *go_on).await;
    "at last".into_response()
}

async fn status(axum::extract::Path(code): axum::extract::Path<u16>) -> Response {
    (StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_REQUEST), format!("status {code}")).into_response()
}

async fn socket(mut request: Request) -> Response {
    let Some(key) = request.headers().get(header::SEC_WEBSOCKET_KEY).cloned() else {
        return (StatusCode::BAD_REQUEST, "not a WebSocket handshake").into_response();
    };
    let upgrade = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        let Ok(upgraded) = upgrade.await else { return };
        let mut socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, None).await;
        while let Some(Ok(message)) = socket.next().await {
            if (message.is_text() || message.is_binary()) && socket.send(message).await.is_err() {
                return;
            }
        }
    });
    let headers = [
        (header::CONNECTION, "upgrade".to_owned()),
        (header::UPGRADE, "websocket".to_owned()),
        (header::SEC_WEBSOCKET_ACCEPT, derive_accept_key(key.as_bytes())),
    ];
    (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
}

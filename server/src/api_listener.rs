//! Listener of the management API: plain HTTP with limits on connections and header time.

use crate::{
    api_connections::{ApiConnection, ApiConnections, ConnectionLimits},
    io_error::reason,
    tracked_body::TrackedBody,
};
use axum::{Router, extract::ConnectInfo};
use hyper::{Request, body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use postern_api::{Code, Error};
use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    time::Instant,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::Service;

/// Most open connections.
const CONNECTION_LIMITS: ConnectionLimits = ConnectionLimits { total: 1024, per_address: 256 };
/// Time limit for the headers of a request, and for a connection without one.
const HEADER_TIMEOUT: Duration = Duration::from_secs(15);
/// Time that a connection gets to end in order.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// Time that open requests get before the store is closed for a successor.
const WRITE_GRACE: Duration = Duration::from_millis(500);
/// Delay after a failed accept.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// A bound listener that does not serve yet.
pub(crate) struct ApiListener {
    listener: TcpListener,
    address: SocketAddr,
}

/// The serving listener.
pub(crate) struct ApiServer {
    stop: CancellationToken,
    open: TaskTracker,
}

impl ApiListener {
    /// Binds the address.
    pub(crate) async fn bind(requested: SocketAddr) -> Result<ApiListener, Error> {
        let refuse = |error: io::Error| {
            let advice = match error.kind() {
                io::ErrorKind::AddrInUse => {
                    "another program listens there already. Stop it, or choose another port with `--api-addr HOST:PORT` (port 0 takes any free one)"
                }
                io::ErrorKind::PermissionDenied => {
                    "this account may not use that port. Choose one above 1023 with `--api-addr HOST:PORT`"
                }
                io::ErrorKind::AddrNotAvailable => {
                    "no network interface of this machine has that address. Choose another with `--api-addr HOST:PORT`"
                }
                _ => {
                    return Error::new(
                        Code::ListenFailed,
                        format!("The management API cannot listen on {requested} (--api-addr): {}.", reason(&error)),
                    );
                }
            };
            Error::new(
                Code::ListenFailed,
                format!("The management API cannot listen on {requested} (--api-addr): {advice}."),
            )
        };
        let listener = TcpListener::bind(requested).await.map_err(refuse)?;
        let address = listener.local_addr().map_err(refuse)?;
        Ok(ApiListener { listener, address })
    }

    /// Bound address.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until drained.
    pub(crate) fn serve(self, router: Router) -> ApiServer {
        self.serve_limited(router, CONNECTION_LIMITS, HEADER_TIMEOUT)
    }

    fn serve_limited(self, router: Router, limits: ConnectionLimits, header_timeout: Duration) -> ApiServer {
        let serving = ApiServer { stop: CancellationToken::new(), open: TaskTracker::new() };
        let (stop, open) = (serving.stop.clone(), serving.open.clone());
        serving.open.spawn(async move {
            let connections = ApiConnections::new(limits);
            loop {
                let accepted = tokio::select! {
                    accepted = self.listener.accept() => accepted,
                    () = stop.cancelled() => return,
                };
                match accepted {
                    Ok((stream, peer)) => {
                        let Some(admitted) = connections.admit(peer.ip().to_canonical()) else {
                            tracing::debug!(%peer, "the management API has too many connections with open requests");
                            continue;
                        };
                        open.spawn(connection(stream, peer, router.clone(), admitted, header_timeout, stop.clone()));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "the management API cannot accept a connection");
                        tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                    }
                }
            }
        });
        serving.open.close();
        serving
    }
}

impl ApiServer {
    /// Stops accepting, and waits a moment for requests that may still write.
    pub(crate) async fn stop_accepting(&self) {
        self.stop.cancel();
        let _ = tokio::time::timeout(WRITE_GRACE, self.open.wait()).await;
    }

    /// Stops accepting and waits until open requests are finished, up to `timeout`.
    pub(crate) async fn drain(self, timeout: Duration) {
        self.stop.cancel();
        if tokio::time::timeout(timeout, self.open.wait()).await.is_err() {
            tracing::warn!("requests to the management API were aborted at the drain timeout");
        }
    }
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    admitted: Arc<ApiConnection>,
    header_timeout: Duration,
    stop: CancellationToken,
) {
    let _ = stream.set_nodelay(true);
    let counted = admitted.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let (open, response) = (counted.request(), router.clone().call(request));
        async move {
            let response = response.await?;
            // The request is open until its response has been sent.
            Ok::<_, Infallible>(response.map(|body| TrackedBody::new(body, open)))
        }
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(header_timeout);
    builder.http2().timer(TokioTimer::new()).max_concurrent_streams(64);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let idle = async {
        tokio::select! {
            () = idle_for(&admitted, header_timeout) => {}
            () = admitted.replaced() => {}
        }
    };
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                biased;
                ended = connection => ended,
                () = idle_for(&admitted, CLOSE_TIMEOUT) => Ok(()),
            }
        }
        () = idle => {
            connection.as_mut().graceful_shutdown();
            tokio::time::timeout(CLOSE_TIMEOUT, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "a connection to the management API ended early");
    }
}

/// Resolves when the connection has had no request for this long. The HTTP library has no timeout for the first bytes.
async fn idle_for(connection: &ApiConnection, limit: Duration) {
    loop {
        let due = connection.idle_since().unwrap_or_else(Instant::now) + limit;
        if due <= Instant::now() {
            return;
        }
        tokio::time::sleep_until(due).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    async fn served(limits: ConnectionLimits, header_timeout: Duration) -> (SocketAddr, ApiServer) {
        let listener = ApiListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("any port");
        let router = Router::new().fallback(|| async { "ok" });
        (listener.address(), listener.serve_limited(router, limits, header_timeout))
    }

    async fn call(address: SocketAddr) -> String {
        let mut stream = TcpStream::connect(address).await.expect("connected");
        stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.expect("sent");
        let mut response = String::new();
        stream.read_to_string(&mut response).await.expect("a response");
        response
    }

    #[tokio::test]
    async fn silent_connections_and_unfinished_heads_do_not_keep_callers_out() {
        let limits = ConnectionLimits { total: 4, per_address: 4 };
        let (address, server) = served(limits, Duration::from_secs(600)).await;
        let mut silent = Vec::new();
        for number in 0..12 {
            let mut stream = TcpStream::connect(address).await.expect("connected");
            if number % 2 == 0 {
                stream.write_all(b"GET / HTTP/1.1\r\nHo").await.expect("sent");
            }
            silent.push(stream);
        }
        let response = tokio::time::timeout(Duration::from_secs(10), call(address)).await.expect("in time");
        assert!(response.starts_with("HTTP/1.1 200") && response.ends_with("ok"), "{response}");
        server.drain(Duration::from_secs(10)).await;
    }

    #[tokio::test]
    async fn a_connection_that_says_nothing_is_closed() {
        let limits = ConnectionLimits { total: 4, per_address: 4 };
        let (address, _server) = served(limits, Duration::from_millis(50)).await;
        for head in [&b""[..], b"GET / HTTP/1.1\r\nHo", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"] {
            let mut stream = TcpStream::connect(address).await.expect("connected");
            stream.write_all(head).await.expect("sent");
            let end = async { while stream.read(&mut [0; 512]).await.is_ok_and(|read| read > 0) {} };
            tokio::time::timeout(Duration::from_secs(10), end).await.expect("it is closed");
        }
    }

    #[tokio::test]
    async fn a_port_in_use_names_address_flag_and_what_to_do() {
        let first = ApiListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("any port");
        let error = ApiListener::bind(first.address()).await.err().expect("taken");
        assert_eq!(error.code, Code::ListenFailed);
        for part in [first.address().to_string().as_str(), "--api-addr", "another program"] {
            assert!(error.message.contains(part), "{part} in {error}");
        }
    }
}

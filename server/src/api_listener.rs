//! Listener of the management API: plain HTTP with limits on connections and header time.

use crate::io_error::reason;
use axum::{Router, extract::ConnectInfo};
use hyper::{Request, body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use postern_api::{Code, Error};
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::Service;

/// Most concurrent connections.
const MAX_CONNECTIONS: usize = 1024;
/// Time limit for the headers of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(15);
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
        let serving = ApiServer { stop: CancellationToken::new(), open: TaskTracker::new() };
        let (stop, open) = (serving.stop.clone(), serving.open.clone());
        serving.open.spawn(async move {
            let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
            loop {
                let permit = permits.clone().acquire_owned().await.expect("the semaphore is never closed");
                let accepted = tokio::select! {
                    accepted = self.listener.accept() => accepted,
                    () = stop.cancelled() => return,
                };
                match accepted {
                    Ok((stream, peer)) => {
                        let connection = connection(stream, peer, router.clone(), stop.clone());
                        open.spawn(async move {
                            connection.await;
                            drop(permit);
                        });
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
    /// Stops accepting and waits until open requests are finished, up to `timeout`.
    pub(crate) async fn drain(self, timeout: Duration) {
        self.stop.cancel();
        if tokio::time::timeout(timeout, self.open.wait()).await.is_err() {
            tracing::warn!("requests to the management API were aborted at the drain timeout");
        }
    }
}

async fn connection(stream: TcpStream, peer: SocketAddr, router: Router, stop: CancellationToken) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().call(request)
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
    builder.http2().timer(TokioTimer::new()).max_concurrent_streams(64);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "a connection to the management API ended early");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

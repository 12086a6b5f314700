//! The listener of the management API: plain HTTP, bounded in connections and in patience.

use crate::configuration::plain;
use axum::Router;
use axum::extract::ConnectInfo;
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use postern_api::{Code, Error};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service;

const MOST_CONNECTIONS: usize = 1024;
const HEADERS_WITHIN: Duration = Duration::from_secs(15);
const PAUSE_WHEN_REFUSED: Duration = Duration::from_millis(100);

/// A bound address, not served yet.
pub(crate) struct ApiListener {
    listener: TcpListener,
    address: SocketAddr,
}

/// The listener at work.
pub(crate) struct Serving {
    stop: CancellationToken,
    open: TaskTracker,
}

impl ApiListener {
    /// Takes the address.
    pub(crate) async fn bind(wanted: SocketAddr) -> Result<ApiListener, Error> {
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
                        format!("The management API cannot listen on {wanted} (--api-addr): {}.", plain(&error)),
                    );
                }
            };
            Error::new(
                Code::ListenFailed,
                format!("The management API cannot listen on {wanted} (--api-addr): {advice}."),
            )
        };
        let listener = TcpListener::bind(wanted).await.map_err(refuse)?;
        let address = listener.local_addr().map_err(refuse)?;
        Ok(ApiListener { listener, address })
    }

    /// The real address.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until drained.
    pub(crate) fn serve(self, router: Router) -> Serving {
        let serving = Serving { stop: CancellationToken::new(), open: TaskTracker::new() };
        let (stop, open) = (serving.stop.clone(), serving.open.clone());
        serving.open.spawn(async move {
            let permits = Arc::new(Semaphore::new(MOST_CONNECTIONS));
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
                        tokio::time::sleep(PAUSE_WHEN_REFUSED).await;
                    }
                }
            }
        });
        serving.open.close();
        serving
    }
}

impl Serving {
    /// Accepts nobody any more and waits until open requests are answered, at most so long.
    pub(crate) async fn drain(self, patience: Duration) {
        self.stop.cancel();
        if tokio::time::timeout(patience, self.open.wait()).await.is_err() {
            tracing::warn!("requests to the management API were cut at the end of the drain timeout");
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
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADERS_WITHIN);
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

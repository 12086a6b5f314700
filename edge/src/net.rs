//! Listening sockets and the loop that accepts from them: permit, accept with back-off, spawn.

mod accepted;
mod connection_limit;

pub use accepted::Proxies;
pub(crate) use accepted::{AcceptedConnection, IdentifiedConnection};
pub(crate) use connection_limit::{ConnectionLimiter, ConnectionPermit, LimitReached};

use futures::FutureExt;
use postern_api::{Code, Error};
use socket2::{Domain, Protocol, Socket, Type};
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

/// Connections the kernel keeps for us while we are busy.
const BACKLOG: i32 = 4096;

/// Opens a listening socket without waiting. `hint` tells the operator what to do if the address is not available.
pub(crate) fn listen(address: SocketAddr, hint: &str) -> Result<TcpListener, Error> {
    open(address).map_err(|error| {
        let why = match error.kind() {
            io::ErrorKind::AddrInUse => "another program listens there already".to_owned(),
            io::ErrorKind::PermissionDenied => {
                "this user may not listen there (ports below 1024 are guarded)".to_owned()
            }
            io::ErrorKind::AddrNotAvailable => "this machine does not have that address".to_owned(),
            _ => error.to_string(),
        };
        let message = format!("Cannot listen on {address}: {why}. {hint}.");
        Error::new(Code::ListenFailed, message).with("address", address)
    })
}

fn open(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // On Unix this lets a restarted server listen at once; on Windows it would let two servers share a port.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    TcpListener::from_std(socket.into())
}

/// Lifetime of a connection over a limit, handshake included.
pub(crate) const OVERFLOW_TIMEOUT: Duration = Duration::from_secs(5);

/// Time that a connection accepted before a drain has for its handshake, and then for its first request.
pub(crate) const DRAIN_GRACE: Duration = Duration::from_secs(1);

/// Accepts until `stop` is cancelled, and then what the kernel has accepted already: its visitors believe that they are
/// connected. Connections over a limit are refused at once instead of waiting; a few at a time are told the reason.
/// `serve` is called for each connection and must only spawn, so that no connection waits for the handshake of another.
pub(crate) async fn accept(
    listener: TcpListener,
    limiter: Arc<ConnectionLimiter>,
    stop: CancellationToken,
    mut serve: impl FnMut(AcceptedConnection),
) {
    let mut pause = Duration::from_millis(5);
    loop {
        let accepted = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, address)) => {
                pause = Duration::from_millis(5);
                admit(stream, address, &limiter, &mut serve);
            }
            // The peer left before its connection was accepted.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections; trying again shortly");
                tokio::select! {
                    () = stop.cancelled() => break,
                    () = tokio::time::sleep(pause) => pause = (pause * 2).min(Duration::from_secs(1)),
                }
            }
        }
    }
    while let Some(Ok((stream, address))) = listener.accept().now_or_never() {
        admit(stream, address, &limiter, &mut serve);
    }
}

fn admit(
    stream: TcpStream,
    address: SocketAddr,
    limiter: &Arc<ConnectionLimiter>,
    serve: &mut impl FnMut(AcceptedConnection),
) {
    let address = SocketAddr::new(address.ip().to_canonical(), address.port());
    if let Some(accepted) = AcceptedConnection::of(stream, address, limiter) {
        serve(accepted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_the_kernel_has_accepted_is_served_before_the_socket_closes() {
        let listener = listen(SocketAddr::from(([127, 0, 0, 1], 0)), "").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let mut visitors = Vec::new();
        for _ in 0..3 {
            visitors.push(TcpStream::connect(address).await.expect("connected"));
        }
        let (limiter, stop) = (
            ConnectionLimiter::new(&crate::limits::Limits::default(), 0, Proxies::default()),
            CancellationToken::new(),
        );
        stop.cancel();
        let mut served = 0;
        accept(listener, limiter, stop, |_| served += 1).await;
        assert_eq!(served, 3);
        assert!(TcpStream::connect(address).await.is_err(), "the socket is closed");
    }

    #[tokio::test]
    async fn an_address_in_use_is_named_together_with_the_way_out() {
        let first = listen(SocketAddr::from(([127, 0, 0, 1], 0)), "Choose another address with --https-addr")
            .expect("a free port");
        let address = first.local_addr().expect("bound");
        let error = listen(address, "Choose another address with --https-addr").expect_err("taken");
        assert_eq!(error.code, Code::ListenFailed);
        assert!(
            error.message.contains(&address.to_string())
                && error.message.contains("Choose another address with --https-addr"),
            "{error}"
        );
    }
}

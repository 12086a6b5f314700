//! The exchange of messages with name servers, with this server's limits and words.

use super::DnsError;
use postern_dns::Retransmission;
use std::{io, net::SocketAddr, time::Duration};

const RETRANSMISSION: Retransmission = Retransmission { interval: Duration::from_millis(1500), attempts: 2 };
/// Time that an exchange over TCP may take.
const TCP_TIMEOUT: Duration = Duration::from_secs(5);

/// Sends a message over TCP and reads one response.
pub(super) async fn over_tcp(server: SocketAddr, message: &[u8]) -> Result<Vec<u8>, DnsError> {
    postern_dns::over_tcp(server, message, TCP_TIMEOUT).await.map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => silent(server),
        _ => unreachable_server(server, &error),
    })
}

/// Sends a message over UDP until a datagram is accepted as its response.
pub(super) async fn over_udp<T>(
    server: SocketAddr,
    message: &[u8],
    accept: impl Fn(&[u8]) -> Option<T>,
) -> Result<T, DnsError> {
    let response = postern_dns::over_udp(server, message, RETRANSMISSION, accept).await;
    response.map_err(|error| unreachable_server(server, &error))?.ok_or_else(|| silent(server))
}

fn unreachable_server(server: SocketAddr, error: &io::Error) -> DnsError {
    DnsError(format!("the name server {server} cannot be reached: {error}"))
}

fn silent(server: SocketAddr) -> DnsError {
    DnsError(format!("the name server {server} does not respond"))
}

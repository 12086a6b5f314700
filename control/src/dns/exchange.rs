//! One message to a name server and its response, over UDP or TCP.

use super::DnsError;
use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpStream, UdpSocket},
    time::timeout,
};

/// Time that a response over UDP may take before the message is sent again.
const RETRANSMIT_INTERVAL: Duration = Duration::from_millis(1500);
/// Transmissions of one message over UDP.
const MAX_ATTEMPTS: usize = 2;
/// Time that an exchange over TCP may take.
const TCP_TIMEOUT: Duration = Duration::from_secs(5);
/// Largest response over UDP; longer ones are asked for over TCP.
const MAX_DATAGRAM_BYTES: usize = 1232;

/// Sends a message over TCP and reads one response, which has at most 64 KiB (RFC 1035, section 4.2.2).
pub(super) async fn over_tcp(server: SocketAddr, message: &[u8]) -> Result<Vec<u8>, DnsError> {
    let length = u16::try_from(message.len()).map_err(|_| DnsError("the message is too long".to_owned()))?;
    let exchange = async {
        let mut stream = TcpStream::connect(server).await?;
        stream.write_all(&[&length.to_be_bytes(), message].concat()).await?;
        let mut response = vec![0; usize::from(stream.read_u16().await?)];
        stream.read_exact(&mut response).await?;
        io::Result::Ok(response)
    };
    match timeout(TCP_TIMEOUT, exchange).await {
        Ok(Ok(response)) => Ok(response),
        Ok(Err(error)) => Err(unreachable_server(server, &error)),
        Err(_) => Err(silent(server)),
    }
}

/// Sends a message over UDP until a datagram is accepted as its response.
pub(super) async fn over_udp<T>(
    server: SocketAddr,
    message: &[u8],
    accept: impl Fn(&[u8]) -> Option<T>,
) -> Result<T, DnsError> {
    let any: IpAddr = if server.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let exchange = async {
        let socket = UdpSocket::bind((any, 0)).await?;
        socket.connect(server).await?;
        let mut buffer = [0; MAX_DATAGRAM_BYTES];
        for _ in 0..MAX_ATTEMPTS {
            socket.send(message).await?;
            let received = async {
                loop {
                    let length = socket.recv(&mut buffer).await?;
                    if let Some(response) = accept(&buffer[..length]) {
                        return io::Result::Ok(response);
                    }
                }
            };
            if let Ok(response) = timeout(RETRANSMIT_INTERVAL, received).await {
                return response.map(Some);
            }
        }
        Ok(None)
    };
    exchange.await.map_err(|error| unreachable_server(server, &error))?.ok_or_else(|| silent(server))
}

fn unreachable_server(server: SocketAddr, error: &io::Error) -> DnsError {
    DnsError(format!("the name server {server} cannot be reached: {error}"))
}

fn silent(server: SocketAddr) -> DnsError {
    DnsError(format!("the name server {server} does not respond"))
}

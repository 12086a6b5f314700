//! One message to a name server and its response, over UDP or TCP.

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

/// Largest response over UDP; longer ones are asked for over TCP.
pub const MAX_DATAGRAM_BYTES: usize = 1232;

/// How often a message over UDP is sent while there is no response.
#[derive(Clone, Copy, Debug)]
pub struct Retransmission {
    /// Time that a response may take before the message is sent again.
    pub interval: Duration,
    /// Transmissions of one message.
    pub attempts: u32,
}

/// Sends a message over UDP until a datagram is accepted as its response; `None` if none is.
///
/// # Errors
/// If the name server cannot be reached.
pub async fn over_udp<T>(
    server: SocketAddr,
    message: &[u8],
    retransmission: Retransmission,
    accept: impl Fn(&[u8]) -> Option<T>,
) -> io::Result<Option<T>> {
    let any: IpAddr = if server.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0)).await?;
    socket.connect(server).await?;
    // On the heap, so that the futures of callers that ask several questions at once stay small.
    let mut buffer = vec![0; MAX_DATAGRAM_BYTES];
    for _ in 0..retransmission.attempts {
        socket.send(message).await?;
        let received = async {
            loop {
                let length = socket.recv(&mut buffer).await?;
                if let Some(response) = accept(&buffer[..length]) {
                    return io::Result::Ok(response);
                }
            }
        };
        if let Ok(response) = timeout(retransmission.interval, received).await {
            return response.map(Some);
        }
    }
    Ok(None)
}

/// Sends a message over TCP and reads one response, which has at most 64 KiB (RFC 1035, section 4.2.2).
///
/// # Errors
/// If the name server cannot be reached, or with [`io::ErrorKind::TimedOut`] if there is no response within the limit.
pub async fn over_tcp(server: SocketAddr, message: &[u8], limit: Duration) -> io::Result<Vec<u8>> {
    let length = u16::try_from(message.len()).map_err(|_| io::Error::other("the message is too long"))?;
    let exchange = async {
        let mut stream = TcpStream::connect(server).await?;
        stream.write_all(&[&length.to_be_bytes(), message].concat()).await?;
        let mut response = vec![0; usize::from(stream.read_u16().await?)];
        stream.read_exact(&mut response).await?;
        Ok(response)
    };
    timeout(limit, exchange).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

//! An accepted connection and the address of its visitor: that of the socket, or the one a trusted proxy names.

use crate::{
    net::{ConnectionLimiter, ConnectionPermit, LimitReached},
    telemetry::metrics,
};
use ipnet::IpNet;
use postern_tunnel::proxy::{HeaderParse, MalformedProxyHeader, ProxyHeader, parse};
use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    net::TcpStream,
};

/// The proxies in front of the edge. Their connections begin with a header of the PROXY protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxies {
    /// Networks of the trusted proxies.
    pub trusted: Vec<IpNet>,
    /// Whether direct connections are refused.
    pub only: bool,
    /// How long a proxy may take to send its header.
    pub header_timeout: Duration,
}

impl Default for Proxies {
    fn default() -> Self {
        Proxies { trusted: Vec::new(), only: false, header_timeout: Duration::from_secs(5) }
    }
}

impl Proxies {
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|net| net.contains(&address))
    }
}

/// A connection that was accepted.
pub(crate) struct AcceptedConnection {
    stream: TcpStream,
    peer: SocketAddr,
    permit: ConnectionPermit,
    /// Set when the peer is a trusted proxy; its client is counted instead.
    proxied: Option<Arc<ConnectionLimiter>>,
}

/// A connection and its visitor.
pub(crate) struct IdentifiedConnection {
    pub(crate) stream: TcpStream,
    pub(crate) visitor: SocketAddr,
    /// The public address that was reached.
    pub(crate) reached: Option<SocketAddr>,
    pub(crate) permit: ConnectionPermit,
}

impl AcceptedConnection {
    /// Acquires a permit, or an overflow permit. `None` if there is neither.
    pub(crate) fn of(stream: TcpStream, peer: SocketAddr, limiter: &Arc<ConnectionLimiter>) -> Option<Self> {
        let proxies = limiter.proxies();
        let proxied = proxies.trusts(peer.ip());
        if proxies.only && !proxied {
            refused(peer, "direct");
            return None;
        }
        let permit = if proxied { limiter.acquire_uncounted() } else { limiter.acquire(peer.ip()) };
        let permit = match permit {
            Ok(permit) => permit,
            Err(limit_reached) => refused_by_limit(limiter, peer, limit_reached)?,
        };
        postern_tunnel::sockets::tune(&stream);
        Some(AcceptedConnection { stream, peer, permit, proxied: proxied.then(|| limiter.clone()) })
    }

    /// Reads the address of the visitor. `None` if it does not arrive in time, or if a limit is reached.
    pub(crate) async fn identify(self) -> Option<IdentifiedConnection> {
        let AcceptedConnection { mut stream, peer, mut permit, proxied } = self;
        let Some(limiter) = proxied else {
            let reached = stream.local_addr().ok();
            return Some(IdentifiedConnection { stream, visitor: peer, reached, permit });
        };
        let timeout = limiter.proxies().header_timeout;
        let header = tokio::time::timeout(timeout, header(&mut stream)).await;
        let header = header.unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "it did not come in time")));
        let plain = |address: SocketAddr| SocketAddr::new(address.ip().to_canonical(), address.port());
        match header {
            Ok(ProxyHeader::Visitor { source, destination }) => {
                let (visitor, reached) = (plain(source), Some(plain(destination)));
                if permit.limit_reached().is_none()
                    && let Err(limit_reached) = limiter.count_address(&mut permit, visitor.ip())
                {
                    permit = refused_by_limit(&limiter, visitor, limit_reached)?;
                }
                Some(IdentifiedConnection { stream, visitor, reached, permit })
            }
            Ok(ProxyHeader::Proxy) => {
                let reached = stream.local_addr().ok();
                Some(IdentifiedConnection { stream, visitor: peer, reached, permit })
            }
            Err(error) => {
                metrics::connection_refused("proxy");
                tracing::warn!(proxy = %peer, %error, "a trusted proxy did not say who its visitor is");
                None
            }
        }
    }
}

fn refused(visitor: SocketAddr, why: &'static str) {
    metrics::connection_refused(why);
    tracing::debug!(%visitor, why, "a connection limit is reached");
}

fn refused_by_limit(
    limiter: &ConnectionLimiter,
    visitor: SocketAddr,
    limit_reached: LimitReached,
) -> Option<ConnectionPermit> {
    refused(visitor, limit_reached.name());
    limiter.overflow_permit(limit_reached)
}

/// Reads a header, and not a byte behind it.
async fn header(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<ProxyHeader> {
    let malformed = |error: MalformedProxyHeader| io::Error::new(io::ErrorKind::InvalidData, error);
    let mut bytes = Vec::new();
    loop {
        match parse(&bytes).map_err(malformed)? {
            HeaderParse::Complete(header, _) => return Ok(header),
            HeaderParse::Incomplete(missing) => {
                if (&mut *stream).take(missing as u64).read_buf(&mut bytes).await? == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_tunnel::proxy::{ProxyVersion, encode};
    use tokio::io::AsyncWriteExt;

    #[tokio::test]
    async fn not_a_byte_behind_a_header_is_read() {
        let address = |text: &str| text.parse::<SocketAddr>().expect("an address");
        let (source, destination) = (address("203.0.113.9:5000"), address("192.0.2.1:443"));
        for version in [ProxyVersion::V1, ProxyVersion::V2] {
            let bytes = [encode(version, source, Some(destination)), b"hello".to_vec()].concat();
            for step in [1, 7, bytes.len()] {
                let (mut far, mut near) = tokio::io::duplex(step);
                let saying = bytes.clone();
                tokio::spawn(async move { far.write_all(&saying).await });
                assert_eq!(header(&mut near).await.expect("a header"), ProxyHeader::Visitor { source, destination });
                let mut rest = String::new();
                near.read_to_string(&mut rest).await.expect("text");
                assert_eq!(rest, "hello");
            }
        }
    }

    #[tokio::test]
    async fn what_is_no_header_is_refused_as_soon_as_that_is_known() {
        for (bytes, kind) in [
            (&b"GE"[..], io::ErrorKind::InvalidData),
            (b"\x16\x03\x01", io::ErrorKind::InvalidData),
            (b"PROXY TCP4 1.2.3.4\r\n", io::ErrorKind::InvalidData),
        ] {
            let (mut far, mut near) = tokio::io::duplex(64);
            far.write_all(bytes).await.expect("room");
            assert_eq!(header(&mut near).await.expect_err("refused").kind(), kind, "{bytes:?}");
        }
        let (mut far, mut near) = tokio::io::duplex(64);
        far.write_all(b"PROXY").await.expect("room");
        drop(far);
        assert_eq!(header(&mut near).await.expect_err("cut").kind(), io::ErrorKind::UnexpectedEof);
    }
}

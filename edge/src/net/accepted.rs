//! A connection that was accepted, and whose it is: the socket says so, or a proxy in front that is trusted to.

use crate::{
    net::{Crowd, Full, Place},
    telemetry::metrics,
};
use ipnet::IpNet;
use postern_tunnel::proxy::{Look, MalformedProxyHeader, ProxyHeader, look};
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
#[derive(Clone, Debug)]
pub struct Proxies {
    /// Where they are; nobody else is believed.
    pub trusted: Vec<IpNet>,
    /// Whether nobody else may connect at all.
    pub only: bool,
    /// How long they may take to say whose a connection is.
    pub patience: Duration,
}

impl Default for Proxies {
    fn default() -> Self {
        Proxies { trusted: Vec::new(), only: false, patience: Duration::from_secs(5) }
    }
}

impl Proxies {
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|net| net.contains(&address))
    }
}

/// A connection that was accepted.
pub(crate) struct Arrival {
    stream: TcpStream,
    peer: SocketAddr,
    place: Place,
    /// Whoever is there speaks for somebody else, who is counted here.
    proxied: Option<Arc<Crowd>>,
}

/// A connection and its visitor.
pub(crate) struct Settled {
    pub(crate) stream: TcpStream,
    pub(crate) visitor: SocketAddr,
    /// The public address that was reached.
    pub(crate) reached: Option<SocketAddr>,
    pub(crate) place: Place,
}

impl Arrival {
    /// Gives it a place, if only one at the door.
    pub(crate) fn of(stream: TcpStream, peer: SocketAddr, crowd: &Arc<Crowd>) -> Option<Self> {
        let proxied = crowd.proxies.trusts(peer.ip());
        if crowd.proxies.only && !proxied {
            turned_away(peer, "direct");
            return None;
        }
        let place = if proxied { crowd.admit_anybody() } else { crowd.admit(peer.ip()) };
        let place = match place {
            Ok(place) => place,
            Err(full) => turned_away_by(crowd, peer, full)?,
        };
        postern_tunnel::sockets::tune(&stream);
        Some(Arrival { stream, peer, place, proxied: proxied.then(|| crowd.clone()) })
    }

    /// Finds out whose connection it is; `None` if that cannot be found out in time, or if they have too many.
    pub(crate) async fn settle(self) -> Option<Settled> {
        let Arrival { mut stream, peer, mut place, proxied } = self;
        let Some(crowd) = proxied else {
            let reached = stream.local_addr().ok();
            return Some(Settled { stream, visitor: peer, reached, place });
        };
        let header = tokio::time::timeout(crowd.proxies.patience, header(&mut stream)).await;
        let header = header.unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "it did not come in time")));
        let plain = |address: SocketAddr| SocketAddr::new(address.ip().to_canonical(), address.port());
        match header {
            Ok(ProxyHeader::Visitor { source, destination }) => {
                let (visitor, reached) = (plain(source), Some(plain(destination)));
                if place.full().is_none()
                    && let Err(full) = crowd.count(&mut place, visitor.ip())
                {
                    place = turned_away_by(&crowd, visitor, full)?;
                }
                Some(Settled { stream, visitor, reached, place })
            }
            Ok(ProxyHeader::Proxy) => {
                let reached = stream.local_addr().ok();
                Some(Settled { stream, visitor: peer, reached, place })
            }
            Err(error) => {
                metrics::turned_away("proxy");
                tracing::warn!(proxy = %peer, %error, "a trusted proxy did not say who its visitor is");
                None
            }
        }
    }
}

fn turned_away(visitor: SocketAddr, why: &'static str) {
    metrics::turned_away(why);
    tracing::debug!(%visitor, why, "there is no place for this connection");
}

fn turned_away_by(crowd: &Crowd, visitor: SocketAddr, full: Full) -> Option<Place> {
    turned_away(visitor, full.name());
    crowd.at_the_door(full)
}

/// Reads a header, and not a byte behind it.
async fn header(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<ProxyHeader> {
    let malformed = |error: MalformedProxyHeader| io::Error::new(io::ErrorKind::InvalidData, error);
    let mut bytes = Vec::new();
    loop {
        match look(&bytes).map_err(malformed)? {
            Look::Whole(header, _) => return Ok(header),
            Look::Part(wanted) => {
                if (&mut *stream).take(wanted as u64).read_buf(&mut bytes).await? == 0 {
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

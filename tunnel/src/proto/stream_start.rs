//! Header of every stream: tunnel, visitor and kind of traffic.
//!
//! ```text
//! length u8 | tunnel u32 | flags u8 | port u16 | address 4 or 16 bytes
//!                                  [| port u16 | address 4 or 16 bytes] | fields of newer versions
//! ```
//! Numbers are big-endian. Flags: bit 0 the visitor uses TLS, bit 1 raw TCP, bit 2 the visitor's address is IPv6,
//! bit 3 the destination address follows, bit 4 that one is IPv6, bit 5 (of raw TCP) the visitor's TLS is
//! inside.

use std::net::{IpAddr, SocketAddr};

/// Longest encoding in bytes, length byte included.
pub const MAX_START: usize = 256;

const TLS: u8 = 1;
const TCP: u8 = 2;
const IPV6: u8 = 4;
const DESTINATION: u8 = 8;
const DESTINATION_IPV6: u8 = 16;
const TLS_INSIDE: u8 = 32;

/// First bytes of a stream, sent by the server that opens it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamStart {
    /// Tunnel number, from [`Bound`](super::message::Bound).
    pub tunnel: u32,
    /// Socket address of the visitor.
    pub visitor: SocketAddr,
    /// Public address that the visitor connected to; set only if the agent needs it.
    pub destination: Option<SocketAddr>,
    /// Kind of traffic.
    pub kind: StreamKind,
    /// Whether the visitor uses TLS.
    pub tls: bool,
}

/// Kind of traffic on a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreamKind {
    /// HTTP, parsed and rebuilt by the edge.
    Http,
    /// Raw bytes.
    Tcp,
    /// Raw bytes that are the visitor's TLS, not terminated by the edge.
    Tls,
}

/// The bytes are not a [`StreamStart`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the start of a stream is malformed")]
pub struct MalformedStart;

impl StreamStart {
    /// Encodes the header, length byte first.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(24);
        bytes.push(0);
        bytes.extend_from_slice(&self.tunnel.to_be_bytes());
        let mut flags = 0;
        if self.tls {
            flags |= TLS;
        }
        flags |= match self.kind {
            StreamKind::Http => 0,
            StreamKind::Tcp => TCP,
            // Older agents treat it as raw bytes.
            StreamKind::Tls => TCP | TLS_INSIDE,
        };
        if self.visitor.is_ipv6() {
            flags |= IPV6;
        }
        if let Some(destination) = self.destination {
            flags |= DESTINATION | if destination.is_ipv6() { DESTINATION_IPV6 } else { 0 };
        }
        bytes.push(flags);
        for address in [Some(self.visitor), self.destination].into_iter().flatten() {
            bytes.extend_from_slice(&address.port().to_be_bytes());
            match address.ip() {
                IpAddr::V4(address) => bytes.extend_from_slice(&address.octets()),
                IpAddr::V6(address) => bytes.extend_from_slice(&address.octets()),
            }
        }
        bytes[0] = (bytes.len() - 1) as u8;
        bytes
    }

    /// Decodes the bytes after the length byte. Trailing bytes belong to newer versions and are ignored.
    ///
    /// # Errors
    /// [`MalformedStart`] if the bytes are too short.
    pub fn decode(bytes: &[u8]) -> Result<Self, MalformedStart> {
        let (tunnel, rest) = bytes.split_first_chunk::<4>().ok_or(MalformedStart)?;
        let (&flags, rest) = rest.split_first().ok_or(MalformedStart)?;
        let (visitor, rest) = address(rest, flags & IPV6 != 0)?;
        let destination = match flags & DESTINATION {
            0 => None,
            _ => Some(address(rest, flags & DESTINATION_IPV6 != 0)?.0),
        };
        Ok(StreamStart {
            tunnel: u32::from_be_bytes(*tunnel),
            visitor,
            destination,
            kind: match (flags & TCP, flags & TLS_INSIDE) {
                (0, _) => StreamKind::Http,
                (_, 0) => StreamKind::Tcp,
                _ => StreamKind::Tls,
            },
            tls: flags & TLS != 0,
        })
    }
}

/// Splits off a port and an address.
fn address(bytes: &[u8], ipv6: bool) -> Result<(SocketAddr, &[u8]), MalformedStart> {
    let (port, rest) = bytes.split_first_chunk::<2>().ok_or(MalformedStart)?;
    let (address, rest) = if ipv6 {
        let (address, rest) = rest.split_first_chunk::<16>().ok_or(MalformedStart)?;
        (IpAddr::from(*address), rest)
    } else {
        let (address, rest) = rest.split_first_chunk::<4>().ok_or(MalformedStart)?;
        (IpAddr::from(*address), rest)
    };
    Ok((SocketAddr::new(address, u16::from_be_bytes(*port)), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_start() -> impl Strategy<Value = StreamStart> {
        let address = || (any::<IpAddr>(), any::<u16>()).prop_map(SocketAddr::from);
        let kind = prop_oneof![Just(StreamKind::Http), Just(StreamKind::Tcp), Just(StreamKind::Tls)];
        (any::<u32>(), address(), proptest::option::of(address()), kind, any::<bool>()).prop_map(
            |(tunnel, visitor, destination, kind, tls)| StreamStart { tunnel, visitor, destination, kind, tls },
        )
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_and_may_grow_at_the_end(start in any_start(), newer in any::<[u8; 5]>()) {
            let mut bytes = start.encode();
            prop_assert_eq!(bytes[0] as usize, bytes.len() - 1);
            prop_assert_eq!(StreamStart::decode(&bytes[1..]), Ok(start));
            bytes.extend_from_slice(&newer);
            prop_assert_eq!(StreamStart::decode(&bytes[1..]), Ok(start));
        }

        #[test]
        fn a_truncated_start_is_refused(start in any_start(), cut in 1usize..20) {
            let bytes = start.encode();
            let end = bytes.len().saturating_sub(cut).max(1);
            prop_assert_eq!(StreamStart::decode(&bytes[1..end]), Err(MalformedStart));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = StreamStart::decode(&bytes);
        }
    }
}

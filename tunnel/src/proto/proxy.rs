//! PROXY protocol headers, versions 1 and 2, as specified by HAProxy (`doc/proxy-protocol.txt`).
//!
//! Agents write them in front of forwarded connections; the edge reads them from proxies that its operator trusts.

use ppp::{v1, v2};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Longest version 2 header in bytes that is accepted. Addresses need 36 bytes, the rest is room for extensions.
pub const MAX_HEADER_BYTES: usize = 4096;

/// Longest version 1 header in bytes.
const MAX_V1_HEADER_BYTES: usize = 107;
/// Shortest version 1 header in bytes: `PROXY UNKNOWN` and the line end.
const MIN_V1_HEADER_BYTES: usize = 15;
/// Bytes of the fixed part of a version 2 header; its last two bytes are the length of the rest.
const V2_FIXED_BYTES: usize = 16;

/// Version of a PROXY protocol header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProxyVersion {
    /// One line of text.
    V1,
    /// Binary.
    V2,
}

/// Content of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyHeader {
    /// The connection is forwarded for a visitor.
    Visitor {
        /// Address of the visitor.
        source: SocketAddr,
        /// Address that the visitor connected to.
        destination: SocketAddr,
    },
    /// The connection is the proxy's own, such as a health check, or its visitor has no IP address.
    Proxy,
}

/// Result of parsing the first bytes of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderParse {
    /// The beginning of a header; at least this many more bytes belong to it.
    Incomplete(usize),
    /// A header and its length in bytes; other bytes may follow.
    Complete(ProxyHeader, usize),
}

/// The bytes are not a valid header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the connection does not begin with a valid PROXY protocol header")]
pub struct MalformedProxyHeader;

/// Parses a header at the beginning of `bytes`.
///
/// # Errors
/// [`MalformedProxyHeader`] if no further bytes can make this a header.
pub fn parse(bytes: &[u8]) -> Result<HeaderParse, MalformedProxyHeader> {
    match bytes.first() {
        None => Ok(HeaderParse::Incomplete(MIN_V1_HEADER_BYTES)),
        Some(b'P') => parse_v1(bytes),
        Some(_) => parse_v2(bytes),
    }
}

fn parse_v1(bytes: &[u8]) -> Result<HeaderParse, MalformedProxyHeader> {
    let known = bytes.len().min(6);
    if bytes[..known] != b"PROXY "[..known] {
        return Err(MalformedProxyHeader);
    }
    let room = &bytes[..bytes.len().min(MAX_V1_HEADER_BYTES)];
    let Some(end) = room.iter().position(|byte| *byte == b'\n') else {
        if bytes.len() >= MAX_V1_HEADER_BYTES {
            return Err(MalformedProxyHeader);
        }
        let rest = if bytes.ends_with(b"\r") { 1 } else { 2 };
        return Ok(HeaderParse::Incomplete(MIN_V1_HEADER_BYTES.saturating_sub(bytes.len()).max(rest)));
    };
    let line = &bytes[..=end];
    // The `ppp` crate accepts signed numbers and a bare carriage return within the line.
    let odd =
        line.contains(&b'+') || !line.ends_with(b"\r\n") || line.iter().filter(|byte| **byte == b'\r').count() > 1;
    if odd {
        return Err(MalformedProxyHeader);
    }
    let header = v1::Header::try_from(line).map_err(|_| MalformedProxyHeader)?;
    let header = match header.addresses {
        v1::Addresses::Tcp4(ip) => {
            visitor((ip.source_address.into(), ip.source_port), (ip.destination_address.into(), ip.destination_port))
        }
        v1::Addresses::Tcp6(ip) => {
            visitor((ip.source_address.into(), ip.source_port), (ip.destination_address.into(), ip.destination_port))
        }
        v1::Addresses::Unknown => ProxyHeader::Proxy,
    };
    Ok(HeaderParse::Complete(header, line.len()))
}

fn parse_v2(bytes: &[u8]) -> Result<HeaderParse, MalformedProxyHeader> {
    let known = bytes.len().min(v2::PROTOCOL_PREFIX.len());
    if bytes[..known] != v2::PROTOCOL_PREFIX[..known] {
        return Err(MalformedProxyHeader);
    }
    let Some(fixed) = bytes.first_chunk::<V2_FIXED_BYTES>() else {
        return Ok(HeaderParse::Incomplete(V2_FIXED_BYTES - bytes.len()));
    };
    let length = V2_FIXED_BYTES + usize::from(u16::from_be_bytes([fixed[14], fixed[15]]));
    if length > MAX_HEADER_BYTES {
        return Err(MalformedProxyHeader);
    }
    let header = match v2::Header::try_from(bytes) {
        Ok(header) => header,
        Err(v2::ParseError::Partial(..)) => return Ok(HeaderParse::Incomplete(length - bytes.len())),
        Err(_) => return Err(MalformedProxyHeader),
    };
    let complete = |header| Ok(HeaderParse::Complete(header, length));
    if header.command == v2::Command::Local {
        return complete(ProxyHeader::Proxy);
    }
    if header.protocol == v2::Protocol::Datagram || header.tlvs().any(|tlv| tlv.is_err()) {
        return Err(MalformedProxyHeader);
    }
    complete(match header.addresses {
        v2::Addresses::IPv4(ip) => {
            visitor((ip.source_address.into(), ip.source_port), (ip.destination_address.into(), ip.destination_port))
        }
        v2::Addresses::IPv6(ip) => {
            visitor((ip.source_address.into(), ip.source_port), (ip.destination_address.into(), ip.destination_port))
        }
        v2::Addresses::Unspecified | v2::Addresses::Unix(_) => ProxyHeader::Proxy,
    })
}

fn visitor(source: (IpAddr, u16), destination: (IpAddr, u16)) -> ProxyHeader {
    ProxyHeader::Visitor { source: source.into(), destination: destination.into() }
}

/// Encodes a header with the visitor's address and, if known, the address that the visitor connected to.
pub fn encode(version: ProxyVersion, source: SocketAddr, destination: Option<SocketAddr>) -> Vec<u8> {
    let plain = |address: SocketAddr| SocketAddr::new(address.ip().to_canonical(), address.port());
    let source = plain(source);
    let unknown: IpAddr = match source {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let destination = destination.map_or(SocketAddr::new(unknown, 0), plain);
    let (source, destination) = match (source.ip(), destination.ip()) {
        (IpAddr::V4(_), IpAddr::V4(_)) | (IpAddr::V6(_), IpAddr::V6(_)) => (source, destination),
        // A header has a single address family, and IPv6 can represent both.
        _ => (mapped(source), mapped(destination)),
    };
    match version {
        ProxyVersion::V1 => {
            let family = if source.is_ipv4() { v1::TCP4 } else { v1::TCP6 };
            let (from, to) = (source.ip(), destination.ip());
            format!("PROXY {family} {from} {to} {} {}\r\n", source.port(), destination.port()).into_bytes()
        }
        ProxyVersion::V2 => {
            let command = v2::Version::Two | v2::Command::Proxy;
            v2::Builder::with_addresses(command, v2::Protocol::Stream, (source, destination))
                .build()
                .expect("addresses fit into a header")
        }
    }
}

fn mapped(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) => ip.to_ipv6_mapped(),
        IpAddr::V6(ip) => ip,
    };
    SocketAddr::new(ip.into(), address.port())
}

#[cfg(test)]
mod tests;

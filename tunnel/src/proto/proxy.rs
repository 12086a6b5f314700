//! The PROXY protocol: the few bytes in front of a connection by which a proxy says who its visitor is.
//!
//! Written by agents in front of what they pass on, read by the edge behind proxies that its operator trusts.

use ppp::{v1, v2};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The longest header of version 2 that is read. Addresses need 36 bytes, the rest is room for extensions.
pub const LONGEST: usize = 4096;

/// The longest header of version 1 there can be.
const LONGEST_V1: usize = 107;
/// The shortest header of version 1 there can be: `PROXY UNKNOWN` and the end of the line.
const SHORTEST_V1: usize = 15;
/// What every header of version 2 begins with; its length stands at the end of it.
const FIXED_V2: usize = 16;

/// How a header is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProxyVersion {
    /// One line of text.
    V1,
    /// Binary.
    V2,
}

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyHeader {
    /// The connection is a visitor's.
    Visitor {
        /// Where it comes from.
        source: SocketAddr,
        /// What it reached.
        destination: SocketAddr,
    },
    /// The connection is the proxy's own, to look after us, or its visitor has no address of the internet.
    Proxy,
}

/// What the first bytes of a connection are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// The beginning of a header; so many bytes more belong to it for certain.
    Part(usize),
    /// A header of so many bytes, and perhaps more behind it.
    Whole(ProxyHeader, usize),
}

/// The bytes are no header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the connection does not begin with a valid PROXY protocol header")]
pub struct MalformedProxyHeader;

/// Looks for a header at the beginning of these bytes.
///
/// # Errors
/// If nothing that follows could make a header of them.
pub fn look(bytes: &[u8]) -> Result<Look, MalformedProxyHeader> {
    match bytes.first() {
        None => Ok(Look::Part(SHORTEST_V1)),
        Some(b'P') => look_for_line(bytes),
        Some(_) => look_for_binary(bytes),
    }
}

fn look_for_line(bytes: &[u8]) -> Result<Look, MalformedProxyHeader> {
    let begun = bytes.len().min(6);
    if bytes[..begun] != b"PROXY "[..begun] {
        return Err(MalformedProxyHeader);
    }
    let room = &bytes[..bytes.len().min(LONGEST_V1)];
    let Some(end) = room.iter().position(|byte| *byte == b'\n') else {
        if bytes.len() >= LONGEST_V1 {
            return Err(MalformedProxyHeader);
        }
        let rest = if bytes.ends_with(b"\r") { 1 } else { 2 };
        return Ok(Look::Part(SHORTEST_V1.saturating_sub(bytes.len()).max(rest)));
    };
    let line = &bytes[..=end];
    // The library's numbers may have a sign, and its lines a bare return inside.
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
    Ok(Look::Whole(header, line.len()))
}

fn look_for_binary(bytes: &[u8]) -> Result<Look, MalformedProxyHeader> {
    let begun = bytes.len().min(v2::PROTOCOL_PREFIX.len());
    if bytes[..begun] != v2::PROTOCOL_PREFIX[..begun] {
        return Err(MalformedProxyHeader);
    }
    let Some(fixed) = bytes.first_chunk::<FIXED_V2>() else {
        return Ok(Look::Part(FIXED_V2 - bytes.len()));
    };
    let length = FIXED_V2 + usize::from(u16::from_be_bytes([fixed[14], fixed[15]]));
    if length > LONGEST {
        return Err(MalformedProxyHeader);
    }
    let header = match v2::Header::try_from(bytes) {
        Ok(header) => header,
        Err(v2::ParseError::Partial(..)) => return Ok(Look::Part(length - bytes.len())),
        Err(_) => return Err(MalformedProxyHeader),
    };
    let whole = |header| Ok(Look::Whole(header, length));
    if header.command == v2::Command::Local {
        return whole(ProxyHeader::Proxy);
    }
    if header.protocol == v2::Protocol::Datagram || header.tlvs().any(|tlv| tlv.is_err()) {
        return Err(MalformedProxyHeader);
    }
    whole(match header.addresses {
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

/// The header that names a visitor and, as far as it is known, what they reached.
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
        // A header has one family only, and the larger one holds both.
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

//! DNS lookups: by the system, or by the name servers of `dns_resolver_ips`.

use super::staggered_race::staggered_race;
use postern_api::host::is_localhost;
use postern_dns::{Retransmission, over_tcp, over_udp, question, response_to};
use simple_dns::{Packet, PacketFlag, RCODE, TYPE, rdata::RData};
use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};
use tokio::net::lookup_host;

/// Delay before the next name server is queried.
const RESOLVER_STAGGER: Duration = Duration::from_millis(300);
const RETRANSMISSION: Retransmission = Retransmission { interval: Duration::from_millis(400), attempts: 5 };
/// Time that a query over TCP may take.
const TCP_TIMEOUT: Duration = Duration::from_secs(2);

/// The addresses of a host. The name servers are queried if there are any and the name is not a local one.
///
/// # Errors
/// The name has no address, or no name server responds.
pub async fn look_up(host: &str, port: u16, resolvers: &[SocketAddr]) -> io::Result<Vec<SocketAddr>> {
    let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let ours = is_localhost(&name) || name.parse::<IpAddr>().is_ok();
    if resolvers.is_empty() || ours {
        return Ok(lookup_host((host, port)).await?.collect());
    }
    let queries = resolvers.iter().copied().map(|resolver| query_server(resolver, &name));
    match staggered_race(queries, RESOLVER_STAGGER).await {
        Ok(addresses) => Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect()),
        Err(failures) => Err(failures.into_iter().next_back().unwrap_or_else(|| io::ErrorKind::NotFound.into())),
    }
}

/// Queries one name server for both address families.
async fn query_server(resolver: SocketAddr, name: &str) -> io::Result<Vec<IpAddr>> {
    let (ipv6, ipv4) = tokio::join!(query(resolver, name, TYPE::AAAA), query(resolver, name, TYPE::A));
    match (ipv6, ipv4) {
        (Err(error), Err(_)) => Err(error),
        (ipv6, ipv4) => {
            let found: Vec<IpAddr> = [ipv6, ipv4].into_iter().flatten().flatten().collect();
            let nothing =
                || io::Error::new(io::ErrorKind::NotFound, format!("{} has no address for the name", resolver.ip()));
            if found.is_empty() { Err(nothing()) } else { Ok(found) }
        }
    }
}

async fn query(resolver: SocketAddr, name: &str, kind: TYPE) -> io::Result<Vec<IpAddr>> {
    let malformed = |_| io::Error::new(io::ErrorKind::InvalidInput, "the name is not valid in DNS");
    let query = question(name, kind, true).map_err(malformed)?;
    let bytes = query.build_bytes_vec().map_err(malformed)?;
    let silent =
        || io::Error::new(io::ErrorKind::TimedOut, format!("the name server {} does not respond", resolver.ip()));
    let mut response = over_udp(resolver, &bytes, RETRANSMISSION, |bytes| parse_response(bytes, &query)).await?;
    if response == Some(DnsResponse::Truncated) {
        response = parse_response(&over_tcp(resolver, &bytes, TCP_TIMEOUT).await?, &query);
        if matches!(response, Some(DnsResponse::Truncated) | None) {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    match response {
        Some(DnsResponse::Addresses(addresses)) => Ok(addresses),
        Some(DnsResponse::Refused(why)) => Err(refused(resolver, why)),
        Some(DnsResponse::Truncated) | None => Err(silent()),
    }
}

fn refused(resolver: SocketAddr, why: RCODE) -> io::Error {
    let text = match why {
        RCODE::NameError => format!("{} says that the name does not exist", resolver.ip()),
        other => format!("the name server {} refuses: {other:?}", resolver.ip()),
    };
    io::Error::new(io::ErrorKind::NotFound, text)
}

/// The result of a DNS query.
#[derive(Debug, PartialEq)]
enum DnsResponse {
    /// The addresses; may be empty.
    Addresses(Vec<IpAddr>),
    /// The response does not fit into a datagram.
    Truncated,
    Refused(RCODE),
}

/// Parses a response (RFC 1035); `None` if it does not belong to the query. Aliases (CNAME) are followed by the name
/// server, which returns all records up to the addresses.
fn parse_response(bytes: &[u8], query: &Packet<'_>) -> Option<DnsResponse> {
    let packet = response_to(query, bytes)?;
    if packet.has_flags(PacketFlag::TRUNCATION) {
        return Some(DnsResponse::Truncated);
    }
    if packet.rcode() != RCODE::NoError {
        return Some(DnsResponse::Refused(packet.rcode()));
    }
    let addresses = packet.answers.iter().filter_map(|record| match &record.rdata {
        RData::A(a) => Some(Ipv4Addr::from(a.address).into()),
        RData::AAAA(a) => Some(Ipv6Addr::from(a.address).into()),
        _ => None,
    });
    Some(DnsResponse::Addresses(addresses.collect()))
}

#[cfg(test)]
mod tests;

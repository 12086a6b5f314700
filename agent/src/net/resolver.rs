//! DNS lookups: by the system, or by the name servers of `dns_resolver_ips`.

use super::staggered_race::staggered_race;
use simple_dns::{CLASS, Name, Packet, PacketFlag, Question, RCODE, TYPE, rdata::RData};
use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpStream, UdpSocket, lookup_host},
    time::timeout,
};

/// Delay before the next name server is queried.
const RESOLVER_STAGGER: Duration = Duration::from_millis(300);
/// Interval between retransmissions of an unanswered query.
const RETRANSMIT_INTERVAL: Duration = Duration::from_millis(400);
/// Transmissions of one query.
const MAX_ATTEMPTS: usize = 5;
/// Maximum size of a response over UDP; longer ones are fetched over TCP.
const MAX_DATAGRAM_BYTES: usize = 1232;

/// The addresses of a host. The name servers are queried if there are any and the name is not a local one.
///
/// # Errors
/// The name has no address, or no name server responds.
pub async fn look_up(host: &str, port: u16, resolvers: &[SocketAddr]) -> io::Result<Vec<SocketAddr>> {
    let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let ours = name == "localhost" || name.ends_with(".localhost") || name.parse::<IpAddr>().is_ok();
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
    let mut packet = Packet::new_query(rand::random());
    packet.set_flags(PacketFlag::RECURSION_DESIRED);
    packet.questions.push(Question::new(Name::new(name).map_err(malformed)?, kind.into(), CLASS::IN.into(), false));
    let bytes = packet.build_bytes_vec().map_err(malformed)?;
    let any: IpAddr = if resolver.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0)).await?;
    socket.connect(resolver).await?;
    let mut buffer = [0; MAX_DATAGRAM_BYTES];
    for _ in 0..MAX_ATTEMPTS {
        socket.send(&bytes).await?;
        let received = timeout(RETRANSMIT_INTERVAL, async {
            loop {
                let length = socket.recv(&mut buffer).await?;
                if let Some(response) = parse_response(&buffer[..length], &packet) {
                    return io::Result::Ok(response);
                }
            }
        });
        match received.await {
            Ok(Ok(DnsResponse::Truncated)) => return query_over_tcp(resolver, &bytes, &packet).await,
            Ok(Ok(DnsResponse::Addresses(addresses))) => return Ok(addresses),
            Ok(Ok(DnsResponse::Refused(why))) => return Err(refused(resolver, why)),
            Ok(Err(error)) => return Err(error),
            Err(_) => {}
        }
    }
    Err(io::Error::new(io::ErrorKind::TimedOut, format!("the name server {} does not respond", resolver.ip())))
}

/// Repeats a query over TCP, where responses may be long (RFC 1035, section 4.2.2).
async fn query_over_tcp(resolver: SocketAddr, bytes: &[u8], query: &Packet<'_>) -> io::Result<Vec<IpAddr>> {
    let exchange = async {
        let mut stream = TcpStream::connect(resolver).await?;
        stream.write_u16(u16::try_from(bytes.len()).unwrap_or(u16::MAX)).await?;
        stream.write_all(bytes).await?;
        let mut response = vec![0; usize::from(stream.read_u16().await?)];
        stream.read_exact(&mut response).await?;
        io::Result::Ok(response)
    };
    let response = timeout(RETRANSMIT_INTERVAL * MAX_ATTEMPTS as u32, exchange)
        .await
        .map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    match parse_response(&response, query) {
        Some(DnsResponse::Addresses(addresses)) => Ok(addresses),
        Some(DnsResponse::Refused(why)) => Err(refused(resolver, why)),
        Some(DnsResponse::Truncated) | None => Err(io::ErrorKind::InvalidData.into()),
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
    let packet = Packet::parse(bytes).ok()?;
    let same = packet.id() == query.id()
        && packet.has_flags(PacketFlag::RESPONSE)
        && packet.questions.len() == query.questions.len()
        && packet.questions.iter().zip(&query.questions).all(|(one, other)| {
            let names = one.qname.to_string().eq_ignore_ascii_case(&other.qname.to_string());
            names && one.qtype == other.qtype
        });
    if !same {
        return None;
    }
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

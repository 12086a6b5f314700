//! Addresses of names: from the system, or from the name servers of `dns_resolver_ips`.

use super::race::race;
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

/// The next name server is asked so long after the one before.
const NEXT: Duration = Duration::from_millis(300);
/// A question that was not answered is asked again after this.
const AGAIN: Duration = Duration::from_millis(400);
/// So often a question is asked.
const TRIES: usize = 5;
/// Datagrams are no longer than this here: more is asked for over TCP.
const LONGEST: usize = 1232;

/// The addresses of a host. Name servers are asked if there are any and the host is a name that is not this machine's.
///
/// # Errors
/// Nobody knows an address, or nobody answers.
pub async fn look_up(host: &str, port: u16, resolvers: &[SocketAddr]) -> io::Result<Vec<SocketAddr>> {
    let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let ours = name == "localhost" || name.ends_with(".localhost") || name.parse::<IpAddr>().is_ok();
    if resolvers.is_empty() || ours {
        return Ok(lookup_host((host, port)).await?.collect());
    }
    let asked = resolvers.iter().copied().map(|resolver| ask(resolver, &name));
    match race(asked, NEXT).await {
        Ok(addresses) => Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect()),
        Err(failures) => Err(failures.into_iter().next_back().unwrap_or_else(|| io::ErrorKind::NotFound.into())),
    }
}

/// What one name server knows of a name.
async fn ask(resolver: SocketAddr, name: &str) -> io::Result<Vec<IpAddr>> {
    let (newer, older) = tokio::join!(question(resolver, name, TYPE::AAAA), question(resolver, name, TYPE::A));
    match (newer, older) {
        (Err(error), Err(_)) => Err(error),
        (newer, older) => {
            let found: Vec<IpAddr> = [newer, older].into_iter().flatten().flatten().collect();
            let nothing = || io::Error::new(io::ErrorKind::NotFound, format!("{} knows no address", resolver.ip()));
            if found.is_empty() { Err(nothing()) } else { Ok(found) }
        }
    }
}

async fn question(resolver: SocketAddr, name: &str, kind: TYPE) -> io::Result<Vec<IpAddr>> {
    let malformed = |_| io::Error::new(io::ErrorKind::InvalidInput, "the name cannot be asked for");
    let mut packet = Packet::new_query(rand::random());
    packet.set_flags(PacketFlag::RECURSION_DESIRED);
    packet.questions.push(Question::new(Name::new(name).map_err(malformed)?, kind.into(), CLASS::IN.into(), false));
    let bytes = packet.build_bytes_vec().map_err(malformed)?;
    let any: IpAddr = if resolver.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0)).await?;
    socket.connect(resolver).await?;
    let mut buffer = [0; LONGEST];
    for _ in 0..TRIES {
        socket.send(&bytes).await?;
        let heard = timeout(AGAIN, async {
            loop {
                let length = socket.recv(&mut buffer).await?;
                if let Some(answer) = read(&buffer[..length], &packet) {
                    return io::Result::Ok(answer);
                }
            }
        });
        match heard.await {
            Ok(Ok(Answer::Cut)) => return in_full(resolver, &bytes, &packet).await,
            Ok(Ok(Answer::Known(addresses))) => return Ok(addresses),
            Ok(Ok(Answer::Refused(why))) => return Err(refused(resolver, why)),
            Ok(Err(error)) => return Err(error),
            Err(_) => {}
        }
    }
    Err(io::Error::new(io::ErrorKind::TimedOut, format!("the name server {} does not answer", resolver.ip())))
}

/// The same over TCP, where answers may be long.
async fn in_full(resolver: SocketAddr, bytes: &[u8], asked: &Packet<'_>) -> io::Result<Vec<IpAddr>> {
    let exchange = async {
        let mut stream = TcpStream::connect(resolver).await?;
        stream.write_u16(u16::try_from(bytes.len()).unwrap_or(u16::MAX)).await?;
        stream.write_all(bytes).await?;
        let mut answer = vec![0; usize::from(stream.read_u16().await?)];
        stream.read_exact(&mut answer).await?;
        io::Result::Ok(answer)
    };
    let answer =
        timeout(AGAIN * TRIES as u32, exchange).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    match read(&answer, asked) {
        Some(Answer::Known(addresses)) => Ok(addresses),
        Some(Answer::Refused(why)) => Err(refused(resolver, why)),
        Some(Answer::Cut) | None => Err(io::ErrorKind::InvalidData.into()),
    }
}

fn refused(resolver: SocketAddr, why: RCODE) -> io::Error {
    let text = match why {
        RCODE::NameError => format!("{} says that there is no such name", resolver.ip()),
        other => format!("the name server {} refuses: {other:?}", resolver.ip()),
    };
    io::Error::new(io::ErrorKind::NotFound, text)
}

/// What a name server said.
#[derive(Debug, PartialEq)]
enum Answer {
    /// These, or none.
    Known(Vec<IpAddr>),
    /// It does not fit into a datagram.
    Cut,
    Refused(RCODE),
}

/// Reads an answer; what does not belong to the question is none. Names that stand for another are followed by the name
/// server, which gives all that leads to the addresses.
fn read(bytes: &[u8], asked: &Packet<'_>) -> Option<Answer> {
    let packet = Packet::parse(bytes).ok()?;
    let same = packet.id() == asked.id()
        && packet.has_flags(PacketFlag::RESPONSE)
        && packet.questions.len() == asked.questions.len()
        && packet.questions.iter().zip(&asked.questions).all(|(one, other)| {
            let names = one.qname.to_string().eq_ignore_ascii_case(&other.qname.to_string());
            names && one.qtype == other.qtype
        });
    if !same {
        return None;
    }
    if packet.has_flags(PacketFlag::TRUNCATION) {
        return Some(Answer::Cut);
    }
    if packet.rcode() != RCODE::NoError {
        return Some(Answer::Refused(packet.rcode()));
    }
    let addresses = packet.answers.iter().filter_map(|record| match &record.rdata {
        RData::A(a) => Some(Ipv4Addr::from(a.address).into()),
        RData::AAAA(a) => Some(Ipv6Addr::from(a.address).into()),
        _ => None,
    });
    Some(Answer::Known(addresses.collect()))
}

#[cfg(test)]
mod tests;

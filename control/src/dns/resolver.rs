//! Lookups by a recursive name server: the one of `--dns-resolver`, or those of the system.

use super::{DnsAnswer, DnsError, DnsRecordData, DnsRecordType, ask};
use std::net::{IpAddr, SocketAddr};

/// File with the name servers of the system.
const SYSTEM_FILE: &str = "/etc/resolv.conf";
/// Name servers that are asked one after the other.
const MAX_SERVERS: usize = 3;
/// Largest number of aliases that are followed.
const MAX_ALIASES: usize = 8;
/// Port of name servers.
const PORT: u16 = 53;

/// Recursive name servers.
#[derive(Clone, Debug)]
pub(crate) struct Resolver {
    configured: Option<SocketAddr>,
}

impl Resolver {
    /// The resolver of the settings; `None` uses those of the system.
    pub(crate) fn new(configured: Option<SocketAddr>) -> Self {
        Resolver { configured }
    }

    /// Looks up records of a name.
    ///
    /// # Errors
    /// If no name server answers.
    pub(crate) async fn look_up(&self, name: &str, kind: DnsRecordType) -> Result<DnsAnswer, DnsError> {
        let mut failure = DnsError(format!("no name server is configured in {SYSTEM_FILE}; set --dns-resolver"));
        for server in self.servers().await {
            match ask(server, name, kind, true).await {
                Ok(answer) => return Ok(answer),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Addresses of a name, of both families; empty if it has none.
    ///
    /// # Errors
    /// If no name server answers.
    pub(crate) async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, DnsError> {
        let (ipv4, ipv6) = tokio::join!(self.look_up(name, DnsRecordType::A), self.look_up(name, DnsRecordType::Aaaa));
        let records = match (ipv4, ipv6) {
            (Err(error), Err(_)) => return Err(error),
            (ipv4, ipv6) => [ipv4, ipv6].into_iter().flatten().flat_map(|answer| answer.records),
        };
        Ok(records
            .filter_map(|record| match record {
                DnsRecordData::Address(address) => Some(address),
                _ => None,
            })
            .collect())
    }

    /// The name that an alias leads to: the name itself if it is none, or if that cannot be looked up.
    pub(crate) async fn canonical_name(&self, name: &str) -> String {
        let mut current = name.to_owned();
        for _ in 0..MAX_ALIASES {
            let Ok(answer) = self.look_up(&current, DnsRecordType::Cname).await else { break };
            let Some(DnsRecordData::Alias(target)) = answer.records.into_iter().next() else { break };
            current = target;
        }
        current
    }

    /// Name servers of the zone that a name lies in, with the zone.
    ///
    /// # Errors
    /// If no name server answers, or none knows the zone.
    pub(crate) async fn zone_servers(&self, name: &str) -> Result<(String, Vec<SocketAddr>), DnsError> {
        let zone = self.look_up(name, DnsRecordType::Soa).await?.zone;
        let zone = zone.ok_or_else(|| DnsError(format!("no zone of `{name}` was found")))?;
        let mut addresses = Vec::new();
        for record in self.look_up(&zone, DnsRecordType::Ns).await?.records {
            if let DnsRecordData::NameServer(server) = record {
                addresses.extend(self.addresses(&server).await.unwrap_or_default());
            }
        }
        Ok((zone, addresses.into_iter().map(|address| SocketAddr::new(address, PORT)).collect()))
    }

    async fn servers(&self) -> Vec<SocketAddr> {
        match self.configured {
            Some(server) => vec![server],
            None => system_servers(&tokio::fs::read_to_string(SYSTEM_FILE).await.unwrap_or_default()),
        }
    }
}

/// Name servers in the text of `resolv.conf`.
fn system_servers(text: &str) -> Vec<SocketAddr> {
    let mut words = text.lines().map(|line| line.split_whitespace());
    let servers = words.by_ref().filter_map(|mut line| match (line.next(), line.next()) {
        // An address may have a zone, which is not needed on the loopback interface.
        (Some("nameserver"), Some(address)) => address.split('%').next()?.parse::<IpAddr>().ok(),
        _ => None,
    });
    servers.take(MAX_SERVERS).map(|address| SocketAddr::new(address, PORT)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_servers_of_the_system_are_read() {
        let text = "# comment\nsearch a.test\nnameserver 192.0.2.1\n nameserver\t::1\nnameserver none\noptions edns0\n";
        let found: Vec<String> = system_servers(text).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["192.0.2.1:53", "[::1]:53"]);
        assert!(system_servers("").is_empty());
    }
}

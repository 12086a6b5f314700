//! A host with a port, for the server, a proxy or the local API.

use std::net::IpAddr;

/// Host and port.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ServerAddress {
    /// Name or IP address, without brackets.
    pub host: String,
    /// Port.
    pub port: u16,
}

impl Default for ServerAddress {
    fn default() -> Self {
        ServerAddress { host: "localhost".into(), port: 4443 }
    }
}

impl std::fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.host.parse::<IpAddr>() {
            Ok(IpAddr::V6(address)) => write!(f, "[{address}]:{}", self.port),
            _ => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

impl ServerAddress {
    /// Parses `host:port`; port 0 is valid only with `any_port`.
    pub fn parse(text: &str, any_port: bool) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        let port: u16 = port.parse().ok().filter(|port| *port != 0 || any_port)?;
        let host = match host.strip_prefix('[') {
            Some(inner) => {
                let inner = inner.strip_suffix(']')?;
                inner.parse::<std::net::Ipv6Addr>().ok()?;
                inner
            }
            None if host.contains(':') => return None,
            None => host,
        };
        let fine =
            !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':'));
        fine.then(|| ServerAddress { host: host.to_owned(), port })
    }
}

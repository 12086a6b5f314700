//! The local address of a tunnel: a port, `host:port`, or a URL.

use postern_api::{Code, Error};
use std::net::IpAddr;

/// How the local service is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Plain TCP: HTTP, or whatever the visitor speaks.
    Plain,
    /// TLS to the local service (`https://` or `tls://`).
    Tls,
}

/// Where a tunnel leads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LocalAddress {
    /// Host name or IP address as written, without brackets.
    pub host: String,
    /// Never 0.
    pub port: u16,
    /// Plain or TLS.
    pub transport: Transport,
}

impl LocalAddress {
    /// Reads what somebody wrote into `addr`. A port alone means this machine; port 443 means TLS.
    ///
    /// # Errors
    /// `AddressFormat` with the spellings that are taken.
    pub fn parse(text: &str, http: bool) -> Result<Self, Error> {
        let shown: String = text.chars().take(120).collect();
        let refuse = |why: &str| {
            Error::new(
                Code::AddressFormat,
                format!(
                    "`{shown}` is not a local address: {why}. Write a port (8080), host:port (localhost:8080) or a URL (https://localhost:8443)."
                ),
            )
        };
        let text = text.trim();
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, text),
        };
        let (transport, default_port) = match scheme.as_deref() {
            None => (None, None),
            Some("http") => (Some(Transport::Plain), Some(80)),
            Some("https") => (Some(Transport::Tls), Some(443)),
            Some("tcp") => (Some(Transport::Plain), None),
            Some("tls") => (Some(Transport::Tls), Some(443)),
            Some(_) => return Err(refuse("its scheme is neither http nor https")),
        };
        let authority = match rest.split_once(['/', '?', '#']) {
            Some((authority, path)) if scheme.is_some() && path.is_empty() => authority,
            Some(_) => return Err(refuse("a path, query or fragment cannot be part of it")),
            None => rest,
        };
        if authority.contains('@') {
            return Err(refuse("a user name cannot be part of it"));
        }
        if authority.is_empty() {
            return Err(refuse("it is empty"));
        }
        let port_of = |text: &str| text.parse::<u16>().ok().filter(|port| *port != 0);
        let (host, port) = if let Some(rest) = authority.strip_prefix('[') {
            let (host, tail) = rest.split_once(']').ok_or_else(|| refuse("the bracket is not closed"))?;
            host.parse::<std::net::Ipv6Addr>().map_err(|_| refuse("there is no IPv6 address in the brackets"))?;
            let port = match tail.strip_prefix(':') {
                Some(port) => port_of(port).ok_or_else(|| refuse("the port is not a number from 1 to 65535"))?,
                None if tail.is_empty() => default_port.ok_or_else(|| refuse("the port is missing"))?,
                None => return Err(refuse("something stands between the bracket and the port")),
            };
            (host.to_owned(), port)
        } else if scheme.is_none() && authority.bytes().all(|byte| byte.is_ascii_digit()) {
            let port = port_of(authority).ok_or_else(|| refuse("the port is not a number from 1 to 65535"))?;
            ("localhost".to_owned(), port)
        } else {
            match authority.split_once(':') {
                Some((_, port)) if port.contains(':') => return Err(refuse("an IPv6 address needs brackets")),
                Some((host, port)) => {
                    let port = port_of(port).ok_or_else(|| refuse("the port is not a number from 1 to 65535"))?;
                    (if host.is_empty() { "localhost".to_owned() } else { host.to_owned() }, port)
                }
                None => (authority.to_owned(), default_port.ok_or_else(|| refuse("the port is missing"))?),
            }
        };
        let allowed = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '%');
        if host.len() > 253 || !host.chars().all(allowed) {
            return Err(refuse("the host has characters that cannot stand in a name"));
        }
        let transport = transport.unwrap_or(if http && port == 443 { Transport::Tls } else { Transport::Plain });
        Ok(LocalAddress { host, port, transport })
    }

    /// Host and port as they are shown and dialled, IPv6 in brackets.
    pub fn authority(&self) -> String {
        match self.host.parse::<IpAddr>() {
            Ok(IpAddr::V6(address)) => format!("[{address}]:{}", self.port),
            _ => format!("{}:{}", self.host, self.port),
        }
    }

    /// How it is called in requests: the port is left out where it goes without saying.
    pub fn host_header(&self) -> String {
        let standard = if self.transport == Transport::Tls { 443 } else { 80 };
        let authority = self.authority();
        match authority.strip_suffix(&format!(":{standard}")) {
            Some(host) if self.port == standard => host.to_owned(),
            _ => authority,
        }
    }

    /// As the local API shows it for this protocol: `http://localhost:8080`, `localhost:22`.
    pub fn shown(&self, http: bool) -> String {
        match (http, self.transport) {
            (true, Transport::Plain) => format!("http://{}", self.authority()),
            (true, Transport::Tls) => format!("https://{}", self.authority()),
            (false, Transport::Tls) => format!("tls://{}", self.authority()),
            (false, Transport::Plain) => self.authority(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> String {
        LocalAddress::parse(text, true).expect(text).shown(true)
    }

    #[test]
    fn ports_host_ports_and_urls_are_taken() {
        let table = [
            ("8080", "http://localhost:8080"),
            (":8080", "http://localhost:8080"),
            ("443", "https://localhost:443"),
            ("127.0.0.1:80", "http://127.0.0.1:80"),
            ("[::1]:80", "http://[::1]:80"),
            ("http://web", "http://web:80"),
            ("https://web/", "https://web:443"),
            ("HTTPS://localhost:8443", "https://localhost:8443"),
            ("http://[::1]", "http://[::1]:80"),
            ("my-service.local:9000", "http://my-service.local:9000"),
        ];
        for (text, expected) in table {
            assert_eq!(read(text), expected, "{text}");
        }
        assert_eq!(LocalAddress::parse("22", false).expect("a port").shown(false), "localhost:22");
    }

    #[test]
    fn what_is_no_address_is_refused_with_the_right_spelling() {
        for text in [
            "",
            "0",
            "65536",
            "web",
            "web:",
            "web:x",
            "web:0",
            "::1:80",
            "[::1]",
            "[x]:1",
            "http://",
            "http://a/b",
            "a/b:1",
            "http://user@host:1",
            "ftp://a:1",
            "a b:1",
            "file:///tmp",
            "http://a:1?x",
            "//host:1",
            "[::1]x:1",
        ] {
            let error = LocalAddress::parse(text, true).expect_err(text);
            assert_eq!(error.code, Code::AddressFormat);
            assert!(error.message.contains("localhost:8080"));
        }
    }

    proptest! {
        #[test]
        fn reading_never_panics_and_what_is_shown_reads_back(text in "[a-z0-9:./@\\[\\]% -]{0,40}") {
            if let Ok(address) = LocalAddress::parse(&text, true) {
                prop_assert_eq!(LocalAddress::parse(&address.shown(true), true).expect("its own text"), address);
            }
        }
    }
}

//! The local address of a tunnel: a port, `host:port`, or a URL.

use postern_api::{Code, Error};
use std::net::{IpAddr, Ipv6Addr};

/// The transport to the local service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocalTransport {
    /// Plain TCP, with any protocol inside.
    Plain,
    /// TLS to the local service (`https://` or `tls://`).
    Tls,
}

/// The address of a local service.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LocalAddress {
    /// Host name or IP address as written, without brackets.
    pub host: String,
    /// Never 0.
    pub port: u16,
    /// Plain or TLS.
    pub transport: LocalTransport,
}

impl LocalAddress {
    /// Parses `addr`. A port alone means this machine; port 443 means TLS.
    ///
    /// # Errors
    /// `AddressFormat` with the accepted forms.
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
        let (scheme, rest) = match text.trim().split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, text.trim()),
        };
        let (transport, default_port) = match scheme.as_deref() {
            None => (None, None),
            Some("http") => (Some(LocalTransport::Plain), Some(80)),
            Some("https" | "tls") => (Some(LocalTransport::Tls), Some(443)),
            Some("tcp") => (Some(LocalTransport::Plain), None),
            Some(_) => return Err(refuse("its scheme is not supported")),
        };
        let authority = match rest.split_once(['/', '?', '#']) {
            Some((authority, path)) if scheme.is_some() && path.is_empty() => authority,
            Some(_) => return Err(refuse("it must not have a path, query or fragment")),
            None => rest,
        };
        let (host, port) = parse_authority(authority, scheme.is_some(), default_port).map_err(refuse)?;
        let transport =
            transport.unwrap_or(if http && port == 443 { LocalTransport::Tls } else { LocalTransport::Plain });
        Ok(LocalAddress { host, port, transport })
    }

    /// Host and port, IPv6 in brackets.
    pub fn authority(&self) -> String {
        match self.host.parse::<IpAddr>() {
            Ok(IpAddr::V6(address)) => format!("[{address}]:{}", self.port),
            _ => format!("{}:{}", self.host, self.port),
        }
    }

    /// The `Host` header: without the port if it is the default of the scheme.
    pub fn host_header(&self) -> String {
        let standard = if self.transport == LocalTransport::Tls { 443 } else { 80 };
        let authority = self.authority();
        match authority.strip_suffix(&format!(":{standard}")) {
            Some(host) if self.port == standard => host.to_owned(),
            _ => authority,
        }
    }

    /// The address in the local API: `http://localhost:8080`, `localhost:22`.
    pub fn shown(&self, http: bool) -> String {
        match (http, self.transport) {
            (true, LocalTransport::Plain) => format!("http://{}", self.authority()),
            (true, LocalTransport::Tls) => format!("https://{}", self.authority()),
            (false, LocalTransport::Tls) => format!("tls://{}", self.authority()),
            (false, LocalTransport::Plain) => self.authority(),
        }
    }
}

/// Parses the host and port of an address. Only an address without a scheme may be a port alone.
fn parse_authority(text: &str, has_scheme: bool, default_port: Option<u16>) -> Result<(String, u16), &'static str> {
    if text.contains('@') {
        return Err("it must not have a user name");
    }
    if text.is_empty() {
        return Err("it is empty");
    }
    let default_port = default_port.ok_or("the port is missing");
    let (host, port) = if let Some(rest) = text.strip_prefix('[') {
        let (host, tail) = rest.split_once(']').ok_or("the bracket is not closed")?;
        host.parse::<Ipv6Addr>().map_err(|_| "there is no IPv6 address in the brackets")?;
        let port = match tail.strip_prefix(':') {
            Some(port) => parse_port(port)?,
            None if tail.is_empty() => default_port?,
            None => return Err("there is text between the bracket and the port"),
        };
        (host, port)
    } else if !has_scheme && text.bytes().all(|byte| byte.is_ascii_digit()) {
        ("localhost", parse_port(text)?)
    } else {
        match text.split_once(':') {
            Some((_, port)) if port.contains(':') => return Err("an IPv6 address needs brackets"),
            Some(("", port)) => ("localhost", parse_port(port)?),
            Some((host, port)) => (host, parse_port(port)?),
            None => (text, default_port?),
        }
    };
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '%');
    if host.len() > 253 || !host.chars().all(allowed) {
        return Err("the host has invalid characters");
    }
    Ok((host.to_owned(), port))
}

fn parse_port(text: &str) -> Result<u16, &'static str> {
    text.parse().ok().filter(|port| *port != 0).ok_or("the port is not a number from 1 to 65535")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> String {
        LocalAddress::parse(text, true).expect(text).shown(true)
    }

    #[test]
    fn ports_host_ports_and_urls_are_accepted() {
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
    fn invalid_addresses_are_rejected_with_the_accepted_forms() {
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
        fn parsing_never_panics_and_displayed_addresses_parse_back(text in "[a-z0-9:./@\\[\\]% -]{0,40}") {
            if let Ok(address) = LocalAddress::parse(&text, true) {
                prop_assert_eq!(LocalAddress::parse(&address.shown(true), true).expect("its own text"), address);
            }
        }
    }
}

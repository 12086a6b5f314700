//! The proxy to the server: `proxy_url`, or the proxy of the environment.

use super::server_address::ServerAddress;
use hyper_util::client::proxy::matcher::Matcher;
use percent_encoding::percent_decode_str;
use postern_api::{Secret, host::is_localhost};
use std::net::IpAddr;

/// Variables with a proxy; the first non-empty one counts.
const VARIABLES: [&str; 6] = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];
/// Variables with hosts that are reached without a proxy.
const EXCEPTIONS: [&str; 2] = ["no_proxy", "NO_PROXY"];

/// A proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxy {
    /// Protocol.
    pub kind: ProxyKind,
    /// Address.
    pub address: ServerAddress,
    /// User name and password, if the proxy requires them.
    pub user: Option<(String, Secret)>,
}

/// Protocol of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyKind {
    /// `CONNECT` over plain HTTP.
    Http,
    /// `CONNECT` inside TLS.
    Https,
    /// SOCKS version 5; the proxy resolves the name.
    Socks,
}

impl Proxy {
    /// Parses `http://user:password@host:port`, `https://…` or `socks5://…`; the default scheme is HTTP.
    pub fn parse(text: &str) -> Option<Self> {
        let text = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let url = url::Url::parse(&text).ok()?;
        let (kind, default_port) = match url.scheme() {
            "http" => (ProxyKind::Http, 80),
            "https" => (ProxyKind::Https, 443),
            "socks5" | "socks5h" => (ProxyKind::Socks, 1080),
            _ => return None,
        };
        let host = url.host_str()?.trim_matches(['[', ']']).to_owned();
        let decoded = |text: &str| percent_decode_str(text).decode_utf8().ok().map(|text| text.into_owned());
        let user = match (url.username(), url.password()) {
            ("", None) => None,
            (name, password) => Some((decoded(name)?, Secret::new(decoded(password.unwrap_or_default())?))),
        };
        let bare = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
        let address = ServerAddress { host, port: url.port().unwrap_or(default_port) };
        (bare && !address.host.is_empty()).then_some(Proxy { kind, address, user })
    }

    /// The environment's proxy for this server; never for this machine itself.
    pub fn from_environment(server: &ServerAddress) -> Option<Self> {
        Proxy::from_variables(server, |name| std::env::var(name).ok())
    }

    fn from_variables(server: &ServerAddress, variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let host = server.host.to_ascii_lowercase();
        let is_loopback =
            is_localhost(&host) || host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback());
        if is_loopback {
            return None;
        }
        let first = |names: &[&str]| names.iter().find_map(|name| variable(name).filter(|value| !value.is_empty()));
        let proxy = first(&VARIABLES)?;
        let exceptions = first(&EXCEPTIONS).unwrap_or_default();
        let target = format!("https://{server}").parse().ok()?;
        Matcher::builder().all("http://proxy").no(exceptions).build().intercept(&target)?;
        Proxy::parse(&proxy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxy_urls_are_parsed() {
        let read = |text: &str| Proxy::parse(text).map(|proxy| (proxy.kind, proxy.address.to_string()));
        assert_eq!(read("http://proxy.test:3128"), Some((ProxyKind::Http, "proxy.test:3128".into())));
        assert_eq!(read("proxy.test:3128"), Some((ProxyKind::Http, "proxy.test:3128".into())));
        assert_eq!(read("http://proxy.test"), Some((ProxyKind::Http, "proxy.test:80".into())));
        assert_eq!(read("https://proxy.test/"), Some((ProxyKind::Https, "proxy.test:443".into())));
        assert_eq!(read("socks5://[::1]"), Some((ProxyKind::Socks, "[::1]:1080".into())));
        for wrong in ["", "socks4://a", "ftp://a", "http://", "http://a/path", "http://a:99999", "http://a?b"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        let proxy = Proxy::parse("http://ada:p%40ss%3Aword@proxy.test:1").expect("valid");
        let (name, password) = proxy.user.clone().expect("a user");
        assert_eq!((name.as_str(), password.reveal()), ("ada", "p@ss:word"));
        assert!(!format!("{proxy:?}").contains("word"), "{proxy:?}");
    }

    #[test]
    fn the_environment_applies_to_remote_servers_only() {
        let server = |host: &str| ServerAddress { host: host.into(), port: 4443 };
        let environment = |name: &str| match name {
            "HTTP_PROXY" => Some("http://proxy.test:3128".to_owned()),
            "no_proxy" => Some("intern.test,192.0.2.0/24".to_owned()),
            _ => None,
        };
        let used = |host: &str| Proxy::from_variables(&server(host), environment).is_some();
        assert!(used("server.test") && used("198.51.100.1") && used("2001:db8::1"));
        for without in
            ["localhost", "a.localhost", "127.0.0.1", "::1", "::ffff:127.0.0.1", "a.intern.test", "192.0.2.9"]
        {
            assert!(!used(without), "{without}");
        }
        assert_eq!(Proxy::from_variables(&server("server.test"), |_| None), None);
    }
}

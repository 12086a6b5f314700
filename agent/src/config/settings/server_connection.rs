//! Settings of the connection to the server: addresses, TLS, proxy, name servers.

use crate::config::{fields::Fields, paths, proxy::Proxy, server_address::ServerAddress};
use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

/// The authorities trusted for connections to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootCas {
    /// The authority of a server on this machine if there is one, else the system's store.
    Default,
    /// The system's store.
    Host,
    /// Authorities in a PEM file.
    File(PathBuf),
}

impl RootCas {
    /// The PEM file with the trusted authorities; `None` for the system's store.
    pub fn file(&self) -> Option<PathBuf> {
        match self {
            RootCas::Default => paths::local_authority(),
            RootCas::Host => None,
            RootCas::File(path) => Some(path.clone()),
        }
    }
}

/// Port of name servers.
const DNS_PORT: u16 = 53;

pub(super) fn servers(fields: &mut Fields<'_>) -> Vec<ServerAddress> {
    let mut servers = Vec::new();
    for field in fields.texts("server_addr").unwrap_or_default() {
        for part in field.value.split(',').map(str::trim) {
            match ServerAddress::parse(part, false) {
                Some(address) if servers.contains(&address) => {}
                Some(address) => servers.push(address),
                None => fields.reject(
                    "server_addr",
                    field.location,
                    "Must be host and port of the server, such as `localhost:4443`, or a list of such addresses.",
                ),
            }
        }
    }
    if servers.is_empty() { vec![ServerAddress::default()] } else { servers }
}

pub(super) fn server_name(fields: &mut Fields<'_>) -> Option<String> {
    let field = fields.text("server_name")?;
    if rustls_pki_types::ServerName::try_from(field.value.as_str()).is_err() {
        fields.reject("server_name", field.location, "Must be a host name or an IP address.");
        return None;
    }
    Some(field.value)
}

pub(super) fn root_cas(fields: &mut Fields<'_>) -> RootCas {
    let Some(field) = fields.text("root_cas") else { return RootCas::Default };
    match field.value.as_str() {
        "host" | "trusted" => RootCas::Host,
        path => {
            let path = PathBuf::from(path);
            if !path.is_file() {
                fields.reject("root_cas", field.location, "There is no such file. Give the path of a PEM file with the server's authority, or `host` for the system's store.");
            }
            RootCas::File(path)
        }
    }
}

pub(super) fn proxy(fields: &mut Fields<'_>) -> Option<Proxy> {
    let field = fields.text("proxy_url").filter(|field| !field.value.is_empty())?;
    let parsed = Proxy::parse(&field.value);
    if parsed.is_none() {
        let message = "Must be the address of a proxy: `http://host:port`, `https://host:port` or `socks5://host:port`, with `user:password@` in front of the host if it requires them.";
        fields.reject("proxy_url", field.location, message);
    }
    parsed
}

pub(super) fn dns_resolvers(fields: &mut Fields<'_>) -> Vec<SocketAddr> {
    let mut resolvers = Vec::new();
    for field in fields.texts("dns_resolver_ips").unwrap_or_default() {
        let bare = field.value.parse::<IpAddr>().map(|address| SocketAddr::new(address, DNS_PORT));
        match bare.or_else(|_| field.value.parse::<SocketAddr>()) {
            Ok(resolver) => resolvers.push(resolver),
            Err(_) => fields.reject(
                "dns_resolver_ips",
                field.location,
                "Must contain IP addresses of name servers, such as `192.0.2.53`, with a port if it is not 53.",
            ),
        }
    }
    resolvers
}

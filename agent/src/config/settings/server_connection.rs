//! How the server is found and trusted: the keys for it.

use crate::config::{fields::Fields, proxy::Proxy, server_address::ServerAddress};
use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

/// Whom to trust when connecting to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootCas {
    /// The local server's authority where there is one, else the system's store.
    Default,
    /// The system's store.
    Host,
    /// Authorities in a PEM file.
    File(PathBuf),
}

/// Where name servers listen.
const DNS_PORT: u16 = 53;

pub(super) fn servers(fields: &mut Fields<'_>) -> Vec<ServerAddress> {
    let mut servers = Vec::new();
    for written in fields.texts("server_addr").unwrap_or_default() {
        for part in written.value.split(',').map(str::trim) {
            match ServerAddress::parse(part, false) {
                Some(address) if servers.contains(&address) => {}
                Some(address) => servers.push(address),
                None => fields.wrong(
                    "server_addr",
                    written.place,
                    "Must be host and port of the server, such as `localhost:4443`, or a list of such addresses.",
                ),
            }
        }
    }
    if servers.is_empty() { vec![ServerAddress::default()] } else { servers }
}

pub(super) fn server_name(fields: &mut Fields<'_>) -> Option<String> {
    let written = fields.text("server_name")?;
    if rustls_pki_types::ServerName::try_from(written.value.as_str()).is_err() {
        fields.wrong("server_name", written.place, "Must be a host name or an IP address.");
        return None;
    }
    Some(written.value)
}

pub(super) fn root_cas(fields: &mut Fields<'_>) -> RootCas {
    let Some(written) = fields.text("root_cas") else { return RootCas::Default };
    match written.value.as_str() {
        "host" | "trusted" => RootCas::Host,
        path => {
            let path = PathBuf::from(path);
            if !path.is_file() {
                fields.wrong("root_cas", written.place, "There is no such file. Give the path of a PEM file with the server's authority, or `host` for the system's store.");
            }
            RootCas::File(path)
        }
    }
}

pub(super) fn proxy(fields: &mut Fields<'_>) -> Option<Proxy> {
    let written = fields.text("proxy_url").filter(|written| !written.value.is_empty())?;
    let parsed = Proxy::parse(&written.value);
    if parsed.is_none() {
        let message = "Must be the address of a proxy: `http://host:port`, `https://host:port` or `socks5://host:port`, with `user:password@` in front of the host if it asks for them.";
        fields.wrong("proxy_url", written.place, message);
    }
    parsed
}

pub(super) fn dns_resolvers(fields: &mut Fields<'_>) -> Vec<SocketAddr> {
    let mut resolvers = Vec::new();
    for written in fields.texts("dns_resolver_ips").unwrap_or_default() {
        let bare = written.value.parse::<IpAddr>().map(|address| SocketAddr::new(address, DNS_PORT));
        match bare.or_else(|_| written.value.parse::<SocketAddr>()) {
            Ok(resolver) => resolvers.push(resolver),
            Err(_) => fields.wrong(
                "dns_resolver_ips",
                written.place,
                "Can hold IP addresses of name servers, such as `192.0.2.53`, with a port if it is not 53.",
            ),
        }
    }
    resolvers
}

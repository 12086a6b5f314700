//! The agent as a client of its own tunnels: connections to the public side of the server.
//!
//! It dials the configured server with the port of the public address, because the name of a tunnel may be unknown to
//! this machine's resolver. The same authorities are trusted as for sessions.

use crate::{
    config::{AgentSettings, ServerAddress},
    net::{proxy, resolver, server_tls},
};
use postern_api::{Code, Error};
use postern_tunnel::{BoxedTransport, Transport};
use rustls_pki_types::ServerName;
use std::{io, sync::Arc};
use tokio_rustls::TlsConnector;

/// Connects to the public side of the server.
pub struct EdgeClient {
    settings: AgentSettings,
}

/// A public HTTP or HTTPS address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicAddress {
    tls: bool,
    host: String,
    port: u16,
    /// The value of the `Host` header.
    pub authority: String,
}

impl PublicAddress {
    /// Parses a URL with the scheme http or https.
    pub fn parse(address: &str) -> Option<Self> {
        let (scheme, rest) = address.split_once("://")?;
        let tls = match scheme {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let authority = rest.split('/').next().filter(|authority| !authority.is_empty())?;
        let url = url::Url::parse(&format!("{scheme}://{authority}/")).ok()?;
        let host = url.host_str()?.trim_matches(['[', ']']).to_owned();
        let port = url.port_or_known_default()?;
        Some(PublicAddress { tls, host, port, authority: authority.to_owned() })
    }
}

impl EdgeClient {
    /// Uses the server, proxy and TLS settings of sessions.
    pub fn new(settings: &AgentSettings) -> Self {
        EdgeClient { settings: settings.clone() }
    }

    /// Connects to an address. Returns the local address too.
    ///
    /// # Errors
    /// `ReplayFailed` with the reason.
    pub async fn connect_to(&self, address: &PublicAddress) -> Result<(BoxedTransport, String), Error> {
        let mut last = "no server is configured".to_owned();
        for server in &self.settings.servers {
            let public = ServerAddress { port: address.port, ..server.clone() };
            match tokio::time::timeout(self.settings.connect_timeout, self.connect(&public)).await {
                Ok(Ok((stream, local))) => return Ok((self.handshake(address, stream).await?, local)),
                Ok(Err(error)) => last = error.to_string(),
                Err(_) => last = "it does not respond".to_owned(),
            }
        }
        let message = format!("The public side of the server cannot be reached on port {}: {last}.", address.port);
        Err(Error::new(Code::ReplayFailed, message))
    }

    /// Connects like a session, but to another port. Returns the local address too.
    async fn connect(&self, public: &ServerAddress) -> io::Result<(BoxedTransport, String)> {
        let proxy = proxy::proxy_for(&self.settings, public);
        let next = proxy.as_ref().map_or(public, |proxy| &proxy.address);
        let mut last = io::ErrorKind::NotFound.into();
        for remote in resolver::look_up(&next.host, next.port, &self.settings.dns_resolvers).await? {
            match proxy::connect(remote, proxy.as_ref(), public).await {
                Ok((stream, local)) => return Ok((stream, local.to_string())),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    async fn handshake(&self, address: &PublicAddress, stream: impl Transport) -> Result<BoxedTransport, Error> {
        if !address.tls {
            return Ok(Box::new(stream));
        }
        let failed = |why: String| {
            let message = format!(
                "TLS with {} failed: {why}. The agent trusts the authorities of root_cas there, as for its sessions.",
                address.authority
            );
            Error::new(Code::ReplayFailed, message)
        };
        let mut config = server_tls::client_config(&self.settings)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let name = ServerName::try_from(address.host.clone()).map_err(|error| failed(error.to_string()))?;
        let connecting = TlsConnector::from(Arc::new(config)).connect(name, stream);
        match tokio::time::timeout(self.settings.connect_timeout, connecting).await {
            Ok(Ok(stream)) => Ok(Box::new(stream)),
            Ok(Err(error)) => Err(failed(error.to_string())),
            Err(_) => Err(failed("it does not respond".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses_are_parsed() {
        let address = PublicAddress::parse("https://shop.localhost:4443").expect("valid");
        assert_eq!((address.tls, address.host.as_str(), address.port), (true, "shop.localhost", 4443));
        assert_eq!(PublicAddress::parse("http://a.example/x").expect("valid").port, 80);
        assert_eq!(PublicAddress::parse("https://[::1]:8443").expect("valid").host, "::1");
        assert!(PublicAddress::parse("tcp://a:1").is_none() && PublicAddress::parse("https://").is_none());
    }
}

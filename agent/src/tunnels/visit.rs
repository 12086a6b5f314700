//! The agent as a visitor of its own tunnels: connections to the public side of the server it knows.
//!
//! The address that is dialled is the server's as configured, with the port of the public address: the name of a tunnel
//! need not be known to this machine's resolver. Nobody else is trusted than for sessions.

use crate::{
    config::{ServerAddress, Settings},
    net::{proxy, resolver, server_tls},
};
use postern_api::{Code, Error};
use postern_tunnel::{BoxedTransport, Transport};
use rustls_pki_types::ServerName;
use std::{io, sync::Arc};
use tokio_rustls::TlsConnector;

/// How the public side is reached.
pub struct EdgeVisit {
    settings: Settings,
}

/// A public address, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    tls: bool,
    host: String,
    port: u16,
    /// As it stands in `Host`.
    pub authority: String,
}

impl Place {
    /// Reads an address of the schemes http and https.
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
        Some(Place { tls, host, port, authority: authority.to_owned() })
    }
}

impl EdgeVisit {
    /// As the settings say.
    pub fn new(settings: &Settings) -> Self {
        EdgeVisit { settings: settings.clone() }
    }

    /// Connects; also says from which address.
    ///
    /// # Errors
    /// `ReplayFailed` with the reason.
    pub async fn visit(&self, place: &Place) -> Result<(BoxedTransport, String), Error> {
        let mut last = "no server is configured".to_owned();
        for server in &self.settings.servers {
            let public = ServerAddress { port: place.port, ..server.clone() };
            match tokio::time::timeout(self.settings.connect_timeout, self.connect(&public)).await {
                Ok(Ok((stream, own))) => return Ok((self.secured(place, stream).await?, own)),
                Ok(Err(error)) => last = error.to_string(),
                Err(_) => last = "it does not answer".to_owned(),
            }
        }
        let message = format!("The public side of the server cannot be reached on port {}: {last}.", place.port);
        Err(Error::new(Code::ReplayFailed, message))
    }

    /// The way that sessions take, to another port; and from which address.
    async fn connect(&self, public: &ServerAddress) -> io::Result<(BoxedTransport, String)> {
        let proxy = proxy::on_the_way(&self.settings, public);
        let next = proxy.as_ref().map_or(public, |proxy| &proxy.address);
        let mut last = io::ErrorKind::NotFound.into();
        for remote in resolver::look_up(&next.host, next.port, &self.settings.dns_resolvers).await? {
            match proxy::connect(remote, proxy.as_ref(), public).await {
                Ok((stream, own)) => return Ok((stream, own.to_string())),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    async fn secured(&self, place: &Place, stream: impl Transport) -> Result<BoxedTransport, Error> {
        if !place.tls {
            return Ok(Box::new(stream));
        }
        let failed = |why: String| {
            let message = format!(
                "TLS with {} failed: {why}. The agent trusts there whom root_cas names, as for its sessions.",
                place.authority
            );
            Error::new(Code::ReplayFailed, message)
        };
        let mut config = server_tls::client_config(&self.settings)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let name = ServerName::try_from(place.host.clone()).map_err(|error| failed(error.to_string()))?;
        let connecting = TlsConnector::from(Arc::new(config)).connect(name, stream);
        match tokio::time::timeout(self.settings.connect_timeout, connecting).await {
            Ok(Ok(stream)) => Ok(Box::new(stream)),
            Ok(Err(error)) => Err(failed(error.to_string())),
            Err(_) => Err(failed("it does not answer".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses_are_taken_apart() {
        let place = Place::parse("https://shop.localhost:4443").expect("valid");
        assert_eq!((place.tls, place.host.as_str(), place.port), (true, "shop.localhost", 4443));
        assert_eq!(Place::parse("http://a.example/x").expect("valid").port, 80);
        assert_eq!(Place::parse("https://[::1]:8443").expect("valid").host, "::1");
        assert!(Place::parse("tcp://a:1").is_none() && Place::parse("https://").is_none());
    }
}

//! The TLS configurations of the HTTPS port: one for visitors, one for agents, and those of edges with rules of their
//! their own.

use super::{Certificates, uploaded::UploadedCertificates};
use crate::tls::challenges::{self, Challenges};
use arc_swap::ArcSwap;
use postern_api::{
    Code, Error, Timestamp,
    host::HostName,
    module::TlsVersion,
    published::{Published, Settings},
};
use rustls::{
    RootCertStore, ServerConfig, SupportedProtocolVersion,
    crypto::{CryptoProvider, aws_lc_rs},
    server::{ClientHello, ProducesTickets, ResolvesServerCert, WebPkiClientVerifier},
    sign::{CertifiedKey, SingleCertAndKey},
};
use rustls_pki_types::{CertificateDer, pem::PemObject};
use std::{collections::HashMap, io, net::IpAddr, sync::Arc};

/// Cached configurations, one for each local address; a host rarely has more addresses.
const MAX_CACHED: usize = 64;
/// TLS versions where older ones are refused.
static TLS13_ONLY: &[&SupportedProtocolVersion] = &[&rustls::version::TLS13];

/// Configurations by the local address that was reached: a client that names no host gets a certificate for it.
pub(crate) struct TlsConfigs {
    uploaded: Arc<UploadedCertificates>,
    certificates: Arc<dyn Certificates>,
    challenges: Challenges,
    tickets: Arc<dyn ProducesTickets>,
    cached: ArcSwap<HashMap<IpAddr, ConfigPair>>,
}

/// The configurations for visitors and for agents.
#[derive(Clone)]
pub(crate) struct ConfigPair {
    pub(crate) visitors: Arc<ServerConfig>,
    pub(crate) agents: Arc<ServerConfig>,
}

impl TlsConfigs {
    pub(crate) fn new(certificates: Arc<dyn Certificates>, challenges: Challenges) -> Result<Self, Error> {
        let tickets = aws_lc_rs::Ticketer::new()
            .map_err(|error| Error::new(Code::Internal, format!("TLS cannot make ticket keys: {error}.")))?;
        Ok(TlsConfigs { uploaded: Arc::default(), certificates, challenges, tickets, cached: ArcSwap::default() })
    }

    /// Shows the published certificates from the next handshake on.
    pub(crate) fn follow(&self, published: &Published) {
        self.uploaded.follow(published);
    }

    /// How an ACME authority is shown the proof for a name, if there is one at the moment.
    pub(crate) fn proof(&self, name: &HostName) -> Option<Arc<ServerConfig>> {
        let certificate = self.challenges.certificate_of(name)?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_protocol_versions(versions(None))
            .expect("the provider has suites for these versions")
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(SingleCertAndKey::from(certificate)));
        config.alpn_protocols = vec![challenges::ALPN.to_vec()];
        config.send_tls13_tickets = 0;
        config.enable_secret_extraction = true;
        Some(Arc::new(config))
    }

    fn certificate_resolver(&self, local: IpAddr) -> Arc<CertificateResolver> {
        Arc::new(CertificateResolver {
            uploaded: self.uploaded.clone(),
            certificates: self.certificates.clone(),
            local,
        })
    }

    /// The configurations for connections that reached this local address.
    pub(crate) fn on(&self, local: IpAddr) -> ConfigPair {
        if let Some(pair) = self.cached.load().get(&local) {
            return pair.clone();
        }
        let pair = self.build(local);
        if self.cached.load().len() < MAX_CACHED {
            self.cached.rcu(|cached| {
                let mut cached = HashMap::clone(cached);
                cached.insert(local, pair.clone());
                cached
            });
        }
        pair
    }

    fn build(&self, local: IpAddr) -> ConfigPair {
        let certificate_resolver = self.certificate_resolver(local);
        let config = |provider: CryptoProvider, versions: &[&'static SupportedProtocolVersion]| {
            let mut config = ServerConfig::builder_with_provider(Arc::new(provider))
                .with_protocol_versions(versions)
                .expect("the provider has suites for these versions")
                .with_no_client_auth()
                .with_cert_resolver(certificate_resolver.clone());
            config.ticketer = self.tickets.clone();
            config.send_tls13_tickets = 1;
            config.enable_secret_extraction = true;
            config
        };
        let mut visitors = config(visitor_provider(), versions(None));
        visitors.ignore_client_order = true;
        visitors.alpn_protocols = http_protocols();
        let mut agents = config(agent_provider(), versions(Some(TlsVersion::Tls13)));
        agents.alpn_protocols = vec![postern_tunnel::ALPN.to_vec()];
        ConfigPair { visitors: Arc::new(visitors), agents: Arc::new(agents) }
    }

    /// The handshake of an HTTPS edge that needs more than the default rules; `None` if it does not.
    pub(crate) fn special(&self, edge: &Arc<str>, settings: &Settings) -> Option<HandshakeConfig> {
        let oldest = settings.tls_termination.and_then(|termination| termination.oldest);
        let asks = settings.mutual_tls.is_some() || oldest.is_some_and(|oldest| oldest > TlsVersion::default());
        asks.then(|| HandshakeConfig::new(edge, self.edge_config(settings, http_protocols())))
    }

    /// The handshake of a tunnel that requests client certificates or, with `raw`, terminates TLS for any protocol;
    /// `None` if it does neither.
    pub(crate) fn of_tunnel(&self, settings: &Settings, raw: bool) -> Result<Option<HandshakeConfig>, Error> {
        if settings.mutual_tls.is_none() && !raw {
            return Ok(None);
        }
        let protocols = if raw { Vec::new() } else { http_protocols() };
        let config = self.edge_config(settings, protocols).map_err(|error| {
            let message = format!("The certificate authorities for visitors' certificates cannot be used: {error}.");
            Error::new(Code::CertificateUnreadable, message).with("field", "mutual_tls_cas")
        })?;
        Ok(Some(HandshakeConfig(Some(Arc::new(config)))))
    }

    /// The handshake of a TLS edge that terminates TLS here. No application protocol is negotiated, because any may
    /// be spoken inside.
    pub(crate) fn raw(&self, edge: &Arc<str>, settings: &Settings) -> HandshakeConfig {
        HandshakeConfig::new(edge, self.edge_config(settings, Vec::new()))
    }

    /// A configuration by an edge's own rules, with tickets of its own: a session that began under other rules must
    /// not be resumed under these.
    fn edge_config(&self, settings: &Settings, protocols: Vec<Vec<u8>>) -> Result<ServerConfig, String> {
        let provider = Arc::new(visitor_provider());
        let oldest = settings.tls_termination.and_then(|termination| termination.oldest);
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(versions(oldest))
            .map_err(|error| error.to_string())?;
        let builder = match &settings.mutual_tls {
            None => builder.with_no_client_auth(),
            Some(authorities) => {
                let mut roots = RootCertStore::empty();
                for pem in authorities {
                    let certificate =
                        CertificateDer::from_pem_slice(pem.as_bytes()).map_err(|error| error.to_string())?;
                    roots.add(certificate).map_err(|error| error.to_string())?;
                }
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                    .build()
                    .map_err(|error| error.to_string())?;
                builder.with_client_cert_verifier(verifier)
            }
        };
        // These rules are chosen by server name, so the local address is never used.
        let local = IpAddr::from([127, 0, 0, 1]);
        let mut config = builder.with_cert_resolver(self.certificate_resolver(local));
        config.ticketer = aws_lc_rs::Ticketer::new().map_err(|error| error.to_string())?;
        config.send_tls13_tickets = 1;
        config.enable_secret_extraction = true;
        config.ignore_client_order = true;
        config.alpn_protocols = protocols;
        Ok(config)
    }
}

/// The TLS configuration of one edge. Two handshakes are equal only if they are the same instance, even if their
/// settings are equal.
#[derive(Clone)]
pub(crate) struct HandshakeConfig(Option<Arc<ServerConfig>>);

impl HandshakeConfig {
    fn new(edge: &str, config: Result<ServerConfig, String>) -> Self {
        let config = config
            .inspect_err(|error| tracing::error!(edge, error, "the edge's TLS cannot be set up; its handshakes fail"));
        HandshakeConfig(config.ok().map(Arc::new))
    }

    /// The configuration. An error if it could not be built; every handshake fails then.
    pub(crate) fn config(&self) -> io::Result<Arc<ServerConfig>> {
        self.0.clone().ok_or_else(|| io::Error::other("the edge's TLS could not be set up"))
    }

    /// Whether a connection was made by this configuration.
    pub(crate) fn is(&self, config: &Arc<ServerConfig>) -> bool {
        self.0.as_ref().is_some_and(|edge_config| Arc::ptr_eq(edge_config, config))
    }
}

fn versions(oldest: Option<TlsVersion>) -> &'static [&'static SupportedProtocolVersion] {
    match oldest {
        Some(TlsVersion::Tls13) => TLS13_ONLY,
        Some(TlsVersion::Tls12) | None => rustls::ALL_VERSIONS,
    }
}

fn http_protocols() -> Vec<Vec<u8>> {
    vec![b"h2".to_vec(), b"http/1.1".to_vec(), b"http/1.0".to_vec()]
}

/// Cipher suites in the server's order, so that no client can choose a weaker one. All are strong, so the cheapest
/// comes first.
fn visitor_provider() -> CryptoProvider {
    let mut provider = aws_lc_rs::default_provider();
    provider.cipher_suites.sort_by_key(|suite| !format!("{:?}", suite.suite()).contains("AES_128_GCM"));
    // TLS 1.3 before TLS 1.2, as before.
    provider.cipher_suites.sort_by_key(|suite| suite.tls13().is_none());
    provider
}

/// X25519 only, and the suites in the client's order: an agent without AES hardware puts ChaCha20 first.
pub(crate) fn agent_provider() -> CryptoProvider {
    CryptoProvider { kx_groups: vec![aws_lc_rs::kx_group::X25519], ..aws_lc_rs::default_provider() }
}

/// The certificate for a visitor: an uploaded one, else whatever the server has.
struct CertificateResolver {
    uploaded: Arc<UploadedCertificates>,
    certificates: Arc<dyn Certificates>,
    local: IpAddr,
}

impl ResolvesServerCert for CertificateResolver {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let name = match hello.server_name() {
            Some(name) => Some(HostName::parse(name).ok()?),
            None => None,
        };
        self.uploaded
            .find(name.as_ref(), self.local, hello.signature_schemes(), Timestamp::now())
            .or_else(|| self.certificates.resolve(name.as_ref(), self.local))
    }
}

impl std::fmt::Debug for CertificateResolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CertificateResolver({})", self.local)
    }
}

//! The two TLS configurations of the HTTPS port: one for visitors, one for agents.

use super::Certificates;
use arc_swap::ArcSwap;
use postern_api::{Code, Error, host::HostName};
use rustls::{
    ServerConfig,
    crypto::{CryptoProvider, aws_lc_rs},
    server::{ClientHello, ProducesTickets, ResolvesServerCert},
    sign::CertifiedKey,
};
use std::{collections::HashMap, net::IpAddr, sync::Arc};

/// Local addresses whose configurations are kept; a host rarely has more.
const KEPT: usize = 64;

/// Configurations by the local address that was reached: a client that names no host gets a certificate for it.
pub(crate) struct Configs {
    certificates: Arc<dyn Certificates>,
    tickets: Arc<dyn ProducesTickets>,
    kept: ArcSwap<HashMap<IpAddr, Pair>>,
}

/// What applies to visitors and what applies to agents.
#[derive(Clone)]
pub(crate) struct Pair {
    pub(crate) visitors: Arc<ServerConfig>,
    pub(crate) agents: Arc<ServerConfig>,
}

impl Configs {
    pub(crate) fn new(certificates: Arc<dyn Certificates>) -> Result<Self, Error> {
        let tickets = aws_lc_rs::Ticketer::new()
            .map_err(|error| Error::new(Code::Internal, format!("TLS cannot make ticket keys: {error}.")))?;
        Ok(Configs { certificates, tickets, kept: ArcSwap::default() })
    }

    /// The configurations for connections that reached this local address.
    pub(crate) fn on(&self, local: IpAddr) -> Pair {
        if let Some(pair) = self.kept.load().get(&local) {
            return pair.clone();
        }
        let pair = self.build(local);
        if self.kept.load().len() < KEPT {
            self.kept.rcu(|kept| {
                let mut kept = HashMap::clone(kept);
                kept.insert(local, pair.clone());
                kept
            });
        }
        pair
    }

    fn build(&self, local: IpAddr) -> Pair {
        let chosen = Arc::new(Chosen { certificates: self.certificates.clone(), local });
        let config = |provider: CryptoProvider, versions: &[&'static rustls::SupportedProtocolVersion]| {
            let mut config = ServerConfig::builder_with_provider(Arc::new(provider))
                .with_protocol_versions(versions)
                .expect("the provider has suites for these versions")
                .with_no_client_auth()
                .with_cert_resolver(chosen.clone());
            config.ticketer = self.tickets.clone();
            config.send_tls13_tickets = 1;
            config
        };
        let mut visitors = config(aws_lc_rs::default_provider(), &[&rustls::version::TLS13, &rustls::version::TLS12]);
        visitors.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let mut agents = config(agent_provider(), &[&rustls::version::TLS13]);
        agents.alpn_protocols = vec![postern_tunnel::ALPN.to_vec()];
        Pair { visitors: Arc::new(visitors), agents: Arc::new(agents) }
    }
}

/// X25519 only, and the suites in the client's order: an agent without AES hardware puts ChaCha20 first.
fn agent_provider() -> CryptoProvider {
    CryptoProvider { kx_groups: vec![aws_lc_rs::kx_group::X25519], ..aws_lc_rs::default_provider() }
}

struct Chosen {
    certificates: Arc<dyn Certificates>,
    local: IpAddr,
}

impl ResolvesServerCert for Chosen {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        match hello.server_name() {
            None => self.certificates.resolve(None, self.local),
            Some(name) => self.certificates.resolve(Some(&HostName::parse(name).ok()?), self.local),
        }
    }
}

impl std::fmt::Debug for Chosen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Chosen({})", self.local)
    }
}

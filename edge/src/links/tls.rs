//! TLS of links: version 1.3, with certificates of the node authority at both ends.

use super::{NodeIdentity, node_server_name};
use crate::tls::agent_provider;
use postern_tunnel::NODE_ALPN;
use rustls::{ClientConfig, RootCertStore, ServerConfig, server::WebPkiClientVerifier};
use rustls_pki_types::CertificateDer;
use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::watch;
use x509_parser::{extensions::GeneralName, parse_x509_certificate};

static TLS13: &[&rustls::SupportedProtocolVersion] = &[&rustls::version::TLS13];

/// The configurations of both ends, made again when the node has a new identity.
pub(super) struct NodeTls {
    identity: watch::Receiver<Arc<NodeIdentity>>,
    current: Mutex<Option<(Arc<NodeIdentity>, NodeConfigs)>>,
}

/// The configurations for dialling and for accepting.
#[derive(Clone)]
pub(super) struct NodeConfigs {
    pub(super) dialling: Arc<ClientConfig>,
    pub(super) accepting: Arc<ServerConfig>,
}

impl NodeTls {
    pub(super) fn new(identity: watch::Receiver<Arc<NodeIdentity>>) -> Self {
        NodeTls { identity, current: Mutex::default() }
    }

    /// The configurations for the node's identity at this moment.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if the certificates do not fit together.
    pub(super) fn configs(&self) -> io::Result<NodeConfigs> {
        let identity = self.identity.borrow().clone();
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, configs)) = &*current
            && Arc::ptr_eq(known, &identity)
        {
            return Ok(configs.clone());
        }
        let unusable = |error: String| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("the node's certificate cannot be used: {error}"))
        };
        let configs = NodeConfigs::of(&identity).map_err(unusable)?;
        *current = Some((identity, configs.clone()));
        Ok(configs)
    }
}

impl NodeConfigs {
    fn of(identity: &NodeIdentity) -> Result<Self, String> {
        let text = |error: rustls::Error| error.to_string();
        let mut roots = RootCertStore::empty();
        roots.add(identity.authority.clone()).map_err(text)?;
        let (roots, provider) = (Arc::new(roots), Arc::new(agent_provider()));
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.clone(), provider.clone())
            .build()
            .map_err(|error| error.to_string())?;
        let mut accepting = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(TLS13)
            .map_err(text)?
            .with_client_cert_verifier(verifier)
            .with_single_cert(identity.chain.clone(), identity.key.clone_key())
            .map_err(text)?;
        accepting.alpn_protocols = vec![NODE_ALPN.to_vec()];
        accepting.enable_secret_extraction = true;
        let mut dialling = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(TLS13)
            .map_err(text)?
            .with_root_certificates(roots)
            .with_client_auth_cert(identity.chain.clone(), identity.key.clone_key())
            .map_err(text)?;
        dialling.alpn_protocols = vec![NODE_ALPN.to_vec()];
        dialling.enable_secret_extraction = true;
        Ok(NodeConfigs { dialling: Arc::new(dialling), accepting: Arc::new(accepting) })
    }
}

/// Whether a certificate is the one of the node with this id.
pub(super) fn is_of_node(certificate: &CertificateDer<'_>, id: &str) -> bool {
    let Ok((_, certificate)) = parse_x509_certificate(certificate) else { return false };
    let Ok(Some(names)) = certificate.subject_alternative_name() else { return false };
    let wanted = node_server_name(id);
    let is_wanted =
        |name: &GeneralName<'_>| matches!(name, GeneralName::DNSName(name) if name.eq_ignore_ascii_case(&wanted));
    names.value.general_names.iter().any(is_wanted)
}

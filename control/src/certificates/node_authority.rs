//! The authority of the links between nodes. Every node can open it and issues its own certificate, for its id, for a week.

use super::{
    authority_pair::AuthorityPair,
    issue_error::issue_failed,
    validity::{Clock, DAY, set_validity},
};
use crate::sealing::Seal;
use jiff::Timestamp;
use postern_api::{Code, Error, Id, Result, resource::Node};
use rcgen::{
    CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256, SanType,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, pem::PemObject};
use std::sync::Arc;
use zeroize::Zeroize;

/// Seconds from the time of issue.
const LIFETIME: i64 = 7 * DAY;
/// Seconds from the time of issue after which another one is issued.
const RENEW_AFTER: i64 = LIFETIME * 2 / 3;
/// Seconds before the time of issue from which on it is valid: clocks of hosts differ.
const TOLERANCE: i64 = 3600;
const PURPOSE: &str = "node authority";

/// The authority of the nodes of one store.
pub struct NodeAuthority {
    root: CertificateDer<'static>,
    issuer: Issuer<'static, KeyPair>,
    expires: i64,
    clock: Clock,
}

/// Certificate of a node, for both ends of a link.
#[derive(Debug)]
pub struct NodeCertificate {
    /// The certificate; its only name is that of the node, below `node.postern`.
    pub chain: Vec<CertificateDer<'static>>,
    /// Its key.
    pub key: PrivateKeyDer<'static>,
    /// Time at which another one is to be issued.
    pub renew_at: Timestamp,
}

impl NodeAuthority {
    /// A new authority, sealed for the store.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub(crate) fn generate(seal: &Seal) -> Result<Vec<u8>> {
        let pair = AuthorityPair::generate("Postern node authority", postern_api::clock::now())?;
        let mut text = serde_json::to_vec(&pair).map_err(|error| issue_failed(&error))?;
        let sealed = seal.seal(&text, PURPOSE);
        text.zeroize();
        sealed
    }

    /// Opens the authority.
    ///
    /// # Errors
    /// If it was changed, or sealed with another key.
    pub(crate) fn open(seal: &Seal, sealed: &[u8]) -> Result<Self> {
        let damaged = || {
            Error::new(
                Code::StorageDamaged,
                "The authority of the nodes in the store does not open. Delete the key `cluster/node-authority` below the prefix of the store, and start all nodes again.",
            )
        };
        let text = seal.unseal(sealed, PURPOSE).ok_or_else(damaged)?;
        let pair: AuthorityPair = serde_json::from_slice(&text).map_err(|_| damaged())?;
        let root = CertificateDer::from_pem_slice(pair.certificate_pem.as_bytes()).map_err(|_| damaged())?;
        let clock = Arc::new(postern_api::clock::now);
        Ok(NodeAuthority { root, issuer: pair.issuer()?, expires: pair.expires, clock })
    }

    /// Its own certificate, by which nodes know each other.
    pub fn root(&self) -> &CertificateDer<'static> {
        &self.root
    }

    /// A new certificate of a node.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn issue(&self, node: &Id<Node>) -> Result<NodeCertificate> {
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(|error| issue_failed(&error))?;
        let mut params = CertificateParams::default();
        let mut subject = DistinguishedName::new();
        subject.push(DnType::CommonName, node.as_str());
        params.distinguished_name = subject;
        params.is_ca = IsCa::ExplicitNoCa;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        params.use_authority_key_identifier_extension = true;
        let name = server_name(node).try_into().map_err(|error: rcgen::Error| issue_failed(&error))?;
        params.subject_alt_names = vec![SanType::DnsName(name)];
        let now = (self.clock)().as_second();
        set_validity(&mut params, now - TOLERANCE, (now + LIFETIME).min(self.expires));
        let certificate = params.signed_by(&key, &self.issuer).map_err(|error| issue_failed(&error))?;
        Ok(NodeCertificate {
            chain: vec![certificate.der().clone()],
            key: PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())),
            renew_at: Timestamp::from_second(now + RENEW_AFTER).map_err(|error| issue_failed(&error))?,
        })
    }
}

/// The name of a node in its certificate.
fn server_name(node: &Id<Node>) -> String {
    format!("{node}.node.postern")
}

impl std::fmt::Debug for NodeAuthority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NodeAuthority").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::clock;
    use rustls::{
        RootCertStore,
        client::{WebPkiServerVerifier, danger::ServerCertVerifier},
    };
    use rustls_pki_types::{ServerName, UnixTime};

    fn seal() -> (tempfile::TempDir, Seal) {
        let folder = tempfile::tempdir().expect("a folder");
        let seal = Seal::open(folder.path()).expect("a seal");
        (folder, seal)
    }

    #[test]
    fn a_certificate_is_that_of_its_node_among_those_of_the_same_store_only() {
        rustls::crypto::aws_lc_rs::default_provider().install_default().ok();
        let (_folder, seal) = seal();
        let open = || {
            let sealed = NodeAuthority::generate(&seal).expect("an authority");
            NodeAuthority::open(&seal, &sealed).expect("it opens")
        };
        let (own, other) = (open(), open());
        let (node, another) = (Id::<Node>::new(clock::now()), Id::<Node>::new(clock::now()));
        let issued = own.issue(&node).expect("a certificate");
        let verify = |authority: &NodeAuthority, name: &Id<Node>| {
            let mut roots = RootCertStore::empty();
            roots.add(authority.root().clone()).expect("a root");
            let verifier = WebPkiServerVerifier::builder(Arc::new(roots)).build().expect("a verifier");
            let name = ServerName::try_from(server_name(name)).expect("a name");
            verifier.verify_server_cert(&issued.chain[0], &[], &name, &[], UnixTime::now())
        };
        verify(&own, &node).expect("it is the node");
        verify(&own, &another).expect_err("another node");
        verify(&other, &node).expect_err("a node of another store");
        let days = (issued.renew_at.as_second() - clock::now().as_second()) / DAY;
        assert_eq!(days, 4, "it is renewed in time");
    }

    #[test]
    fn it_opens_with_the_key_of_its_store_only() {
        let ((_one, seal), (_two, other)) = (seal(), seal());
        let sealed = NodeAuthority::generate(&seal).expect("an authority");
        assert_eq!(NodeAuthority::open(&other, &sealed).expect_err("another key").code, Code::StorageDamaged);
    }
}

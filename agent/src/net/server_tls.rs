//! Certificate verification of connections to the server.

use crate::config::{AgentSettings, settings::RootCas};
use postern_api::{Code, Error};
use rustls::{
    CipherSuite, ClientConfig, RootCertStore,
    client::{WebPkiServerVerifier, danger::ServerCertVerifier},
    crypto::CryptoProvider,
};
use rustls_pki_types::{CertificateDer, CertificateRevocationListDer, pem::PemObject};
use std::{path::Path, sync::Arc};

/// The TLS settings of all connections to a server: TLS 1.3, the protocol's ALPN name, and the chosen authorities.
///
/// # Errors
/// `ServerUntrusted` if the authorities cannot be read.
pub fn client_config(settings: &AgentSettings) -> Result<ClientConfig, Error> {
    let provider = Arc::new(provider());
    let verifier = verifier(&settings.root_cas, !settings.crl_noverify, &provider)?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("the provider has suites for TLS 1.3")
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    config.alpn_protocols = vec![postern_tunnel::ALPN.to_vec()];
    config.enable_secret_extraction = true;
    Ok(config)
}

/// AES-128 first: it is the cheapest with hardware support.
fn provider() -> CryptoProvider {
    let mut provider = rustls::crypto::aws_lc_rs::default_provider();
    provider.cipher_suites.sort_by_key(|suite| suite.suite() != CipherSuite::TLS13_AES_128_GCM_SHA256);
    provider
}

fn verifier(
    root_cas: &RootCas,
    revocation: bool,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, Error> {
    match root_cas.file() {
        Some(path) => from_file(&path, revocation, provider),
        None => {
            let verifier = rustls_platform_verifier::Verifier::new(provider.clone()).map_err(|error| {
                Error::new(Code::ServerUntrusted, format!("The system's certificate store cannot be read: {error}."))
            })?;
            Ok(Arc::new(verifier))
        }
    }
}

/// Trusts the authorities in a file. Revocation lists in the same file are checked if `revocation` is set.
fn from_file(
    path: &Path,
    revocation: bool,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, Error> {
    let shown = path.display();
    let refuse = |why: &str| {
        Error::new(
            Code::ServerUntrusted,
            format!("root_cas `{shown}` cannot be used: {why}. Give a PEM file with the server's authority."),
        )
    };
    let certificates = CertificateDer::pem_file_iter(path).map_err(|error| refuse(&error.to_string()))?;
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        let certificate = certificate.map_err(|error| refuse(&error.to_string()))?;
        roots.add(certificate).map_err(|error| refuse(&error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(refuse("it contains no certificate"));
    }
    let mut lists = Vec::new();
    if revocation {
        for list in CertificateRevocationListDer::pem_file_iter(path).map_err(|error| refuse(&error.to_string()))? {
            lists.push(list.map_err(|error| refuse(&error.to_string()))?);
        }
    }
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
        .with_crls(lists)
        .allow_unknown_revocation_status()
        .build()
        .map_err(|error| refuse(&error.to_string()))?;
    Ok(verifier)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn trusting(path: &Path, more: &str) -> AgentSettings {
        let text = format!("version: 2\nroot_cas: {}\n{more}", path.display());
        Config::parse(&text).expect("valid").settings
    }

    #[test]
    fn a_revoked_certificate_is_refused_unless_lists_are_ignored() {
        use rcgen::{
            BasicConstraints, CertificateParams, CertificateRevocationListParams, IsCa, Issuer, KeyIdMethod, KeyPair,
            KeyUsagePurpose, RevokedCertParams, SerialNumber, date_time_ymd,
        };
        let key = KeyPair::generate().expect("a key");
        let mut authority = CertificateParams::new(Vec::new()).expect("parameters");
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let root = authority.self_signed(&key).expect("a certificate");
        let issuer = Issuer::new(authority, key);
        let leaf = |serial: u64| {
            let mut params = CertificateParams::new(vec!["localhost".to_owned()]).expect("parameters");
            params.serial_number = Some(SerialNumber::from(serial));
            params.signed_by(&KeyPair::generate().expect("a key"), &issuer).expect("a certificate")
        };
        let list = CertificateRevocationListParams {
            this_update: date_time_ymd(2024, 1, 1),
            next_update: date_time_ymd(2090, 1, 1),
            crl_number: SerialNumber::from(1u64),
            issuing_distribution_point: None,
            revoked_certs: vec![RevokedCertParams {
                serial_number: SerialNumber::from(7u64),
                revocation_time: date_time_ymd(2024, 1, 1),
                reason_code: None,
                invalidity_date: None,
            }],
            key_identifier_method: KeyIdMethod::Sha256,
        };
        let list = list.signed_by(&issuer).expect("a list").pem().expect("PEM");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ca.pem");
        std::fs::write(&path, format!("{}{list}", root.pem())).expect("written");
        let provider = Arc::new(provider());
        let accepted = |revocation: bool, serial: u64| {
            let verifier = from_file(&path, revocation, &provider).expect("a verifier");
            let name = "localhost".try_into().expect("a name");
            let now = rustls_pki_types::UnixTime::now();
            verifier.verify_server_cert(leaf(serial).der(), &[], &name, &[], now).is_ok()
        };
        assert!(accepted(true, 8) && !accepted(true, 7), "the list counts");
        assert!(accepted(false, 7), "it is left aside");
        assert!(!trusting(&path, "").crl_noverify && trusting(&path, "crl_noverify: true\n").crl_noverify);
    }

    #[test]
    fn a_file_without_a_certificate_is_rejected_with_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ca.pem");
        std::fs::write(&path, "nothing here\n").expect("written");
        let error = client_config(&trusting(&path, "")).expect_err("refused");
        assert_eq!(error.code, Code::ServerUntrusted);
        assert!(error.message.contains("ca.pem"));
    }
}

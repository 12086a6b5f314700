//! Responses to challenges. With several nodes an authority may ask any of them, so what one has to present is a record of
//! the store for as long as its order runs, and all present it.

use super::{AcmeError, ChallengePresenter, ChallengeResponse};
use crate::{
    resources::Resources,
    store::{Commit, CommitOutcome, Followed, Following, LeaseId, Store, StoreError, Write},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use postern_api::{clock, host::HostName, id::random_hex};
use rcgen::{CertificateParams, CustomExtension, KeyPair, PKCS_ECDSA_P256_SHA256};
use rustls::{
    crypto::aws_lc_rs::sign::any_ecdsa_type,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
    sign::CertifiedKey,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};

/// Prefix of the keys of all proofs.
const PREFIX: &str = "acme/proofs/";
/// A proof of a node that has died goes by itself.
const LASTING: Duration = Duration::from_secs(600);

/// What an authority must find. Nothing in it is secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Proof {
    /// A text on the HTTP port.
    Http01 { token: String, key_authorization: String },
    /// A certificate on the HTTPS port with this digest, in base 64.
    TlsAlpn01 { name: String, digest: String },
}

/// A proof that all nodes present until it is dropped.
pub(super) struct SharedProof {
    store: Arc<dyn Store>,
    lease: LeaseId,
}

impl Proof {
    pub(super) fn http(token: &str, key_authorization: &str) -> Self {
        Proof::Http01 { token: token.to_owned(), key_authorization: key_authorization.to_owned() }
    }

    pub(super) fn tls(name: &str, digest: &[u8]) -> Self {
        Proof::TlsAlpn01 { name: name.to_owned(), digest: BASE64_STANDARD.encode(digest) }
    }

    /// What is presented. Each node makes a certificate of its own.
    pub(super) fn response(&self) -> Result<ChallengeResponse, AcmeError> {
        let broken = |error: &dyn std::fmt::Display| AcmeError(format!("a challenge cannot be presented: {error}"));
        match self.clone() {
            Proof::Http01 { token, key_authorization } => Ok(ChallengeResponse::Http01 { token, key_authorization }),
            Proof::TlsAlpn01 { name, digest } => {
                let name = HostName::parse(&name).map_err(|error| broken(&error))?;
                let digest = BASE64_STANDARD.decode(digest).map_err(|error| broken(&error))?;
                let certificate = challenge_certificate(&name, &digest).map_err(|error| broken(&error))?;
                Ok(ChallengeResponse::TlsAlpn01 { name, certificate })
            }
        }
    }

    /// Has all nodes present it; `None` if there is one only.
    pub(super) async fn share(&self, resources: &Resources) -> Result<Option<SharedProof>, AcmeError> {
        if resources.presence.as_ref().is_none_or(|presence| presence.node().is_none()) {
            return Ok(None);
        }
        let failed = |error: StoreError| AcmeError(format!("the other servers cannot be told a challenge: {error}"));
        let value = serde_json::to_vec(self).map_err(|error| failed(StoreError::Broken(error.to_string())))?;
        let lease = resources.store.grant(LASTING, clock::now()).await.map_err(failed)?;
        let shared = SharedProof { store: resources.store.clone(), lease };
        let key = format!("{PREFIX}{}", random_hex());
        let commit = Commit { writes: vec![Write::PutLeased(key, value, lease)], ..Commit::default() };
        if let CommitOutcome::Done(revision) = resources.store.commit(commit).await.map_err(failed)? {
            resources.live.in_force(revision).await;
        }
        Ok(Some(shared))
    }
}

impl Drop for SharedProof {
    fn drop(&mut self) {
        let (store, lease) = (self.store.clone(), self.lease);
        // If it fails, the lease ends by itself.
        tokio::spawn(async move { store.revoke(lease).await });
    }
}

/// Presents what any node has to prove, until the store is closed.
pub(crate) async fn present_shared(store: Weak<dyn Store>, presenter: Arc<dyn ChallengePresenter>) {
    let mut following = Following::new(store, PREFIX);
    let mut presented = HashMap::new();
    while let Ok(followed) = following.next().await {
        let changes: Vec<(String, Option<Vec<u8>>)> = match followed {
            Followed::All(entries) => {
                presented.clear();
                entries.into_iter().map(|entry| (entry.key, Some(entry.value))).collect()
            }
            Followed::Changed(changes) => changes.into_iter().map(|change| (change.key, change.value)).collect(),
        };
        for (key, value) in changes {
            // The former one first: its end would take the next one of the same name with it.
            presented.remove(&key);
            let guard = value.and_then(|value| present(&value, presenter.as_ref()));
            presented.extend(guard.map(|guard| (key, guard)));
        }
    }
}

fn present(value: &[u8], presenter: &dyn ChallengePresenter) -> Option<Box<dyn Send>> {
    let proof: Proof = serde_json::from_slice(value).ok()?;
    match proof.response() {
        Ok(response) => Some(presenter.present(response)),
        Err(AcmeError(reason)) => {
            tracing::warn!("{reason}");
            None
        }
    }
}

/// Self-signed certificate for `tls-alpn-01`, with the digest in an extension (RFC 8737, section 3).
fn challenge_certificate(name: &HostName, digest: &[u8]) -> Result<Arc<CertifiedKey>, rcgen::Error> {
    // Any other length would be a mistake of the program to the library.
    if digest.len() != aws_lc_rs::digest::SHA256_OUTPUT_LEN {
        return Err(rcgen::Error::CouldNotParseKeyPair);
    }
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
    let mut params = CertificateParams::new(vec![name.to_string()])?;
    params.custom_extensions = vec![CustomExtension::new_acme_identifier(digest)];
    let certificate = params.self_signed(&key)?;
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let signing = any_ecdsa_type(&private).map_err(|_| rcgen::Error::CouldNotParseKeyPair)?;
    Ok(Arc::new(CertifiedKey::new(vec![certificate.der().clone()], signing)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_is_presented_as_it_was_stored_and_a_damaged_one_is_not() {
        let name = HostName::parse("shop.test").expect("a name");
        let stored = |proof: &Proof| serde_json::to_vec(proof).expect("json");
        let read = |bytes: &[u8]| serde_json::from_slice::<Proof>(bytes).expect("a proof");
        let http = Proof::http("t", "t.k");
        assert_eq!(read(&stored(&http)), http);
        let tls = read(&stored(&Proof::tls("shop.test", &[7; 32])));
        let Ok(ChallengeResponse::TlsAlpn01 { name: shown, .. }) = tls.response() else { panic!("another response") };
        assert_eq!(shown, name);
        assert!(Proof::tls("shop.test", &[7; 5]).response().is_err());
    }
}

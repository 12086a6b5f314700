//! SSH certificate authorities: generated key pairs; the private key is sealed and never shown.

use super::{CallContext, CreateContext, Modules, NewModule, NewRecord, Resources, Rules, StoredRecord};
use crate::certificates::ssh::{AuthorityKey, SshKeyType};
use postern_api::{
    Code, Error, KeyType, Result, Secret,
    resource::{
        SshCertificateAuthority, SshCertificateAuthorityCreate, SshCertificateAuthorityStatus,
        SshCertificateAuthorityUpdate,
    },
};
use serde::{Deserialize, Serialize};

/// Stored form of a key pair.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredKeyPair {
    /// PKCS#8 in PEM.
    pub(crate) private_key: Secret,
    public_key: String,
    key_type: KeyType,
}

impl Rules for SshCertificateAuthority {
    type Hidden = StoredKeyPair;
    const CACHEABLE: bool = true;
    const UNKNOWN: Code = Code::SshAuthorityUnknown;
    const IN_USE: Code = Code::SshAuthorityInUse;
    const SECRETS: &'static [&'static str] = &["/hidden/private_key"];

    async fn create(
        body: SshCertificateAuthorityCreate,
        _context: &CreateContext<'_, Self>,
    ) -> Result<NewRecord<Self>> {
        let key_type = key_type(body.private_key_type.as_deref().unwrap_or_default())?;
        let curve = body.elliptic_curve.unwrap_or_default();
        let form = SshKeyType::choose(key_type, &curve, body.key_size.unwrap_or_default())?;
        // Generating an RSA key takes a second or more.
        let generated = tokio::task::spawn_blocking(move || generate(form)).await;
        let pair = generated.map_err(|_| Error::new(Code::Internal, "An SSH key could not be made."))??;
        Ok(NewRecord::new(SshCertificateAuthority {}, pair))
    }

    async fn update(
        _stored: &mut StoredRecord<Self>,
        _body: SshCertificateAuthorityUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        Ok(Vec::new())
    }

    async fn status(
        stored: &StoredRecord<Self>,
        _modules: &Modules,
        _ctx: &Resources,
    ) -> Result<SshCertificateAuthorityStatus> {
        Ok(SshCertificateAuthorityStatus {
            public_key: stored.hidden.public_key.clone(),
            key_type: stored.hidden.key_type,
        })
    }
}

fn generate(form: SshKeyType) -> Result<StoredKeyPair> {
    let key = AuthorityKey::generate(form)?;
    Ok(StoredKeyPair { private_key: key.to_secret()?, public_key: key.public_line()?, key_type: key.key_type() })
}

fn key_type(text: &str) -> Result<Option<KeyType>> {
    match text {
        "" => Ok(None),
        "rsa" => Ok(Some(KeyType::Rsa)),
        "ecdsa" => Ok(Some(KeyType::Ecdsa)),
        "ed25519" => Ok(Some(KeyType::Ed25519)),
        other => {
            let shown: String = other.chars().take(40).collect();
            let sentence = format!("`{shown}` is not a type of key. Write `ed25519`, `ecdsa` or `rsa`.");
            Err(Error::new(Code::FieldInvalid, sentence).with("field", "private_key_type"))
        }
    }
}

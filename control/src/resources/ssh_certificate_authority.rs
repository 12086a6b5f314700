//! SSH certificate authorities: a key pair made here, its private half sealed and never shown.

use super::{Attachment, Call, Draft, Kept, Making, Modules, Resources, Rules};
use crate::certificates::ssh::{AuthorityKey, KeyForm};
use postern_api::{
    Code, Error, KeyType, Result, Secret,
    resource::{
        SshCertificateAuthority, SshCertificateAuthorityCreate, SshCertificateAuthorityStatus,
        SshCertificateAuthorityUpdate,
    },
};
use serde::{Deserialize, Serialize};

/// What is kept of a key pair.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeyPair {
    /// PKCS#8 in PEM.
    pub(crate) private_key: Secret,
    public_key: String,
    key_type: KeyType,
}

impl Rules for SshCertificateAuthority {
    type Hidden = KeyPair;
    const LASTING: bool = true;
    const SECRETS: &'static [&'static str] = &["/hidden/private_key"];

    async fn create(body: SshCertificateAuthorityCreate, _making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let key_type = key_type(body.private_key_type.as_deref().unwrap_or_default())?;
        let curve = body.elliptic_curve.unwrap_or_default();
        let form = KeyForm::choose(key_type, &curve, body.key_size.unwrap_or_default())?;
        // The primes of an RSA key take a second or more to find.
        let made = tokio::task::spawn_blocking(move || make(form)).await;
        let pair = made.map_err(|_| Error::new(Code::Internal, "An SSH key could not be made."))??;
        Ok(Draft::new(SshCertificateAuthority {}, pair))
    }

    async fn change(
        _kept: &mut Kept<Self>,
        _body: SshCertificateAuthorityUpdate,
        _call: &Call<'_>,
    ) -> Result<Vec<Attachment>> {
        Ok(Vec::new())
    }

    async fn status(kept: &Kept<Self>, _modules: &Modules, _here: &Resources) -> Result<SshCertificateAuthorityStatus> {
        Ok(SshCertificateAuthorityStatus { public_key: kept.hidden.public_key.clone(), key_type: kept.hidden.key_type })
    }
}

fn make(form: KeyForm) -> Result<KeyPair> {
    let key = AuthorityKey::make(form)?;
    Ok(KeyPair { private_key: key.to_secret()?, public_key: key.public_line()?, key_type: key.key_type() })
}

fn key_type(text: &str) -> Result<Option<KeyType>> {
    match text {
        "" => Ok(None),
        "rsa" => Ok(Some(KeyType::Rsa)),
        "ecdsa" => Ok(Some(KeyType::Ecdsa)),
        "ed25519" => Ok(Some(KeyType::Ed25519)),
        other => {
            let shown: String = other.chars().take(40).collect();
            let sentence = format!("`{shown}` is no kind of key. Write `ed25519`, `ecdsa` or `rsa`.");
            Err(Error::new(Code::FieldInvalid, sentence).with("field", "private_key_type"))
        }
    }
}

//! Encryption of secrets at rest: AES-256-GCM, with a key in a file beside the store.

mod identity;
mod invitation;

pub(crate) use identity::invite;

use crate::{files, store::StoreError};
use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use postern_api::{Code, Error, Result};
use std::path::Path;
use zeroize::Zeroizing;

pub(crate) const FILE: &str = "seal.key";
const KEY_LENGTH: usize = 32;

/// Seals and unseals secrets. Does not implement `Debug`, so that its key is never printed.
pub(crate) struct Seal {
    key: RandomizedNonceKey,
}

impl Seal {
    /// Reads the key of a data folder, and creates it the first time.
    ///
    /// # Errors
    /// If the file cannot be read or written, or is damaged.
    pub(crate) fn open(data_dir: &Path) -> Result<Self> {
        if files::read(&data_dir.join(FILE))?.is_none() {
            let mut fresh = Zeroizing::new(vec![0; KEY_LENGTH]);
            aws_lc_rs::rand::fill(&mut fresh).map_err(|_| sealing_failed("no random numbers for the sealing key"))?;
            files::write_private(&data_dir.join(FILE), &fresh)?;
        }
        Self::from_key(&read_key(data_dir)?)
    }

    /// A seal with a key of 32 bytes.
    ///
    /// # Errors
    /// If the key has another length.
    pub(crate) fn from_key(key: &[u8]) -> Result<Self> {
        let key =
            RandomizedNonceKey::new(&AES_256_GCM, key).map_err(|_| sealing_failed("the sealing key was refused"))?;
        Ok(Seal { key })
    }

    /// Seals a secret. It can be unsealed for the same `purpose` only.
    pub(crate) fn seal(&self, secret: &[u8], purpose: &str) -> Result<Vec<u8>> {
        let mut sealed = secret.to_vec();
        let nonce = self
            .key
            .seal_in_place_append_tag(Aad::from(purpose.as_bytes()), &mut sealed)
            .map_err(|_| sealing_failed("a secret could not be sealed"))?;
        let mut whole = nonce.as_ref().to_vec();
        whole.append(&mut sealed);
        Ok(whole)
    }

    /// Unseals a secret; `None` if it was changed, or sealed with another key or for another purpose.
    pub(crate) fn unseal(&self, sealed: &[u8], purpose: &str) -> Option<Zeroizing<Vec<u8>>> {
        let (nonce, secret) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut secret = Zeroizing::new(secret.to_vec());
        let length = self.key.open_in_place(nonce, Aad::from(purpose.as_bytes()), &mut secret).ok()?.len();
        secret.truncate(length);
        Some(secret)
    }
}

/// Reads the key of a data folder.
pub(crate) fn read_key(data_dir: &Path) -> Result<Zeroizing<Vec<u8>>> {
    let path = data_dir.join(FILE);
    let bytes = Zeroizing::new(files::read(&path)?.unwrap_or_default());
    if bytes.len() != KEY_LENGTH {
        let shown = path.display();
        return Err(Error::new(
            Code::Unavailable,
            format!("`{shown}` is damaged: it must hold {KEY_LENGTH} bytes. Restore it from a backup."),
        ));
    }
    Ok(bytes)
}

fn sealing_failed(what: &str) -> Error {
    StoreError::Broken(what.to_owned()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_secret_opens_with_the_same_key_for_the_same_purpose_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let seal = Seal::open(folder.path()).expect("a seal");
        let sealed = seal.seal(b"planted secret", "a").expect("sealed");
        assert!(!sealed.windows(7).any(|part| part == b"planted"));
        let again = Seal::open(folder.path()).expect("the same key");
        assert_eq!(again.unseal(&sealed, "a").expect("opens").as_slice(), b"planted secret");
        assert!(again.unseal(&sealed, "b").is_none());
        for position in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[position] ^= 1;
            assert!(again.unseal(&changed, "a").is_none(), "byte {position} was changed");
        }
        assert!(again.unseal(&sealed[..5], "a").is_none());
        let other = tempfile::tempdir().expect("a folder");
        assert!(Seal::open(other.path()).expect("another key").unseal(&sealed, "a").is_none());
    }

    #[test]
    fn a_damaged_key_is_reported_and_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(FILE), b"short").expect("written");
        let error = Seal::open(folder.path()).err().expect("refused");
        assert!(error.message.contains("damaged"));
        assert_eq!(std::fs::read(folder.path().join(FILE)).expect("still there"), b"short");
    }
}

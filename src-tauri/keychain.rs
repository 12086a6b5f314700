//! The store of the management API key: the system's keychain, or an encrypted file if no keychain is available.

use crate::{
    desktop_state::{KeyLocation, KeychainState},
    error::{DesktopError, Result},
};
use aws_lc_rs::aead::{AES_256_GCM, Aad, Nonce, RandomizedNonceKey};
use keyring::{Entry, Error};
use postern_api::Secret;
use postern_config::private_file;
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// The name of the entry in the keychain.
const SERVICE: &str = "Postern management API";
/// Long enough to unlock the keychain by hand; a hanging keychain must not block the start of the app.
const KEYCHAIN_TIMEOUT: Duration = Duration::from_secs(45);
/// AES-256.
const KEY_LENGTH: usize = 32;
const NONCE_LENGTH: usize = 12;

/// The store of one server's key.
#[derive(Clone, Debug)]
pub(crate) struct KeyStore {
    /// The data folder or API address that the key belongs to.
    account: String,
    /// The encrypted key.
    sealed: PathBuf,
    /// The encryption key of `sealed`.
    seal: PathBuf,
}

impl KeyStore {
    /// The store of a remote server's key.
    pub(crate) fn remote(api: &str, desktop_folder: &Path) -> KeyStore {
        KeyStore {
            account: api.to_owned(),
            sealed: desktop_folder.join("remote-key.sealed"),
            seal: desktop_folder.join("remote-key.seal"),
        }
    }

    /// The store of the local server's key.
    pub(crate) fn local(server_folder: &Path, desktop_folder: &Path) -> KeyStore {
        KeyStore {
            account: server_folder.display().to_string(),
            sealed: desktop_folder.join("api-key.sealed"),
            seal: desktop_folder.join("api-key.seal"),
        }
    }

    /// The stored key and its location. A key in a file moves to the keychain once there is one.
    pub(crate) async fn load(&self) -> Option<(Secret, KeychainState)> {
        let account = self.account.clone();
        let keychain_error = match keychain_call(move || read_entry(&account)).await {
            Ok(Some(key)) => return Some((key, keychain_location())),
            Ok(None) => None,
            Err(reason) => Some(reason),
        };
        let key = self.read_sealed()?;
        let location = match keychain_error {
            Some(reason) => self.file_location(&reason),
            None => self.save(&key).await.ok()?,
        };
        Some((key, location))
    }

    /// Stores the key, in the keychain if possible.
    ///
    /// # Errors
    ///
    /// Fails if there is no keychain and the file cannot be written.
    pub(crate) async fn save(&self, key: &Secret) -> Result<KeychainState> {
        let (account, text) = (self.account.clone(), key.clone());
        match keychain_call(move || Entry::new(SERVICE, &account)?.set_password(text.reveal())).await {
            Ok(()) => {
                let _ = fs::remove_file(&self.sealed);
                let _ = fs::remove_file(&self.seal);
                Ok(keychain_location())
            }
            Err(reason) => {
                self.write_sealed(key)?;
                Ok(self.file_location(&reason))
            }
        }
    }

    fn file_location(&self, reason: &str) -> KeychainState {
        let note = format!(
            "{reason}, so the key of the management API is in {}, encrypted, in a file that only you can read. \
             A program that can read all your files can read the key.",
            self.sealed.display()
        );
        KeychainState { kind: KeyLocation::File, note: Some(note) }
    }

    /// Encryption protects the key if only one of the two files is copied, not against a reader of both.
    fn write_sealed(&self, key: &Secret) -> Result<()> {
        let failed = |error: &dyn std::fmt::Display| {
            DesktopError::local(format!("{} cannot be written", self.sealed.display()), error)
        };
        let mut seal = [0; KEY_LENGTH];
        aws_lc_rs::rand::fill(&mut seal).map_err(|error| failed(&error))?;
        let mut content = key.reveal().as_bytes().to_vec();
        let nonce = RandomizedNonceKey::new(&AES_256_GCM, &seal)
            .and_then(|sealing| sealing.seal_in_place_append_tag(Aad::empty(), &mut content))
            .map_err(|error| failed(&error))?;
        let mut sealed = nonce.as_ref().to_vec();
        sealed.extend_from_slice(&content);
        private_file::write(&self.seal, &seal).map_err(|error| failed(&error))?;
        private_file::write(&self.sealed, &sealed).map_err(|error| failed(&error))
    }

    fn read_sealed(&self) -> Option<Secret> {
        let seal = fs::read(&self.seal).ok()?;
        let sealed = fs::read(&self.sealed).ok()?;
        let (nonce, content) = sealed.split_at_checked(NONCE_LENGTH)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut content = content.to_vec();
        let opening = RandomizedNonceKey::new(&AES_256_GCM, &seal).ok()?;
        let plain = opening.open_in_place(nonce, Aad::empty(), &mut content).ok()?;
        Some(Secret::new(String::from_utf8(plain.to_vec()).ok()?))
    }
}

fn keychain_location() -> KeychainState {
    KeychainState { kind: KeyLocation::Keychain, note: None }
}

fn read_entry(account: &str) -> keyring::Result<Option<Secret>> {
    match Entry::new(SERVICE, account)?.get_password() {
        Ok(text) => Ok(Some(Secret::new(text))),
        Err(Error::NoEntry) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Runs a blocking call of the keychain with a timeout. The error is a clause without a full stop.
async fn keychain_call<T: Send + 'static>(
    call: impl FnOnce() -> keyring::Result<T> + Send + 'static,
) -> Result<T, String> {
    match tokio::time::timeout(KEYCHAIN_TIMEOUT, tokio::task::spawn_blocking(call)).await {
        Ok(Ok(Ok(value))) => Ok(value),
        Ok(Ok(Err(error))) => {
            tracing::debug!(%error, "the keychain is not available");
            Err("No keychain is available on this computer".to_owned())
        }
        Ok(Err(_)) => Err("The keychain of this computer failed".to_owned()),
        Err(_) => Err(format!("The keychain did not respond within {} s", KEYCHAIN_TIMEOUT.as_secs())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_key_can_be_read_back_and_is_in_no_file_in_plain_text() {
        let folder = tempfile::tempdir().unwrap();
        let store = KeyStore::local(Path::new("/data"), folder.path());
        assert!(store.read_sealed().is_none());
        store.write_sealed(&Secret::new("a-key-to-hide")).unwrap();
        assert_eq!(store.read_sealed().unwrap().reveal(), "a-key-to-hide");
        for file in fs::read_dir(folder.path()).unwrap() {
            let content = fs::read(file.unwrap().path()).unwrap();
            assert!(!content.windows(13).any(|part| part == b"a-key-to-hide"));
        }
    }

    #[test]
    fn a_damaged_file_counts_as_no_key() {
        let folder = tempfile::tempdir().unwrap();
        let store = KeyStore::local(Path::new("/data"), folder.path());
        store.write_sealed(&Secret::new("key")).unwrap();
        fs::write(&store.sealed, [1, 2, 3]).unwrap();
        assert!(store.read_sealed().is_none());
        fs::write(&store.sealed, [0; 40]).unwrap();
        assert!(store.read_sealed().is_none());
    }
}

//! Where the management API's key is kept: the system's keychain, or a sealed file where no keychain answers.

use crate::failure::{Failure, Result};
use crate::private_file;
use crate::state::{KeyPlace, KeychainState};
use aws_lc_rs::aead::{AES_256_GCM, Aad, Nonce, RandomizedNonceKey};
use keyring::{Entry, Error};
use postern_api::Secret;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name a person sees in the keychain.
const SERVICE: &str = "Postern management API";
/// A keychain may ask the person to unlock it; one that hangs must not keep the app from starting.
const PATIENCE: Duration = Duration::from_secs(45);
const KEY_LENGTH: usize = 32;
const NONCE_LENGTH: usize = 12;

/// The place of one server's key.
#[derive(Clone, Debug)]
pub(crate) struct KeyStore {
    /// Tells the keys of several data folders apart.
    account: String,
    sealed: PathBuf,
    seal: PathBuf,
}

impl KeyStore {
    /// The place of the key of a server elsewhere, told apart by the address of its API.
    pub(crate) fn remote(api: &str, desktop_folder: &Path) -> KeyStore {
        KeyStore {
            account: api.to_owned(),
            sealed: desktop_folder.join("remote-key.sealed"),
            seal: desktop_folder.join("remote-key.seal"),
        }
    }

    pub(crate) fn new(server_folder: &Path, desktop_folder: &Path) -> KeyStore {
        KeyStore {
            account: server_folder.display().to_string(),
            sealed: desktop_folder.join("api-key.sealed"),
            seal: desktop_folder.join("api-key.seal"),
        }
    }

    /// The key, if one was kept, and where it lies. A key in a file moves into the keychain once there is one.
    pub(crate) async fn load(&self) -> Option<(Secret, KeychainState)> {
        let account = self.account.clone();
        let no_keychain = match in_keychain(move || read_entry(&account)).await {
            Ok(Some(key)) => return Some((key, in_the_keychain())),
            Ok(None) => None,
            Err(reason) => Some(reason),
        };
        let key = self.open_sealed()?;
        let place = match no_keychain {
            Some(reason) => self.in_the_file(&reason),
            None => self.keep(&key).await.ok()?,
        };
        Some((key, place))
    }

    /// Keeps the key, in the keychain if that is possible.
    pub(crate) async fn keep(&self, key: &Secret) -> Result<KeychainState> {
        let (account, text) = (self.account.clone(), key.clone());
        match in_keychain(move || Entry::new(SERVICE, &account)?.set_password(text.reveal())).await {
            Ok(()) => {
                let _ = fs::remove_file(&self.sealed);
                let _ = fs::remove_file(&self.seal);
                Ok(in_the_keychain())
            }
            Err(reason) => {
                self.seal_up(key)?;
                Ok(self.in_the_file(&reason))
            }
        }
    }

    fn in_the_file(&self, reason: &str) -> KeychainState {
        let note = format!(
            "{reason}, so the key of the management API lies in {}, sealed, in a file that only you can read. \
             Whoever can read all your files can read it.",
            self.sealed.display()
        );
        KeychainState { kind: KeyPlace::File, note: Some(note) }
    }

    /// The seal keeps the key out of backups and searches that take one file; it is no lock against its owner.
    fn seal_up(&self, key: &Secret) -> Result<()> {
        let failed = |error: &dyn std::fmt::Display| {
            Failure::local(format!("{} cannot be written", self.sealed.display()), error)
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

    fn open_sealed(&self) -> Option<Secret> {
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

fn in_the_keychain() -> KeychainState {
    KeychainState { kind: KeyPlace::Keychain, note: None }
}

fn read_entry(account: &str) -> keyring::Result<Option<Secret>> {
    match Entry::new(SERVICE, account)?.get_password() {
        Ok(text) => Ok(Some(Secret::new(text))),
        Err(Error::NoEntry) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Runs a call to the keychain, which blocks, beside everything else and for a bounded time. The error is half a sentence.
async fn in_keychain<T: Send + 'static>(
    call: impl FnOnce() -> keyring::Result<T> + Send + 'static,
) -> Result<T, String> {
    match tokio::time::timeout(PATIENCE, tokio::task::spawn_blocking(call)).await {
        Ok(Ok(Ok(value))) => Ok(value),
        Ok(Ok(Err(error))) => {
            tracing::debug!(%error, "the keychain cannot be used");
            Err("No keychain answers on this computer".to_owned())
        }
        Ok(Err(_)) => Err("The keychain of this computer failed".to_owned()),
        Err(_) => Err(format!("The keychain did not answer within {} s", PATIENCE.as_secs())),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_sealed_key_comes_back_and_is_nowhere_in_plain() {
        let folder = tempfile::tempdir().unwrap();
        let store = KeyStore::new(Path::new("/data"), folder.path());
        assert!(store.open_sealed().is_none());
        store.seal_up(&Secret::new("a-key-to-hide")).unwrap();
        assert_eq!(store.open_sealed().unwrap().reveal(), "a-key-to-hide");
        for file in fs::read_dir(folder.path()).unwrap() {
            let content = fs::read(file.unwrap().path()).unwrap();
            assert!(!content.windows(13).any(|part| part == b"a-key-to-hide"));
        }
    }

    #[test]
    fn a_damaged_file_is_no_key_and_no_panic() {
        let folder = tempfile::tempdir().unwrap();
        let store = KeyStore::new(Path::new("/data"), folder.path());
        store.seal_up(&Secret::new("key")).unwrap();
        fs::write(&store.sealed, [1, 2, 3]).unwrap();
        assert!(store.open_sealed().is_none());
        fs::write(&store.sealed, [0; 40]).unwrap();
        assert!(store.open_sealed().is_none());
    }
}

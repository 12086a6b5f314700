//! Account with an ACME authority: one for each directory, stored with its key sealed.

use super::{AcmeError, requests::with_valid_nonce};
use crate::{
    resources::Resources,
    store::{Commit, CommitCondition, CommitOutcome, Write},
};
use aws_lc_rs::digest::{SHA256, digest};
use instant_acme::{Account, AccountBuilder, AccountCredentials, NewAccount};
use serde::{Deserialize, Serialize};

const SECRETS: &[&str] = &["/credentials"];

#[derive(Serialize, Deserialize)]
struct StoredAccount {
    directory: String,
    /// Credentials of the account, its key included, as JSON.
    credentials: String,
}

/// Opens the account of a directory, and registers it the first time.
pub(super) async fn open(
    resources: &Resources,
    directory: &str,
    contact: Option<&str>,
    builder: impl Fn() -> Result<AccountBuilder, AcmeError>,
) -> Result<Account, AcmeError> {
    let key = key(directory);
    for _ in 0..2 {
        if let Some(entry) = resources.store.get(&key).await.map_err(account_error)? {
            let stored: StoredAccount =
                resources.codec.read(&entry.key, &entry.value, SECRETS).map_err(|error| AcmeError(error.message))?;
            let credentials: AccountCredentials = serde_json::from_str(&stored.credentials).map_err(account_error)?;
            return builder()?.from_credentials(credentials).await.map_err(AcmeError::from_client);
        }
        let contact: Vec<String> = contact.iter().map(|mail| format!("mailto:{mail}")).collect();
        let contact: Vec<&str> = contact.iter().map(String::as_str).collect();
        let new = NewAccount { contact: &contact, terms_of_service_agreed: true, only_return_existing: false };
        let created = with_valid_nonce!(builder()?.create(&new, directory.to_owned(), None).await);
        let (account, credentials) = created.map_err(AcmeError::from_client)?;
        let credentials = serde_json::to_string(&credentials).map_err(account_error)?;
        let stored = StoredAccount { directory: directory.to_owned(), credentials };
        let value = resources.codec.write(&stored, &key, SECRETS).map_err(|error| AcmeError(error.message))?;
        let commit = Commit {
            conditions: vec![CommitCondition::Absent(key.clone())],
            writes: vec![Write::Put(key.clone(), value)],
        };
        // If another server was faster, its account is used.
        if let CommitOutcome::Done(_) = resources.store.commit(commit).await.map_err(account_error)? {
            return Ok(account);
        }
    }
    Err(AcmeError("the account with the directory changed while it was read".to_owned()))
}

/// Deletes an account that the authority no longer knows.
pub(super) async fn forget(resources: &Resources, directory: &str) -> Result<(), AcmeError> {
    let commit = Commit { conditions: Vec::new(), writes: vec![Write::Delete(key(directory))] };
    resources.store.commit(commit).await.map(drop).map_err(account_error)
}

fn key(directory: &str) -> String {
    let hash = digest(&SHA256, directory.as_bytes());
    let hash: String = hash.as_ref().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("acme/accounts/{hash}")
}

fn account_error(error: impl std::fmt::Display) -> AcmeError {
    AcmeError(format!("the account with the directory could not be stored or read: {error}"))
}

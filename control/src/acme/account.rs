//! The account with an authority: made once for each directory, kept in the store, its key sealed.

use super::Failure;
use crate::{
    resources::Resources,
    store::{Commit, Condition, Outcome, Write},
};
use aws_lc_rs::digest::{SHA256, digest};
use instant_acme::{Account, AccountBuilder, AccountCredentials, NewAccount};
use serde::{Deserialize, Serialize};

const SECRETS: &[&str] = &["/credentials"];

#[derive(Serialize, Deserialize)]
struct Kept {
    directory: String,
    /// What the library knows of the account, its key among it, as JSON.
    credentials: String,
}

/// Opens the account of a directory, making it the first time.
pub(super) async fn open(
    resources: &Resources,
    directory: &str,
    contact: Option<&str>,
    builder: impl Fn() -> Result<AccountBuilder, Failure>,
) -> Result<Account, Failure> {
    let key = key(directory);
    for _ in 0..2 {
        if let Some(entry) = resources.store.get(&key).await.map_err(unstored)? {
            let kept: Kept =
                resources.codec.read(&entry.key, &entry.value, SECRETS).map_err(|error| Failure(error.message))?;
            let credentials: AccountCredentials = serde_json::from_str(&kept.credentials).map_err(unstored)?;
            return builder()?.from_credentials(credentials).await.map_err(Failure::of);
        }
        let contact: Vec<String> = contact.iter().map(|mail| format!("mailto:{mail}")).collect();
        let contact: Vec<&str> = contact.iter().map(String::as_str).collect();
        let new = NewAccount { contact: &contact, terms_of_service_agreed: true, only_return_existing: false };
        let (account, credentials) = builder()?.create(&new, directory.to_owned(), None).await.map_err(Failure::of)?;
        let credentials = serde_json::to_string(&credentials).map_err(unstored)?;
        let kept = Kept { directory: directory.to_owned(), credentials };
        let value = resources.codec.write(&kept, &key, SECRETS).map_err(|error| Failure(error.message))?;
        let commit =
            Commit { conditions: vec![Condition::Absent(key.clone())], writes: vec![Write::Put(key.clone(), value)] };
        // Where another server was faster, its account is the one.
        if let Outcome::Done(_) = resources.store.commit(commit).await.map_err(unstored)? {
            return Ok(account);
        }
    }
    Err(Failure("the account of the directory changes while it is read".to_owned()))
}

/// Forgets an account that the authority does not know any more.
pub(super) async fn forget(resources: &Resources, directory: &str) -> Result<(), Failure> {
    let commit = Commit { conditions: Vec::new(), writes: vec![Write::Delete(key(directory))] };
    resources.store.commit(commit).await.map(drop).map_err(unstored)
}

fn key(directory: &str) -> String {
    let hash = digest(&SHA256, directory.as_bytes());
    let hash: String = hash.as_ref().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("acme/accounts/{hash}")
}

fn unstored(error: impl std::fmt::Display) -> Failure {
    Failure(format!("the account with the directory could not be kept or read: {error}"))
}

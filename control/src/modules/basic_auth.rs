//! The basic auth module. Passwords are stored as hashes of Argon2id (RFC 9106) only.

use crate::resources::{ModuleReferences, ModuleRules, Resources, StoredModule};
use argon2::{Argon2, PasswordHasher};
use postern_api::{
    AnyId, Code, Error, Result, Secret,
    module::{BasicAuth, BasicAuthUser, BasicAuthUserView, BasicAuthUsers, BasicAuthView},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc};
use tokio::sync::Semaphore;

/// Each hash takes 19 MiB and some ten milliseconds of a core, so few callers have their passwords hashed at once.
const MAX_CONCURRENT_HASHING: usize = 2;
static HASHING: Semaphore = Semaphore::const_new(MAX_CONCURRENT_HASHING);

/// The hashes of the passwords by user name, as PHC strings.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct PasswordHashes(BTreeMap<String, Secret>);

impl ModuleRules for BasicAuth {
    type Hidden = PasswordHashes;

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        BasicAuth::check(self)
    }

    async fn hidden(&self, _owner: &AnyId, former: Option<PasswordHashes>, _ctx: &Resources) -> Result<PasswordHashes> {
        let kept = kept_hashes(&self.users, former.unwrap_or_default())?;
        let changed = self.users.iter().filter_map(|user| Some((user.username.clone(), user.password.clone()?)));
        let mut hashes = hash_all(changed.collect()).await?;
        hashes.extend(kept);
        Ok(PasswordHashes(hashes))
    }

    fn strip_secrets(&mut self) {
        self.users.iter_mut().for_each(|user| user.password = None);
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, _ctx: &Resources) -> Result<BasicAuthView> {
        let users = stored.module.users.iter().map(|user| BasicAuthUserView { username: user.username.clone() });
        Ok(BasicAuthView { enabled: stored.module.enabled, users: users.collect() })
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<Arc<BasicAuthUsers>> {
        Ok(Arc::new(BasicAuthUsers::Hashes(stored.hidden.0.clone())))
    }
}

/// The former hashes of the users without a new password.
fn kept_hashes(users: &[BasicAuthUser], mut former: PasswordHashes) -> Result<Vec<(String, Secret)>> {
    let kept = users.iter().enumerate().filter(|(_, user)| user.password.is_none()).map(|(place, user)| {
        former.0.remove_entry(&user.username).ok_or_else(|| {
            let sentence = "The user is new and has no password: set `password`.";
            Error::new(Code::PasswordInvalid, sentence).with("field", format!("users[{place}].password"))
        })
    });
    kept.collect()
}

/// Hashes passwords on a blocking thread.
async fn hash_all(passwords: Vec<(String, Secret)>) -> Result<BTreeMap<String, Secret>> {
    if passwords.is_empty() {
        return Ok(BTreeMap::new());
    }
    let permit = HASHING.acquire().await.map_err(|error| unavailable(&error))?;
    let hashing = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        passwords.into_iter().map(|(user, password)| Ok((user, hash(&password)?))).collect()
    });
    hashing.await.map_err(|error| unavailable(&error))?
}

/// The hash of a password with a random salt, as a PHC string.
fn hash(password: &Secret) -> Result<Secret> {
    let hash = Argon2::default().hash_password(password.reveal().as_bytes()).map_err(|error| unavailable(&error))?;
    Ok(Secret::new(hash.to_string()))
}

fn unavailable(error: &dyn std::fmt::Display) -> Error {
    Error::new(Code::Unavailable, format!("The passwords could not be hashed: {error}. Try again."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: &str, password: Option<&str>) -> BasicAuthUser {
        BasicAuthUser { username: name.to_owned(), password: password.map(Secret::new) }
    }

    #[test]
    fn a_user_without_a_password_keeps_the_former_one() {
        let former = PasswordHashes([("ada".to_owned(), Secret::new("hash"))].into());
        let kept = kept_hashes(&[user("bob", Some("longenough")), user("ada", None)], former.clone());
        assert_eq!(kept.expect("known"), [("ada".to_owned(), Secret::new("hash"))]);
        let error = kept_hashes(&[user("bob", None)], former).expect_err("new");
        assert_eq!((error.code, error.details["field"].as_str()), (Code::PasswordInvalid, "users[0].password"));
    }

    #[tokio::test]
    async fn equal_passwords_have_different_hashes_of_argon2id() {
        let password = || Secret::new("longenough");
        let hashes =
            hash_all(vec![("ada".to_owned(), password()), ("bob".to_owned(), password())]).await.expect("hashes");
        let texts: Vec<&str> = hashes.values().map(Secret::reveal).collect();
        assert!(texts.iter().all(|text| text.starts_with("$argon2id$v=19$m=19456,t=2,p=1$")), "the parameters");
        assert_ne!(texts[0], texts[1]);
    }
}

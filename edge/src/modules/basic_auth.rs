//! HTTP Basic authentication (RFC 7617).
//!
//! The credentials are for the edge alone: the header is removed, so that passwords reach neither the local service nor
//! captured requests. Passwords of routes are slow hashes. A password that was right once is recognized by a keyed
//! digest afterwards, so that only the first request of a user and wrong passwords cost a hash.

use super::RequestContext;
use crate::refusal::{Fault, Refusal};
use argon2::{Argon2, PasswordVerifier};
use aws_lc_rs::hmac;
use base64::{Engine, prelude::BASE64_STANDARD};
use hyper::{HeaderMap, header};
use postern_api::{
    Code, Error, Secret,
    module::{BasicAuthUsers, user_and_password},
};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use subtle::{Choice, ConstantTimeEq};
use tokio::{sync::Semaphore, time::Instant};

const NAME: &str = "basic_auth";
/// Each check of a hash takes 19 MiB and some ten milliseconds of a core. More checks at once would starve other
/// visitors.
const MAX_CONCURRENT_CHECKS: usize = 2;
/// Time to wait for a check's turn.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);
/// Pause that visitors are asked for when there are too many checks.
const RETRY_AFTER: Duration = Duration::from_secs(5);
static CHECKS: Semaphore = Semaphore::const_new(MAX_CONCURRENT_CHECKS);
/// A hash of a random password with the parameters of the stored ones. Checks of unknown users take as long as others.
const UNKNOWN_USER: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$c29tZXJhbmRvbXNhbHQ$aTTnfBTl6hNZyOLlRjyWBzNJ8Ah4e9cOJvDb6Ivo3i8";

/// The users of a route or tunnel.
pub(super) struct Users {
    /// Random, and never leaves the process.
    key: hmac::Key,
    /// Digests of the known `user:password`.
    digests: Vec<hmac::Tag>,
    hashed: Vec<HashedUser>,
}

/// A user whose password is known as a hash.
struct HashedUser {
    name: String,
    hash: Secret,
    /// The digest of `user:password`, after a visitor sent the right one.
    digest: Arc<OnceLock<hmac::Tag>>,
}

impl Users {
    /// # Errors
    /// If an entry does not have the form `user:password`.
    pub(super) fn new(users: &BasicAuthUsers) -> Result<Self, Error> {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &rand::random::<[u8; 32]>());
        Ok(match users {
            BasicAuthUsers::Passwords(users) => {
                users.iter().try_for_each(user_and_password)?;
                let digests = users.iter().map(|user| hmac::sign(&key, user.reveal().as_bytes())).collect();
                Users { key, digests, hashed: Vec::new() }
            }
            BasicAuthUsers::Hashes(hashes) => {
                let hashed = |(name, hash): (&String, &Secret)| HashedUser {
                    name: name.clone(),
                    hash: hash.clone(),
                    digest: Arc::default(),
                };
                Users { key, digests: Vec::new(), hashed: hashes.iter().map(hashed).collect() }
            }
        })
    }

    /// Compares with every known digest, so that the duration reveals nothing.
    fn is_known(&self, digest: &hmac::Tag) -> bool {
        let verified = self.hashed.iter().filter_map(|user| user.digest.get());
        let same = |known: &hmac::Tag| known.as_ref().ct_eq(digest.as_ref());
        self.digests.iter().chain(verified).fold(Choice::from(0), |found, known| found | same(known)).into()
    }

    /// Whether a request may pass.
    ///
    /// # Errors
    /// [`Code::EdgeBusy`] if too many passwords are being checked.
    async fn admit(&self, headers: &HeaderMap) -> Result<bool, Refusal> {
        let Some(credentials) = credentials(headers) else { return Ok(false) };
        let digest = hmac::sign(&self.key, credentials.reveal().as_bytes());
        if self.is_known(&digest) {
            return Ok(true);
        }
        match credentials.reveal().split_once(':') {
            Some((name, password)) if !self.hashed.is_empty() => self.verify(name, Secret::new(password), digest).await,
            _ => Ok(false),
        }
    }

    /// Checks a password against the hash of its user, on a blocking thread.
    async fn verify(&self, name: &str, password: Secret, digest: hmac::Tag) -> Result<bool, Refusal> {
        let user = self.hashed.iter().find(|user| user.name == name);
        let hash = user.map_or_else(|| Secret::new(UNKNOWN_USER), |user| user.hash.clone());
        let known = user.map(|user| user.digest.clone());
        let Ok(Ok(permit)) = tokio::time::timeout(CHECK_TIMEOUT, CHECKS.acquire()).await else { return Err(busy()) };
        let check = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let right = Argon2::default().verify_password(password.reveal().as_bytes(), hash.reveal()).is_ok();
            match known {
                Some(known) if right => {
                    // Another request may have set the same digest meanwhile.
                    let _ = known.set(digest);
                    true
                }
                _ => false,
            }
        });
        check.await.map_err(|_| busy())
    }
}

/// The `user:password` of a request with exactly one `Authorization` header.
fn credentials(headers: &HeaderMap) -> Option<Secret> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(only), None) = (given.next(), given.next()) else { return None };
    let (scheme, rest) = only.to_str().ok()?.split_once(' ')?;
    let decoded = scheme.eq_ignore_ascii_case("basic").then(|| BASE64_STANDARD.decode(rest.trim()).ok()).flatten()?;
    String::from_utf8(decoded).ok().map(Secret::new)
}

/// The user that a request names, whose password is not verified.
pub(super) fn presented_user(headers: &HeaderMap) -> Option<String> {
    credentials(headers)?.reveal().split_once(':').map(|(user, _)| user.to_owned())
}

fn busy() -> Refusal {
    let message = "Too many passwords are being checked at the moment. Try again in some seconds.";
    Refusal::new(Fault::Us, Error::new(Code::EdgeBusy, message)).retry_after(RETRY_AFTER)
}

/// Checks one request.
pub(super) async fn stage(users: Option<&Users>, context: &mut RequestContext<'_>) -> Result<(), Refusal> {
    let Some(users) = users else { return Ok(()) };
    let began = Instant::now();
    let passed = users.admit(&context.parts.headers).await?;
    context.trace.record(NAME, None, passed, began);
    if !passed {
        let message = "This address requires a user name and a password. None were given, or they are wrong.";
        return Err(Refusal::new(Fault::Route, Error::new(Code::PasswordNeeded, message)));
    }
    context.parts.headers.remove(header::AUTHORIZATION);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use argon2::PasswordHasher;
    use hyper::header::HeaderValue;

    async fn admitted(users: &Users, values: &[String]) -> bool {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, HeaderValue::from_str(value).expect("a value"));
        }
        users.admit(&headers).await.expect("not busy")
    }

    fn basic(text: &str) -> String {
        format!("Basic {}", BASE64_STANDARD.encode(text))
    }

    fn with_passwords() -> Users {
        let users = [Secret::new("ada:longenough"), Secret::new("bob:pass:word:s")];
        Users::new(&BasicAuthUsers::Passwords(users.into())).expect("users")
    }

    fn with_hashes() -> Users {
        let hash =
            |password: &[u8]| Secret::new(Argon2::default().hash_password(password).expect("a hash").to_string());
        let users = [("ada".to_owned(), hash(b"longenough")), ("bob".to_owned(), hash(b"pass:word:s"))];
        Users::new(&BasicAuthUsers::Hashes(users.into())).expect("users")
    }

    #[tokio::test]
    async fn only_one_header_with_a_known_user_is_accepted() {
        for users in [with_passwords(), with_hashes()] {
            for right in ["ada:longenough", "bob:pass:word:s"] {
                assert!(admitted(&users, &[basic(right)]).await, "{right}");
            }
            let right = basic("ada:longenough");
            assert!(admitted(&users, &[right.replacen("Basic", "bAsIc", 1)]).await, "schemes have no case");
            for wrong in
                ["ada:longenougH", "ada:", "ada", ":longenough", "", "bob:longenough", "ada:longenough ", "eve:x"]
            {
                assert!(!admitted(&users, &[basic(wrong)]).await, "{wrong}");
            }
            for wrong in [vec![], vec!["Basic".to_owned()], vec!["Basic ***".to_owned()]] {
                assert!(!admitted(&users, &wrong).await);
            }
            assert!(!admitted(&users, &[right.replacen("Basic", "Bearer", 1)]).await);
            assert!(!admitted(&users, &[right.clone(), right.clone()]).await, "two headers are ambiguous");
            assert!(!admitted(&users, &[right.clone(), basic("x:y")]).await);
            assert!(!admitted(&users, &[basic("x:y"), right]).await);
        }
    }

    #[tokio::test]
    async fn a_right_password_is_hashed_once_and_a_wrong_one_never_replaces_it() {
        let users = with_hashes();
        assert!(users.hashed.iter().all(|user| user.digest.get().is_none()));
        assert!(!admitted(&users, &[basic("ada:wrong")]).await);
        assert!(users.hashed[0].digest.get().is_none());
        assert!(admitted(&users, &[basic("ada:longenough")]).await);
        let digest = hmac::sign(&users.key, b"ada:longenough");
        assert_eq!(users.hashed[0].digest.get().map(AsRef::as_ref), Some(digest.as_ref()));
        assert!(users.is_known(&digest) && !admitted(&users, &[basic("ada:wrong")]).await);
        assert!(users.hashed[1].digest.get().is_none(), "each user has a password of their own");
    }

    #[test]
    fn the_hash_for_unknown_users_costs_as_much_as_a_real_one() {
        let parameters = |hash: &str| hash.rsplitn(3, '$').last().map(ToOwned::to_owned);
        let real = Argon2::default().hash_password(b"longenough").expect("a hash").to_string();
        assert_eq!(parameters(UNKNOWN_USER), parameters(&real));
        let check = |password: &[u8]| Argon2::default().verify_password(password, UNKNOWN_USER);
        assert_eq!(
            check(b"").map_err(|error| error.to_string()),
            Err(argon2::password_hash::Error::PasswordInvalid.to_string())
        );
    }

    #[test]
    fn invalid_users_are_refused() {
        assert!(Users::new(&BasicAuthUsers::Passwords(vec![Secret::new("ada:short")])).is_err());
    }
}

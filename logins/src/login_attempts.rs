//! Unfinished logins: each can be finished once, by the browser that began it, within ten minutes.

use crate::{origin::Origin, return_path::ReturnPath};
use jiff::Timestamp;
use postern_api::published::{Person, Tokens};
use serde::{Deserialize, Serialize};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};
use subtle::ConstantTimeEq;

/// Seconds from the redirect to the provider until the visitor is back.
const ATTEMPT_TIMEOUT_SECONDS: i64 = 600;
/// Attempts of all visitors; beyond it, the oldest are dropped.
const MAX_ATTEMPTS: usize = 10_000;

/// An unfinished login.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LoginAttempt {
    /// The route whose realm requires the login.
    pub(crate) route: String,
    /// The origin that the visitor came from and returns to.
    pub(crate) origin: Origin,
    pub(crate) back: ReturnPath,
    /// Digest of the nonce in the cookie of the browser that began it; `None` if the login began at the provider.
    pub(crate) browser: Option<[u8; 32]>,
    pub(crate) stage: AttemptStage,
    began: Timestamp,
}

/// The next step of an attempt.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum AttemptStage {
    /// Waits for an authorization code.
    AuthorizationCode { verifier: String, nonce: String },
    /// Waits for a SAML response to the request with this id.
    SamlResponse { request_id: String },
    /// Waits for a SAML logout response; afterwards the visitor returns to a page if they named one.
    SamlLogout { request_id: String, has_return_path: bool },
    /// The provider has verified the person; the browser has yet to reach the endpoint that sets its cookie.
    Identified(Box<VerifiedIdentity>),
}

/// A person as verified by a provider.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct VerifiedIdentity {
    pub(crate) person: Person,
    pub(crate) tokens: Option<Tokens>,
    pub(crate) provider_session: String,
}

impl LoginAttempt {
    pub(crate) fn new(
        route: &str,
        origin: Origin,
        back: ReturnPath,
        browser: Option<[u8; 32]>,
        stage: AttemptStage,
        now: Timestamp,
    ) -> Self {
        LoginAttempt { route: route.to_owned(), origin, back, browser, stage, began: now }
    }

    /// Whether one of these nonce digests is that of the browser that began it.
    pub(crate) fn belongs_to(&self, nonces: impl Iterator<Item = [u8; 32]>) -> bool {
        let Some(browser) = self.browser else { return true };
        nonces.fold(false, |found, nonce| found | bool::from(nonce.ct_eq(&browser)))
    }
}

/// Digest of the secret part of a state parameter: the key of an attempt.
pub(crate) type AttemptKey = [u8; 32];

/// What is known of an attempt that is to be finished.
#[derive(Debug)]
pub(crate) enum TakenAttempt {
    /// It was unfinished, and is not any longer.
    Taken(Box<LoginAttempt>),
    /// It was finished before, or has expired.
    Spent,
    /// It is not stored here.
    Unknown,
}

/// Unfinished logins by their key. Those that were finished remain as `None` until they would have expired.
#[derive(Default)]
pub(crate) struct LoginAttempts(Mutex<AttemptTable>);

#[derive(Default)]
struct AttemptTable {
    by_key: HashMap<AttemptKey, Option<LoginAttempt>>,
    by_age: VecDeque<(AttemptKey, Timestamp)>,
}

impl LoginAttempts {
    /// Stores an attempt, and drops expired ones.
    pub(crate) fn insert(&self, key: AttemptKey, attempt: LoginAttempt) {
        let began = attempt.began;
        let mut table = self.table();
        while table
            .by_age
            .front()
            .is_some_and(|(_, oldest)| has_expired(*oldest, began) || table.by_age.len() >= MAX_ATTEMPTS)
        {
            if let Some((oldest, _)) = table.by_age.pop_front() {
                table.by_key.remove(&oldest);
            }
        }
        table.by_age.push_back((key, began));
        table.by_key.insert(key, Some(attempt));
    }

    /// The origin of an unfinished attempt, which stays stored.
    pub(crate) fn origin(&self, key: &AttemptKey, now: Timestamp) -> Option<Origin> {
        let table = self.table();
        let attempt = table.by_key.get(key)?.as_ref()?;
        (!has_expired(attempt.began, now)).then(|| attempt.origin.clone())
    }

    /// Takes an attempt, so that it cannot be finished twice.
    pub(crate) fn take(&self, key: &AttemptKey, now: Timestamp) -> TakenAttempt {
        match self.table().by_key.get_mut(key).map(Option::take) {
            Some(Some(attempt)) if !has_expired(attempt.began, now) => TakenAttempt::Taken(Box::new(attempt)),
            Some(_) => TakenAttempt::Spent,
            None => TakenAttempt::Unknown,
        }
    }

    fn table(&self) -> MutexGuard<'_, AttemptTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn has_expired(began: Timestamp, now: Timestamp) -> bool {
    now.duration_since(began).as_secs() > ATTEMPT_TIMEOUT_SECONDS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::{digest, random_token};

    fn begin(attempts: &LoginAttempts, attempt: LoginAttempt) -> AttemptKey {
        let key = digest(&[random_token()]);
        attempts.insert(key, attempt);
        key
    }

    fn is_taken(attempts: &LoginAttempts, key: &AttemptKey, second: i64) -> bool {
        matches!(attempts.take(key, instant(second)), TakenAttempt::Taken(_))
    }

    fn instant(second: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + second).expect("a time")
    }

    fn attempt(browser: Option<[u8; 32]>, second: i64) -> LoginAttempt {
        let stage = AttemptStage::SamlResponse { request_id: "_1".to_owned() };
        LoginAttempt::new("edghtsrt_1", Origin::new("a.test", 443), ReturnPath::root(), browser, stage, instant(second))
    }

    #[test]
    fn an_attempt_is_finished_once_and_in_time() {
        let attempts = LoginAttempts::default();
        let first = begin(&attempts, attempt(None, 0));
        let late = begin(&attempts, attempt(None, 0));
        assert!(attempts.origin(&first, instant(600)).is_some());
        assert!(is_taken(&attempts, &first, 600));
        assert!(matches!(attempts.take(&first, instant(600)), TakenAttempt::Spent), "a second time");
        assert!(attempts.origin(&first, instant(600)).is_none());
        assert!(attempts.origin(&late, instant(601)).is_none());
        assert!(matches!(attempts.take(&late, instant(601)), TakenAttempt::Spent), "too late");
        assert!(matches!(attempts.take(&digest(&["guessed"]), instant(0)), TakenAttempt::Unknown));
    }

    #[test]
    fn the_oldest_attempts_are_dropped_first() {
        let attempts = LoginAttempts::default();
        let first = begin(&attempts, attempt(None, 0));
        let second = begin(&attempts, attempt(None, 0));
        for _ in 0..MAX_ATTEMPTS - 1 {
            begin(&attempts, attempt(None, 1));
        }
        assert!(!is_taken(&attempts, &first, 2));
        assert!(is_taken(&attempts, &second, 2));
        assert!(attempts.0.lock().expect("the table").by_key.len() <= MAX_ATTEMPTS);
        begin(&attempts, attempt(None, 700));
        assert_eq!(attempts.0.lock().expect("the table").by_key.len(), 1, "expired attempts are dropped");
    }

    #[test]
    fn only_the_browser_that_began_an_attempt_finishes_it() {
        let (own, other) = (digest(&["own"]), digest(&["other"]));
        assert!(attempt(Some(own), 0).belongs_to([other, own].into_iter()));
        assert!(!attempt(Some(own), 0).belongs_to([other].into_iter()));
        assert!(!attempt(Some(own), 0).belongs_to([].into_iter()));
        assert!(attempt(None, 0).belongs_to([].into_iter()));
    }
}

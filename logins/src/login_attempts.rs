//! Unfinished logins: each can be finished once, by the browser that began it, within ten minutes.

use crate::{crypto::digest, origin::Origin, return_path::ReturnPath};
use jiff::Timestamp;
use postern_api::published::{Person, Tokens};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};
use subtle::ConstantTimeEq;

/// Seconds from the redirect to the provider until the visitor is back.
const ATTEMPT_TIMEOUT_SECONDS: i64 = 600;
/// Attempts of all visitors; beyond it, the oldest are dropped.
const MAX_ATTEMPTS: usize = 10_000;

/// An unfinished login.
#[derive(Debug)]
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
#[derive(Debug)]
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
#[derive(Debug)]
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

    fn has_expired(&self, now: Timestamp) -> bool {
        now.duration_since(self.began).as_secs() > ATTEMPT_TIMEOUT_SECONDS
    }
}

/// All unfinished logins, by their state parameter.
#[derive(Default)]
pub(crate) struct LoginAttempts(Mutex<AttemptTable>);

#[derive(Default)]
struct AttemptTable {
    by_id: HashMap<[u8; 32], LoginAttempt>,
    by_age: VecDeque<[u8; 32]>,
}

impl LoginAttempts {
    /// Stores an attempt under an unguessable id, and drops expired ones.
    pub(crate) fn insert(&self, id: &str, attempt: LoginAttempt) {
        let key = digest(&[id]);
        let now = attempt.began;
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while table.by_age.front().is_some_and(|oldest| match table.by_id.get(oldest) {
            Some(attempt) => attempt.has_expired(now) || table.by_age.len() >= MAX_ATTEMPTS,
            None => true,
        }) {
            if let Some(oldest) = table.by_age.pop_front() {
                table.by_id.remove(&oldest);
            }
        }
        table.by_age.push_back(key);
        table.by_id.insert(key, attempt);
    }

    /// The origin of an attempt, which stays stored.
    pub(crate) fn origin(&self, id: &str, now: Timestamp) -> Option<Origin> {
        let table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        table
            .by_id
            .get(&digest(&[id]))
            .filter(|attempt| !attempt.has_expired(now))
            .map(|attempt| attempt.origin.clone())
    }

    /// Removes and returns an attempt, so that it cannot be finished twice.
    pub(crate) fn take(&self, id: &str, now: Timestamp) -> Option<LoginAttempt> {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        table.by_id.remove(&digest(&[id])).filter(|attempt| !attempt.has_expired(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::random_token;

    fn begin(attempts: &LoginAttempts, attempt: LoginAttempt) -> String {
        let id = random_token();
        attempts.insert(&id, attempt);
        id
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
        assert!(attempts.take(&first, instant(600)).is_some());
        assert!(attempts.take(&first, instant(600)).is_none(), "a second time");
        assert!(attempts.origin(&late, instant(601)).is_none());
        assert!(attempts.take(&late, instant(601)).is_none(), "too late");
        assert!(attempts.take("guessed", instant(0)).is_none());
    }

    #[test]
    fn the_oldest_attempts_are_dropped_first() {
        let attempts = LoginAttempts::default();
        let first = begin(&attempts, attempt(None, 0));
        let second = begin(&attempts, attempt(None, 0));
        for _ in 0..MAX_ATTEMPTS - 1 {
            begin(&attempts, attempt(None, 1));
        }
        assert!(attempts.take(&first, instant(2)).is_none());
        assert!(attempts.take(&second, instant(2)).is_some());
        assert!(attempts.0.lock().expect("the table").by_id.len() <= MAX_ATTEMPTS);
        begin(&attempts, attempt(None, 700));
        assert_eq!(attempts.0.lock().expect("the table").by_id.len(), 1, "expired attempts are dropped");
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

//! Logins that have begun: each may be finished once, by the browser that began it, within ten minutes.

use crate::{origin::Origin, return_path::ReturnPath};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::Timestamp;
use postern_api::published::{Person, Tokens};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};
use subtle::ConstantTimeEq;

/// From the redirect to the provider until the visitor is back.
const PATIENCE_SECONDS: i64 = 600;
/// What is kept at most; the oldest give way.
const MOST: usize = 10_000;

/// A secret that stands in a cookie or an address.
pub(crate) fn token() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

/// What is kept of a secret.
pub(crate) fn digest<P: AsRef<[u8]>>(parts: &[P]) -> [u8; 32] {
    let mut context = aws_lc_rs::digest::Context::new(&aws_lc_rs::digest::SHA256);
    for part in parts.iter().map(P::as_ref) {
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part);
    }
    let mut digest = [0; 32];
    digest.copy_from_slice(context.finish().as_ref());
    digest
}

/// A login on its way.
#[derive(Debug)]
pub(crate) struct Attempt {
    /// The route that asked for it.
    pub(crate) route: String,
    /// Where the visitor came from, and returns to.
    pub(crate) origin: Origin,
    pub(crate) back: ReturnPath,
    /// The browser it belongs to; `None` where a login began at the provider.
    pub(crate) browser: Option<[u8; 32]>,
    pub(crate) stage: Stage,
    began: Timestamp,
}

/// What the login waits for.
#[derive(Debug)]
pub(crate) enum Stage {
    /// A code from the provider.
    Code { verifier: String, nonce: String },
    /// A SAML response to the request with this id.
    Response { request: String },
    /// The answer to a SAML request for a logout; afterwards to a page that was asked for, or to none.
    Farewell { request: String, to_a_page: bool },
    /// The person is known; the browser must come to the endpoint for its cookie.
    Known(Box<Known>),
}

/// Whom a provider vouched for.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) person: Person,
    pub(crate) tokens: Option<Tokens>,
    pub(crate) provider_session: String,
}

impl Attempt {
    pub(crate) fn new(
        route: &str,
        origin: Origin,
        back: ReturnPath,
        browser: Option<[u8; 32]>,
        stage: Stage,
        now: Timestamp,
    ) -> Self {
        Attempt { route: route.to_owned(), origin, back, browser, stage, began: now }
    }

    /// Whether the browser with this secret in its cookie began it.
    pub(crate) fn belongs_to(&self, secrets: impl Iterator<Item = [u8; 32]>) -> bool {
        let Some(browser) = self.browser else { return true };
        secrets.fold(false, |found, secret| found | bool::from(secret.ct_eq(&browser)))
    }

    fn is_over(&self, now: Timestamp) -> bool {
        now.duration_since(self.began).as_secs() > PATIENCE_SECONDS
    }
}

/// All of them, by what stands in the address of the provider's answer.
#[derive(Default)]
pub(crate) struct Attempts(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    by_id: HashMap<[u8; 32], Attempt>,
    by_age: VecDeque<[u8; 32]>,
}

impl Attempts {
    /// Keeps an attempt under a name that nobody can guess.
    pub(crate) fn keep(&self, id: &str, attempt: Attempt) {
        let key = digest(&[id]);
        let now = attempt.began;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while kept.by_age.front().is_some_and(|oldest| match kept.by_id.get(oldest) {
            Some(attempt) => attempt.is_over(now) || kept.by_age.len() >= MOST,
            None => true,
        }) {
            if let Some(oldest) = kept.by_age.pop_front() {
                kept.by_id.remove(&oldest);
            }
        }
        kept.by_age.push_back(key);
        kept.by_id.insert(key, attempt);
    }

    /// Where the visitor of an attempt came from. The attempt stays.
    pub(crate) fn origin(&self, id: &str, now: Timestamp) -> Option<Origin> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.by_id.get(&digest(&[id])).filter(|attempt| !attempt.is_over(now)).map(|attempt| attempt.origin.clone())
    }

    /// Takes an attempt out: nobody can finish it a second time.
    pub(crate) fn take(&self, id: &str, now: Timestamp) -> Option<Attempt> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.by_id.remove(&digest(&[id])).filter(|attempt| !attempt.is_over(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(attempts: &Attempts, attempt: Attempt) -> String {
        let id = token();
        attempts.keep(&id, attempt);
        id
    }

    fn moment(second: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + second).expect("a moment")
    }

    fn attempt(browser: Option<[u8; 32]>, second: i64) -> Attempt {
        let stage = Stage::Response { request: "_1".to_owned() };
        Attempt::new("edghtsrt_1", Origin::new("a.test", 443), ReturnPath::root(), browser, stage, moment(second))
    }

    #[test]
    fn each_is_finished_once_and_in_time() {
        let attempts = Attempts::default();
        let first = begin(&attempts, attempt(None, 0));
        let late = begin(&attempts, attempt(None, 0));
        assert!(attempts.origin(&first, moment(600)).is_some());
        assert!(attempts.take(&first, moment(600)).is_some());
        assert!(attempts.take(&first, moment(600)).is_none(), "a second time");
        assert!(attempts.origin(&late, moment(601)).is_none());
        assert!(attempts.take(&late, moment(601)).is_none(), "too late");
        assert!(attempts.take("guessed", moment(0)).is_none());
    }

    #[test]
    fn the_oldest_give_way() {
        let attempts = Attempts::default();
        let first = begin(&attempts, attempt(None, 0));
        let second = begin(&attempts, attempt(None, 0));
        for _ in 0..MOST - 1 {
            begin(&attempts, attempt(None, 1));
        }
        assert!(attempts.take(&first, moment(2)).is_none());
        assert!(attempts.take(&second, moment(2)).is_some());
        assert!(attempts.0.lock().expect("kept").by_id.len() <= MOST);
        begin(&attempts, attempt(None, 700));
        assert_eq!(attempts.0.lock().expect("kept").by_id.len(), 1, "those that are over are forgotten");
    }

    #[test]
    fn only_the_browser_that_began_it_finishes_it() {
        let (own, other) = (digest(&["own"]), digest(&["other"]));
        assert!(attempt(Some(own), 0).belongs_to([other, own].into_iter()));
        assert!(!attempt(Some(own), 0).belongs_to([other].into_iter()));
        assert!(!attempt(Some(own), 0).belongs_to([].into_iter()));
        assert!(attempt(None, 0).belongs_to([].into_iter()));
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
    }
}

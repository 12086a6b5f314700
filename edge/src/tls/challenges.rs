//! ACME challenges (RFC 8555, section 8; RFC 8737): a text on the HTTP port, or a certificate on the HTTPS port. Each
//! is shown until the authority has validated it.

use postern_api::host::HostName;
use rustls::sign::CertifiedKey;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// The path prefix of HTTP challenges; the authority's token follows.
const CHALLENGE_PATH: &str = "/.well-known/acme-challenge/";
/// The application protocol of TLS-ALPN challenges (RFC 8737).
pub(crate) const ALPN: &[u8] = b"acme-tls/1";

/// All challenges at the moment. Clones share their state.
#[derive(Clone, Default)]
pub struct Challenges(Arc<Mutex<ChallengeStore>>);

#[derive(Default)]
struct ChallengeStore {
    texts: HashMap<String, String>,
    certificates: HashMap<HostName, Arc<CertifiedKey>>,
}

/// A challenge is shown until this is dropped.
#[must_use]
pub struct ChallengeGuard {
    challenges: Challenges,
    key: ChallengeKey,
}

enum ChallengeKey {
    Text(String),
    Certificate(HostName),
}

impl Challenges {
    /// Shows this text at the path of the token on the HTTP port, for any host.
    pub fn text(&self, token: &str, text: &str) -> ChallengeGuard {
        self.with(|store| store.texts.insert(token.to_owned(), text.to_owned()));
        ChallengeGuard { challenges: self.clone(), key: ChallengeKey::Text(token.to_owned()) }
    }

    /// Shows this certificate for the name to clients that negotiate the challenge protocol on the HTTPS port.
    pub fn certificate(&self, name: &HostName, certificate: Arc<CertifiedKey>) -> ChallengeGuard {
        self.with(|store| store.certificates.insert(name.clone(), certificate));
        ChallengeGuard { challenges: self.clone(), key: ChallengeKey::Certificate(name.clone()) }
    }

    /// The text of the challenge at a path.
    pub(crate) fn text_at(&self, path: &str) -> Option<String> {
        let token = path.strip_prefix(CHALLENGE_PATH)?;
        self.with(|store| store.texts.get(token).cloned())
    }

    pub(crate) fn certificate_of(&self, name: &HostName) -> Option<Arc<CertifiedKey>> {
        self.with(|store| store.certificates.get(name).cloned())
    }

    fn with<T>(&self, look: impl FnOnce(&mut ChallengeStore) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for ChallengeGuard {
    fn drop(&mut self) {
        self.challenges.with(|store| match &self.key {
            ChallengeKey::Text(token) => drop(store.texts.remove(token)),
            ChallengeKey::Certificate(name) => drop(store.certificates.remove(name)),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_shown_at_its_own_path_until_its_guard_is_dropped() {
        let challenges = Challenges::default();
        let showing = challenges.text("token", "token.thumb");
        for (path, text) in [
            ("/.well-known/acme-challenge/token", Some("token.thumb")),
            ("/.well-known/acme-challenge/", None),
            ("/.well-known/acme-challenge/other", None),
            ("/token", None),
        ] {
            assert_eq!(challenges.text_at(path).as_deref(), text, "{path}");
        }
        drop(showing);
        assert_eq!(challenges.text_at("/.well-known/acme-challenge/token"), None);
    }
}

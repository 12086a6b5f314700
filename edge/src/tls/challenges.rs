//! What an ACME authority is shown as a proof that names lead here: a text on the HTTP port, or a certificate on the
//! HTTPS port. Shown only as long as somebody waits for the authority's verdict.

use postern_api::host::HostName;
use rustls::sign::CertifiedKey;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// How the paths of such texts begin; what follows is a token of the authority's.
const PATH: &str = "/.well-known/acme-challenge/";
/// The application protocol that such a certificate is asked for with.
pub(crate) const ALPN: &[u8] = b"acme-tls/1";

/// All proofs of the moment. Clones show the same.
#[derive(Clone, Default)]
pub struct Challenges(Arc<Mutex<Shown>>);

#[derive(Default)]
struct Shown {
    texts: HashMap<String, String>,
    certificates: HashMap<HostName, Arc<CertifiedKey>>,
}

/// A proof is shown until this is dropped.
#[must_use]
pub struct ChallengeGuard {
    challenges: Challenges,
    what: What,
}

enum What {
    Text(String),
    Certificate(HostName),
}

impl Challenges {
    /// Answers requests for this token on the HTTP port, of whatever host.
    pub fn text(&self, token: &str, text: &str) -> ChallengeGuard {
        self.with(|shown| shown.texts.insert(token.to_owned(), text.to_owned()));
        ChallengeGuard { challenges: self.clone(), what: What::Text(token.to_owned()) }
    }

    /// Shows this certificate for the name to those who ask for a proof on the HTTPS port.
    pub fn certificate(&self, name: &HostName, certificate: Arc<CertifiedKey>) -> ChallengeGuard {
        self.with(|shown| shown.certificates.insert(name.clone(), certificate));
        ChallengeGuard { challenges: self.clone(), what: What::Certificate(name.clone()) }
    }

    /// The text for a path, if it is one of a proof.
    pub(crate) fn text_at(&self, path: &str) -> Option<String> {
        let token = path.strip_prefix(PATH)?;
        self.with(|shown| shown.texts.get(token).cloned())
    }

    pub(crate) fn certificate_of(&self, name: &HostName) -> Option<Arc<CertifiedKey>> {
        self.with(|shown| shown.certificates.get(name).cloned())
    }

    fn with<T>(&self, look: impl FnOnce(&mut Shown) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for ChallengeGuard {
    fn drop(&mut self) {
        self.challenges.with(|shown| match &self.what {
            What::Text(token) => drop(shown.texts.remove(token)),
            What::Certificate(name) => drop(shown.certificates.remove(name)),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_shown_under_its_own_path_until_nobody_waits_any_more() {
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

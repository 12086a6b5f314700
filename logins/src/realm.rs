//! The login of one route, made ready once.

use crate::{attempts::digest, cookies::Names, oidc::Oidc};
use postern_api::{
    Error,
    module::SessionOptions,
    published::{Login, LoginSession},
};
use std::sync::Arc;

/// Who may use a route, and where they prove who they are.
pub struct Realm {
    pub(crate) route: Arc<str>,
    pub(crate) edge: Arc<str>,
    pub(crate) options: SessionOptions,
    pub(crate) cookies: Names,
    /// Of provider and client: a session with another one counts no more.
    pub(crate) digest: String,
    /// Of the whole module: who has passed another one is judged again.
    pub(crate) rules: String,
    pub(crate) provider: Provider,
}

pub(crate) enum Provider {
    Oidc(Oidc),
}

impl Realm {
    pub(crate) fn new(route: &str, edge: &str, login: &Login) -> Result<Self, Error> {
        let options = login.options();
        let (provider, parts) = match login {
            Login::Oidc(module) => {
                let provider = Provider::Oidc(Oidc::new(module)?);
                (provider, vec!["oidc", module.issuer.as_str(), module.client_id.as_str()])
            }
            Login::OAuth(_) | Login::Saml(_) => return Err(postern_api::Code::LoginUnavailable.into()),
        };
        Ok(Realm {
            route: route.into(),
            edge: edge.into(),
            cookies: Names::of(&options.cookie_prefix),
            digest: hex(&digest(&parts)),
            rules: hex(&digest(&[&format!("{login:?}")])),
            options,
            provider,
        })
    }

    /// The route it stands at.
    pub fn route(&self) -> &Arc<str> {
        &self.route
    }

    /// Whether a session is one of this realm, for this host, and not too old. `last` is its last request.
    pub(crate) fn takes(&self, session: &LoginSession, host: &str, last: i64, now: i64) -> bool {
        let lasting = |seconds: u32, since: i64| seconds == 0 || now < since.saturating_add(i64::from(seconds));
        *session.route == *self.route
            && session.realm == self.digest
            && session.host == host
            && lasting(self.options.maximum_duration, session.created_at.seconds())
            && lasting(self.options.inactivity_timeout, last)
    }

    /// Whether the person must be asked for at the provider again before the next request is let in.
    pub(crate) fn is_due(&self, _session: &LoginSession, _now: i64) -> bool {
        match &self.provider {
            // Whoever the issuer knows comes in; there is nothing to judge again.
            Provider::Oidc(_) => false,
        }
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        use std::fmt::Write;
        let _ = write!(text, "{byte:02x}");
        text
    })
}

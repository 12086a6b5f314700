//! The login of one route, made ready once.

use crate::{
    attempts::digest, cookies::Names, logins::Settings, oauth::OAuth, oidc::Oidc, recognized::Recognized, saml::Saml,
};
use postern_api::{
    Error,
    module::SessionOptions,
    published::{Login, LoginSession, Tokens},
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
    pub(crate) recognized: Recognized,
}

pub(crate) enum Provider {
    Oidc(Box<Oidc>),
    OAuth(Box<OAuth>),
    Saml(Box<Saml>),
}

impl Realm {
    pub(crate) fn new(route: &str, edge: &str, login: &Login, settings: &Settings) -> Result<Self, Error> {
        let options = login.options();
        let (provider, realm) = match login {
            Login::Oidc(module) => {
                let realm = digest(&["oidc", &module.issuer, &module.client_id]);
                (Provider::Oidc(Box::new(Oidc::new(module)?)), realm)
            }
            Login::OAuth(module) => {
                let oauth = Box::new(OAuth::new(module, &settings.operators)?);
                let realm = digest(&oauth.realm());
                (Provider::OAuth(oauth), realm)
            }
            Login::Saml(login) => {
                let saml = Box::new(Saml::new(route, login, &settings.login_host)?);
                let realm = digest(&saml.realm());
                (Provider::Saml(saml), realm)
            }
        };
        Ok(Realm {
            route: route.into(),
            edge: edge.into(),
            cookies: Names::of(&options.cookie_prefix),
            digest: hex(&realm),
            rules: hex(&digest(&[&format!("{login:?}")])),
            options,
            provider,
            recognized: Recognized::default(),
        })
    }

    /// The route it stands at.
    pub fn route(&self) -> &Arc<str> {
        &self.route
    }

    /// Whether a session is one of this realm, for this host, and not too old. `last` is its last request.
    pub(crate) fn takes(&self, session: &LoginSession, host: &str, last: i64, now: i64) -> bool {
        self.has(session) && self.lasts(session, host, last, now)
    }

    /// Whether a session was begun here, with what logs people in now.
    pub(crate) fn has(&self, session: &LoginSession) -> bool {
        *session.route == *self.route && session.realm == self.digest
    }

    /// Whether one that was begun here opens this host, and is not over.
    pub(crate) fn lasts(&self, session: &LoginSession, host: &str, last: i64, now: i64) -> bool {
        let lasting = |seconds: u32, since: i64| seconds == 0 || now < since.saturating_add(i64::from(seconds));
        session.host == host
            && lasting(self.options.maximum_duration, session.created_at.seconds())
            && lasting(self.options.inactivity_timeout, last)
    }

    /// Whether the person must be asked for at the provider again before the next request is let in.
    pub(crate) fn is_due(&self, session: &LoginSession, now: i64) -> bool {
        match &self.provider {
            // Whoever the issuer knows comes in; there is nothing to judge again.
            Provider::Oidc(_) => false,
            Provider::OAuth(oauth) => oauth.is_due(session, &self.rules, now),
            // Nobody can be asked but the person: they are judged by what was told when they came.
            Provider::Saml(_) => session.rules != self.rules,
        }
    }

    /// The tokens of a session, where local services may have them.
    pub(crate) fn tokens<'a>(&self, session: &'a LoginSession) -> Option<&'a Tokens> {
        match &self.provider {
            Provider::OAuth(oauth) if oauth.shows_tokens() => session.tokens.as_ref(),
            Provider::OAuth(_) | Provider::Oidc(_) | Provider::Saml(_) => None,
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

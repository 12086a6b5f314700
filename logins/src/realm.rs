//! The login of one route.

use crate::{
    cookies::CookieNames,
    crypto::{digest, hex},
    oauth::{OAuth, OAuthProviders},
    oidc::Oidc,
    saml::Saml,
    session_cache::SessionCache,
    settings::LoginSettings,
};
use postern_api::{
    Error,
    module::SessionOptions,
    published::{Login, LoginSession, Tokens},
};
use std::sync::Arc;

/// The login of one route: its identity provider, and the rules of its sessions.
pub struct Realm {
    pub(crate) route: Arc<str>,
    pub(crate) edge: Arc<str>,
    pub(crate) options: SessionOptions,
    pub(crate) cookies: CookieNames,
    /// Digest of provider and client: sessions with another digest are not valid here.
    pub(crate) digest: String,
    /// Digest of the whole module: a session that passed other rules is checked again.
    pub(crate) rules: String,
    pub(crate) provider: Provider,
    pub(crate) session_cache: SessionCache,
}

pub(crate) enum Provider {
    Oidc(Box<Oidc>),
    OAuth(Box<OAuth>),
    Saml(Box<Saml>),
}

impl Realm {
    pub(crate) fn new(
        route: &str,
        edge: &str,
        login: &Login,
        settings: &LoginSettings,
        providers: &OAuthProviders,
    ) -> Result<Self, Error> {
        let options = login.options();
        let (provider, realm) = match login {
            Login::Oidc(module) => {
                let realm = digest(&["oidc", &module.issuer, &module.client_id]);
                (Provider::Oidc(Box::new(Oidc::new(module)?)), realm)
            }
            Login::OAuth(module) => {
                let oauth = Box::new(OAuth::new(module, providers)?);
                let realm = digest(&oauth.realm_parts());
                (Provider::OAuth(oauth), realm)
            }
            Login::Saml(login) => {
                let saml = Box::new(Saml::new(route, login, &settings.login_host)?);
                let realm = digest(&saml.realm_parts());
                (Provider::Saml(saml), realm)
            }
        };
        Ok(Realm {
            route: route.into(),
            edge: edge.into(),
            cookies: CookieNames::with_prefix(&options.cookie_prefix),
            digest: hex(&realm),
            rules: hex(&digest(&[&format!("{login:?}")])),
            options,
            provider,
            session_cache: SessionCache::default(),
        })
    }

    /// Id of the route.
    pub fn route(&self) -> &Arc<str> {
        &self.route
    }

    /// Whether a session belongs to this realm and this host, and has not expired. `last` is its last request; both times
    /// are in milliseconds since 1970.
    pub(crate) fn accepts(&self, session: &LoginSession, host: &str, last: i64, now: i64) -> bool {
        self.owns(session) && self.is_current(session, host, last, now)
    }

    /// Whether a session was started at this route with the current provider.
    pub(crate) fn owns(&self, session: &LoginSession) -> bool {
        *session.route == *self.route && session.realm == self.digest
    }

    /// Whether a session of this realm is for this host and has not expired; times as for [`Realm::accepts`].
    pub(crate) fn is_current(&self, session: &LoginSession, host: &str, last: i64, now: i64) -> bool {
        let within = |seconds: u32, since: i64| seconds == 0 || now < since.saturating_add(i64::from(seconds) * 1000);
        session.host == host
            && within(self.options.maximum_duration, session.created_at.seconds().saturating_mul(1000))
            && within(self.options.inactivity_timeout, last)
    }

    /// Whether the person must be checked again before the next request passes.
    pub(crate) fn is_recheck_due(&self, session: &LoginSession, now: i64) -> bool {
        match &self.provider {
            // The issuer's word is the only rule; nothing can change.
            Provider::Oidc(_) => false,
            Provider::OAuth(oauth) => oauth.is_recheck_due(session, &self.rules, now),
            // SAML has no way to ask again: the attributes of the login are judged by the new rules.
            Provider::Saml(_) => session.rules != self.rules,
        }
    }

    /// The provider's tokens of a session, if local services may receive them.
    pub(crate) fn tokens<'a>(&self, session: &'a LoginSession) -> Option<&'a Tokens> {
        match &self.provider {
            Provider::OAuth(oauth) if oauth.exposes_tokens() => session.tokens.as_ref(),
            Provider::OAuth(_) | Provider::Oidc(_) | Provider::Saml(_) => None,
        }
    }
}

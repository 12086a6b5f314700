//! The state of all logins of a server: sessions, login attempts and realms.

use crate::{
    cookies,
    identity_headers::IdentityHeaders,
    last_used::{ActiveSession, LastUsed, stored_last_request},
    login_attempts::LoginAttempts,
    login_nodes::LoginNodes,
    oauth::OAuthProviders,
    origin::Origin,
    realm::Realm,
    saml::SamlState,
    session_store::SessionStore,
    settings::LoginSettings,
};
use arc_swap::ArcSwap;
use http::{HeaderMap, HeaderValue, header};
use jiff::Timestamp;
use postern_api::{
    Error,
    published::{HttpsEdge, Listed, Login, LoginSession, LoginSessions},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak},
};

/// The sessions as they were last published.
#[derive(Default)]
pub(crate) struct PublishedSessions {
    pub(crate) sessions: LoginSessions,
    /// Counts publications: a cached lookup is valid while this is unchanged.
    pub(crate) revision: u64,
}

/// All logins of a server.
pub struct Logins {
    pub(crate) settings: LoginSettings,
    providers: ArcSwap<OAuthProviders>,
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) published: ArcSwap<PublishedSessions>,
    pub(crate) last_used: LastUsed,
    pub(crate) attempts: LoginAttempts,
    pub(crate) saml: SamlState,
    /// The other nodes of a cluster, which share attempts.
    pub(crate) nodes: OnceLock<Arc<dyn LoginNodes>>,
    /// Realms in use, by route.
    realms: Mutex<HashMap<Arc<str>, Weak<Realm>>>,
}

impl Logins {
    /// Starts without any session.
    pub fn new(mut settings: LoginSettings, store: Arc<dyn SessionStore>) -> Self {
        let providers = ArcSwap::from_pointee(std::mem::take(&mut settings.providers));
        let saml = SamlState::new((settings.clock)());
        Logins {
            settings,
            providers,
            store,
            published: ArcSwap::default(),
            last_used: LastUsed::default(),
            attempts: LoginAttempts::default(),
            saml,
            nodes: OnceLock::new(),
            realms: Mutex::default(),
        }
    }

    /// Replaces the operator's settings for OAuth providers, for realms that are prepared from now on.
    pub fn set_providers(&self, providers: OAuthProviders) {
        self.providers.store(Arc::new(providers));
    }

    /// Replaces the published sessions.
    pub fn publish(&self, sessions: LoginSessions) {
        self.published.rcu(|former| PublishedSessions { sessions: sessions.clone(), revision: former.revision + 1 });
    }

    /// The sessions as they were last published.
    pub(crate) fn sessions(&self) -> LoginSessions {
        self.published.load().sessions.clone()
    }

    /// Replaces the edges: a login that starts at an identity provider may lead to their names alone.
    pub fn publish_edges(&self, edges: Listed<HttpsEdge>) {
        self.saml.publish_edges(edges);
    }

    /// The origin of a host name for which this server serves HTTPS.
    pub fn origin_of(&self, host: &str) -> Origin {
        self.settings.login_host.sibling(host)
    }

    /// The one host to which identity providers redirect.
    pub fn login_host(&self) -> &Origin {
        &self.settings.login_host
    }

    /// Names of the headers that tell local services about the visitor.
    pub fn headers(&self) -> &IdentityHeaders {
        &self.settings.headers
    }

    /// Prepares the login of a route.
    ///
    /// # Errors
    /// If the configuration of the module cannot be used.
    pub fn realm(&self, route: &str, edge: &str, login: &Login) -> Result<Arc<Realm>, Error> {
        let realm = Arc::new(Realm::new(route, edge, login, &self.settings, &self.providers.load())?);
        self.realms().insert(realm.route.clone(), Arc::downgrade(&realm));
        Ok(realm)
    }

    pub(crate) fn realm_of(&self, route: &str) -> Option<Arc<Realm>> {
        self.realms().get(route)?.upgrade()
    }

    pub(crate) fn realms(&self) -> MutexGuard<'_, HashMap<Arc<str>, Weak<Realm>>> {
        self.realms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn realms_of_edge(&self, edge: &str) -> Vec<Arc<Realm>> {
        self.realms().values().filter_map(Weak::upgrade).filter(|realm| *realm.edge == *edge).collect()
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.settings.clock)()
    }

    /// The session with its identity headers, which are made once.
    pub(crate) fn active_session(&self, realm: &Realm, session: &Arc<LoginSession>) -> Arc<ActiveSession> {
        self.last_used.get(session, |session| self.settings.headers.for_person(&session.person, realm.tokens(session)))
    }

    /// The time of a session's last request, in milliseconds since 1970.
    pub(crate) fn last_request(&self, session: &LoginSession) -> i64 {
        self.last_used.last_request(&session.key).unwrap_or(i64::MIN).max(stored_last_request(session))
    }

    /// Removes this server's cookies from a request, so that local services never see them.
    pub fn strip_cookies(realm: &Realm, headers: &mut HeaderMap) {
        cookies::strip(headers, &realm.cookies);
    }

    /// Whether a visitor without a session is redirected to the provider; other clients get an error status.
    pub fn is_browsing(headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).unwrap_or_default();
        if text(header::HeaderName::from_static("sec-fetch-mode")).eq_ignore_ascii_case("cors") {
            return false;
        }
        let accept = text(header::ACCEPT).to_ascii_lowercase();
        !accept.contains("json") || accept.contains("text/html") || accept.contains("application/xhtml+xml")
    }
}

//! Logins with a test clock, a browser, and a fake GitHub.

pub(crate) mod browser;
pub(crate) mod github;
pub(crate) mod nodes;
pub(crate) mod session_store;

use postern_api::{module::IdentityProvider, published::Login};
use postern_logins::{IdentityHeaders, LoginSettings, Logins, OAuthProviders, Origin, ProviderClient, Realm};
use serde_json::Value;
use session_store::MemoryStore;
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering::Relaxed},
};

pub(crate) const HOST: &str = "shop.test";

/// Logins with their session store and a test clock.
pub(crate) struct World {
    pub(crate) logins: Arc<Logins>,
    pub(crate) store: Arc<MemoryStore>,
    /// Milliseconds since 1970.
    clock: Arc<AtomicI64>,
}

impl World {
    pub(crate) fn new(providers: OAuthProviders) -> Self {
        World::on(providers, MemoryStore::default())
    }

    /// Logins with this store.
    pub(crate) fn on(providers: OAuthProviders, store: MemoryStore) -> Self {
        let clock = Arc::new(AtomicI64::new(1_800_000_000_000));
        let store = Arc::new(store);
        let reading = clock.clone();
        let settings = LoginSettings {
            login_host: Origin::new("login.test", 4443),
            headers: IdentityHeaders::default(),
            clock: Arc::new(move || jiff::Timestamp::from_millisecond(reading.load(Relaxed)).expect("a time")),
            http_client: ProviderClient::new(),
            providers,
        };
        let logins = Arc::new(Logins::new(settings, store.clone()));
        store.connect(&logins);
        World { logins, store, clock }
    }

    /// Advances the clock.
    pub(crate) fn advance(&self, seconds: i64) {
        self.advance_ms(seconds * 1000);
    }

    /// Advances the clock by milliseconds.
    pub(crate) fn advance_ms(&self, milliseconds: i64) {
        self.clock.fetch_add(milliseconds, Relaxed);
    }

    /// Seconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        self.clock.load(Relaxed) / 1000
    }

    /// A route with an OAuth module.
    pub(crate) fn oauth(&self, route: &str, module: Value) -> Arc<Realm> {
        let login = Login::OAuth(serde_json::from_value(module).expect("an OAuth module"));
        self.logins.realm(route, "edghts_1", &login).expect("a realm")
    }
}

/// The operator's settings that redirect GitHub's endpoints to the fake.
pub(crate) fn github_at(endpoints: postern_logins::OAuthEndpoints) -> OAuthProviders {
    let operator = postern_logins::OAuthProvider { endpoints, ..Default::default() };
    [(IdentityProvider::Github, operator)].into()
}

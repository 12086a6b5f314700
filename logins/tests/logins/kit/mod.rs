//! A world with logins, a browser, and a stand-in for GitHub.

pub(crate) mod browser;
pub(crate) mod github;
pub(crate) mod ledger;

use ledger::Books;
use postern_api::{module::IdentityProvider, published::Login};
use postern_logins::{IdentityHeaders, Logins, Operators, Origin, Realm, Settings, Web};
use serde_json::Value;
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering::Relaxed},
};

pub(crate) const HOST: &str = "shop.test";

/// Logins, their ledger, and the time of day.
pub(crate) struct World {
    pub(crate) logins: Arc<Logins>,
    pub(crate) books: Arc<Books>,
    clock: Arc<AtomicI64>,
}

impl World {
    pub(crate) fn new(operators: Operators) -> Self {
        let clock = Arc::new(AtomicI64::new(1_800_000_000));
        let books = Arc::new(Books::default());
        let reading = clock.clone();
        let settings = Settings {
            login_host: Origin::new("login.test", 4443),
            headers: IdentityHeaders::default(),
            clock: Arc::new(move || jiff::Timestamp::from_second(reading.load(Relaxed)).expect("a moment")),
            web: Web::new().expect("a way to providers"),
            operators,
        };
        let logins = Arc::new(Logins::new(settings, books.clone()));
        books.tell(&logins);
        World { logins, books, clock }
    }

    /// Time passes.
    pub(crate) fn later(&self, seconds: i64) {
        self.clock.fetch_add(seconds, Relaxed);
    }

    /// Seconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        self.clock.load(Relaxed)
    }

    /// A route with an OAuth module.
    pub(crate) fn oauth(&self, route: &str, module: Value) -> Arc<Realm> {
        let login = Login::OAuth(serde_json::from_value(module).expect("an OAuth module"));
        self.logins.realm(route, "edghts_1", &login).expect("a realm")
    }
}

/// What the operator says of GitHub, for it answers elsewhere.
pub(crate) fn only_github(endpoints: postern_logins::Endpoints) -> Operators {
    let operator = postern_logins::Operator { endpoints, ..Default::default() };
    [(IdentityProvider::Github, operator)].into()
}

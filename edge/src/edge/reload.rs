//! Settings of the operator that change while the edge runs. Open connections go on.

use super::Edge;
use crate::{frontend::EdgeState, limits::Limits, net::Proxies};
use postern_logins::OAuthProviders;
use std::sync::Arc;

impl Edge {
    /// Changes the limits. Numbers of connections and requests, and memory of all bodies and encoders, hold at once for
    /// what is begun next. Everything that one connection has to keep to holds for connections that are accepted from
    /// now on.
    pub fn set_limits(&self, limits: Limits) {
        for limiter in &self.limiters {
            limiter.set_limits(&limits);
        }
        let state = self.state.load_full();
        state.requests.set_limit(limits.requests);
        self.limits.set(limits.clone());
        state.routing.follow_limits();
        self.state.store(Arc::new(EdgeState { limits, ..EdgeState::clone(&state) }));
    }

    /// Changes the proxies in front, for connections that are accepted from now on.
    pub fn set_proxies(&self, proxies: Proxies) {
        let proxies = Arc::new(proxies);
        for limiter in &self.limiters {
            limiter.set_proxies(proxies.clone());
        }
    }

    /// Changes the operator's settings for OAuth providers. Routes of edges use them at once; tunnels of agents do when
    /// they are bound again.
    pub async fn set_login_providers(&self, providers: OAuthProviders) {
        self.logins.set_providers(providers);
        self.follower.rebuild_oauth().await;
    }
}

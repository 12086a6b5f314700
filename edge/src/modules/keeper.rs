//! What modules must remember beyond a change of their settings, by the id of their owner.

use super::{SigningCertificates, Webhooks, circuit_breaker::Breaker, compression::EncoderRoom};
use crate::{limits::Limits, telemetry::traffic::Traffic};
use jiff::Timestamp;
use postern_api::module::CircuitBreaker;
use postern_logins::Logins;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// How the ids of owners begin that are tunnels of agents: they come and go as their agents please.
const TUNNEL: &str = "tunnel:";
/// How long it is remembered for a tunnel that is away; it may be back under its name.
const TUNNEL_MEMORY: Duration = Duration::from_secs(600);

/// Keeps it as long as the owner exists. Asked only when a configuration is taken, never by a request.
pub(crate) struct Keeper {
    breakers: Mutex<HashMap<String, Arc<Breaker>>>,
    longest_trial: Duration,
    pub(super) webhooks: Arc<Webhooks>,
    pub(super) encoders: EncoderRoom,
    pub(super) logins: Arc<Logins>,
    traffic: Arc<Traffic>,
    /// Tunnels for which something may be kept, and when they were last there.
    tunnels: Mutex<HashMap<String, Instant>>,
}

/// The owner id of a tunnel: the same whenever the same agent binds a tunnel of this name.
pub(crate) fn tunnel_owner(credential: &str, instance: &str, name: &str) -> String {
    format!("{TUNNEL}{credential}:{instance}:{name}")
}

impl Keeper {
    pub(crate) fn new(
        limits: &Limits,
        now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
        signing_certificates: Arc<dyn SigningCertificates>,
        logins: Arc<Logins>,
        traffic: Arc<Traffic>,
    ) -> Self {
        Keeper {
            breakers: Mutex::default(),
            // What a backend may take to answer, and a visitor to say all of what is asked.
            longest_trial: limits.answer.saturating_add(limits.body_grace),
            webhooks: Arc::new(Webhooks::new(limits, now, signing_certificates)),
            encoders: EncoderRoom::new(limits.encoders),
            tunnels: Mutex::default(),
            logins,
            traffic,
        }
    }

    /// Where what passes is counted.
    pub(crate) fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// The circuit of a route: the one it had, unless these settings are others than before.
    pub(super) fn breaker(&self, owner: &str, settings: Option<&CircuitBreaker>) -> Option<Arc<Breaker>> {
        let mut breakers = self.breakers();
        let Some(settings) = settings else {
            breakers.remove(owner);
            return None;
        };
        if let Some(same) = breakers.get(owner).filter(|breaker| breaker.has_settings(settings)) {
            return Some(same.clone());
        }
        let breaker = Arc::new(Breaker::new(owner, settings, self.longest_trial, Instant::now()));
        breakers.insert(owner.to_owned(), breaker.clone());
        Some(breaker)
    }

    /// Forgets what belongs to an owner that is no more.
    pub(crate) fn forget(&self, owner: &str) {
        self.breakers().remove(owner);
        self.webhooks.forget(owner);
    }

    /// Something may be kept for this tunnel from now on.
    pub(crate) fn expects(&self, tunnel: &str, now: Instant) {
        self.tunnels().insert(tunnel.to_owned(), now);
    }

    /// Forgets what belongs to tunnels that have been away for long; these are up.
    pub(crate) fn forget_tunnels_but<'a>(&self, up: impl Iterator<Item = &'a str>, now: Instant) {
        let mut tunnels = self.tunnels();
        for owner in up {
            tunnels.insert(owner.to_owned(), now);
        }
        if tunnels.is_empty() {
            return;
        }
        tunnels.retain(|_, seen| now.duration_since(*seen) < TUNNEL_MEMORY);
        self.retain(|owner| !owner.starts_with(TUNNEL) || tunnels.contains_key(owner));
    }

    fn retain(&self, stays: impl Fn(&str) -> bool) {
        self.breakers().retain(|owner, _| stays(owner));
        self.webhooks.retain(stays);
    }

    fn tunnels(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.tunnels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn breakers(&self) -> MutexGuard<'_, HashMap<String, Arc<Breaker>>> {
        self.breakers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

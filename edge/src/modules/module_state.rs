//! State of modules that outlives a change of their settings, by the id of their owner.

use super::{SigningCertificates, Webhooks, circuit_breaker::Breaker, compression::EncoderRoom, rate_limit::RateTable};
use crate::{limits::CurrentLimits, telemetry::traffic::Traffic};
use jiff::Timestamp;
use postern_api::module::CircuitBreaker;
use postern_logins::Logins;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// The prefix of owner ids that belong to tunnels of agents.
const TUNNEL_PREFIX: &str = "tunnel:";
/// The state of a tunnel is dropped this long after the tunnel went away: it may be bound again under its name.
const TUNNEL_RETENTION: Duration = Duration::from_secs(600);

/// Lives as long as its owner. Read when a configuration is applied, never by a request.
pub(crate) struct ModuleState {
    breakers: Mutex<HashMap<String, Arc<Breaker>>>,
    limits: CurrentLimits,
    pub(super) webhooks: Arc<Webhooks>,
    pub(super) encoders: EncoderRoom,
    pub(super) rate_limits: Arc<RateTable>,
    pub(super) clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    pub(super) logins: Arc<Logins>,
    traffic: Arc<Traffic>,
    /// Tunnels that may have state, with the time when each was last up.
    tunnels: Mutex<HashMap<String, Instant>>,
}

/// The owner id of a tunnel. It is the same each time the same agent binds a tunnel of this name.
pub(crate) fn tunnel_owner(credential: &str, instance: &str, name: &str) -> String {
    format!("{TUNNEL_PREFIX}{credential}:{instance}:{name}")
}

impl ModuleState {
    pub(crate) fn new(
        limits: CurrentLimits,
        now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
        signing_certificates: Arc<dyn SigningCertificates>,
        logins: Arc<Logins>,
        traffic: Arc<Traffic>,
        rate_limits: Arc<RateTable>,
    ) -> Self {
        ModuleState {
            breakers: Mutex::default(),
            webhooks: Arc::new(Webhooks::new(limits.clone(), now.clone(), signing_certificates)),
            clock: now,
            encoders: EncoderRoom::new(limits.get().encoders),
            limits,
            rate_limits,
            tunnels: Mutex::default(),
            logins,
            traffic,
        }
    }

    /// Takes over changed limits. A circuit breaker keeps those that it was made with.
    pub(crate) fn follow_limits(&self) {
        self.webhooks.room.follow_limits();
        self.encoders.set_bytes(self.limits.get().encoders);
    }

    /// The traffic counters.
    pub(crate) fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// The counts of all rate limits.
    pub(crate) fn rate_limits(&self) -> &Arc<RateTable> {
        &self.rate_limits
    }

    /// The circuit breaker of an owner: the existing one unless its settings have changed.
    pub(super) fn breaker(&self, owner: &str, settings: Option<&CircuitBreaker>) -> Option<Arc<Breaker>> {
        let mut breakers = self.breakers();
        let Some(settings) = settings else {
            breakers.remove(owner);
            return None;
        };
        if let Some(same) = breakers.get(owner).filter(|breaker| breaker.has_settings(settings)) {
            return Some(same.clone());
        }
        let limits = self.limits.get();
        // The time for the backend to respond, and for the visitor to send the whole request.
        let trial_timeout = limits.answer.saturating_add(limits.body_grace);
        let breaker = Arc::new(Breaker::new(owner, settings, trial_timeout, Instant::now()));
        breakers.insert(owner.to_owned(), breaker.clone());
        Some(breaker)
    }

    /// Drops the state of an owner that was deleted.
    pub(crate) fn forget(&self, owner: &str) {
        self.breakers().remove(owner);
        self.webhooks.forget(owner);
    }

    /// Notes that a tunnel may have state from now on.
    pub(crate) fn note_tunnel(&self, tunnel: &str, now: Instant) {
        self.tunnels().insert(tunnel.to_owned(), now);
    }

    /// Drops the state of tunnels that were away for longer than the retention time. `up` lists those that are up.
    pub(crate) fn forget_tunnels_except<'a>(&self, up: impl Iterator<Item = &'a str>, now: Instant) {
        let mut tunnels = self.tunnels();
        for owner in up {
            tunnels.insert(owner.to_owned(), now);
        }
        if tunnels.is_empty() {
            return;
        }
        tunnels.retain(|_, last_up| now.duration_since(*last_up) < TUNNEL_RETENTION);
        self.retain(|owner| !owner.starts_with(TUNNEL_PREFIX) || tunnels.contains_key(owner));
    }

    fn retain(&self, keeps: impl Fn(&str) -> bool) {
        self.breakers().retain(|owner, _| keeps(owner));
        self.webhooks.retain(keeps);
    }

    fn tunnels(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.tunnels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn breakers(&self) -> MutexGuard<'_, HashMap<String, Arc<Breaker>>> {
        self.breakers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! What modules must remember beyond a change of their settings, by the id of their owner.

use super::{Webhooks, circuit_breaker::Breaker, compression::EncoderRoom};
use crate::settings::Settings;
use postern_api::module::CircuitBreaker;
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Keeps it as long as the owner exists. Asked only when a configuration is taken, never by a request.
pub(crate) struct Keeper {
    breakers: Mutex<HashMap<String, Arc<Breaker>>>,
    longest_trial: Duration,
    pub(super) webhooks: Arc<Webhooks>,
    pub(super) encoders: EncoderRoom,
}

impl Keeper {
    pub(crate) fn new(settings: &Settings) -> Self {
        let limits = &settings.limits;
        Keeper {
            breakers: Mutex::default(),
            // What a backend may take to answer, and a visitor to say all of what is asked.
            longest_trial: limits.answer.saturating_add(limits.body_grace),
            webhooks: Arc::new(Webhooks::new(settings)),
            encoders: EncoderRoom::new(limits.encoders),
        }
    }

    /// The circuit of a route: the one it had, unless these settings are others than before.
    pub(super) fn breaker(&self, owner: &str, settings: Option<&CircuitBreaker>) -> Option<Arc<Breaker>> {
        let mut breakers = self.breakers();
        let Some(settings) = settings else {
            breakers.remove(owner);
            return None;
        };
        if let Some(same) = breakers.get(owner).filter(|breaker| breaker.follows(settings)) {
            return Some(same.clone());
        }
        let breaker = Arc::new(Breaker::new(owner, settings, self.longest_trial, Instant::now()));
        breakers.insert(owner.to_owned(), breaker.clone());
        Some(breaker)
    }

    /// Forgets what belongs to owners that are no more.
    pub(crate) fn forget_all_but<'a>(&self, owners: impl Iterator<Item = &'a str>) {
        if self.breakers().is_empty() && self.webhooks.keeps_nothing() {
            return;
        }
        let owners: HashSet<&str> = owners.collect();
        self.breakers().retain(|owner, _| owners.contains(owner.as_str()));
        self.webhooks.forget_all_but(&owners);
    }

    fn breakers(&self) -> MutexGuard<'_, HashMap<String, Arc<Breaker>>> {
        self.breakers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

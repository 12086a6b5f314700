//! Stops requests to a backend for a while after too many failures.
//!
//! When closed, the circuit counts the requests that reached the backend in a rolling window. When open, it refuses all
//! requests. After that time it is half-open and lets one trial request through at a time: a success closes the
//! circuit, a failure opens it again.

mod window;

use super::{RequestContext, Trace};
use crate::{
    refusal::{Fault, Refusal},
    telemetry::metrics,
};
use postern_api::{Code, Error, module::CircuitBreaker};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;
use window::Window;

const NAME: &str = "circuit_breaker";
/// Wait suggested while a trial is in progress.
const TRIAL_RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The circuit of one route. It outlives changes of the route as long as its own settings stay the same.
pub(crate) struct Breaker {
    /// Id of the route, for the log.
    owner: Box<str>,
    settings: CircuitBreaker,
    /// Time after which a trial is abandoned: a visitor who sends a slow body must not hold it forever.
    trial_timeout: Duration,
    state: Mutex<State>,
}

struct State {
    phase: Phase,
    window: Window,
    /// Counts phase changes: requests admitted in an earlier phase do not count in this one.
    epoch: u64,
}

enum Phase {
    Closed,
    Open {
        until: Instant,
    },
    /// Start of the current trial, if any.
    HalfOpen {
        trial: Option<Instant>,
    },
}

/// The permit of one request to reach the backend. If it is dropped unreported, the request does not count, and a trial
/// becomes available again.
#[must_use]
pub(crate) struct Permit {
    breaker: Arc<Breaker>,
    epoch: u64,
    trial: bool,
    settled: bool,
}

impl Breaker {
    pub(crate) fn new(owner: &str, settings: &CircuitBreaker, trial_timeout: Duration, now: Instant) -> Self {
        let window = Window::new(Duration::from_secs(settings.rolling_window.into()), settings.num_buckets, now);
        let state = State { phase: Phase::Closed, window, epoch: 0 };
        Breaker { owner: owner.into(), settings: settings.clone(), trial_timeout, state: Mutex::new(state) }
    }

    /// Whether these are its settings.
    pub(super) fn has_settings(&self, settings: &CircuitBreaker) -> bool {
        self.settings == *settings
    }

    /// The lock is held for a few additions only.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits a request, or returns how long to wait.
    fn admit(self: &Arc<Self>, now: Instant) -> Result<Permit, Duration> {
        let mut state = self.state();
        let trial = match state.phase {
            Phase::Closed => false,
            Phase::Open { until } if now < until => return Err(until - now),
            Phase::HalfOpen { trial: Some(since) } if now.saturating_duration_since(since) < self.trial_timeout => {
                return Err(TRIAL_RETRY_INTERVAL);
            }
            Phase::Open { .. } | Phase::HalfOpen { .. } => {
                // The outcome of an abandoned trial no longer counts.
                state.epoch += 1;
                state.phase = Phase::HalfOpen { trial: Some(now) };
                true
            }
        };
        Ok(Permit { breaker: self.clone(), epoch: state.epoch, trial, settled: false })
    }

    fn settle(&self, permit: &Permit, failed: bool, now: Instant) {
        let mut state = self.state();
        if state.epoch != permit.epoch {
            return;
        }
        if permit.trial && !failed {
            tracing::info!(route = %self.owner, "the backend has recovered: the circuit is closed");
            state.window.clear();
            state.phase = Phase::Closed;
            state.epoch += 1;
            return;
        }
        if !permit.trial {
            state.window.record(failed, now);
            if !self.trips(&state.window) {
                return;
            }
        }
        let open_for = Duration::from_secs(self.settings.tripped_duration.into());
        metrics::circuit_opened();
        tracing::warn!(route = %self.owner, seconds = open_for.as_secs(), "the backend failed too often: the circuit is open");
        state.phase = Phase::Open { until: now + open_for };
        state.epoch += 1;
    }

    /// A backend without errors never trips, even if the tolerated share of errors is zero.
    fn trips(&self, window: &Window) -> bool {
        let (requests, errors) = (window.requests(), window.errors());
        errors > 0
            && requests >= u64::from(self.settings.volume_threshold)
            && errors as f64 / requests as f64 >= self.settings.error_threshold_percentage
    }

    fn release(&self, permit: &Permit) {
        let mut state = self.state();
        if state.epoch == permit.epoch
            && let Phase::HalfOpen { trial } = &mut state.phase
        {
            *trial = None;
        }
    }
}

impl Permit {
    /// Reports the status of the backend's response.
    pub(super) fn record_response(mut self, status: u16, now: Instant) {
        self.settled = true;
        self.breaker.settle(&self, status >= 500, now);
    }

    /// Reports a failure. Only those caused by the agent or the service count.
    pub(super) fn record_failure(mut self, fault: Fault, now: Instant) {
        if matches!(fault, Fault::Agent | Fault::Service) {
            self.settled = true;
            self.breaker.settle(&self, true, now);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if self.trial && !self.settled {
            self.breaker.release(self);
        }
    }
}

/// Admits or refuses one request.
pub(super) fn stage(
    breaker: Option<&Arc<Breaker>>,
    context: &mut RequestContext<'_>,
) -> Result<Option<Permit>, Refusal> {
    let Some(breaker) = breaker else { return Ok(None) };
    judge(breaker, context.trace, Instant::now()).map(Some)
}

fn judge(breaker: &Arc<Breaker>, trace: &mut Trace, now: Instant) -> Result<Permit, Refusal> {
    match breaker.admit(now) {
        Ok(permit) => {
            trace.record(NAME, permit.trial.then(|| "allow_while_open".to_owned()), true, now);
            Ok(permit)
        }
        Err(pause) => {
            trace.record(NAME, None, false, now);
            let message = "The backend of this address has failed too often; requests are stopped for a while.";
            let error = Error::new(Code::CircuitOpen, message);
            // Rounded up, so that a retry does not come too early.
            let pause = Duration::from_secs(pause.as_secs() + u64::from(pause.subsec_nanos() > 0));
            Err(Refusal::new(Fault::Service, error).retry_after(pause))
        }
    }
}

#[cfg(test)]
mod tests;

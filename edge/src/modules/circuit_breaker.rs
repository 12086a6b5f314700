//! Leaves a backend alone for a while when it has failed too often.
//!
//! Closed, the circuit counts what reached the backend in a rolling window. Open, it refuses everybody. When its time
//! is over one request at a time is let through on trial: a success closes the circuit, a failure opens it again.

mod window;

use super::{Trace, Visit};
use crate::{
    refusal::{Fault, Refusal},
    telemetry::metrics,
};
use postern_api::{Code, Error, module::CircuitBreaker};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use window::Window;

const NAME: &str = "circuit_breaker";
/// While somebody else's trial is under way.
const SOON: Duration = Duration::from_secs(1);

/// The circuit of one route. It outlives changes of the route as long as its own settings stay the same.
pub(crate) struct Breaker {
    /// The route, in the log.
    owner: Box<str>,
    settings: CircuitBreaker,
    /// A visitor who sends a body byte by byte must not hold the place of a trial for ever.
    longest_trial: Duration,
    state: Mutex<State>,
}

struct State {
    phase: Phase,
    window: Window,
    /// Counts the phases: what was let through in an earlier one says nothing about this one.
    epoch: u64,
}

enum Phase {
    Closed,
    Open {
        until: Instant,
    },
    /// The time is over; since when a trial is under way.
    HalfOpen {
        trial: Option<Instant>,
    },
}

/// The right of one request to reach the backend. Dropped without a word it counts for nothing, and a trial it was is
/// free for the next one.
#[must_use]
pub(crate) struct Permit {
    breaker: Arc<Breaker>,
    epoch: u64,
    trial: bool,
    settled: bool,
}

impl Breaker {
    pub(crate) fn new(owner: &str, settings: &CircuitBreaker, longest_trial: Duration, now: Instant) -> Self {
        let window = Window::new(Duration::from_secs(settings.rolling_window.into()), settings.num_buckets, now);
        let state = State { phase: Phase::Closed, window, epoch: 0 };
        Breaker { owner: owner.into(), settings: settings.clone(), longest_trial, state: Mutex::new(state) }
    }

    /// Whether it works by these settings.
    pub(super) fn follows(&self, settings: &CircuitBreaker) -> bool {
        self.settings == *settings
    }

    /// Held for a few additions only.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a request through, or says how long to wait.
    fn admit(self: &Arc<Self>, now: Instant) -> Result<Permit, Duration> {
        let mut state = self.state();
        let trial = match state.phase {
            Phase::Closed => false,
            Phase::Open { until } if now < until => return Err(until - now),
            Phase::HalfOpen { trial: Some(since) } if now.saturating_duration_since(since) < self.longest_trial => {
                return Err(SOON);
            }
            Phase::Open { .. } | Phase::HalfOpen { .. } => {
                // What becomes of a trial that takes for ever does not matter any more.
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
        let pause = Duration::from_secs(self.settings.tripped_duration.into());
        metrics::circuit_opened();
        tracing::warn!(route = %self.owner, seconds = pause.as_secs(), "the backend fails too often: the circuit is open");
        state.phase = Phase::Open { until: now + pause };
        state.epoch += 1;
    }

    /// A backend that has not failed at all is never left alone, even if the tolerated share of errors is zero.
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
    /// The backend answered with this status.
    pub(super) fn answered(mut self, status: u16, now: Instant) {
        self.settled = true;
        self.breaker.settle(&self, status >= 500, now);
    }

    /// There is no answer. Only what is the fault of neither the visitor nor this server counts.
    pub(super) fn failed(mut self, fault: Fault, now: Instant) {
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

/// Lets one request through, or not.
pub(super) fn stage(breaker: Option<&Arc<Breaker>>, visit: &mut Visit<'_>) -> Result<Option<Permit>, Refusal> {
    let Some(breaker) = breaker else { return Ok(None) };
    judge(breaker, visit.trace, Instant::now()).map(Some)
}

fn judge(breaker: &Arc<Breaker>, trace: &mut Trace, now: Instant) -> Result<Permit, Refusal> {
    match breaker.admit(now) {
        Ok(permit) => {
            trace.record(NAME, permit.trial.then(|| "allow_while_open".to_owned()), true, now);
            Ok(permit)
        }
        Err(pause) => {
            trace.record(NAME, None, false, now);
            let message = "The backend of this address has failed too often and is left alone for a while.";
            let error = Error::new(Code::CircuitOpen, message);
            // Rounded up: who comes back then is not too early.
            let pause = Duration::from_secs(pause.as_secs() + u64::from(pause.subsec_nanos() > 0));
            Err(Refusal::new(Fault::Service, error).retry_after(pause))
        }
    }
}

#[cfg(test)]
mod tests;

//! The circuit breaker module: its numbers must make sense.

use crate::resources::{KeptModule, ModuleRules, Resources};
use postern_api::{
    AnyId, Result, checks,
    module::{CircuitBreaker, CircuitBreakerView},
    resource::Nothing,
};

impl ModuleRules for CircuitBreaker {
    type Hidden = Nothing;

    fn check(&mut self, _here: &Resources) -> Result<()> {
        checks::circuit_breaker(self)
    }

    fn view(kept: &KeptModule<Self>, _owner: &AnyId, _here: &Resources) -> Result<CircuitBreakerView> {
        let module = &kept.module;
        Ok(CircuitBreakerView {
            enabled: module.enabled,
            tripped_duration: module.tripped_duration,
            rolling_window: module.rolling_window,
            num_buckets: module.num_buckets,
            volume_threshold: module.volume_threshold,
            error_threshold_percentage: module.error_threshold_percentage,
        })
    }
}

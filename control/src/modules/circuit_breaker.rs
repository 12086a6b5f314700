//! The circuit breaker module.

use crate::resources::{ModuleReferences, ModuleRules, Resources, StoredModule};
use postern_api::{
    AnyId, Result, checks,
    module::{CircuitBreaker, CircuitBreakerView},
    resource::Nothing,
};

impl ModuleRules for CircuitBreaker {
    type Hidden = Nothing;

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        checks::circuit_breaker(self)
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, _ctx: &Resources) -> Result<CircuitBreakerView> {
        let module = &stored.module;
        Ok(CircuitBreakerView {
            enabled: module.enabled,
            tripped_duration: module.tripped_duration,
            rolling_window: module.rolling_window,
            num_buckets: module.num_buckets,
            volume_threshold: module.volume_threshold,
            error_threshold_percentage: module.error_threshold_percentage,
        })
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<CircuitBreaker> {
        Ok(stored.module.clone())
    }
}

//! The rate limit module.

use crate::resources::{ModuleReferences, ModuleRules, Resources, StoredModule};
use postern_api::{
    AnyId, Result, checks,
    module::{RateLimit, RateLimitView},
    resource::Nothing,
};

impl ModuleRules for RateLimit {
    type Hidden = Nothing;

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        checks::rate_limit(self)
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, _ctx: &Resources) -> Result<RateLimitView> {
        let RateLimit { enabled, requests, interval, burst, key } = stored.module.clone();
        Ok(RateLimitView { enabled, requests, interval, burst, key })
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<RateLimit> {
        Ok(stored.module.clone())
    }
}

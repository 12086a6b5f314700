//! The user agent filter module. Every pattern must compile within its limits.

use crate::resources::{ModuleReferences, ModuleRules, Resources, StoredModule};
use postern_api::{
    AnyId, Result, checks,
    module::{UserAgentFilter, UserAgentFilterView},
    resource::Nothing,
};

impl ModuleRules for UserAgentFilter {
    type Hidden = Nothing;

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        checks::user_agent_filter(self)
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, _ctx: &Resources) -> Result<UserAgentFilterView> {
        let UserAgentFilter { enabled, allow, deny } = stored.module.clone();
        Ok(UserAgentFilterView { enabled, allow, deny })
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<UserAgentFilter> {
        Ok(stored.module.clone())
    }
}

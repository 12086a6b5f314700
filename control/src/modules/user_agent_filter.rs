//! The user agent filter module: every pattern must compile within its limits.

use crate::resources::{KeptModule, ModuleRules, Resources};
use postern_api::{
    AnyId, Result, checks,
    module::{UserAgentFilter, UserAgentFilterView},
    resource::Nothing,
};

impl ModuleRules for UserAgentFilter {
    type Hidden = Nothing;

    fn check(&mut self, _here: &Resources) -> Result<()> {
        checks::user_agent_filter(self)
    }

    fn view(kept: &KeptModule<Self>, _owner: &AnyId, _here: &Resources) -> Result<UserAgentFilterView> {
        let UserAgentFilter { enabled, allow, deny } = kept.module.clone();
        Ok(UserAgentFilterView { enabled, allow, deny })
    }
}

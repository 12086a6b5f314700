//! The IP restriction module: its policies must exist when they are named, and may be deleted later.

use crate::resources::{KeptModule, Link, ModuleRules, Resources, Role, policies};
use postern_api::{
    AnyId, Result,
    module::{IpRestriction, IpRestrictionView},
    resource::{Nothing, Ref},
};

impl ModuleRules for IpRestriction {
    type Hidden = Nothing;

    fn check(&mut self, _here: &Resources) -> Result<()> {
        self.ip_policy_ids = policies(&self.ip_policy_ids)?.iter().map(ToString::to_string).collect();
        Ok(())
    }

    fn links(&self) -> Result<Vec<Link>> {
        Ok(policies(&self.ip_policy_ids)?.iter().map(|id| Link::to(id, Role::Mentions)).collect())
    }

    fn view(kept: &KeptModule<Self>, _owner: &AnyId, here: &Resources) -> Result<IpRestrictionView> {
        let policies = policies(&kept.module.ip_policy_ids)?;
        let ip_policies = policies.iter().map(|id| Ref::to(here.base_url(), id)).collect();
        Ok(IpRestrictionView { enabled: kept.module.enabled, ip_policies })
    }
}

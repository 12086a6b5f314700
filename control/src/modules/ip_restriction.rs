//! The IP restriction module. Its policies must exist when they are named, and may be deleted later.

use crate::resources::{LinkRole, ModuleReferences, ModuleRules, NewLink, Resources, StoredModule, parse_policy_ids};
use postern_api::{
    AnyId, Code, Id, Result,
    ip_rules::IpRules,
    module::{IpRestriction, IpRestrictionView},
    resource::{IpPolicy, Nothing, Ref},
};
use std::sync::Arc;

impl ModuleRules for IpRestriction {
    type Hidden = Nothing;

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        self.ip_policy_ids = parse_policy_ids(&self.ip_policy_ids)?.iter().map(ToString::to_string).collect();
        Ok(())
    }

    fn links(&self) -> Result<Vec<NewLink>> {
        let link = |id: &Id<IpPolicy>| {
            NewLink::to(id, LinkRole::Mentions).or_else(Code::ModulePolicyUnknown).in_field("ip_policy_ids")
        };
        Ok(parse_policy_ids(&self.ip_policy_ids)?.iter().map(link).collect())
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, ctx: &Resources) -> Result<IpRestrictionView> {
        let policies = parse_policy_ids(&stored.module.ip_policy_ids)?;
        let ip_policies = policies.iter().map(|id| Ref::to(ctx.base_url(), id)).collect();
        Ok(IpRestrictionView { enabled: stored.module.enabled, ip_policies })
    }

    fn publish(stored: &StoredModule<Self>, references: &dyn ModuleReferences) -> Result<Arc<IpRules>> {
        Ok(references.ip_rules(&stored.module.ip_policy_ids))
    }
}

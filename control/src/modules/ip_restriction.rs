//! The IP restriction module: its policies must exist when they are named, and may be deleted later.

use crate::resources::{KeptModule, Link, ModuleRules, Resources, Role};
use postern_api::{
    AnyId, Code, Error, Id, Result,
    module::{IpRestriction, IpRestrictionView, POLICY_LIMIT},
    resource::{IpPolicy, Nothing, Ref},
};

impl ModuleRules for IpRestriction {
    type Hidden = Nothing;

    fn check(&mut self, _here: &Resources) -> Result<()> {
        let mut seen = Vec::new();
        for id in std::mem::take(&mut self.ip_policy_ids) {
            if !seen.contains(&id) {
                seen.push(id);
            }
        }
        self.ip_policy_ids = seen;
        let sentence = match self.ip_policy_ids.len() {
            0 => "`ip_policy_ids` is empty: name at least one IP policy. To let everybody in, remove the module."
                .to_owned(),
            1..=POLICY_LIMIT => return policies(self).map(|_| ()),
            many => format!("`ip_policy_ids` names {many} policies; at most {POLICY_LIMIT} are allowed."),
        };
        Err(Error::new(Code::PolicyCount, sentence).with("field", "ip_policy_ids"))
    }

    fn links(&self) -> Result<Vec<Link>> {
        Ok(policies(self)?.iter().map(|id| Link::to(id, Role::Mentions)).collect())
    }

    fn view(kept: &KeptModule<Self>, _owner: &AnyId, here: &Resources) -> Result<IpRestrictionView> {
        let ip_policies = policies(&kept.module)?.iter().map(|id| Ref::to(here.base_url(), id)).collect();
        Ok(IpRestrictionView { enabled: kept.module.enabled, ip_policies })
    }
}

fn policies(module: &IpRestriction) -> Result<Vec<Id<IpPolicy>>> {
    let parse = |id: &String| Id::parse(id).map_err(|error| error.with("field", "ip_policy_ids"));
    module.ip_policy_ids.iter().map(parse).collect()
}

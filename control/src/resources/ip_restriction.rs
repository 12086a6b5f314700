//! IP restrictions: their policies must exist when they are named, and may be deleted later.

use super::{Attachment, Call, Draft, Kept, Link, Making, Modules, Resources, Role, Rules, policies};
use postern_api::{
    Code, Error, Id, Result,
    resource::{
        IpPolicy, IpRestriction, IpRestrictionCreate, IpRestrictionStatus, IpRestrictionUpdate, Ref, RestrictionType,
    },
};

impl Rules for IpRestriction {
    /// The policies, in the order they were named.
    type Hidden = Vec<Id<IpPolicy>>;
    const LASTING: bool = true;

    async fn create(body: IpRestrictionCreate, _making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let known = RestrictionType::ALL.into_iter().find(|kind| kind.as_str() == body.kind);
        let kind = known.ok_or_else(|| {
            let shown: String = body.kind.chars().take(40).collect();
            let words = RestrictionType::ALL.map(RestrictionType::as_str).join("`, `");
            let sentence = format!("`{shown}` is no type of restriction. Write one of `{words}`.");
            Error::new(Code::RestrictionTypeInvalid, sentence).with("field", "type")
        })?;
        let enforced = body.enforced.unwrap_or(false);
        Ok(Draft::new(IpRestriction { enforced, kind }, policies(&body.ip_policy_ids)?))
    }

    async fn change(kept: &mut Kept<Self>, body: IpRestrictionUpdate, _call: &Call<'_>) -> Result<Vec<Attachment>> {
        kept.spec.enforced = body.enforced.unwrap_or(kept.spec.enforced);
        if let Some(ids) = body.ip_policy_ids {
            kept.hidden = policies(&ids)?;
        }
        Ok(Vec::new())
    }

    fn links(kept: &Kept<Self>) -> Vec<Link> {
        kept.hidden.iter().map(|id| Link::to(id, Role::Mentions)).collect()
    }

    async fn status(kept: &Kept<Self>, _modules: &Modules, here: &Resources) -> Result<IpRestrictionStatus> {
        Ok(IpRestrictionStatus { ip_policies: kept.hidden.iter().map(|id| Ref::to(here.base_url(), id)).collect() })
    }
}

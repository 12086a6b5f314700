//! IP restrictions. Their policies must exist when they are named, and may be deleted later.

use super::{
    CallContext, CreateContext, LinkRole, Modules, NewLink, NewModule, NewRecord, Resources, Rules, StoredRecord,
    parse_policy_ids,
};
use postern_api::{
    Code, Error, Id, Result,
    resource::{
        IpPolicy, IpRestriction, IpRestrictionCreate, IpRestrictionStatus, IpRestrictionUpdate, Ref, RestrictionType,
    },
};
use serde_json::Value;

impl Rules for IpRestriction {
    /// Policies, in the order of the request.
    type Hidden = Vec<Id<IpPolicy>>;
    const CACHEABLE: bool = true;

    async fn create(body: IpRestrictionCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let known = RestrictionType::ALL.into_iter().find(|kind| kind.as_str() == body.kind);
        let kind = known.ok_or_else(|| {
            let shown: String = body.kind.chars().take(40).collect();
            let words = RestrictionType::ALL.map(RestrictionType::as_str).join("`, `");
            let sentence = format!("`{shown}` is not a type of restriction. Write one of `{words}`.");
            Error::new(Code::RestrictionTypeInvalid, sentence).with("field", "type")
        })?;
        let enforced = body.enforced.unwrap_or(false);
        Ok(NewRecord::new(IpRestriction { enforced, kind }, parse_policy_ids(&body.ip_policy_ids)?))
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        body: IpRestrictionUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        stored.spec.enforced = body.enforced.unwrap_or(stored.spec.enforced);
        if let Some(ids) = body.ip_policy_ids {
            stored.hidden = parse_policy_ids(&ids)?;
        }
        Ok(Vec::new())
    }

    async fn needs_administrator(stored: &StoredRecord<Self>, _call: &CallContext<'_>) -> Result<bool> {
        Ok(stored.spec.kind.guards_management())
    }

    fn hidden_settings(policies: &Vec<Id<IpPolicy>>) -> Vec<(&'static str, Value)> {
        vec![("ip_policy_ids", policies.iter().map(Id::to_string).collect())]
    }

    fn links(stored: &StoredRecord<Self>) -> Vec<NewLink> {
        stored.hidden.iter().map(|id| NewLink::to(id, LinkRole::Mentions)).collect()
    }

    async fn status(stored: &StoredRecord<Self>, _modules: &Modules, ctx: &Resources) -> Result<IpRestrictionStatus> {
        Ok(IpRestrictionStatus { ip_policies: stored.hidden.iter().map(|id| Ref::to(ctx.base_url(), id)).collect() })
    }
}

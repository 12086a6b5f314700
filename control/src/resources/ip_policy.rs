//! IP policies: groups of rules, which are deleted with them.

use super::{CallContext, CreateContext, Modules, NewModule, NewRecord, Resources, Rules, StoredRecord, keys};
use crate::store::Range;
use postern_api::{
    Code, Id, Result,
    id::Kind,
    resource::{IpPolicy, IpPolicyCreate, IpPolicyUpdate, IpRestriction, Nothing},
};

impl Rules for IpPolicy {
    type Hidden = Nothing;
    const CACHEABLE: bool = true;
    const UNKNOWN: Code = Code::PolicyUnknown;

    async fn create(_body: IpPolicyCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        Ok(NewRecord::new(IpPolicy {}, Nothing {}))
    }

    async fn update(
        _stored: &mut StoredRecord<Self>,
        _body: IpPolicyUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        Ok(Vec::new())
    }

    async fn needs_administrator(stored: &StoredRecord<Self>, call: &CallContext<'_>) -> Result<bool> {
        call.resources.guards_management(&stored.id).await
    }

    async fn status(_stored: &StoredRecord<Self>, _modules: &Modules, _ctx: &Resources) -> Result<Nothing> {
        Ok(Nothing {})
    }
}

impl Resources {
    /// Whether a restriction of the management API or the console has this policy.
    pub(super) async fn guards_management(&self, policy: &Id<IpPolicy>) -> Result<bool> {
        let mut next = Some(Range::new(format!("{}{}_", keys::links_to(policy.as_str()), IpRestriction::PREFIX), 100));
        while let Some(range) = next {
            let page = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                let from = entry.key.strip_prefix(&keys::links_to(policy.as_str())).unwrap_or_default();
                let Ok(id) = Id::<IpRestriction>::parse(from) else { continue };
                if self.load(&id).await?.is_some_and(|(stored, _)| stored.spec.kind.guards_management()) {
                    return Ok(true);
                }
            }
            next = range.after(&page);
        }
        Ok(false)
    }
}

//! IP policies: groups of rules, which are deleted with them.

use super::{CallContext, CreateContext, Modules, NewModule, NewRecord, Resources, Rules, StoredRecord};
use postern_api::{
    Code, Result,
    resource::{IpPolicy, IpPolicyCreate, IpPolicyUpdate, Nothing},
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

    async fn status(_stored: &StoredRecord<Self>, _modules: &Modules, _ctx: &Resources) -> Result<Nothing> {
        Ok(Nothing {})
    }
}

//! Failover backends: an ordered list of backends, which cannot be deleted while they are named. Failover backends cannot
//! name each other, so there are no cycles.

use super::{
    BackendId, CallContext, CreateContext, LinkRole, Modules, NewLink, NewModule, NewRecord, Resources, Rules,
    StoredRecord,
};
use postern_api::{
    Code, Error, Result,
    resource::{CHILD_LIMIT, FailoverBackend, FailoverBackendCreate, FailoverBackendUpdate, Nothing},
};

impl Rules for FailoverBackend {
    type Hidden = Nothing;
    const CACHEABLE: bool = true;
    const UNKNOWN: Code = Code::BackendUnknown;

    async fn create(body: FailoverBackendCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        Ok(NewRecord::new(FailoverBackend { backends: deduplicate(body.backends.unwrap_or_default()) }, Nothing {}))
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        body: FailoverBackendUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        if let Some(backends) = body.backends {
            stored.spec.backends = deduplicate(backends);
        }
        Ok(Vec::new())
    }

    fn check(stored: &StoredRecord<Self>, _former: Option<&StoredRecord<Self>>, _ctx: &Resources) -> Result<()> {
        let backends = &stored.spec.backends;
        if backends.len() > CHILD_LIMIT {
            let sentence = format!("`backends` names {} backends; at most {CHILD_LIMIT} are allowed.", backends.len());
            return Err(Error::new(Code::FailoverCount, sentence).with("field", "backends"));
        }
        backends.iter().try_for_each(|id| BackendId::parse_failover_member(id).map(|_| ()))
    }

    fn links(stored: &StoredRecord<Self>) -> Vec<NewLink> {
        let targets = stored.spec.backends.iter().filter_map(|id| BackendId::parse_failover_member(id).ok());
        targets.map(|target| target.link(LinkRole::Needs)).collect()
    }

    async fn status(_stored: &StoredRecord<Self>, _modules: &Modules, _ctx: &Resources) -> Result<Nothing> {
        Ok(Nothing {})
    }
}

/// Removes repeated backends: one that cannot be reached is not tried again.
fn deduplicate(backends: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    backends.into_iter().filter(|id| seen.insert(id.clone())).collect()
}

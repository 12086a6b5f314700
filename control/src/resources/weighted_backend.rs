//! Weighted backends: backends with weights, which cannot be deleted while they are named. They name neither each other
//! nor failover backends, so there are no cycles.

use super::{
    BackendId, CallContext, CreateContext, LinkRole, Modules, NewLink, NewModule, NewRecord, Resources, Rules,
    StoredRecord,
};
use postern_api::{
    Code, Error, Result,
    resource::{CHILD_LIMIT, Nothing, WEIGHT_LIMIT, WeightedBackend, WeightedBackendCreate, WeightedBackendUpdate},
};

impl Rules for WeightedBackend {
    type Hidden = Nothing;
    const CACHEABLE: bool = true;
    const UNKNOWN: Code = Code::BackendUnknown;

    async fn create(body: WeightedBackendCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        Ok(NewRecord::new(WeightedBackend { backends: body.backends.unwrap_or_default() }, Nothing {}))
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        body: WeightedBackendUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        if let Some(backends) = body.backends {
            stored.spec.backends = backends;
        }
        Ok(Vec::new())
    }

    fn check(stored: &StoredRecord<Self>, _former: Option<&StoredRecord<Self>>, _ctx: &Resources) -> Result<()> {
        let backends = &stored.spec.backends;
        if backends.len() > CHILD_LIMIT {
            let sentence = format!("`backends` names {} backends; at most {CHILD_LIMIT} are allowed.", backends.len());
            return Err(Error::new(Code::WeightedCount, sentence).with("field", "backends"));
        }
        for (id, weight) in backends {
            BackendId::parse_weighted_member(id)?;
            if !(0..=WEIGHT_LIMIT).contains(weight) {
                let sentence = format!("`{id}` has the weight {weight}. A weight lies between 0 and {WEIGHT_LIMIT}.");
                return Err(Error::new(Code::WeightInvalid, sentence).with("field", "backends"));
            }
        }
        Ok(())
    }

    fn links(stored: &StoredRecord<Self>) -> Vec<NewLink> {
        let targets = stored.spec.backends.keys().filter_map(|id| BackendId::parse_weighted_member(id).ok());
        targets.map(|target| target.link(LinkRole::Needs)).collect()
    }

    async fn status(_stored: &StoredRecord<Self>, _modules: &Modules, _ctx: &Resources) -> Result<Nothing> {
        Ok(Nothing {})
    }
}

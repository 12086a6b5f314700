//! Weighted backends: what they name must exist and cannot be deleted meanwhile. They name neither each other nor
//! failover backends, so no backend ever leads back to itself.

use super::{Attachment, Call, Draft, Kept, Link, Making, Modules, Resources, Role, Rules, Target};
use postern_api::{
    Code, Error, Result,
    resource::{CHILD_LIMIT, Nothing, WEIGHT_LIMIT, WeightedBackend, WeightedBackendCreate, WeightedBackendUpdate},
};

impl Rules for WeightedBackend {
    type Hidden = Nothing;
    const LASTING: bool = true;

    async fn create(body: WeightedBackendCreate, _making: &Making<'_, Self>) -> Result<Draft<Self>> {
        Ok(Draft::new(WeightedBackend { backends: body.backends.unwrap_or_default() }, Nothing {}))
    }

    async fn change(kept: &mut Kept<Self>, body: WeightedBackendUpdate, _call: &Call<'_>) -> Result<Vec<Attachment>> {
        if let Some(backends) = body.backends {
            kept.spec.backends = backends;
        }
        Ok(Vec::new())
    }

    fn check(kept: &Kept<Self>, _former: Option<&Kept<Self>>, _here: &Resources) -> Result<()> {
        let backends = &kept.spec.backends;
        if backends.len() > CHILD_LIMIT {
            let sentence = format!("`backends` names {} backends; at most {CHILD_LIMIT} are allowed.", backends.len());
            return Err(Error::new(Code::WeightedCount, sentence).with("field", "backends"));
        }
        for (id, weight) in backends {
            Target::in_weighted(id)?;
            if !(0..=WEIGHT_LIMIT).contains(weight) {
                let sentence = format!("`{id}` has the weight {weight}. A weight lies between 0 and {WEIGHT_LIMIT}.");
                return Err(Error::new(Code::WeightInvalid, sentence).with("field", "backends"));
            }
        }
        Ok(())
    }

    fn links(kept: &Kept<Self>) -> Vec<Link> {
        let targets = kept.spec.backends.keys().filter_map(|id| Target::in_weighted(id).ok());
        targets.map(|target| target.link(Role::Needs)).collect()
    }

    async fn status(_kept: &Kept<Self>, _modules: &Modules, _here: &Resources) -> Result<Nothing> {
        Ok(Nothing {})
    }
}

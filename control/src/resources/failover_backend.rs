//! Failover backends: an ordered list of backends that must exist and cannot be deleted meanwhile. They never name
//! each other, so no backend ever leads back to itself.

use super::{Attachment, Call, Draft, Kept, Link, Making, Modules, Resources, Role, Rules, Target};
use postern_api::{
    Code, Error, Result,
    resource::{CHILD_LIMIT, FailoverBackend, FailoverBackendCreate, FailoverBackendUpdate, Nothing},
};

impl Rules for FailoverBackend {
    type Hidden = Nothing;
    const LASTING: bool = true;

    async fn create(body: FailoverBackendCreate, _making: &Making<'_, Self>) -> Result<Draft<Self>> {
        Ok(Draft::new(FailoverBackend { backends: each_once(body.backends.unwrap_or_default()) }, Nothing {}))
    }

    async fn change(kept: &mut Kept<Self>, body: FailoverBackendUpdate, _call: &Call<'_>) -> Result<Vec<Attachment>> {
        if let Some(backends) = body.backends {
            kept.spec.backends = each_once(backends);
        }
        Ok(Vec::new())
    }

    fn check(kept: &Kept<Self>, _former: Option<&Kept<Self>>, _here: &Resources) -> Result<()> {
        let backends = &kept.spec.backends;
        if backends.len() > CHILD_LIMIT {
            let sentence = format!("`backends` names {} backends; at most {CHILD_LIMIT} are allowed.", backends.len());
            return Err(Error::new(Code::FailoverCount, sentence).with("field", "backends"));
        }
        backends.iter().try_for_each(|id| Target::in_failover(id).map(|_| ()))
    }

    fn links(kept: &Kept<Self>) -> Vec<Link> {
        let targets = kept.spec.backends.iter().filter_map(|id| Target::in_failover(id).ok());
        targets.map(|target| target.link(Role::Needs)).collect()
    }

    async fn status(_kept: &Kept<Self>, _modules: &Modules, _here: &Resources) -> Result<Nothing> {
        Ok(Nothing {})
    }
}

/// A backend that could not be reached is not tried again: each stands where it was named first.
fn each_once(backends: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    backends.into_iter().filter(|id| seen.insert(id.clone())).collect()
}

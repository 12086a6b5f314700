//! The header modules. Their rules are in `postern_api::headers`.

use crate::resources::{ModuleReferences, ModuleRules, Resources, StoredModule};
use postern_api::{
    AnyId, Result,
    headers::{Direction, canonical},
    module::{HeaderChanges, HeaderChangesView, RequestHeaders, ResponseHeaders},
    resource::Nothing,
};

impl ModuleRules for RequestHeaders {
    type Hidden = Nothing;

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        self.0 = canonical(self.0.clone(), Direction::Request)?;
        Ok(())
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, _ctx: &Resources) -> Result<HeaderChangesView> {
        Ok(shown(&stored.module.0))
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<HeaderChanges> {
        Ok(stored.module.0.clone())
    }
}

impl ModuleRules for ResponseHeaders {
    type Hidden = Nothing;

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        self.0 = canonical(self.0.clone(), Direction::Response)?;
        Ok(())
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, _ctx: &Resources) -> Result<HeaderChangesView> {
        Ok(shown(&stored.module.0))
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<HeaderChanges> {
        Ok(stored.module.0.clone())
    }
}

fn shown(changes: &HeaderChanges) -> HeaderChangesView {
    HeaderChangesView { enabled: changes.enabled, add: changes.add.clone(), remove: changes.remove.clone() }
}

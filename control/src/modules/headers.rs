//! The header modules: what may be written is judged where everybody finds it.

use crate::resources::{KeptModule, ModuleRules, Resources};
use postern_api::{
    AnyId, Result,
    headers::{Direction, canonical},
    module::{HeaderChanges, HeaderChangesView, RequestHeaders, ResponseHeaders},
    resource::Nothing,
};

impl ModuleRules for RequestHeaders {
    type Hidden = Nothing;

    fn check(&mut self, _here: &Resources) -> Result<()> {
        self.0 = canonical(self.0.clone(), Direction::Request)?;
        Ok(())
    }

    fn view(kept: &KeptModule<Self>, _owner: &AnyId, _here: &Resources) -> Result<HeaderChangesView> {
        Ok(shown(&kept.module.0))
    }
}

impl ModuleRules for ResponseHeaders {
    type Hidden = Nothing;

    fn check(&mut self, _here: &Resources) -> Result<()> {
        self.0 = canonical(self.0.clone(), Direction::Response)?;
        Ok(())
    }

    fn view(kept: &KeptModule<Self>, _owner: &AnyId, _here: &Resources) -> Result<HeaderChangesView> {
        Ok(shown(&kept.module.0))
    }
}

fn shown(changes: &HeaderChanges) -> HeaderChangesView {
    HeaderChangesView { enabled: changes.enabled, add: changes.add.clone(), remove: changes.remove.clone() }
}

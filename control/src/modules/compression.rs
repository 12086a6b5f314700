//! The compression module.

use crate::resources::{ModuleReferences, ModuleRules, Resources, StoredModule};
use postern_api::{
    AnyId, Result,
    module::{Compression, SwitchView},
    resource::Nothing,
};

impl ModuleRules for Compression {
    type Hidden = Nothing;

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        Ok(())
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, _ctx: &Resources) -> Result<SwitchView> {
        Ok(SwitchView { enabled: stored.module.enabled })
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<Compression> {
        Ok(stored.module.clone())
    }
}

//! The maintenance module.

use crate::resources::{ModuleReferences, ModuleRules, Resources, StoredModule};
use postern_api::{
    AnyId, Result, checks,
    module::{Maintenance, MaintenanceView},
    resource::Nothing,
};

impl ModuleRules for Maintenance {
    type Hidden = Nothing;

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        checks::maintenance(self)
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, _ctx: &Resources) -> Result<MaintenanceView> {
        let Maintenance { enabled, until, status_code, body, content_type, allow } = stored.module.clone();
        Ok(MaintenanceView { enabled, until, status_code, body, content_type, allow })
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<Maintenance> {
        Ok(stored.module.clone())
    }
}

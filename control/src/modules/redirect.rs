//! The redirect module.

use crate::resources::{ModuleReferences, ModuleRules, Resources, StoredModule};
use postern_api::{
    AnyId, Result, checks,
    module::{Redirect, RedirectView},
    resource::Nothing,
};

impl ModuleRules for Redirect {
    type Hidden = Nothing;

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        checks::redirect(self)
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, _ctx: &Resources) -> Result<RedirectView> {
        let Redirect { enabled, rules } = stored.module.clone();
        Ok(RedirectView { enabled, rules })
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<Redirect> {
        Ok(stored.module.clone())
    }
}

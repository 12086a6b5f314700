//! The rewrite module.

use crate::resources::{ModuleReferences, ModuleRules, Resources, StoredModule};
use postern_api::{
    AnyId, Result, checks,
    module::{Rewrite, RewriteView},
    resource::Nothing,
};

impl ModuleRules for Rewrite {
    type Hidden = Nothing;

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        checks::rewrite(self)
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, _ctx: &Resources) -> Result<RewriteView> {
        let Rewrite { enabled, strip_prefix, add_prefix, path, to, host } = stored.module.clone();
        Ok(RewriteView { enabled, strip_prefix, add_prefix, path, to, host })
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<Rewrite> {
        Ok(stored.module.clone())
    }
}

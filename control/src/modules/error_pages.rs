//! The error pages module.

use crate::resources::{ModuleReferences, ModuleRules, Resources, StoredModule};
use postern_api::{
    AnyId, Result, checks,
    module::{ErrorPages, ErrorPagesView},
    resource::Nothing,
};

impl ModuleRules for ErrorPages {
    type Hidden = Nothing;

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        checks::error_pages(self)
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, _ctx: &Resources) -> Result<ErrorPagesView> {
        let ErrorPages { enabled, pages, upstream } = stored.module.clone();
        Ok(ErrorPagesView { enabled, pages, upstream })
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<ErrorPages> {
        Ok(stored.module.clone())
    }
}

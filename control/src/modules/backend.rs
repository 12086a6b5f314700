//! The backend module. Its backend cannot be deleted while it is named.

use crate::resources::{BackendId, LinkRole, ModuleReferences, ModuleRules, NewLink, Resources, StoredModule};
use postern_api::{
    AnyId, Result,
    module::{Backend, BackendView},
    resource::Nothing,
};

impl ModuleRules for Backend {
    type Hidden = Nothing;

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        backend_id(self).map(|_| ())
    }

    fn links(&self) -> Result<Vec<NewLink>> {
        Ok(vec![backend_id(self)?.link(LinkRole::Needs).in_field("backend_id")])
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, ctx: &Resources) -> Result<BackendView> {
        Ok(BackendView { enabled: stored.module.enabled, backend: backend_id(&stored.module)?.to_ref(ctx) })
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<String> {
        Ok(stored.module.backend_id.clone())
    }
}

fn backend_id(module: &Backend) -> Result<BackendId> {
    BackendId::parse(&module.backend_id, "backend_id")
}

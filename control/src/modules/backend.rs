//! The backend module: the backend must exist and cannot be deleted meanwhile.

use crate::resources::{KeptModule, Link, ModuleRules, Resources, Role, Target};
use postern_api::{
    AnyId, Result,
    module::{Backend, BackendView},
    resource::Nothing,
};

impl ModuleRules for Backend {
    type Hidden = Nothing;

    fn check(&mut self, _here: &Resources) -> Result<()> {
        target(self).map(|_| ())
    }

    fn links(&self) -> Result<Vec<Link>> {
        Ok(vec![target(self)?.link(Role::Needs)])
    }

    fn view(kept: &KeptModule<Self>, _owner: &AnyId, here: &Resources) -> Result<BackendView> {
        Ok(BackendView { enabled: kept.module.enabled, backend: target(&kept.module)?.refer(here) })
    }
}

fn target(module: &Backend) -> Result<Target> {
    Target::backend(&module.backend_id, "backend_id")
}

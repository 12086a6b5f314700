//! The backend module: the backend must exist and cannot be deleted meanwhile.

use crate::resources::{Link, ModuleRules, Role};
use postern_api::{
    Code, Error, Id, Result,
    module::{Backend, BackendView},
    resource::{Ref, TunnelGroupBackend},
};

impl ModuleRules for Backend {
    fn check(&mut self) -> Result<()> {
        target(self).map(|_| ())
    }

    fn links(&self) -> Result<Vec<Link>> {
        Ok(vec![Link::to(&target(self)?, Role::Needs)])
    }

    fn view(&self, base_url: &str) -> Result<BackendView> {
        Ok(BackendView { enabled: self.enabled, backend: Ref::to(base_url, &target(self)?) })
    }
}

/// The backend that is named. Other kinds of backends join here.
fn target(module: &Backend) -> Result<Id<TunnelGroupBackend>> {
    if module.backend_id.is_empty() {
        return Err(Error::new(Code::FieldMissing, "`backend_id` is needed: the id of the backend to use.")
            .with("field", "backend_id"));
    }
    Id::parse(&module.backend_id).map_err(|error| error.with("field", "backend_id"))
}

//! Rules of one module.

use super::{
    Resources,
    relations::{Link, NewLink},
};
use postern_api::{AnyId, Result, module::Module};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// A module as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct StoredModule<M: ModuleRules> {
    pub(crate) module: M,
    /// State that the caller did not send.
    #[serde(default)]
    pub(crate) hidden: M::Hidden,
    #[serde(default)]
    pub(crate) links: Vec<Link>,
}

/// Rules of one module; everything else is generic.
pub(crate) trait ModuleRules: Module {
    /// State stored beside the configuration. It survives a replacement of the configuration.
    type Hidden: Default + Clone + std::fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// JSON pointers into the stored module (`/module/…`, `/hidden/…`) to texts that are sealed at rest.
    const SECRETS: &'static [&'static str] = &[];

    /// Validates the configuration and brings it into its canonical form.
    fn check(&mut self, ctx: &Resources) -> Result<()>;

    /// Records that the module names.
    fn links(&self) -> Result<Vec<NewLink>> {
        Ok(Vec::new())
    }

    /// State to store beside the configuration; `former` is that of the replaced configuration.
    fn hidden(
        &self,
        _owner: &AnyId,
        former: Option<Self::Hidden>,
        _ctx: &Resources,
    ) -> impl Future<Output = Result<Self::Hidden>> + Send {
        std::future::ready(Ok(former.unwrap_or_default()))
    }

    /// The module as callers see it.
    fn view(stored: &StoredModule<Self>, owner: &AnyId, ctx: &Resources) -> Result<Self::View>;
}

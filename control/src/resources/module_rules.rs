//! Rules of one module.

use super::{
    Resources,
    relations::{Link, NewLink},
};
use postern_api::{AnyId, Result, ip_rules::IpRules, module::Module};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::sync::Arc;

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

    /// What a valid module cannot do on this server as it is configured, and what would be needed.
    fn warning(&self, _ctx: &Resources) -> Option<&'static str> {
        None
    }

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

    /// Removes what is stored in the hidden state only, before the module is stored.
    fn strip_secrets(&mut self) {}

    /// The module as callers see it.
    fn view(stored: &StoredModule<Self>, owner: &AnyId, ctx: &Resources) -> Result<Self::View>;

    /// The module as the edge applies it.
    ///
    /// # Errors
    /// If another version stored a module that this one cannot read. Visitors are refused then.
    fn publish(stored: &StoredModule<Self>, references: &dyn ModuleReferences) -> Result<Self::Published>;
}

/// Records that modules name, in the form in which the edge needs them. Deleted records are left out.
pub(crate) trait ModuleReferences {
    /// The rules of several IP policies together.
    fn ip_rules(&self, policies: &[String]) -> Arc<IpRules>;

    /// The certificates of authorities, in PEM.
    fn authorities(&self, ids: &[String]) -> Vec<Arc<str>>;
}

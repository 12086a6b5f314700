//! The OpenID Connect module: an issuer and a client registered with it.

use crate::resources::{ModuleReferences, ModuleRules, Resources, StoredModule};
use postern_api::{
    AnyId, Result, checks,
    module::{Oidc, OidcView},
    published::Login,
    resource::Nothing,
};
use std::sync::Arc;

impl ModuleRules for Oidc {
    type Hidden = Nothing;
    const SECRETS: &'static [&'static str] = &["/module/client_secret"];

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        checks::oidc(self)
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, _ctx: &Resources) -> Result<OidcView> {
        let module = stored.module.clone();
        Ok(OidcView {
            enabled: module.enabled,
            options_passthrough: module.options_passthrough,
            cookie_prefix: module.cookie_prefix,
            inactivity_timeout: module.inactivity_timeout,
            maximum_duration: module.maximum_duration,
            issuer: module.issuer,
            client_id: module.client_id,
            client_secret: module.client_secret,
            scopes: module.scopes,
        })
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<Arc<Login>> {
        Ok(Arc::new(Login::Oidc(stored.module.clone())))
    }
}

//! The OpenID Connect module: an issuer and an app at it.

use crate::resources::{KeptModule, ModuleRules, Resources};
use postern_api::{
    AnyId, Result, checks,
    module::{Oidc, OidcView},
    resource::Nothing,
};

impl ModuleRules for Oidc {
    type Hidden = Nothing;
    const SECRETS: &'static [&'static str] = &["/module/client_secret"];

    fn check(&mut self, _here: &Resources) -> Result<()> {
        checks::oidc(self)
    }

    fn view(kept: &KeptModule<Self>, _owner: &AnyId, _here: &Resources) -> Result<OidcView> {
        let module = kept.module.clone();
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
}

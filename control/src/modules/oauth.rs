//! The OAuth module: a provider, an OAuth app, and the users that are admitted.

use crate::resources::{ModuleReferences, ModuleRules, Resources, StoredModule};
use postern_api::{
    AnyId, Result, checks,
    module::{OAuth, OAuthView},
    published::Login,
    resource::Nothing,
};
use std::sync::Arc;

impl ModuleRules for OAuth {
    type Hidden = Nothing;
    const SECRETS: &'static [&'static str] = &[
        "/module/provider/github/client_secret",
        "/module/provider/facebook/client_secret",
        "/module/provider/microsoft/client_secret",
        "/module/provider/google/client_secret",
        "/module/provider/linkedin/client_secret",
        "/module/provider/gitlab/client_secret",
        "/module/provider/twitch/client_secret",
        "/module/provider/amazon/client_secret",
    ];

    fn check(&mut self, ctx: &Resources) -> Result<()> {
        checks::oauth(self, |provider| ctx.settings.oauth_apps.contains_key(&provider))
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, _ctx: &Resources) -> Result<OAuthView> {
        let module = stored.module.clone();
        Ok(OAuthView {
            enabled: module.enabled,
            options_passthrough: module.options_passthrough,
            cookie_prefix: module.cookie_prefix,
            inactivity_timeout: module.inactivity_timeout,
            maximum_duration: module.maximum_duration,
            provider: module.provider.into(),
            auth_check_interval: module.auth_check_interval,
        })
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<Arc<Login>> {
        Ok(Arc::new(Login::OAuth(Box::new(stored.module.clone()))))
    }
}

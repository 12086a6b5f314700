//! The OAuth module: one provider, an app to log in with, and lists of who may come in.

use crate::resources::{KeptModule, ModuleRules, Resources};
use postern_api::{
    AnyId, Result, checks,
    module::{OAuth, OAuthView},
    resource::Nothing,
};

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

    fn check(&mut self, here: &Resources) -> Result<()> {
        checks::oauth(self, |provider| here.settings.oauth_apps.contains_key(&provider))
    }

    fn view(kept: &KeptModule<Self>, _owner: &AnyId, _here: &Resources) -> Result<OAuthView> {
        let module = kept.module.clone();
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
}

//! The OAuth module: a provider, an OAuth app, and the users that are admitted.

use crate::resources::{ModuleReferences, ModuleRules, Resources, StoredModule};
use postern_api::{
    AnyId, Result, checks,
    module::{OAuth, OAuthView},
    published::Login,
    resource::Nothing,
};
use std::sync::Arc;

/// Microsoft does not tell whether an address was verified, and the administrator of any tenant can enter any address.
const MICROSOFT_TENANTS_NEEDED: &str = "No visitor is admitted by e-mail address or domain yet: Microsoft does not verify \
     addresses. The server's operator must list the Microsoft tenants whose addresses count, as `tenants` in the file of \
     `--oauth-apps`.";

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
        checks::oauth(self, |provider| ctx.oauth_facts().apps.contains(&provider))
    }

    fn warning(&self, ctx: &Resources) -> Option<&'static str> {
        let microsoft = self.provider.microsoft.as_ref()?;
        let by_address = !microsoft.email_addresses.is_empty() || !microsoft.email_domains.is_empty();
        (by_address && !ctx.oauth_facts().has_microsoft_tenants).then_some(MICROSOFT_TENANTS_NEEDED)
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

//! The webhook verification module: a known provider, and a secret in the form that its signatures need.

use crate::resources::{ModuleReferences, ModuleRules, Resources, StoredModule};
use postern_api::{
    AnyId, Result, checks,
    module::{WebhookVerification, WebhookVerificationView},
    resource::Nothing,
};

impl ModuleRules for WebhookVerification {
    type Hidden = Nothing;
    const SECRETS: &'static [&'static str] = &["/module/secret"];

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        checks::webhook_verification(self)
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, _ctx: &Resources) -> Result<WebhookVerificationView> {
        let WebhookVerification { enabled, provider, secret } = stored.module.clone();
        Ok(WebhookVerificationView { enabled, provider, secret: secret.unwrap_or_default() })
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<WebhookVerification> {
        Ok(stored.module.clone())
    }
}

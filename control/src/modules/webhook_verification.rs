//! The webhook verification module: a known provider, and a secret of the form its signatures need.

use crate::resources::{KeptModule, ModuleRules, Resources};
use postern_api::{
    AnyId, Result, checks,
    module::{WebhookVerification, WebhookVerificationView},
    resource::Nothing,
};

impl ModuleRules for WebhookVerification {
    type Hidden = Nothing;
    const SECRETS: &'static [&'static str] = &["/module/secret"];

    fn check(&mut self, _here: &Resources) -> Result<()> {
        checks::webhook_verification(self)
    }

    fn view(kept: &KeptModule<Self>, _owner: &AnyId, _here: &Resources) -> Result<WebhookVerificationView> {
        let WebhookVerification { enabled, provider, secret } = kept.module.clone();
        Ok(WebhookVerificationView { enabled, provider, secret: secret.unwrap_or_default() })
    }
}

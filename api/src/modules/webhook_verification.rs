//! The webhook verification module: only requests that a provider has signed pass.

use crate::{
    Secret,
    module::{Module, enabled, yes},
    webhooks::Provider,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest secret, in bytes.
pub const WEBHOOK_SECRET_LIMIT: usize = 2048;

/// Sets the provider of webhooks and the secret that verifies its signatures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = secret_where_needed)]
pub struct WebhookVerification {
    /// Whether the module is enabled.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
    /// Provider, case-insensitive.
    #[schemars(schema_with = "providers")]
    pub provider: String,
    /// The secret shared with the provider. Every provider needs one but `sns`, which must have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2048))]
    pub secret: Option<Secret>,
}

/// The webhook verification module in responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WebhookVerificationView {
    /// Whether the module is enabled.
    pub enabled: bool,
    /// The provider as it was written.
    pub provider: String,
    /// The secret; empty for a provider that has none.
    pub secret: Secret,
}

impl Module for WebhookVerification {
    const NAME: &'static str = "webhook_verification";
    type View = WebhookVerificationView;
    type Published = Self;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}

fn providers(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": Provider::names().collect::<Vec<_>>() })
}

/// Marks in the schema which providers need a secret.
fn secret_where_needed(schema: &mut Schema) {
    let without: Vec<&str> = Provider::ALL.iter().filter(|one| !one.has_secret()).map(|one| one.name()).collect();
    schema.insert("if".to_owned(), serde_json::json!({ "properties": { "provider": { "enum": without } } }));
    schema.insert("then".to_owned(), serde_json::json!({ "properties": { "secret": { "maxLength": 0 } } }));
    let needed: Value = serde_json::json!({
        "required": ["secret"], "properties": { "secret": { "type": "string", "minLength": 1 } }
    });
    schema.insert("else".to_owned(), needed);
}

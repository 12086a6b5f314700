//! The header modules: headers added to and removed from requests and responses.

use crate::module::{Module, enabled, yes};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Headers to add and to remove. A name in both is replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeaderChanges {
    /// Whether the module is enabled.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
    /// Headers to add, at most 100. A value may hold variables, `${…}`.
    #[serde(default)]
    #[schemars(with = "Option<BTreeMap<String, String>>", transform = added)]
    pub add: BTreeMap<String, String>,
    /// Names of headers to remove with all their values, at most 100.
    #[serde(default)]
    #[schemars(with = "Option<Vec<String>>", transform = removed)]
    pub remove: Vec<String>,
}

/// A header module in responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeaderChangesView {
    /// Whether the module is enabled.
    pub enabled: bool,
    /// Headers to add, their names in lower case.
    pub add: BTreeMap<String, String>,
    /// Names of headers to remove, in lower case.
    pub remove: Vec<String>,
}

/// Header changes of requests before they go to the backend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct RequestHeaders(pub HeaderChanges);

/// Header changes of responses before they go to the visitor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ResponseHeaders(pub HeaderChanges);

impl Module for RequestHeaders {
    const NAME: &'static str = "request_headers";
    type View = HeaderChangesView;
    type Published = HeaderChanges;

    fn is_enabled(&self) -> bool {
        self.0.enabled
    }
}
impl Module for ResponseHeaders {
    const NAME: &'static str = "response_headers";
    type View = HeaderChangesView;
    type Published = HeaderChanges;

    fn is_enabled(&self) -> bool {
        self.0.enabled
    }
}

fn added(schema: &mut Schema) {
    schema.insert("maxProperties".to_owned(), crate::headers::COUNT_LIMIT.into());
    schema.insert("propertyNames".to_owned(), name());
    let value = serde_json::json!({
        "type": "string", "pattern": crate::headers::VALUE_PATTERN, "maxLength": crate::headers::VALUE_LIMIT
    });
    schema.insert("additionalProperties".to_owned(), value);
}

fn removed(schema: &mut Schema) {
    schema.insert("maxItems".to_owned(), crate::headers::COUNT_LIMIT.into());
    schema.insert("uniqueItems".to_owned(), true.into());
    schema.insert("items".to_owned(), name());
}

fn name() -> serde_json::Value {
    serde_json::json!({
        "type": "string", "pattern": crate::headers::NAME_PATTERN, "maxLength": crate::headers::NAME_LIMIT
    })
}

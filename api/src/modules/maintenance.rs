//! The maintenance module: a response of its own for a while.

use crate::{
    Timestamp,
    module::{Module, enabled, yes},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest body, in bytes.
pub const MAINTENANCE_BODY_LIMIT: usize = 32 << 10;
/// The most networks that pass.
pub const MAINTENANCE_NETWORK_LIMIT: usize = 100;

/// Maintenance: visitors get a response of the edge, until a time or until the module is turned off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Maintenance {
    /// Whether the module is enabled.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
    /// The end, in RFC 3339; afterwards the module does nothing. Without it, the module works until it is turned off.
    pub until: Option<Timestamp>,
    /// HTTP status, 200 to 599.
    #[serde(default = "unavailable")]
    #[schemars(range(min = 200, max = 599))]
    pub status_code: u16,
    /// Body, at most 32 KiB. Without it, visitors get the page or the JSON of the server.
    #[serde(default)]
    #[schemars(length(max = MAINTENANCE_BODY_LIMIT))]
    pub body: String,
    /// Type of the body.
    #[serde(default = "html")]
    pub content_type: String,
    /// Networks whose visitors pass, in CIDR notation, at most 100.
    #[serde(default)]
    #[schemars(length(max = MAINTENANCE_NETWORK_LIMIT))]
    pub allow: Vec<String>,
}

/// The maintenance module in responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MaintenanceView {
    /// Whether the module is enabled.
    pub enabled: bool,
    /// The end; afterwards the module does nothing.
    pub until: Option<Timestamp>,
    /// HTTP status.
    pub status_code: u16,
    /// Body.
    pub body: String,
    /// Type of the body.
    pub content_type: String,
    /// Networks whose visitors pass.
    pub allow: Vec<String>,
}

impl Module for Maintenance {
    const NAME: &'static str = "maintenance";
    type View = MaintenanceView;
    type Published = Self;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}

impl Default for Maintenance {
    fn default() -> Self {
        Maintenance {
            enabled: true,
            until: None,
            status_code: unavailable(),
            body: String::new(),
            content_type: html(),
            allow: Vec::new(),
        }
    }
}

fn unavailable() -> u16 {
    503
}

fn html() -> String {
    "text/html; charset=utf-8".to_owned()
}

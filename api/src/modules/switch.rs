//! Modules in responses that are only on or off.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A module without settings, in responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SwitchView {
    /// Whether the module is enabled.
    pub enabled: bool,
}

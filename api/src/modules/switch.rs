//! How modules are shown that are on or off and nothing else.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A module without settings, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SwitchView {
    /// Whether it counts.
    pub enabled: bool,
}

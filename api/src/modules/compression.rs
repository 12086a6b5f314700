//! The compression module: compresses responses for visitors who accept it.

use crate::{
    module::{Module, enabled, yes},
    modules::SwitchView,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Compresses responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compression {
    /// Whether the module is enabled.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
}

impl Module for Compression {
    const NAME: &'static str = "compression";
    type View = SwitchView;
    type Published = Self;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}

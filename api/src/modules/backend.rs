//! The backend module: the backend of an edge or route.

use crate::{
    module::{Module, enabled, yes},
    resource::Ref,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sets the backend of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Backend {
    /// Whether the module is enabled.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
    /// The backend's id.
    #[schemars(regex(pattern = "^bkd(tg|wd|hr|fo|sc)_[0-9A-Za-z]{27}$"))]
    pub backend_id: String,
}

/// The backend module in responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackendView {
    /// Whether the module is enabled.
    pub enabled: bool,
    /// The backend.
    pub backend: Ref,
}

impl Backend {
    /// An enabled module with this backend.
    pub fn to(id: impl std::fmt::Display) -> Self {
        Backend { enabled: true, backend_id: id.to_string() }
    }
}

impl Module for Backend {
    const NAME: &'static str = "backend";
    type View = BackendView;
    type Published = String;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}

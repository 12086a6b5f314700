//! The mutual TLS module: visitors must show a certificate of one of these authorities.

use crate::{
    module::{Module, enabled, yes},
    resource::Ref,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The most certificate authorities one module may name.
pub const AUTHORITY_LIMIT: usize = 10;

/// Names the authorities that may have signed a visitor's certificate; any one of them is enough.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MutualTls {
    /// Whether the module is enabled.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
    /// The ids of the authorities, 1 to [`AUTHORITY_LIMIT`].
    #[schemars(length(min = 1, max = 10), inner(regex(pattern = "^ca_[0-9A-Za-z]{27}$")))]
    pub certificate_authority_ids: Vec<String>,
}

/// The mutual TLS module in responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MutualTlsView {
    /// Whether the module is enabled.
    pub enabled: bool,
    /// The authorities.
    pub certificate_authorities: Vec<Ref>,
}

impl Module for MutualTls {
    const NAME: &'static str = "mutual_tls";
    type View = MutualTlsView;
    type Published = Vec<Arc<str>>;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}

//! The error pages module: HTML of one's own for errors.

use crate::module::{Module, enabled, yes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most pages.
pub const ERROR_PAGE_LIMIT: usize = 20;
/// The longest page, in bytes.
pub const ERROR_PAGE_SIZE: usize = 32 << 10;
/// All pages together, in bytes.
pub const ERROR_PAGES_SIZE: usize = 128 << 10;

/// Pages of one's own for errors, for visitors whose `Accept` names HTML.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorPages {
    /// Whether the module is enabled.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
    /// HTML by status, such as `404`, or by `4xx` and `5xx`; a status takes precedence. 1 to 20 pages of at most 32 KiB, and
    /// 128 KiB together. `${error.code}`, `${error.message}`, `${res.status}` and `${req.id}` are replaced.
    #[schemars(extend(
        "minProperties" = 1,
        "maxProperties" = ERROR_PAGE_LIMIT,
        "propertyNames" = { "pattern": "^[45]([0-9][0-9]|xx)$" },
        "additionalProperties" = { "type": "string", "maxLength": ERROR_PAGE_SIZE }
    ))]
    pub pages: BTreeMap<String, String>,
    /// Whether errors of the backend get the pages too, and not only those of the edge.
    #[serde(default)]
    pub upstream: bool,
}

/// The error pages module in responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorPagesView {
    /// Whether the module is enabled.
    pub enabled: bool,
    /// HTML by status.
    pub pages: BTreeMap<String, String>,
    /// Whether errors of the backend get the pages too.
    pub upstream: bool,
}

impl Module for ErrorPages {
    const NAME: &'static str = "error_pages";
    type View = ErrorPagesView;
    type Published = Self;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}

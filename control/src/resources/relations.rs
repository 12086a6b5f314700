//! Claims and links: values that only one record may hold, and dependencies between records.

use super::keys;
use crate::store::{Entry, StoreError};
use postern_api::{AnyId, Code, Result};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Claims and links of any stored record or module, read without knowing its kind.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ClaimsAndLinks {
    pub(crate) claims: Vec<Claim>,
    pub(crate) links: Vec<Link>,
}

/// A value that at most one record may hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Claim {
    pub(crate) scope: String,
    pub(crate) value: String,
}

/// A dependency of a record or module on another record, which must exist when the link is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Link {
    pub(crate) to: AnyId,
    /// Kind of the target.
    pub(crate) kind: String,
    pub(crate) role: LinkRole,
}

/// Effect of deleting the target of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LinkRole {
    /// The target cannot be deleted.
    Needs,
    /// The source is deleted with the target.
    Belongs,
    /// The source stays and keeps naming the deleted target.
    Mentions,
}

/// Value stored under a link's key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LinkEntry {
    pub(crate) role: LinkRole,
    /// Key of the linking record, or of the owner of the linking module.
    pub(crate) from: String,
}

/// A link of a record or module about to be stored, and the error if its target does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewLink {
    pub(crate) link: Link,
    /// Code of the error.
    pub(crate) unknown: Code,
    /// Member of the body that names the target, reported with the error.
    pub(crate) field: Option<&'static str>,
}

impl NewLink {
    /// Reports the member of the body that names the target.
    pub(crate) fn in_field(self, field: &'static str) -> Self {
        NewLink { field: Some(field), ..self }
    }

    /// Replaces the code of the error.
    pub(crate) fn or_else(self, unknown: Code) -> Self {
        NewLink { unknown, ..self }
    }
}

impl Link {
    pub(crate) fn target_key(&self) -> String {
        format!("records/{}/{}", self.kind, self.to)
    }

    /// Key of this link from a record (`<id>`) or a module (`<id>/<name>`).
    pub(crate) fn key(&self, from: &str) -> String {
        format!("{}{from}", keys::links_to(self.to.as_str()))
    }
}

impl Claim {
    pub(crate) fn key(&self) -> String {
        format!("claims/{}/{}", self.scope, self.value)
    }
}

/// Reads a stored value that holds no secret.
pub(crate) fn decode<T: DeserializeOwned>(entry: &Entry) -> Result<T> {
    serde_json::from_slice(&entry.value)
        .map_err(|error| StoreError::Broken(format!("`{}` cannot be read: {error}", entry.key)).into())
}

//! The stored forms: records, modules, and what ties them together.

use super::rules::{ModuleRules, Rules};
use crate::store::{Entry, StoreError};
use postern_api::{
    AnyId, Id, OwnerId, Result, Timestamp,
    resource::{Resource, collection, list_uri},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// A record as it is stored. Claims and links are noted down in it, so that they are found again even if the
/// rules that made them change.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Kept<R: Rules> {
    pub(crate) id: Id<R>,
    /// What a nested record lies in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<AnyId>,
    pub(crate) created_at: Timestamp,
    #[serde(default)]
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) metadata: String,
    pub(crate) spec: R,
    /// What is never shown: a hash, the id of a parent.
    pub(crate) hidden: R::Hidden,
    #[serde(default)]
    pub(crate) claims: Vec<Claim>,
    #[serde(default)]
    pub(crate) links: Vec<Link>,
}

/// A module as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct KeptModule<M: ModuleRules> {
    pub(crate) module: M,
    /// What is kept beside what the caller said.
    #[serde(default)]
    pub(crate) hidden: M::Hidden,
    #[serde(default)]
    pub(crate) links: Vec<Link>,
}

/// What any record or module tells without knowing its kind.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Ties {
    pub(crate) claims: Vec<Claim>,
    pub(crate) links: Vec<Link>,
}

/// A value that no two records may hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Claim {
    pub(crate) scope: String,
    pub(crate) value: String,
}

/// From a record or module to a record it depends on. The target must exist when the link is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Link {
    pub(crate) to: AnyId,
    /// The kind of the target.
    pub(crate) kind: String,
    pub(crate) role: Role,
}

/// What happens to a link when its target shall be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    /// The target cannot be deleted.
    Needs,
    /// The source is deleted with it.
    Belongs,
    /// The source stays and goes on naming what is no more.
    Mentions,
}

/// What is stored under a link's key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Linked {
    pub(crate) role: Role,
    /// The key of the record that links, or owns the module that does.
    pub(crate) from: String,
}

impl Link {
    /// A link to a record of a known kind.
    pub(crate) fn to<R: Resource>(id: &Id<R>, role: Role) -> Self {
        Link { to: id.any(), kind: R::KIND.to_owned(), role }
    }

    /// A link to a user or bot user.
    pub(crate) fn to_owner(id: &OwnerId, role: Role) -> Self {
        Link { to: id.any(), kind: id.kind().to_owned(), role }
    }

    pub(crate) fn target_key(&self) -> String {
        format!("records/{}/{}", self.kind, self.to)
    }

    /// The key of this link, from a record (`<id>`) or a module (`<id>/<name>`).
    pub(crate) fn key(&self, from: &str) -> String {
        format!("{}{from}", links_to(self.to.as_str()))
    }
}

impl Claim {
    pub(crate) fn key(&self) -> String {
        format!("claims/{}/{}", self.scope, self.value)
    }
}

impl<R: Rules> Kept<R> {
    pub(crate) fn key(&self) -> String {
        record_key::<R>(self.id.as_str())
    }

    pub(crate) fn uri(&self, base_url: &str) -> String {
        format!("{}/{}", list_uri(base_url, &collection::<R>(self.parent.as_ref())), self.id)
    }
}

pub(crate) fn records<R: Resource>() -> String {
    format!("records/{}/", R::KIND)
}
pub(crate) fn record_key<R: Resource>(id: &str) -> String {
    format!("records/{}/{id}", R::KIND)
}
pub(crate) fn modules_of(owner: &str) -> String {
    format!("modules/{owner}/")
}
pub(crate) fn module_key(owner: &str, name: &str) -> String {
    format!("modules/{owner}/{name}")
}
pub(crate) fn links_to(target: &str) -> String {
    format!("links/{target}/")
}

/// Reads a stored value that holds no secret.
pub(crate) fn decode<T: DeserializeOwned>(entry: &Entry) -> Result<T> {
    serde_json::from_slice(&entry.value)
        .map_err(|error| StoreError::Broken(format!("`{}` cannot be read: {error}", entry.key)).into())
}

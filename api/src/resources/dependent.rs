//! What refers to a record, for whoever thinks of deleting it.

use crate::AnyId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A record, or a module of one, that refers to another record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dependent {
    /// The id of the record that refers, or has the module that does.
    pub id: AnyId,
    /// Its kind, such as `https_route`.
    pub kind: String,
    /// For people; empty if never set.
    pub description: String,
    /// The id of the record it lies in; null if it lies in none.
    pub parent_id: Option<AnyId>,
    /// The module that refers; empty if the record itself does.
    pub module: String,
    /// What happens when the record it refers to shall be deleted.
    pub on_delete: OnDelete,
}

/// What a reference means for the deletion of what is referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnDelete {
    /// The deletion is refused.
    Refuses,
    /// It is deleted as well.
    Goes,
    /// It stays and goes on naming what is no more.
    Stays,
}

//! References to a record, shown before it is deleted.

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
    /// Description shown in lists; empty if never set.
    pub description: String,
    /// Id of its parent record; null if it has none.
    pub parent_id: Option<AnyId>,
    /// The module that refers; empty if the record itself does.
    pub module: String,
    /// Effect of deleting the record it refers to.
    pub on_delete: OnDelete,
}

/// Effect of a reference on the deletion of its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnDelete {
    /// The deletion is refused.
    Refuses,
    /// The referring record is deleted as well.
    Goes,
    /// The referring record stays and keeps the dangling reference.
    Stays,
}

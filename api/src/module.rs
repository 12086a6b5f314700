//! Modules: parts of an edge that are set, read and removed separately.

use crate::{AnyId, Id, resource::Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};

pub use crate::modules::*;

/// Configuration of a module, as sent in a PUT and as stored.
pub trait Module: Clone + std::fmt::Debug + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// Last part of its path, and its member in the owner's record.
    const NAME: &'static str;
    /// Whether visitors log in. At most one such module of a route can be enabled: the order of several would be
    /// undefined.
    const IS_LOGIN: bool = false;
    /// Form in responses: ids become references.
    type View: Clone + std::fmt::Debug + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// Form in the configuration that the edge applies.
    type Published: Clone + std::fmt::Debug + PartialEq + Send + Sync + 'static;

    /// Whether the module is in force. A disabled module is stored and shown, but not published.
    fn is_enabled(&self) -> bool;
}

/// Marks that a kind accepts a module. Invalid pairs do not compile.
pub trait Hosts<M: Module>: Resource {}

/// Path of a module below the base URL. `parent` is the parent of the owner, if it has one.
pub fn module_path<O: Hosts<M>, M: Module>(parent: Option<&AnyId>, owner: &Id<O>) -> String {
    format!("{}/{owner}/{}", crate::resource::collection::<O>(parent), M::NAME)
}

/// `enabled`: true if absent or null.
pub(crate) fn enabled<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::<bool>::deserialize(deserializer)?.unwrap_or(true))
}
pub(crate) fn yes() -> bool {
    true
}

//! Modules: parts of an edge that are put, read and removed on their own.

use crate::{AnyId, Id, resource::Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};

pub use crate::modules::*;

/// A module's configuration, as it is put and as it is stored.
pub trait Module: Clone + std::fmt::Debug + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// The last part of its path, and its member in the owner's record.
    const NAME: &'static str;
    /// How it is shown: ids become references.
    type View: Clone + std::fmt::Debug + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static;
}

/// Says that a kind accepts a module. Pairs that make no sense do not compile.
pub trait Hosts<M: Module>: Resource {}

/// The path of a module below the base address. `parent` is what the owner lies in, if it lies in something.
pub fn module_path<O: Hosts<M>, M: Module>(parent: Option<&AnyId>, owner: &Id<O>) -> String {
    format!("{}/{owner}/{}", crate::resource::collection::<O>(parent), M::NAME)
}

/// `enabled`: true if it is absent or null.
pub(crate) fn enabled<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::<bool>::deserialize(deserializer)?.unwrap_or(true))
}
pub(crate) fn yes() -> bool {
    true
}

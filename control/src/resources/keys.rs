//! Layout of the store's keys.

use postern_api::resource::Resource;

/// Prefix of the keys of all records of a kind.
pub(crate) fn records<R: Resource>() -> String {
    format!("records/{}/", R::KIND)
}

/// Key of a record.
pub(crate) fn record<R: Resource>(id: &str) -> String {
    format!("records/{}/{id}", R::KIND)
}

/// Prefix of the keys of all modules.
pub(crate) const MODULES: &str = "modules/";

/// Prefix of the keys of all modules of one owner.
pub(crate) fn modules_of(owner: &str) -> String {
    format!("{MODULES}{owner}/")
}

/// Key of a module.
pub(crate) fn module(owner: &str, name: &str) -> String {
    format!("{MODULES}{owner}/{name}")
}

/// Prefix of the keys of all links to a record.
pub(crate) fn links_to(target: &str) -> String {
    format!("links/{target}/")
}

//! Layout of the store's keys.

use postern_api::{host::HostName, resource::Resource};

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

/// Prefix of the keys of all addresses of tunnels.
pub(crate) const BOUND: &str = "bound/";

/// Key of the claim of tunnels on a name. The labels are reversed, so that all names below a name have a common prefix.
pub(crate) fn bound_host(name: &HostName) -> String {
    format!("{BOUND}host/{}", name.reversed())
}

/// Key of the claim of a tunnel on a port.
pub(crate) fn bound_port(port: u16) -> String {
    format!("{BOUND}tcp/{port}")
}

/// Prefix of the keys of all links to a record.
pub(crate) fn links_to(target: &str) -> String {
    format!("links/{target}/")
}

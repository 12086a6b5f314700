//! Id of a data folder, and whose process uses it.

use crate::{files, store::Result};
use postern_api::id::random_hex;
use std::path::Path;

/// File with the id.
const ID_FILE: &str = "node.id";

/// Whether the configuration of the server with this data folder is in a store that several programs could use.
pub(in crate::store) fn is_elsewhere(folder: &Path) -> bool {
    folder.join(ID_FILE).exists()
}

/// Id of a data folder, 32 hexadecimal digits, made the first time.
pub(super) fn folder_id(folder: &Path) -> Result<String> {
    let path = folder.join(ID_FILE);
    if let Some(id) = files::read(&path)? {
        return Ok(String::from_utf8_lossy(&id).trim().to_owned());
    }
    let id = random_hex();
    files::write_private(&path, format!("{id}\n").as_bytes())?;
    Ok(id)
}

/// Name of this host.
#[cfg(unix)]
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
/// Name of this host.
#[cfg(not(unix))]
pub fn host_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_else(|_| "another host".to_owned())
}

//! The file in which the local server writes the addresses it listens on.

use serde::Deserialize;
use std::{net::SocketAddr, path::Path};

/// The content of `addresses.json`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ServerAddresses {
    pub(crate) https: SocketAddr,
    pub(crate) http: SocketAddr,
    pub(crate) api: SocketAddr,
    #[serde(default = "localhost")]
    pub(crate) domain: String,
    pub(crate) pid: u32,
}

fn localhost() -> String {
    "localhost".to_owned()
}

impl ServerAddresses {
    /// The addresses of the server that ran last in this data folder.
    pub(crate) fn read(path: &Path) -> Option<ServerAddresses> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }
}

//! `addresses.json` in the data folder: where the running server listens, for the desktop app and for scripts.

use crate::configuration::plain;
use crate::data_folder::DataFolder;
use postern_api::{Code, Error};
use serde::Serialize;
use std::net::{IpAddr, SocketAddr};

const NAME: &str = "addresses.json";

/// The real addresses, after ports given as 0 were chosen by the system.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Addresses {
    pub(crate) https: SocketAddr,
    pub(crate) http: SocketAddr,
    pub(crate) api: SocketAddr,
    pub(crate) tcp: IpAddr,
    pub(crate) tcp_ports: (u16, u16),
    pub(crate) domain: String,
    pub(crate) pid: u32,
}

impl Addresses {
    /// Writes the file: a reader sees the old one or the new one whole.
    pub(crate) fn write(&self, folder: &DataFolder) -> Result<(), Error> {
        let text = serde_json::to_vec_pretty(self).map_err(|error| Error::new(Code::Internal, error.to_string()))?;
        folder.replace(NAME, &text).map_err(|error| {
            Error::new(
                Code::StorageReadOnly,
                format!("{} cannot be written: {}.", folder.path().join(NAME).display(), plain(&error)),
            )
        })
    }

    /// Removes the file at a clean end, so that nobody looks for this server any more.
    pub(crate) fn remove(folder: &DataFolder) {
        let _ = std::fs::remove_file(folder.path().join(NAME));
    }
}

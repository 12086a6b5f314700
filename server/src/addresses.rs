//! `addresses.json` in the data folder: listening addresses of the running server, for the desktop app and scripts.

use crate::{data_folder::DataFolder, io_error::reason};
use postern_api::{Code, Error};
use serde::{Deserialize, Serialize};
use std::{
    net::{IpAddr, SocketAddr},
    path::Path,
};

const NAME: &str = "addresses.json";

/// Bound addresses, with the ports that the system chose for port 0.
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
    /// Writes the file atomically.
    pub(crate) fn write(&self, folder: &DataFolder) -> Result<(), Error> {
        let text = serde_json::to_vec_pretty(self).map_err(|error| Error::new(Code::Internal, error.to_string()))?;
        folder.replace(NAME, &text).map_err(|error| {
            Error::new(
                Code::StorageReadOnly,
                format!("{} cannot be written: {}.", folder.path().join(NAME).display(), reason(&error)),
            )
        })
    }

    /// The address of the management API of the server that runs with this data folder.
    pub(crate) fn api_of(folder: &Path) -> Option<SocketAddr> {
        #[derive(Deserialize)]
        struct Api {
            api: SocketAddr,
        }
        let text = std::fs::read(folder.join(NAME)).ok()?;
        serde_json::from_slice::<Api>(&text).ok().map(|found| found.api)
    }

    /// Removes the file at a clean shutdown.
    pub(crate) fn remove(folder: &DataFolder) {
        let _ = std::fs::remove_file(folder.path().join(NAME));
    }
}

//! The facade: everything the server program does with the control side.

use crate::{Live, Settings, Snapshot};
use postern_api::{Code, Error, Result, Secret};
use std::{path::PathBuf, sync::Arc};
use tokio::sync::watch;

/// A running control side. Needs a tokio runtime.
pub struct Control {
    published: watch::Receiver<Arc<Snapshot>>,
}

impl Control {
    /// Opens the data folder and publishes the configuration found there.
    ///
    /// Fails with `StorageLocked` if another server has the folder, and with `StorageReadOnly` or
    /// `StorageFull` if it cannot be written.
    pub async fn open(_settings: Settings, _live: Arc<dyn Live>) -> Result<Self> {
        Err(Error::from(Code::Unavailable))
    }

    /// The management API. It answers every path, so put other routes before it and this one as the fallback.
    pub fn router(&self) -> axum::Router {
        axum::Router::new()
    }

    /// The configuration as the edge needs it, always the newest.
    pub fn published(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.published.clone()
    }

    /// With an empty store: makes the administrator and one API key and writes the key, one line, to
    /// `admin.key` in the data folder. Says where it is, or `None` if there was a key already.
    pub async fn ensure_first_key(&self) -> Result<Option<PathBuf>> {
        Ok(None)
    }

    /// Makes an API key and returns it, the one time it can be seen. With `admin` it belongs to the
    /// administrator, otherwise to a new user without rights over others.
    pub async fn create_api_key(&self, _description: &str, _admin: bool) -> Result<Secret> {
        Err(Error::from(Code::Unavailable))
    }
}

//! The configuration of this installation: its folders, its listen addresses and its settings file.

use crate::paths::{AppPaths, ListenAddresses};
use crate::settings::SettingsFile;

/// What is set before the app starts or saved to disk while it runs.
pub(crate) struct AppConfig {
    pub(crate) paths: AppPaths,
    /// The preferred addresses; another free port may be used instead.
    pub(crate) listen: ListenAddresses,
    pub(crate) settings: SettingsFile,
}

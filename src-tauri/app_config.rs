//! The configuration of this installation: its folders, its listen addresses and its settings file.

use crate::{
    paths::{AppPaths, ListenAddresses},
    settings::SettingsFile,
};

/// Configuration from before the start, and the settings that are saved while the app runs.
pub(crate) struct AppConfig {
    pub(crate) paths: AppPaths,
    /// The preferred addresses; another free port may be used instead.
    pub(crate) listen: ListenAddresses,
    pub(crate) settings: SettingsFile,
}

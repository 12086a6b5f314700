//! The settings that the app saves between starts.

use postern_config::private_file;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The content of `settings.json`. Unknown fields of a newer version are dropped, missing ones take their default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct AppSettings {
    /// Tunnels that were on; the next start switches them on again.
    pub(crate) tunnels_on: BTreeSet<String>,
    /// Tunnels that "Pause all" switched off; "Resume" switches them on again.
    pub(crate) paused: BTreeSet<String>,
    /// The credential made for this computer's agent on the local server.
    pub(crate) credential_id: Option<String>,
    /// Whether the offer to trust the local authority was accepted or dismissed.
    pub(crate) trust_offer_answered: bool,
    /// Whether a notification has said that the app goes on when its window is closed.
    pub(crate) close_explained: bool,
    pub(crate) notifications: NotificationPreferences,
    /// Ids of the server's newest events about certificates, which were notified.
    pub(crate) certificate_events: BTreeSet<String>,
    /// The remote server that the app uses instead of a local one.
    pub(crate) remote: Option<RemoteServer>,
}

/// The kinds of notifications that are switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct NotificationPreferences {
    pub(crate) connection: bool,
    pub(crate) tunnels: bool,
    pub(crate) errors: bool,
    pub(crate) certificates: bool,
}

impl Default for NotificationPreferences {
    fn default() -> NotificationPreferences {
        NotificationPreferences { connection: true, tunnels: true, errors: false, certificates: true }
    }
}

/// A remote server. Its key is in the keychain, its certificate authority in `remote-ca.pem`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RemoteServer {
    /// The address that agents connect to: `tunnel.example.com:443`.
    pub(crate) address: String,
    /// The management API: `https://api.example.com`.
    pub(crate) api: String,
}

/// The settings and their file.
pub(crate) struct SettingsFile {
    path: PathBuf,
    settings: Mutex<AppSettings>,
}

impl SettingsFile {
    /// Reads the file. A missing or damaged file counts as empty, because nothing in it is irreplaceable.
    pub(crate) fn open(folder: &Path) -> SettingsFile {
        let path = folder.join("settings.json");
        let settings = match std::fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).unwrap_or_else(|error| {
                tracing::warn!(%error, path = %path.display(), "the settings cannot be read and are reset");
                AppSettings::default()
            }),
            Err(_) => AppSettings::default(),
        };
        SettingsFile { path, settings: Mutex::new(settings) }
    }

    /// A copy of the current settings.
    pub(crate) fn current(&self) -> AppSettings {
        self.lock().clone()
    }

    /// Changes the settings and saves them if they differ.
    pub(crate) fn update(&self, update: impl FnOnce(&mut AppSettings)) {
        let mut settings = self.lock();
        let before = settings.clone();
        update(&mut settings);
        if *settings == before {
            return;
        }
        let saved = serde_json::to_vec_pretty(&*settings)
            .map_err(std::io::Error::other)
            .and_then(|text| private_file::write(&self.path, &text));
        if let Err(error) = saved {
            tracing::warn!(%error, path = %self.path.display(), "the settings cannot be saved");
        }
    }

    fn lock(&self) -> MutexGuard<'_, AppSettings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_kept_for_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        SettingsFile::open(folder.path()).update(|settings| {
            settings.tunnels_on.insert("site".to_owned());
        });
        assert!(SettingsFile::open(folder.path()).current().tunnels_on.contains("site"));
    }

    #[test]
    fn a_damaged_file_counts_as_empty() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("settings.json"), "{\"tunnels_on\": 7").unwrap();
        assert_eq!(SettingsFile::open(folder.path()).current(), AppSettings::default());
    }
}

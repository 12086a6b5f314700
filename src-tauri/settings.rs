//! What the app remembers between two starts: which tunnels were on, what was answered, which credential is ours.

use crate::notifications::Wanted;
use crate::private_file;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The remembered facts. Unknown fields of a newer version are dropped, missing ones take their default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Facts {
    /// Tunnels that were on; the next start switches them on again.
    pub(crate) tunnels_on: BTreeSet<String>,
    /// Tunnels that "Pause all" switched off; "Resume" switches them on again.
    pub(crate) paused: BTreeSet<String>,
    /// The credential made for this computer's agent on the local server.
    pub(crate) credential_id: Option<String>,
    /// Whether the offer to trust the local authority was answered or dismissed.
    pub(crate) trust_offer_answered: bool,
    /// Which notifications are wanted.
    pub(crate) notifications: Wanted,
    /// The server elsewhere that was chosen in the settings.
    pub(crate) remote: Option<Remote>,
}

/// A server elsewhere: its key lies in the keychain, its authority beside these settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Remote {
    /// Where agents connect: `tunnel.example.com:443`.
    pub(crate) address: String,
    /// Its management API: `https://api.example.com`.
    pub(crate) api: String,
}

/// The facts and the file they live in.
pub(crate) struct Settings {
    path: PathBuf,
    facts: Mutex<Facts>,
}

impl Settings {
    /// Reads the file; a missing or damaged one counts as empty, because nothing in it is irreplaceable.
    pub(crate) fn open(folder: &Path) -> Settings {
        let path = folder.join("settings.json");
        let facts = match std::fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).unwrap_or_else(|error| {
                tracing::warn!(%error, path = %path.display(), "settings could not be read and are reset");
                Facts::default()
            }),
            Err(_) => Facts::default(),
        };
        Settings { path, facts: Mutex::new(facts) }
    }

    /// A copy of what is known now.
    pub(crate) fn facts(&self) -> Facts {
        self.lock().clone()
    }

    /// Changes the facts and writes them if they differ.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Facts)) {
        let mut facts = self.lock();
        let before = facts.clone();
        change(&mut facts);
        if *facts == before {
            return;
        }
        let written = serde_json::to_vec_pretty(&*facts)
            .map_err(std::io::Error::other)
            .and_then(|text| private_file::write(&self.path, &text));
        if let Err(error) = written {
            tracing::warn!(%error, path = %self.path.display(), "settings could not be saved");
        }
    }

    fn lock(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_was_changed_is_there_at_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        Settings::open(folder.path()).change(|facts| {
            facts.tunnels_on.insert("site".to_owned());
        });
        assert!(Settings::open(folder.path()).facts().tunnels_on.contains("site"));
    }

    #[test]
    fn a_damaged_file_is_an_empty_start_and_no_failure() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("settings.json"), "{\"tunnels_on\": 7").unwrap();
        assert_eq!(Settings::open(folder.path()).facts(), Facts::default());
    }
}

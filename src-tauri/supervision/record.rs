//! What this app, or the one that ran before it, has started: only that is ended on Quit.

use crate::private_file;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A started process: its number, and where it was told to listen if that is one address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Started {
    pub(crate) pid: u32,
    #[serde(default)]
    pub(crate) address: Option<SocketAddr>,
}

/// `started.json`: program name to process. Written the moment a process exists, so a crash forgets nothing.
pub(crate) struct Record {
    path: PathBuf,
    writing: Mutex<()>,
}

impl Record {
    pub(crate) fn open(folder: &Path) -> Record {
        Record { path: folder.join("started.json"), writing: Mutex::new(()) }
    }

    /// What was started under this program's name and not noted as ended.
    pub(crate) fn started(&self, program: &str) -> Option<Started> {
        self.read().remove(program)
    }

    pub(crate) fn note(&self, program: &str, started: Started) {
        self.change(|all| {
            all.insert(program.to_owned(), started);
        });
    }

    pub(crate) fn forget(&self, program: &str) {
        self.change(|all| {
            all.remove(program);
        });
    }

    fn read(&self) -> BTreeMap<String, Started> {
        std::fs::read(&self.path).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<String, Started>)) {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = self.read();
        change(&mut all);
        let written = serde_json::to_vec(&all)
            .map_err(std::io::Error::other)
            .and_then(|text| private_file::write(&self.path, &text));
        if let Err(error) = written {
            tracing::error!(%error, path = %self.path.display(), "started processes could not be noted");
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn another_run_of_the_app_knows_what_was_started() {
        let folder = tempfile::tempdir().unwrap();
        let record = Record::open(folder.path());
        let agent = Started { pid: 7, address: Some("127.0.0.1:4040".parse().unwrap()) };
        record.note("postern", agent.clone());
        record.note("postern-server", Started { pid: 8, address: None });
        record.forget("postern-server");
        let next = Record::open(folder.path());
        assert_eq!(next.started("postern"), Some(agent));
        assert_eq!(next.started("postern-server"), None);
    }
}

//! The processes that this app or an earlier run of it started: only these are ended on Quit.

use postern_config::private_file;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// A started process: its id, and its listen address if it has only one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StartedProcess {
    pub(crate) pid: u32,
    #[serde(default)]
    pub(crate) address: Option<SocketAddr>,
}

/// The file `started.json`: program names and processes. Written as soon as a process exists, so that a crash loses nothing.
pub(crate) struct StartedProcesses {
    path: PathBuf,
    writing: Mutex<()>,
}

impl StartedProcesses {
    pub(crate) fn open(folder: &Path) -> StartedProcesses {
        StartedProcesses { path: folder.join("started.json"), writing: Mutex::new(()) }
    }

    /// The process of this program that was started and not removed.
    pub(crate) fn get(&self, program: &str) -> Option<StartedProcess> {
        self.read().remove(program)
    }

    pub(crate) fn insert(&self, program: &str, process: StartedProcess) {
        self.update(|all| {
            all.insert(program.to_owned(), process);
        });
    }

    pub(crate) fn remove(&self, program: &str) {
        self.update(|all| {
            all.remove(program);
        });
    }

    fn read(&self) -> BTreeMap<String, StartedProcess> {
        std::fs::read(&self.path).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }

    fn update(&self, update: impl FnOnce(&mut BTreeMap<String, StartedProcess>)) {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = self.read();
        update(&mut all);
        let saved = serde_json::to_vec(&all)
            .map_err(std::io::Error::other)
            .and_then(|text| private_file::write(&self.path, &text));
        if let Err(error) = saved {
            tracing::error!(%error, path = %self.path.display(), "the started processes cannot be saved");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_run_of_the_app_knows_the_started_processes() {
        let folder = tempfile::tempdir().unwrap();
        let processes = StartedProcesses::open(folder.path());
        let agent = StartedProcess { pid: 7, address: Some("127.0.0.1:4040".parse().unwrap()) };
        processes.insert("postern", agent.clone());
        processes.insert("postern-server", StartedProcess { pid: 8, address: None });
        processes.remove("postern-server");
        let next = StartedProcesses::open(folder.path());
        assert_eq!(next.get("postern"), Some(agent));
        assert_eq!(next.get("postern-server"), None);
    }
}

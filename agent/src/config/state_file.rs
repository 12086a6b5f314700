//! The agent's persistent state: its instance id and the last addresses of its tunnels.

use super::edit::write_private;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs::File,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

/// Changes that are written at once, so that an agent that is killed keeps its names; those of more tunnels are
/// written together.
const MAX_IMMEDIATE_WRITES: u32 = 16;
/// Delay of a write after further changes, for the changes that follow.
const WRITE_DELAY: Duration = Duration::from_millis(50);

/// The file `<config>.state.json`. Unknown members are dropped when it is written again.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PersistedState {
    /// The id of this agent instance; the server uses it to assign the same names again.
    pub instance: String,
    /// The last addresses of tunnels, by endpoint name.
    pub tunnels: BTreeMap<String, PreviousAddress>,
    /// The address of the running agent's local API; `null` if it is off.
    pub web_addr: Option<String>,
    /// The process id of the running agent; `null` if none runs.
    pub pid: Option<u32>,
}

/// The last public address of a tunnel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PreviousAddress {
    /// The host name of an HTTP tunnel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The port of a TCP tunnel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
}

/// The state of a running agent, written to its file soon after every change.
///
/// Only one process at a time owns the file: a second agent with the same configuration gets its own instance id and
/// persists nothing, so that the two do not replace each other's session.
pub struct AgentStateFile(Arc<StateFile>);

struct StateFile {
    path: PathBuf,
    lock: Option<File>,
    persisted: Mutex<PersistedState>,
    /// Held while the file is written, so that an older state never replaces a newer one.
    writing: Mutex<()>,
    /// Changes that may still be written at once.
    immediate_writes: AtomicU32,
    /// A later write of the current state is scheduled.
    write_is_scheduled: AtomicBool,
}

/// The path of the state file of a configuration file.
pub fn state_path(config: &Path) -> PathBuf {
    let mut name = config.as_os_str().to_owned();
    name.push(".state.json");
    PathBuf::from(name)
}

/// Reads a state file; a missing or damaged one reads as empty.
pub fn read(path: &Path) -> PersistedState {
    let bytes = std::fs::read(path).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

impl AgentStateFile {
    /// Opens the state file of a configuration file and locks it unless another process has it.
    pub fn open(config: &Path) -> AgentStateFile {
        let path = state_path(config);
        if let Some(folder) = path.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let mut lock_name = path.as_os_str().to_owned();
        lock_name.push(".lock");
        let lock = File::create(PathBuf::from(lock_name)).ok().filter(|file| file.try_lock().is_ok());
        let mut persisted = if lock.is_some() { read(&path) } else { PersistedState::default() };
        if persisted.instance.is_empty() {
            persisted.instance = postern_api::id::random_hex();
        }
        persisted.pid = None;
        persisted.web_addr = None;
        let state = AgentStateFile(Arc::new(StateFile {
            path,
            lock,
            persisted: Mutex::new(persisted),
            writing: Mutex::new(()),
            immediate_writes: AtomicU32::new(MAX_IMMEDIATE_WRITES),
            write_is_scheduled: AtomicBool::new(false),
        }));
        state.0.write();
        state
    }

    /// Whether this process owns the file; otherwise another agent uses the same configuration.
    pub fn is_owned(&self) -> bool {
        self.0.lock.is_some()
    }

    /// The id of this agent instance.
    pub fn instance(&self) -> String {
        self.locked().instance.clone()
    }

    /// The last address of a tunnel.
    pub fn address(&self, tunnel: &str) -> PreviousAddress {
        self.locked().tunnels.get(tunnel).cloned().unwrap_or_default()
    }

    /// Stores the address of a tunnel.
    pub fn remember(&self, tunnel: &str, address: PreviousAddress) {
        let changed = {
            let mut persisted = self.locked();
            let changed = persisted.tunnels.get(tunnel) != Some(&address);
            if changed {
                persisted.tunnels.insert(tunnel.to_owned(), address);
            }
            changed
        };
        if changed {
            self.schedule_write();
        }
    }

    /// Removes a tunnel that was removed from the configuration.
    pub fn forget(&self, tunnel: &str) {
        let known = self.locked().tunnels.remove(tunnel).is_some();
        if known {
            self.schedule_write();
        }
    }

    /// Records that this process runs, and the address of its local API.
    pub fn record_start(&self, web_addr: Option<String>) {
        {
            let mut persisted = self.locked();
            persisted.web_addr = web_addr;
            persisted.pid = Some(std::process::id());
        }
        self.0.write();
    }

    /// Records that this process ends.
    pub fn record_stop(&self) {
        {
            let mut persisted = self.locked();
            persisted.web_addr = None;
            persisted.pid = None;
        }
        self.0.write();
    }

    /// Writes the file: at once after few changes, soon after many.
    fn schedule_write(&self) {
        let is_immediate = self
            .0
            .immediate_writes
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1))
            .is_ok();
        if is_immediate {
            return self.0.write();
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return self.0.write() };
        if !self.0.write_is_scheduled.swap(true, Ordering::AcqRel) {
            let file = Arc::downgrade(&self.0);
            runtime.spawn(async move {
                tokio::time::sleep(WRITE_DELAY).await;
                // An agent that has ended meanwhile has written the file.
                let Some(file) = file.upgrade() else { return };
                // Changes from now on schedule another write.
                file.write_is_scheduled.store(false, Ordering::Release);
                let written = tokio::task::spawn_blocking(move || {
                    file.write();
                    file.immediate_writes.store(MAX_IMMEDIATE_WRITES, Ordering::Release);
                });
                let _ = written.await;
            });
        }
    }

    fn locked(&self) -> MutexGuard<'_, PersistedState> {
        self.0.locked()
    }
}

impl StateFile {
    fn locked(&self) -> MutexGuard<'_, PersistedState> {
        self.persisted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the current state.
    fn write(&self) {
        if self.lock.is_none() {
            return;
        }
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let text = serde_json::to_string_pretty(&*self.locked()).expect("plain data is JSON") + "\n";
        if let Err(error) = write_private(&self.path, text.as_bytes()) {
            tracing::warn!(path = %self.path.display(), %error, "the agent cannot write its state file; tunnel names may change at the next start");
        }
    }
}

impl Drop for StateFile {
    fn drop(&mut self) {
        if *self.write_is_scheduled.get_mut() {
            self.write();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instance_id_and_addresses_survive_a_restart() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("postern.yml");
        let state = AgentStateFile::open(&config);
        let instance = state.instance();
        state.remember("site", PreviousAddress { host: Some("a.localhost".into()), port: None });
        state.record_start(Some("127.0.0.1:4040".into()));
        assert_eq!(read(&state_path(&config)).pid, Some(std::process::id()));
        drop(state);
        let again = AgentStateFile::open(&config);
        assert_eq!(again.instance(), instance);
        assert_eq!(again.address("site").host.as_deref(), Some("a.localhost"));
        assert_eq!(read(&state_path(&config)).pid, None);
    }

    #[tokio::test]
    async fn addresses_of_many_tunnels_are_written_together() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("postern.yml");
        let state = AgentStateFile::open(&config);
        let address = || PreviousAddress { host: Some("a.localhost".into()), port: None };
        (0..1000).for_each(|tunnel| state.remember(&tunnel.to_string(), address()));
        assert_eq!(
            read(&state_path(&config)).tunnels.len(),
            MAX_IMMEDIATE_WRITES as usize,
            "the first are written at once"
        );
        tokio::time::timeout(Duration::from_secs(20), async {
            while read(&state_path(&config)).tunnels.len() < 1000 || Arc::strong_count(&state.0) > 1 {
                tokio::time::sleep(WRITE_DELAY).await;
            }
        })
        .await
        .expect("all are written");
        (0..20).for_each(|tunnel| state.remember(&format!("last {tunnel}"), address()));
        drop(state);
        assert_eq!(AgentStateFile::open(&config).address("last 19"), address());
    }

    #[test]
    fn a_second_agent_with_the_same_configuration_gets_another_instance_id() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("postern.yml");
        let first = AgentStateFile::open(&config);
        let second = AgentStateFile::open(&config);
        assert!(first.is_owned() && !second.is_owned());
        assert_ne!(first.instance(), second.instance());
    }

    #[test]
    fn a_damaged_file_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("postern.yml");
        std::fs::write(state_path(&config), "{").expect("written");
        assert!(!AgentStateFile::open(&config).instance().is_empty());
    }
}

//! What the agent remembers beside its configuration: who it is, and which addresses its tunnels had.

use super::edit::write_private;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs::File,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The file `<config>.state.json`. Unknown members are dropped when it is written again.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Remembered {
    /// The id of this agent instance; the server gives names back to it.
    pub instance: String,
    /// The addresses tunnels had, by the name of the (half) tunnel.
    pub tunnels: BTreeMap<String, Address>,
    /// Where the local API of the running agent listens, `null` if nowhere.
    pub web_addr: Option<String>,
    /// The process id of the running agent, `null` if none runs.
    pub pid: Option<u32>,
}

/// The public address a tunnel had.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Address {
    /// The host name of an HTTP tunnel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The port of a TCP tunnel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
}

/// The state of a running agent, written through to the file on every change.
///
/// Only one process at a time owns the file: a second agent on the same configuration gets an instance id of
/// its own and remembers nothing, so that the two do not take each other's session away.
pub struct State {
    path: PathBuf,
    lock: Option<File>,
    remembered: Mutex<Remembered>,
}

/// Where the state of a configuration file lies.
pub fn state_path(config: &Path) -> PathBuf {
    let mut name = config.as_os_str().to_owned();
    name.push(".state.json");
    PathBuf::from(name)
}

/// What a state file says; nothing if it is missing or damaged.
pub fn read(path: &Path) -> Remembered {
    let bytes = std::fs::read(path).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

impl State {
    /// Opens the state beside a configuration file and takes it over unless another process has it.
    pub fn open(config: &Path) -> State {
        let path = state_path(config);
        if let Some(folder) = path.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let mut lock_name = path.as_os_str().to_owned();
        lock_name.push(".lock");
        let lock = File::create(PathBuf::from(lock_name)).ok().filter(|file| file.try_lock().is_ok());
        let mut remembered = if lock.is_some() { read(&path) } else { Remembered::default() };
        if remembered.instance.is_empty() {
            remembered.instance = format!("{:032x}", rand::random::<u128>());
        }
        remembered.pid = None;
        remembered.web_addr = None;
        let state = State { path, lock, remembered: Mutex::new(remembered) };
        state.write(&state.locked());
        state
    }

    /// Whether this process owns the file; another agent runs on the same configuration if not.
    pub fn is_owned(&self) -> bool {
        self.lock.is_some()
    }

    /// The id of this agent instance.
    pub fn instance(&self) -> String {
        self.locked().instance.clone()
    }

    /// The address a tunnel had before.
    pub fn address(&self, tunnel: &str) -> Address {
        self.locked().tunnels.get(tunnel).cloned().unwrap_or_default()
    }

    /// Remembers the address a tunnel has got.
    pub fn remember(&self, tunnel: &str, address: Address) {
        let mut remembered = self.locked();
        if remembered.tunnels.get(tunnel) != Some(&address) {
            remembered.tunnels.insert(tunnel.to_owned(), address);
            self.write(&remembered);
        }
    }

    /// Forgets a tunnel that was removed from the configuration.
    pub fn forget(&self, tunnel: &str) {
        let mut remembered = self.locked();
        if remembered.tunnels.remove(tunnel).is_some() {
            self.write(&remembered);
        }
    }

    /// Says that this process runs and where its local API listens.
    pub fn announce(&self, web_addr: Option<String>) {
        let mut remembered = self.locked();
        remembered.web_addr = web_addr;
        remembered.pid = Some(std::process::id());
        self.write(&remembered);
    }

    /// Says that this process ends.
    pub fn retire(&self) {
        let mut remembered = self.locked();
        remembered.web_addr = None;
        remembered.pid = None;
        self.write(&remembered);
    }

    fn locked(&self) -> MutexGuard<'_, Remembered> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, remembered: &Remembered) {
        if self.lock.is_none() {
            return;
        }
        let text = serde_json::to_string_pretty(remembered).expect("plain data is JSON") + "\n";
        if let Err(error) = write_private(&self.path, text.as_bytes()) {
            tracing::warn!(path = %self.path.display(), %error, "the agent cannot write what it remembers; names may change at the next start");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_it_is_and_its_addresses_survive_a_restart() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("postern.yml");
        let state = State::open(&config);
        let instance = state.instance();
        state.remember("site", Address { host: Some("a.localhost".into()), port: None });
        state.announce(Some("127.0.0.1:4040".into()));
        assert_eq!(read(&state_path(&config)).pid, Some(std::process::id()));
        drop(state);
        let again = State::open(&config);
        assert_eq!(again.instance(), instance);
        assert_eq!(again.address("site").host.as_deref(), Some("a.localhost"));
        assert_eq!(read(&state_path(&config)).pid, None);
    }

    #[test]
    fn a_second_agent_on_the_same_configuration_is_somebody_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("postern.yml");
        let first = State::open(&config);
        let second = State::open(&config);
        assert!(first.is_owned() && !second.is_owned());
        assert_ne!(first.instance(), second.instance());
    }

    #[test]
    fn a_damaged_file_is_started_afresh() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("postern.yml");
        std::fs::write(state_path(&config), "{").expect("written");
        assert!(!State::open(&config).instance().is_empty());
    }
}

//! Services of systemd, for agent and server: units are written, enabled and removed, below `/` or below the root of an image.

mod unit;

pub use unit::{COMMON_RESTRICTIONS, SYSTEM_RESTRICTIONS, quoted};

use crate::private_file;
use postern_api::{Code, Error};
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// The service manager of the system or of a user, and one unit of it.
#[derive(Clone, Debug)]
pub struct ServiceManager {
    /// Name of the unit, `postern.service`.
    unit: &'static str,
    system: bool,
    root: Option<PathBuf>,
}

impl ServiceManager {
    /// The system's manager for root and for an image below `root`, else that of the user.
    pub fn new(unit: &'static str, root: Option<PathBuf>) -> Self {
        ServiceManager { unit, system: is_root() || root.is_some(), root }
    }

    /// Whether it is the system's.
    pub fn is_system(&self) -> bool {
        self.system
    }

    /// The root of the image, if the unit is not for this machine.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// A path of this machine, or of the image.
    pub fn path(&self, absolute: &str) -> PathBuf {
        self.root.as_deref().unwrap_or(Path::new("/")).join(absolute.trim_start_matches('/'))
    }

    /// The unit file that [`ServiceManager::install`] writes.
    ///
    /// # Errors
    /// [`Code::ServiceFailed`] if the user has no home folder.
    pub fn unit_file(&self) -> Result<PathBuf, Error> {
        if self.system {
            return Ok(self.path("etc/systemd/system").join(self.unit));
        }
        let base = etcetera::choose_base_strategy()
            .map_err(|error| refuse(format!("Your home folder could not be found: {error}.")))?;
        Ok(etcetera::BaseStrategy::config_dir(&base).join("systemd/user").join(self.unit))
    }

    /// Checks that systemd runs, which an image does not need.
    ///
    /// # Errors
    /// [`Code::ServicesMissing`] with the `alternative`, a sentence.
    pub fn check(&self, alternative: &str) -> Result<(), Error> {
        if self.root.is_some() || Path::new("/run/systemd/system").is_dir() {
            return Ok(());
        }
        let message = format!("Services need systemd, which does not run on this machine. {alternative}");
        Err(Error::new(Code::ServicesMissing, message))
    }

    /// Writes the unit file and has it started at boot. Returns its path.
    ///
    /// # Errors
    /// [`Code::ServiceFailed`] if the file cannot be written or systemd refuses it, [`Code::ServicesMissing`] without
    /// `systemctl`.
    pub fn install(&self, text: &str) -> Result<PathBuf, Error> {
        let path = self.unit_file()?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        std::fs::create_dir_all(folder).map_err(|error| failed(folder, "made", &error))?;
        private_file::write_public(&path, text.as_bytes()).map_err(|error| failed(&path, "written", &error))?;
        self.reload()?;
        self.systemctl(&["enable", self.unit])?;
        Ok(path)
    }

    /// Stops the service and removes the unit file. Returns its path.
    ///
    /// # Errors
    /// [`Code::ServiceFailed`] if there is no such file or systemd refuses, [`Code::ServicesMissing`] without `systemctl`.
    pub fn uninstall(&self) -> Result<PathBuf, Error> {
        let path = self.unit_file()?;
        if !path.exists() {
            return Err(refuse(format!("There is no {}: the service is not installed.", path.display())));
        }
        if self.root.is_none() {
            self.systemctl(&["stop", self.unit])?;
        }
        self.systemctl(&["disable", self.unit])?;
        std::fs::remove_file(&path).map_err(|error| failed(&path, "removed", &error))?;
        self.reload()?;
        Ok(path)
    }

    /// Runs `systemctl` with this verb for the unit.
    ///
    /// # Errors
    /// As [`ServiceManager::install`].
    pub fn control(&self, verb: &str) -> Result<(), Error> {
        self.systemctl(&[verb, self.unit])
    }

    /// What `systemctl` prints for a verb such as `is-active`, whatever its status is; nothing without `systemctl`.
    pub fn query(&self, verb: &str) -> Option<String> {
        let output = self.run(&[verb, self.unit]).ok()?;
        let line = String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_owned();
        (!line.is_empty()).then_some(line)
    }

    fn reload(&self) -> Result<(), Error> {
        if self.root.is_some() { Ok(()) } else { self.systemctl(&["daemon-reload"]) }
    }

    fn systemctl<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<(), Error> {
        let done = self.run(arguments)?;
        if done.status.success() {
            return Ok(());
        }
        let shown = arguments.iter().map(|argument| argument.as_ref().to_string_lossy()).collect::<Vec<_>>().join(" ");
        let said = String::from_utf8_lossy(&done.stderr);
        let name = self.unit.trim_end_matches(".service");
        let logs = if self.system { format!("journalctl -u {name}") } else { format!("journalctl --user -u {name}") };
        let reason = said.trim().trim_end_matches('.');
        Err(refuse(format!("`systemctl {shown}` failed: {reason}. `{logs}` may say more.")))
    }

    fn run<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<Output, Error> {
        let mut command = Command::new("systemctl");
        if let Some(root) = &self.root {
            command.arg("--root").arg(root);
        } else if !self.system {
            command.arg("--user");
        }
        command.args(arguments).output().map_err(|error| {
            Error::new(Code::ServicesMissing, format!("`systemctl` could not be run: {error}. Is systemd installed?"))
        })
    }
}

fn refuse(message: String) -> Error {
    Error::new(Code::ServiceFailed, message)
}

fn failed(path: &Path, what: &str, error: &std::io::Error) -> Error {
    refuse(format!("{} cannot be {what}: {error}.", path.display()))
}

fn is_root() -> bool {
    #[cfg(unix)]
    let root = rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    let root = false;
    root
}

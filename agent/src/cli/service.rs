//! `postern service …`: the agent as a systemd service.

mod unit;

use super::{flags, say};
use crate::config::{Sources, settings::LogTarget, tree::ConfigNode};
use clap::{Args, Subcommand};
use postern_api::{Code, Error};
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
};
use unit::{UNIT_NAME, UnitFile};

#[derive(Debug, Subcommand)]
pub(super) enum ServiceCommand {
    /// Write the unit and enable it: for the system as root, else for your user
    Install(InstallFlags),
    /// Stop the service and remove the unit
    Uninstall(RootFlags),
    /// Start the service
    Start,
    /// Stop the service
    Stop,
    /// Restart the service
    Restart,
}

#[derive(Debug, Args)]
pub(super) struct InstallFlags {
    /// The configuration file whose tunnels run; default: the usual location
    #[arg(long, env = "POSTERN_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print the unit without changing anything
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    root_flags: RootFlags,
}

#[derive(Debug, Args)]
pub(super) struct RootFlags {
    /// Install below this folder, such as the root of an image
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
}

pub(super) fn run(command: ServiceCommand) -> Result<(), Error> {
    match command {
        ServiceCommand::Install(install) => self::install(&install),
        ServiceCommand::Uninstall(root_flags) => uninstall(&root_flags),
        ServiceCommand::Start => control("start"),
        ServiceCommand::Stop => control("stop"),
        ServiceCommand::Restart => control("restart"),
    }
}

/// The service manager: the system's or a user's.
struct ServiceManager {
    system: bool,
    root: Option<PathBuf>,
}

impl ServiceManager {
    fn new(root_flags: &RootFlags) -> Self {
        ServiceManager { system: is_root() || root_flags.root.is_some(), root: root_flags.root.clone() }
    }

    /// The path of the unit file.
    fn unit(&self) -> Result<PathBuf, Error> {
        let folder = if self.system {
            self.root.as_deref().unwrap_or(Path::new("/")).join("etc/systemd/system")
        } else {
            let base = etcetera::choose_base_strategy().map_err(|error| {
                Error::new(Code::ServiceFailed, format!("Your home folder could not be found: {error}."))
            })?;
            etcetera::BaseStrategy::config_dir(&base).join("systemd/user")
        };
        Ok(folder.join(UNIT_NAME))
    }

    /// Checks that systemd runs.
    fn check(&self) -> Result<(), Error> {
        if self.root.is_some() || Path::new("/run/systemd/system").is_dir() {
            return Ok(());
        }
        let how = "Run `postern start --all --config FILE` with the service manager of this machine (an init script, a container's \
                   command, launchd, the task scheduler).";
        Err(Error::new(
            Code::ServicesMissing,
            format!("Services need systemd, which does not run on this machine. {how}"),
        ))
    }

    fn systemctl<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<(), Error> {
        let mut command = Command::new("systemctl");
        if let Some(root) = &self.root {
            command.arg("--root").arg(root);
        } else if !self.system {
            command.arg("--user");
        }
        command.args(arguments);
        let shown = arguments.iter().map(|argument| argument.as_ref().to_string_lossy()).collect::<Vec<_>>().join(" ");
        let done = command.output().map_err(|error| {
            Error::new(Code::ServicesMissing, format!("`systemctl` could not be run: {error}. Is systemd installed?"))
        })?;
        if done.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&done.stderr);
        let logs = if self.system { "journalctl -u postern" } else { "journalctl --user -u postern" };
        Err(Error::new(
            Code::ServiceFailed,
            format!("`systemctl {shown}` failed: {}. `{logs}` may say more.", said.trim().trim_end_matches('.')),
        ))
    }
}

fn install(install: &InstallFlags) -> Result<(), Error> {
    let manager = ServiceManager::new(&install.root_flags);
    let config = match &install.config {
        Some(file) => file.clone(),
        None => flags::file(&[])?,
    };
    let config = std::path::absolute(&config)
        .map_err(|error| Error::new(Code::ConfigInvalid, format!("{} cannot be used: {error}.", config.display())))?;
    // Checked now: a service that fails at its first start is noticed much later.
    let sources = Sources { files: vec![config.clone()], may_be_missing: false, overlay: ConfigNode::empty() };
    let settings = sources.load().map_err(|problems| problems.to_error())?.settings;
    let log = match &settings.log {
        LogTarget::File(path) => std::path::absolute(path).ok(),
        _ => None,
    };
    let program = std::env::current_exe().map_err(|error| {
        Error::new(Code::ServiceFailed, format!("The path of the program cannot be determined: {error}."))
    })?;
    let text = UnitFile { program: &program, config: &config, log: log.as_deref(), system: manager.system }.text();
    if install.dry_run {
        return say(text.trim_end());
    }
    manager.check()?;
    let path = manager.unit()?;
    write(&path, &text)?;
    manager.reload()?;
    manager.systemctl(&["enable", UNIT_NAME])?;
    say(&format!("{} was written and starts at boot.", path.display()))?;
    if settings.authtoken.is_none() {
        say("There is no authtoken in the configuration yet: `postern config add-authtoken -` stores one.")?;
    }
    if manager.root.is_none() {
        say("Start it now with `postern service start`.")?;
        if !manager.system {
            say("It runs while you are logged in; `loginctl enable-linger` lets it run without you.")?;
        }
    }
    Ok(())
}

fn uninstall(root_flags: &RootFlags) -> Result<(), Error> {
    let manager = ServiceManager::new(root_flags);
    manager.check()?;
    let path = manager.unit()?;
    if !path.exists() {
        return Err(Error::new(
            Code::ServiceFailed,
            format!("There is no {}: the service is not installed.", path.display()),
        ));
    }
    if manager.root.is_none() {
        manager.systemctl(&["stop", UNIT_NAME])?;
    }
    manager.systemctl(&["disable", UNIT_NAME])?;
    std::fs::remove_file(&path).map_err(|error| failed(&path, "removed", &error))?;
    manager.reload()?;
    say(&format!("{} was removed.", path.display()))
}

fn control(verb: &str) -> Result<(), Error> {
    let manager = ServiceManager { system: is_root(), root: None };
    manager.check()?;
    let path = manager.unit()?;
    if !path.exists() {
        return Err(Error::new(
            Code::ServiceFailed,
            "The service is not installed. Run `postern service install` first.".to_owned(),
        ));
    }
    manager.systemctl(&[verb, UNIT_NAME])?;
    say(match verb {
        "stop" => "The service has stopped.",
        _ => "The service is running.",
    })
}

impl ServiceManager {
    fn reload(&self) -> Result<(), Error> {
        if self.root.is_some() { Ok(()) } else { self.systemctl(&["daemon-reload"]) }
    }
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, "made", &error))?;
    std::fs::write(path, text).map_err(|error| failed(path, "written", &error))
}

fn failed(path: &Path, what: &str, error: &std::io::Error) -> Error {
    Error::new(Code::ServiceFailed, format!("{} cannot be {what}: {error}.", path.display()))
}

fn is_root() -> bool {
    #[cfg(unix)]
    let root = rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    let root = false;
    root
}

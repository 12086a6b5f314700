//! `postern service …`: the agent as a service of the machine, run by systemd.

mod unit;

use super::{flags, say};
use crate::config::{Sources, settings::LogTarget, tree::Node};
use clap::{Args, Subcommand};
use postern_api::{Code, Error};
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
};
use unit::{NAME, Unit};

#[derive(Debug, Subcommand)]
pub(super) enum ServiceCommand {
    /// Write the unit and let it start with the machine: the system's for root, else your own
    Install(Install),
    /// Stop it and take the unit away
    Uninstall(Place),
    /// Start it
    Start,
    /// Stop it
    Stop,
    /// Stop it and start it again
    Restart,
}

#[derive(Debug, Args)]
pub(super) struct Install {
    /// The configuration file whose tunnels run; the usual place if not given
    #[arg(long, env = "POSTERN_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print the unit and change nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
pub(super) struct Place {
    /// Work on the system below this folder, such as an image that is being made
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
}

pub(super) fn run(command: ServiceCommand) -> Result<(), Error> {
    match command {
        ServiceCommand::Install(install) => self::install(&install),
        ServiceCommand::Uninstall(place) => uninstall(&place),
        ServiceCommand::Start => control("start"),
        ServiceCommand::Stop => control("stop"),
        ServiceCommand::Restart => control("restart"),
    }
}

/// Whose services are meant.
struct Manager {
    system: bool,
    root: Option<PathBuf>,
}

impl Manager {
    fn of(place: &Place) -> Self {
        Manager { system: is_root() || place.root.is_some(), root: place.root.clone() }
    }

    /// Where the unit lies.
    fn unit(&self) -> Result<PathBuf, Error> {
        let folder = if self.system {
            self.root.as_deref().unwrap_or(Path::new("/")).join("etc/systemd/system")
        } else {
            let base = etcetera::choose_base_strategy().map_err(|error| {
                Error::new(Code::ServiceFailed, format!("Your home folder could not be found: {error}."))
            })?;
            etcetera::BaseStrategy::config_dir(&base).join("systemd/user")
        };
        Ok(folder.join(NAME))
    }

    /// Whether there is a manager that could run anything now.
    fn check(&self) -> Result<(), Error> {
        if self.root.is_some() || Path::new("/run/systemd/system").is_dir() {
            return Ok(());
        }
        let how = "Run `postern start --all --config FILE` from whatever starts programs here (an init script, a container's \
                   command, launchd, the task planner).";
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

fn install(install: &Install) -> Result<(), Error> {
    let manager = Manager::of(&install.place);
    let config = match &install.config {
        Some(file) => file.clone(),
        None => flags::file(&[])?,
    };
    let config = std::path::absolute(&config)
        .map_err(|error| Error::new(Code::ConfigInvalid, format!("{} cannot be used: {error}.", config.display())))?;
    // A service that fails at its first start is found out much later.
    let sources = Sources { files: vec![config.clone()], may_be_missing: false, overlay: Node::empty() };
    let settings = sources.load().map_err(|problems| problems.to_error())?.settings;
    let log = match &settings.log {
        LogTarget::File(path) => std::path::absolute(path).ok(),
        _ => None,
    };
    let program = std::env::current_exe().map_err(|error| {
        Error::new(Code::ServiceFailed, format!("The program does not know where it lies: {error}."))
    })?;
    let text = Unit { program: &program, config: &config, log: log.as_deref(), system: manager.system }.text();
    if install.dry_run {
        return say(text.trim_end());
    }
    manager.check()?;
    let path = manager.unit()?;
    write(&path, &text)?;
    manager.reload()?;
    manager.systemctl(&["enable", NAME])?;
    say(&format!("{} was written and starts with the machine.", path.display()))?;
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

fn uninstall(place: &Place) -> Result<(), Error> {
    let manager = Manager::of(place);
    manager.check()?;
    let path = manager.unit()?;
    if !path.exists() {
        return Err(Error::new(
            Code::ServiceFailed,
            format!("There is no {}: the service is not installed.", path.display()),
        ));
    }
    if manager.root.is_none() {
        manager.systemctl(&["stop", NAME])?;
    }
    manager.systemctl(&["disable", NAME])?;
    std::fs::remove_file(&path).map_err(|error| failed(&path, "removed", &error))?;
    manager.reload()?;
    say(&format!("{} was removed.", path.display()))
}

fn control(verb: &str) -> Result<(), Error> {
    let manager = Manager { system: is_root(), root: None };
    manager.check()?;
    let path = manager.unit()?;
    if !path.exists() {
        return Err(Error::new(
            Code::ServiceFailed,
            "The service is not installed. Run `postern service install` first.".to_owned(),
        ));
    }
    manager.systemctl(&[verb, NAME])?;
    say(match verb {
        "stop" => "The service has stopped.",
        _ => "The service runs.",
    })
}

impl Manager {
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

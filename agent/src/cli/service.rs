//! `postern service …`: the agent as a systemd service.

mod unit;

use super::{flags, say};
use crate::config::{Sources, settings::LogTarget, tree::ConfigNode};
use clap::{Args, Subcommand};
use postern_api::{Code, Error};
use postern_config::systemd::ServiceManager;
use std::path::PathBuf;
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

/// What to do where systemd does not run.
const ALTERNATIVE: &str = "Run `postern start --all --config FILE` with the service manager of this machine (an init script, \
    a container's command, launchd, the task scheduler).";

fn install(install: &InstallFlags) -> Result<(), Error> {
    let manager = ServiceManager::new(UNIT_NAME, install.root_flags.root.clone());
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
    let text = UnitFile { program: &program, config: &config, log: log.as_deref(), system: manager.is_system() }.text();
    if install.dry_run {
        return say(text.trim_end());
    }
    manager.check(ALTERNATIVE)?;
    let path = manager.install(&text)?;
    say(&format!("{} was written and starts at boot.", path.display()))?;
    if settings.authtoken.is_none() {
        say("There is no authtoken in the configuration yet: `postern config add-authtoken -` stores one.")?;
    }
    if manager.root().is_none() {
        say("Start it now with `postern service start`.")?;
        if !manager.is_system() {
            say("It runs while you are logged in; `loginctl enable-linger` lets it run without you.")?;
        }
    }
    Ok(())
}

fn uninstall(root_flags: &RootFlags) -> Result<(), Error> {
    let manager = ServiceManager::new(UNIT_NAME, root_flags.root.clone());
    manager.check(ALTERNATIVE)?;
    let path = manager.uninstall()?;
    say(&format!("{} was removed.", path.display()))
}

fn control(verb: &str) -> Result<(), Error> {
    let manager = ServiceManager::new(UNIT_NAME, None);
    manager.check(ALTERNATIVE)?;
    if !manager.unit_file()?.exists() {
        return Err(Error::new(
            Code::ServiceFailed,
            "The service is not installed. Run `postern service install` first.".to_owned(),
        ));
    }
    manager.control(verb)?;
    say(match verb {
        "stop" => "The service has stopped.",
        _ => "The service is running.",
    })
}

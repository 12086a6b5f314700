//! `service …`: the server as a systemd service, with a system user of its own.

mod unit;

use crate::{
    configuration::{Configuration, RawSettings},
    io_error::reason,
    log_output::Destination,
    service_account::{ACCOUNT, group_id, share_with_group},
};
use postern_api::{Code, Error, Result};
use postern_config::systemd::ServiceManager;
use std::{
    io::Write,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};
use unit::{STATE_FOLDER, UNIT_NAME, UnitFile};

/// Where the configuration of the service is, unless it is said.
pub(crate) const DEFAULT_CONFIG: &str = "/etc/postern/server.yml";
/// The unit that packages install.
const PACKAGED_UNIT: &str = "/usr/lib/systemd/system/postern-server.service";
/// What to do where systemd does not run.
const ALTERNATIVE: &str = "Run `postern-server run --config FILE` with the service manager of this machine (an init script, \
    a container's command).";
/// The configuration of systemd-sysusers, which makes the user.
const SYSUSERS_FILE: &str = "/etc/sysusers.d/postern.conf";
const SYSUSERS: &str = include_str!("../../packaging/sysusers.conf");
const DEFAULT_DRAIN: Duration = Duration::from_secs(30);

/// What to install.
#[derive(Debug)]
pub(crate) struct Installation {
    /// The configuration file; below the root, if there is one.
    pub(crate) config: PathBuf,
    /// The program in the unit, if it is not this one.
    pub(crate) program: Option<PathBuf>,
    /// Root of an image that the service is installed into.
    pub(crate) root: Option<PathBuf>,
    /// Whether the unit is printed only.
    pub(crate) dry_run: bool,
}

/// Writes the unit, makes the user, and has the service started at boot.
///
/// # Errors
/// [`Code::ConfigInvalid`] if the configuration has mistakes, [`Code::ServicesMissing`] without systemd, and
/// [`Code::ServiceFailed`] if something cannot be written.
pub(crate) fn install(installation: &Installation) -> Result<()> {
    let manager = ServiceManager::new(UNIT_NAME, installation.root.clone());
    let config = std::path::absolute(&installation.config)
        .map_err(|error| refuse(format!("{} cannot be used: {error}.", installation.config.display())))?;
    let file = manager.path(&config.to_string_lossy());
    if !file.exists() {
        let shown = config.display();
        return Err(Error::new(
            Code::ConfigInvalid,
            format!(
                "There is no {shown}. `postern-server setup --config {shown}` writes it, or name another file with --config FILE."
            ),
        ));
    }
    // Checked now: a service that fails at its first start is noticed much later.
    let raw = read_settings(&file, manager.root().is_none())?;
    let program = match &installation.program {
        Some(program) => program.clone(),
        None => std::env::current_exe()
            .map_err(|error| refuse(format!("The path of the program cannot be determined: {error}.")))?,
    };
    let text = unit_text(&raw, &program, &config);
    if installation.dry_run {
        return say(text.trim_end());
    }
    manager.check(ALTERNATIVE)?;
    let packaged = manager.path(PACKAGED_UNIT);
    if packaged.exists() {
        let shown = packaged.display();
        return Err(refuse(format!(
            "{shown} is installed by a package already. Start that service, now and at boot: `systemctl enable --now postern-server`."
        )));
    }
    if !manager.is_system() {
        return Err(refuse("Only root can install a service of the system. Run the command again with `sudo`.".into()));
    }
    make_user(&manager)?;
    if let Some(group) = group_id(&manager.path("/etc/group")) {
        share_with_group(&file, group)?;
    }
    let path = manager.install(&text)?;
    say(&format!("{} was written and starts at boot, as the user {ACCOUNT}.", path.display()))?;
    if manager.root().is_none() {
        let data_dir = raw.get("data_dir").map_or(STATE_FOLDER, |value| value.text.trim());
        say(&format!(
            "Start it now: `systemctl start postern-server`. The first API key is then in {data_dir}/admin.key."
        ))?;
    }
    Ok(())
}

/// Stops the service and removes the unit; configuration, data and user stay.
///
/// # Errors
/// [`Code::ServicesMissing`] without systemd, [`Code::ServiceFailed`] if the service is not installed.
pub(crate) fn uninstall(root: Option<PathBuf>) -> Result<()> {
    let manager = ServiceManager::new(UNIT_NAME, root);
    manager.check(ALTERNATIVE)?;
    let path = manager.uninstall()?;
    let _ = std::fs::remove_file(manager.path(SYSUSERS_FILE));
    say(&format!("{} was removed. Configuration, data and the user {ACCOUNT} are still there.", path.display()))
}

/// Prints whether the service is installed, started at boot, and running.
///
/// # Errors
/// [`Code::ServiceFailed`] if it does not run, or is not installed; with what to do.
pub(crate) fn status(root: Option<PathBuf>) -> Result<()> {
    let manager = ServiceManager::new(UNIT_NAME, root);
    manager.check(ALTERNATIVE)?;
    let places = [manager.unit_file()?, manager.path(PACKAGED_UNIT)];
    let Some(unit) = places.iter().find(|unit| unit.exists()) else {
        return Err(refuse("The service is not installed. Run `postern-server service install`.".into()));
    };
    let unknown = || "unknown".to_owned();
    let at_boot = manager.query("is-enabled").unwrap_or_else(unknown);
    say(&format!("unit     {}\nat boot  {at_boot}", unit.display()))?;
    if manager.root().is_some() {
        return Ok(());
    }
    let now = manager.query("is-active").unwrap_or_else(unknown);
    say(&format!("now      {now}"))?;
    match now.as_str() {
        "active" => Ok(()),
        _ => Err(refuse(
            "The service does not run. Start it with `systemctl start postern-server`; `journalctl -u postern-server` says why it ended."
                .into(),
        )),
    }
}

/// The configuration that packages install.
const PACKAGED_CONFIG: &str = include_str!("../../packaging/server.yml");

/// Whether a file is there that a person has written or changed.
pub(crate) fn is_own_configuration(file: &Path) -> bool {
    file.exists() && std::fs::read_to_string(file).map_or(true, |text| text != PACKAGED_CONFIG)
}

/// Whether a package has installed the unit on this machine.
pub(crate) fn is_packaged() -> bool {
    Path::new(PACKAGED_UNIT).exists()
}

/// The settings of a file. With `resolved`, their values are checked as well, and the files that they name.
fn read_settings(file: &Path, resolved: bool) -> Result<RawSettings> {
    // The service has no environment of this shell.
    let (raw, mistakes) = RawSettings::gather([], |_| None, Some(file));
    if resolved || !mistakes.is_empty() {
        Configuration::resolve(&raw, mistakes).map_err(Error::from)?;
    }
    Ok(raw)
}

fn unit_text(raw: &RawSettings, program: &Path, config: &Path) -> String {
    let text = |key| raw.get(key).map(|value| value.text.trim());
    let log = |key| match text(key)?.parse().ok()? {
        Destination::File(path) => Some(path),
        Destination::Stdout | Destination::Stderr => None,
    };
    let duration = |key| text(key).and_then(postern_config::duration::parse);
    let drain = duration("drain_delay").unwrap_or_default() + duration("drain_timeout").unwrap_or(DEFAULT_DRAIN);
    let written = ["access_log", "audit_log"].into_iter().filter_map(log).collect();
    UnitFile { program, config, data_dir: text("data_dir").map(PathBuf::from), written, drain }.text()
}

/// Makes the system user. In an image, systemd makes it at the first boot.
fn make_user(manager: &ServiceManager) -> Result<()> {
    let file = manager.path(SYSUSERS_FILE);
    let failed = |error: &std::io::Error| refuse(format!("{} cannot be written: {}.", file.display(), reason(error)));
    std::fs::create_dir_all(file.parent().unwrap_or(Path::new("/"))).map_err(|error| failed(&error))?;
    postern_config::private_file::write_public(&file, SYSUSERS.as_bytes()).map_err(|error| failed(&error))?;
    if manager.root().is_some() {
        return Ok(());
    }
    let advice = format!("Make the user yourself, `useradd --system {ACCOUNT}`, and run the command again");
    let done = Command::new("systemd-sysusers")
        .arg(&file)
        .output()
        .map_err(|error| refuse(format!("`systemd-sysusers` could not be run: {error}. {advice}.")))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(refuse(format!("`systemd-sysusers` failed: {}. {advice}.", said.trim().trim_end_matches('.'))))
}

fn refuse(message: String) -> Error {
    Error::new(Code::ServiceFailed, message)
}

/// Prints a line.
pub(crate) fn say(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{text}")
        .and_then(|()| stdout.flush())
        .map_err(|error| Error::new(Code::Internal, format!("The result cannot be printed: {error}.")))
}

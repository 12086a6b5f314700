//! `setup`: asks what a server needs to know, examines the machine, and writes the configuration file.

mod answers;
mod checks;
mod configuration_file;
mod prompt;

use crate::{
    io_error::reason,
    service_account::{group_id, share_with_group},
};
use answers::Answers;
use checks::Finding;
use postern_api::{Code, Error, Result};
use postern_config::private_file;
use prompt::Prompt;
use std::path::{Path, PathBuf};

/// What was given on the command line. Everything else is asked in a terminal, or gets its default.
#[derive(Debug, Default)]
pub(crate) struct Given {
    /// The file to write.
    pub(crate) config: Option<PathBuf>,
    pub(crate) domain: Option<String>,
    /// E-mail address for the certificate authority.
    pub(crate) mail: Option<String>,
    pub(crate) https_port: Option<String>,
    pub(crate) http_port: Option<String>,
    pub(crate) data_dir: Option<PathBuf>,
    /// Whether a file that exists is replaced.
    pub(crate) force: bool,
}

/// Asks, examines and writes.
///
/// # Errors
/// [`Code::ConfigInvalid`] if an answer is missing or not valid, or if the file exists; [`Code::ServiceFailed`] if it
/// cannot be written. Nothing was written then.
pub(crate) async fn run(given: Given) -> Result<()> {
    let prompt = Prompt::of_terminal();
    let config = match &given.config {
        Some(config) => config.clone(),
        None => default_config()?,
    };
    if crate::service::is_own_configuration(&config)
        && !given.force
        && !prompt.confirms(&format!("{} exists. Replace it?", config.display()))?
    {
        let message = format!(
            "{} exists already and was not changed. Replace it with --force, or write another file with --config FILE.",
            config.display()
        );
        return Err(Error::new(Code::ConfigInvalid, message));
    }
    if prompt.is_interactive() {
        prompt.say("An empty line takes the answer in brackets.\n")?;
    }
    let answers = Answers::gather(&prompt, &given, is_root())?;
    prompt.say("\nThis machine:")?;
    let findings = checks::examine(&answers).await;
    for finding in &findings {
        prompt.say(&finding.line())?;
    }
    if findings.iter().any(Finding::is_problem) && prompt.is_interactive() && !prompt.confirms("\nWrite it anyway?")? {
        return Err(Error::new(
            Code::ConfigInvalid,
            "Nothing was written. Run `postern-server setup` again when it is mended.",
        ));
    }
    write(&config, &configuration_file::text(&answers))?;
    prompt.say(&format!("\n{} was written.\n\n{}", config.display(), next_step(&config, &answers)))
}

fn default_config() -> Result<PathBuf> {
    if is_root() {
        return Ok(PathBuf::from(crate::service::DEFAULT_CONFIG));
    }
    let base = etcetera::choose_base_strategy().map_err(|_| {
        Error::new(Code::ConfigInvalid, "This account has no home folder. Name the file to write with --config FILE.")
    })?;
    Ok(etcetera::BaseStrategy::config_dir(&base).join("postern/server.yml"))
}

/// Writes the file for its owner alone, or for the service's user as well if there is one.
fn write(config: &Path, text: &str) -> Result<()> {
    private_file::write(config, text.as_bytes()).map_err(|error| {
        let message = format!(
            "{} cannot be written: {}. Run the command with `sudo`, or write another file with --config FILE.",
            config.display(),
            reason(&error)
        );
        Error::new(Code::ServiceFailed, message)
    })?;
    match group_id(Path::new("/etc/group")) {
        Some(group) if is_root() => share_with_group(config, group),
        _ => Ok(()),
    }
}

/// What to type next, and where the first key will be.
fn next_step(config: &Path, answers: &Answers) -> String {
    let shown = config.display();
    let start = if crate::service::is_packaged() && config == Path::new(crate::service::DEFAULT_CONFIG) {
        "  systemctl enable --now postern-server".to_owned()
    } else if is_root() && Path::new("/run/systemd/system").is_dir() {
        format!("  postern-server service install --config {shown}\n  systemctl start postern-server")
    } else {
        format!("  postern-server run --config {shown}")
    };
    let key = answers.data_dir.as_deref().map_or_else(
        || "The server prints where the first API key is".to_owned(),
        |folder| format!("The first API key is then in {}", folder.join("admin.key").display()),
    );
    format!("Next:\n{start}\n{key}; the console is at http://127.0.0.1:4041/console/ on this machine.")
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

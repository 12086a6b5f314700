//! `postern config …`: reads and changes the configuration file.

use super::{flags, say};
use crate::config::{ServerAddress, Sources, edit, tree::ConfigNode};
use clap::Subcommand;
use postern_api::{Code, Error, Secret, token::Token};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

/// The exit code of a shell for an unknown command.
const UNKNOWN_COMMAND: i32 = 127;

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Store the authtoken; `-` reads it from standard input
    AddAuthtoken {
        /// The token, or `-`
        token: Secret,
    },
    /// Store an API key; `-` reads it from standard input
    AddApiKey {
        /// The key, or `-`
        key: Secret,
    },
    /// Store the address of the server
    AddServerAddr {
        /// Host and port; separate several with commas
        addr: String,
    },
    /// Check the file and print all problems
    Check,
    /// Open the file in your editor, then check it
    Edit,
    /// Add what this version needs
    Upgrade {
        /// Print the result instead of writing it
        #[arg(long)]
        dry_run: bool,
        /// Move the file to the default location
        #[arg(long)]
        relocate: bool,
    },
    /// Print the path of the file
    Path,
}

pub(super) fn run(command: ConfigCommand, given: Vec<PathBuf>) -> Result<(), Error> {
    let file = flags::file(&given)?;
    match command {
        ConfigCommand::AddAuthtoken { token } => add_secret(&file, "authtoken", "an authtoken", &token),
        ConfigCommand::AddApiKey { key } => add_secret(&file, "api_key", "an API key", &key),
        ConfigCommand::AddServerAddr { addr } => {
            if !addr.split(',').all(|one| ServerAddress::parse(one.trim(), false).is_some()) {
                let shown: String = addr.chars().take(80).collect();
                return Err(Error::new(
                    Code::ConfigInvalid,
                    format!("`{shown}` is not host and port; write for example localhost:4443."),
                ));
            }
            add(&file, "server_addr", &json!(addr))
        }
        ConfigCommand::Check => check(given),
        ConfigCommand::Edit => {
            edit_by_hand(&file)?;
            check(given)
        }
        ConfigCommand::Upgrade { dry_run, relocate } => upgrade(&file, dry_run, relocate),
        ConfigCommand::Path => say(&file.display().to_string()),
    }
}

fn add_secret(file: &Path, key: &str, what: &str, given: &Secret) -> Result<(), Error> {
    let secret = flags::from_stdin(given)?;
    if Token::parse(secret.reveal()).is_none() {
        let message = format!(
            "This is not {what}: it has 27 letters and digits, an underscore, and the secret. Copy it again from where it was \
             shown. Nothing was saved."
        );
        return Err(Error::new(Code::ConfigInvalid, message));
    }
    add(file, key, &json!(secret.reveal()))
}

fn add(file: &Path, key: &str, value: &Json) -> Result<(), Error> {
    let text = with_version(&edit::read_for_edit(file)?)?;
    write(file, &edit::set(&text, &[key], value)?)?;
    say(&format!("Saved `{key}` to {}", file.display()))
}

fn with_version(text: &str) -> Result<String, Error> {
    let has = ConfigNode::parse(text, None).is_ok_and(|node| node.pair("version").is_some());
    if has { Ok(text.to_owned()) } else { edit::set(text, &["version"], &json!(2)) }
}

fn check(given: Vec<PathBuf>) -> Result<(), Error> {
    let (files, _) = flags::files(&given)?;
    let shown = files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ");
    let sources = Sources { files, may_be_missing: false, overlay: ConfigNode::empty() };
    match sources.load() {
        Ok(config) => say(&format!("{shown} is valid; tunnels: {}.", config.tunnels.len())),
        Err(problems) => Err(problems.to_error()),
    }
}

fn edit_by_hand(file: &Path) -> Result<(), Error> {
    if !file.exists() {
        write(file, &edit::read_for_edit(file)?)?;
    }
    let editor = ["VISUAL", "EDITOR"].iter().find_map(std::env::var_os).filter(|editor| !editor.is_empty());
    let editor = editor.unwrap_or_else(|| if cfg!(windows) { "notepad".into() } else { "vi".into() });
    let not_started = |why: &str| {
        Error::new(
            Code::ConfigInvalid,
            format!(
                "The editor `{}` could not be started: {why}. Set EDITOR, or open {} yourself.",
                editor.to_string_lossy(),
                file.display()
            ),
        )
    };
    match editing(&editor, file).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) if status.code() == Some(UNKNOWN_COMMAND) => Err(not_started("there is no such program")),
        Ok(status) => Err(Error::new(Code::ConfigInvalid, format!("The editor ended with {status}."))),
        Err(error) => Err(not_started(&error.to_string())),
    }
}

/// The editor may have arguments, such as `code --wait`: the shell splits them.
fn editing(editor: &std::ffi::OsStr, file: &Path) -> std::process::Command {
    #[cfg(unix)]
    {
        let mut line = editor.to_owned();
        line.push(" \"$@\"");
        let mut command = std::process::Command::new("sh");
        command.arg("-c").arg(line).arg("editor").arg(file);
        command
    }
    #[cfg(not(unix))]
    {
        let mut command = std::process::Command::new(editor);
        command.arg(file);
        command
    }
}

fn upgrade(file: &Path, dry_run: bool, relocate: bool) -> Result<(), Error> {
    let old = edit::read_for_edit(file)?;
    let new = with_version(&old)?;
    let default_file =
        if relocate { Some(flags::file(&[])?).filter(|default_file| default_file != file) } else { None };
    if let Some(default_file) = &default_file {
        let refuse = |why: &str| Err(Error::new(Code::ConfigInvalid, why.to_owned()));
        if !file.exists() {
            return refuse(&format!("There is no {} to move.", file.display()));
        }
        if default_file.exists() {
            let (file, default_file) = (file.display(), default_file.display());
            return refuse(&format!("{default_file} exists already, so {file} was not moved. Remove one of the two."));
        }
    }
    if dry_run {
        if let Some(default_file) = &default_file {
            say(&format!("# {} would be moved to {}.", file.display(), default_file.display()))?;
        }
        return say(new.trim_end());
    }
    if let Some(default_file) = default_file {
        write(&default_file, &new)?;
        std::fs::remove_file(file).map_err(|error| {
            let message =
                format!("{} was copied to {}, but cannot be removed: {error}.", file.display(), default_file.display());
            Error::new(Code::ConfigInvalid, message)
        })?;
        return say(&format!("{} is now {}.", file.display(), default_file.display()));
    }
    if new == old && file.exists() {
        return say(&format!("{} needs no change.", file.display()));
    }
    write(file, &new)?;
    say(&format!("{} was upgraded.", file.display()))
}

fn write(file: &Path, text: &str) -> Result<(), Error> {
    edit::write_private(file, text.as_bytes())
        .map_err(|error| Error::new(Code::ConfigInvalid, format!("{} cannot be written: {error}.", file.display())))
}

//! The programs that are installed beside the app.

use crate::{
    error::{DesktopError, Result},
    page_settings,
};
use postern_api::Code;
use std::{env, path::PathBuf, process::Stdio};
use tokio::process::Command;

/// A command for a bundled program, without the environment variables of the app.
///
/// # Errors
///
/// Fails if the program is not installed.
pub(crate) fn command(program: &str) -> Result<Command> {
    let mut command = Command::new(program_path(program)?);
    // The app gives the same variables other meanings; the programs get all their settings as flags.
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("POSTERN_")) {
            command.env_remove(name);
        }
    }
    page_settings::remove_from(&mut command);
    command.stdin(Stdio::null());
    Ok(command)
}

/// The program in the folder of the app: the build folder during development, `/usr/bin` once installed.
fn program_path(program: &str) -> Result<PathBuf> {
    let app = env::current_exe().map_err(|error| DesktopError::local("The path of the app was not found", error))?;
    let path = app.with_file_name(format!("{program}{}", env::consts::EXE_SUFFIX));
    if path.is_file() {
        return Ok(path);
    }
    Err(DesktopError::new(
        Code::Unavailable,
        format!("{program} is missing from {}. Reinstall Postern.", path.display()),
    ))
}

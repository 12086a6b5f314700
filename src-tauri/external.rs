//! Opens addresses in the user's browser and folders in the file manager.

use std::{ffi::OsStr, io, process::Stdio, time::Duration};
use tokio::{process::Command, time::timeout};

/// A program that has not failed by then has opened what it was started for.
const FAILURE_TIMEOUT: Duration = Duration::from_secs(1);

/// Opens a URL or a path with the program that the user has chosen for it.
///
/// # Errors
///
/// Fails if no such program could be started.
pub(crate) async fn open(target: impl AsRef<OsStr>) -> io::Result<()> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "no program opens it");
    for command in open::commands(target) {
        let mut command = Command::from(command);
        without_page_settings(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            Ok(mut child) => match timeout(FAILURE_TIMEOUT, child.wait()).await {
                Ok(Ok(status)) if !status.success() => failure = io::Error::other(status.to_string()),
                Ok(Err(error)) => failure = error,
                _ => return Ok(()),
            },
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// The settings of the app's own pages are not for other programs.
pub(crate) fn without_page_settings(command: &mut Command) {
    for (name, _) in crate::windows::PAGE_SETTINGS {
        command.env_remove(name);
    }
}

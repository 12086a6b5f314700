//! Opens addresses in the user's browser and folders in the file manager.

use crate::page_settings;
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
        page_settings::remove_from(&mut command);
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

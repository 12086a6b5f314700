//! Starts a program so that it can outlive the app.

use super::{display, process::ProcessHandle};
use crate::{
    bundled_programs,
    error::{DesktopError, Result},
    log_file::LogFile,
};
use postern_api::Code;
use postern_config::desktop_session;
use std::ffi::OsString;
use tokio::process::Child;

/// A program to start: its name, its arguments and its log.
pub(crate) struct Launch {
    pub(crate) program: &'static str,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) log: LogFile,
}

/// A program that the app started.
pub(crate) struct SpawnedProgram {
    pub(crate) child: Child,
    pub(crate) process: ProcessHandle,
    log: LogFile,
    log_begin: u64,
}

impl Launch {
    /// Starts the program in its own session, so that neither a terminal nor the end of the app ends it. The end of the
    /// desktop session does.
    ///
    /// # Errors
    ///
    /// Fails if the program is missing or cannot be started, or if the log cannot be written.
    pub(crate) fn spawn(self) -> Result<SpawnedProgram> {
        let open =
            |error| DesktopError::local(format!("The log {} cannot be written", self.log.path().display()), error);
        let (output, log_begin) = self.log.open().map_err(open)?;
        let errors = output.try_clone().map_err(open)?;
        let mut command = bundled_programs::command(self.program)?;
        if let Some(socket) = display::socket() {
            command.env(desktop_session::DISPLAY_SOCKET, socket);
        }
        let child = command
            .args(&self.arguments)
            .env(desktop_session::OWN_SESSION, "1")
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(|error| DesktopError::local(format!("{} could not be started", self.program), error))?;
        let process =
            child.id().ok_or_else(|| std::io::Error::other("it ended immediately")).and_then(ProcessHandle::open);
        let process =
            process.map_err(|error| DesktopError::local(format!("{} could not be supervised", self.program), error))?;
        tracing::info!(program = self.program, pid = process.pid(), "started");
        Ok(SpawnedProgram { child, process, log: self.log, log_begin })
    }
}

impl SpawnedProgram {
    /// Waits for the end of the program. The error has the exit status and the last line of the log.
    pub(crate) async fn exit_reason(&mut self, program: &str) -> DesktopError {
        let status = match self.child.wait().await {
            Ok(status) => {
                if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
                    // The last line does not explain a signal.
                    return DesktopError::new(Code::Unavailable, format!("{program} was killed by signal {signal}."));
                }
                status.to_string()
            }
            Err(error) => error.to_string(),
        };
        match self.log.last_line(self.log_begin) {
            Some(line) => DesktopError::new(code_in(&line), format!("{program} ended ({status}): {line}")),
            None => DesktopError::new(Code::Unavailable, format!("{program} ended ({status}) without a message.")),
        }
    }
}

/// The error code in a line of a log, such as `ERR_POSTERN_8114`.
fn code_in(line: &str) -> Code {
    line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .find_map(|word| word.parse().ok())
        .unwrap_or(Code::Unavailable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_code_of_a_log_line_is_kept() {
        assert_eq!(code_in("error: port 4443 is taken (ERR_POSTERN_8114)"), Code::ListenFailed);
        assert_eq!(code_in("something broke"), Code::Unavailable);
    }
}

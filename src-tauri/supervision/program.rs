//! Starting a program beside the app so that it outlives the app.

use super::logs::Log;
use super::process::Process;
use crate::failure::{Failure, Result};
use postern_api::Code;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use tokio::process::{Child, Command};

/// What to start: a program's name, its arguments and where its output goes.
pub(crate) struct Launch {
    pub(crate) program: &'static str,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) log: Log,
}

/// A program that was just started.
pub(crate) struct Spawned {
    pub(crate) child: Child,
    pub(crate) process: Process,
    log: Log,
    log_begin: u64,
}

/// The program of this name beside the app: in the build folder while developing, in `/usr/bin` once installed.
pub(crate) fn beside_the_app(program: &str) -> Result<PathBuf> {
    let app = env::current_exe().map_err(|error| Failure::local("The app does not know where it lies", error))?;
    let path = app.with_file_name(format!("{program}{}", env::consts::EXE_SUFFIX));
    if path.is_file() {
        return Ok(path);
    }
    Err(Failure::new(
        Code::Unavailable,
        format!("{program} is missing: it belongs at {}. Install Postern again.", path.display()),
    ))
}

/// A command for one of our programs that takes nothing over from the app's own settings.
pub(crate) fn command(program: &str) -> Result<Command> {
    let mut command = Command::new(beside_the_app(program)?);
    // The app reads the same names with other meanings, and everything that counts is said by flags.
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("POSTERN_")) {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null());
    Ok(command)
}

impl Launch {
    /// Starts it in a session of its own: no terminal, no pipe and no parent ends it but us.
    pub(crate) fn spawn(self) -> Result<Spawned> {
        let open = |error| Failure::local(format!("The log {} cannot be written", self.log.path().display()), error);
        let (output, log_begin) = self.log.open().map_err(open)?;
        let errors = output.try_clone().map_err(open)?;
        let child = command(self.program)?
            .args(&self.arguments)
            .env("POSTERN_OWN_SESSION", "1")
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(|error| Failure::local(format!("{} could not be started", self.program), error))?;
        let held = child.id().ok_or_else(|| std::io::Error::other("it ended at once")).and_then(Process::hold);
        let process = held.map_err(|error| Failure::local(format!("{} could not be watched", self.program), error))?;
        tracing::info!(program = self.program, pid = process.pid(), "started");
        Ok(Spawned { child, process, log: self.log, log_begin })
    }
}

impl Spawned {
    /// Waits for the end and says why it came, from the exit status and the last line of the log.
    pub(crate) async fn reason(&mut self, program: &str) -> Failure {
        let how = match self.child.wait().await {
            Ok(status) => {
                if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
                    // It was ended from outside: what it wrote last explains nothing.
                    return Failure::new(Code::Unavailable, format!("{program} was ended by signal {signal}."));
                }
                status.to_string()
            }
            Err(error) => error.to_string(),
        };
        match self.log.last_line(self.log_begin) {
            Some(line) => Failure::new(code_in(&line), format!("{program} ended ({how}): {line}")),
            None => Failure::new(Code::Unavailable, format!("{program} ended ({how}) without a word.")),
        }
    }
}

/// The code a line of a log names, such as `ERR_POSTERN_8114`.
fn code_in(line: &str) -> Code {
    line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .find_map(|word| word.parse().ok())
        .unwrap_or(Code::Unavailable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_log_line_is_kept() {
        assert_eq!(code_in("error: port 4443 is taken (ERR_POSTERN_8114)"), Code::ListenFailed);
        assert_eq!(code_in("something broke"), Code::Unavailable);
    }
}

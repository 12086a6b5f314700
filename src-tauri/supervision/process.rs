//! One process of the system, held so that its number cannot come to mean another one.
//!
//! On Linux a pidfd names the process itself. Elsewhere the number is checked against the program's name.

use rustix::process::{Pid, Signal};
use std::io;
use std::time::Duration;

/// How often a system without pidfds is asked whether a process still runs.
#[cfg(not(target_os = "linux"))]
const POLL: Duration = Duration::from_millis(200);

/// A running process that may, but need not, be a child of this one.
#[derive(Debug)]
pub(crate) struct Process {
    pid: Pid,
    #[cfg(target_os = "linux")]
    handle: std::sync::Arc<std::os::fd::OwnedFd>,
    /// Closed when the process has ended.
    #[cfg(target_os = "linux")]
    life: tokio::sync::watch::Receiver<()>,
}

impl Process {
    /// The process with this number if it runs and is the program of this name.
    pub(crate) fn find(pid: u32, program: &str) -> Option<Process> {
        let process = Process::hold(pid).ok()?;
        // The name is read after the handle was taken: a number that was reused in between shows another name.
        (program_name(process.pid).as_deref() == Some(program)).then_some(process)
    }

    /// Takes hold of a child just spawned.
    #[cfg(target_os = "linux")]
    pub(crate) fn hold(pid: u32) -> io::Result<Process> {
        let pid = number(pid)?;
        let handle = std::sync::Arc::new(rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty())?);
        let (alive, life) = tokio::sync::watch::channel(());
        let watched = handle.clone();
        // A pidfd becomes readable when its process ends. One sleeping thread a process, and there are two.
        std::thread::Builder::new().name("process-end".to_owned()).spawn(move || {
            let mut events = [rustix::event::PollFd::new(&*watched, rustix::event::PollFlags::IN)];
            while let Err(rustix::io::Errno::INTR) = rustix::event::poll(&mut events, None) {}
            drop(alive);
        })?;
        Ok(Process { pid, handle, life })
    }

    /// Takes hold of a child just spawned.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn hold(pid: u32) -> io::Result<Process> {
        let pid = number(pid)?;
        rustix::process::test_kill_process(pid)?;
        Ok(Process { pid })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Waits until the process has ended.
    #[cfg(target_os = "linux")]
    pub(crate) async fn ended(&self) {
        let _ = self.life.clone().changed().await;
    }

    /// Waits until the process has ended.
    #[cfg(not(target_os = "linux"))]
    pub(crate) async fn ended(&self) {
        while rustix::process::test_kill_process(self.pid).is_ok() {
            tokio::time::sleep(POLL).await;
        }
    }

    #[cfg(target_os = "linux")]
    fn signal(&self, signal: Signal) -> io::Result<()> {
        Ok(rustix::process::pidfd_send_signal(&*self.handle, signal)?)
    }

    #[cfg(not(target_os = "linux"))]
    fn signal(&self, signal: Signal) -> io::Result<()> {
        Ok(rustix::process::kill_process(self.pid, signal)?)
    }

    /// Asks the process to end, and ends it by force when it has not done so in time.
    ///
    /// Returns whether it ended by itself. It has ended in any case, unless the system refuses even that.
    pub(crate) async fn terminate(&self, patience: Duration) -> bool {
        if self.signal(Signal::TERM).is_err() {
            return true;
        }
        if tokio::time::timeout(patience, self.ended()).await.is_ok() {
            return true;
        }
        tracing::warn!(pid = self.pid(), ?patience, "did not end when asked and is ended by force");
        let _ = self.signal(Signal::KILL);
        let _ = tokio::time::timeout(Duration::from_secs(2), self.ended()).await;
        false
    }
}

fn number(pid: u32) -> io::Result<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or_else(|| io::Error::other("not a process number"))
}

/// The file name of the program a process runs, without what the system adds when the file was replaced.
#[cfg(target_os = "linux")]
fn program_name(pid: Pid) -> Option<String> {
    let program = std::fs::read_link(format!("/proc/{}/exe", pid.as_raw_nonzero())).ok()?;
    let name = program.file_name()?.to_str()?;
    Some(name.strip_suffix(" (deleted)").unwrap_or(name).to_owned())
}

#[cfg(not(target_os = "linux"))]
fn program_name(pid: Pid) -> Option<String> {
    let output = std::process::Command::new("ps")
        .args(["-o", "comm=", "-p", &pid.as_raw_nonzero().to_string()])
        .output()
        .ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    std::path::Path::new(path.trim()).file_name()?.to_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::process::Command;

    #[tokio::test]
    async fn a_process_is_known_by_its_program_and_ends_when_asked() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        assert!(Process::find(child.id(), "postern-server").is_none(), "another program is not ours");
        let process = Process::find(child.id(), "sleep").unwrap();
        assert!(process.terminate(Duration::from_secs(5)).await);
        child.wait().unwrap();
    }

    #[tokio::test]
    async fn one_that_ignores_the_request_is_ended_by_force() {
        let mut child = Command::new("sh")
            .args(["-c", "trap '' TERM; echo; while :; do sleep 0.1; done"])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // The empty line says that the trap stands.
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0]).unwrap();
        let process = Process::hold(child.id()).unwrap();
        assert!(!process.terminate(Duration::from_millis(200)).await);
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&child.wait().unwrap()), Some(9));
    }

    #[tokio::test]
    async fn a_number_that_is_none_finds_nothing() {
        assert!(Process::find(0, "sleep").is_none());
        assert!(Process::find(u32::MAX, "sleep").is_none());
    }
}

//! A handle of a process that stays valid when the system reuses the process id.
//!
//! On Linux it is a pidfd. Elsewhere the process id is checked against the name of the program.

use rustix::process::{Pid, Signal};
use std::{io, time::Duration};

/// The interval at which a process is checked on a system without pidfds.
#[cfg(not(target_os = "linux"))]
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// A running process that may, but need not, be a child of this one.
#[derive(Debug)]
pub(crate) struct ProcessHandle {
    pid: Pid,
    #[cfg(target_os = "linux")]
    pidfd: std::sync::Arc<std::os::fd::OwnedFd>,
    /// Closed when the process has ended.
    #[cfg(target_os = "linux")]
    exit: tokio::sync::watch::Receiver<()>,
}

impl ProcessHandle {
    /// The process with this id, if it runs the program of this name.
    pub(crate) fn find(pid: u32, program: &str) -> Option<ProcessHandle> {
        let process = ProcessHandle::open(pid).ok()?;
        // The name is read after the handle is open: if the id was reused in between, the name differs.
        (program_name(process.pid).as_deref() == Some(program)).then_some(process)
    }

    /// Opens a handle of a running process.
    ///
    /// # Errors
    ///
    /// Fails if there is no such process.
    #[cfg(target_os = "linux")]
    pub(crate) fn open(pid: u32) -> io::Result<ProcessHandle> {
        let pid = checked_pid(pid)?;
        let pidfd = std::sync::Arc::new(rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty())?);
        let (alive, exit) = tokio::sync::watch::channel(());
        let watched = pidfd.clone();
        // A pidfd becomes readable when its process ends. A sleeping thread per process is cheap: there are two.
        std::thread::Builder::new().name("process-end".to_owned()).spawn(move || {
            let mut events = [rustix::event::PollFd::new(&*watched, rustix::event::PollFlags::IN)];
            while let Err(rustix::io::Errno::INTR) = rustix::event::poll(&mut events, None) {}
            drop(alive);
        })?;
        Ok(ProcessHandle { pid, pidfd, exit })
    }

    /// Opens a handle of a running process.
    ///
    /// # Errors
    ///
    /// Fails if there is no such process.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn open(pid: u32) -> io::Result<ProcessHandle> {
        let pid = checked_pid(pid)?;
        rustix::process::test_kill_process(pid)?;
        Ok(ProcessHandle { pid })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Waits until the process has ended.
    #[cfg(target_os = "linux")]
    pub(crate) async fn wait(&self) {
        let _ = self.exit.clone().changed().await;
    }

    /// Waits until the process has ended.
    #[cfg(not(target_os = "linux"))]
    pub(crate) async fn wait(&self) {
        while rustix::process::test_kill_process(self.pid).is_ok() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    #[cfg(target_os = "linux")]
    fn signal(&self, signal: Signal) -> io::Result<()> {
        Ok(rustix::process::pidfd_send_signal(&*self.pidfd, signal)?)
    }

    #[cfg(not(target_os = "linux"))]
    fn signal(&self, signal: Signal) -> io::Result<()> {
        Ok(rustix::process::kill_process(self.pid, signal)?)
    }

    /// Sends SIGTERM, then SIGKILL if the process has not ended within the timeout.
    ///
    /// Returns whether the process ended on SIGTERM.
    pub(crate) async fn terminate(&self, timeout: Duration) -> bool {
        if self.signal(Signal::TERM).is_err() {
            return true;
        }
        if tokio::time::timeout(timeout, self.wait()).await.is_ok() {
            return true;
        }
        tracing::warn!(pid = self.pid(), ?timeout, "the process did not end on SIGTERM and is killed");
        let _ = self.signal(Signal::KILL);
        let _ = tokio::time::timeout(Duration::from_secs(2), self.wait()).await;
        false
    }
}

fn checked_pid(pid: u32) -> io::Result<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or_else(|| io::Error::other("not a process id"))
}

/// The file name of the program of a process, without the suffix that Linux adds if the file was replaced.
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
    use super::*;
    use std::process::Command;

    #[tokio::test]
    async fn a_process_is_found_by_its_program_and_ends_on_sigterm() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        assert!(ProcessHandle::find(child.id(), "postern-server").is_none(), "the program differs");
        let process = ProcessHandle::find(child.id(), "sleep").unwrap();
        assert!(process.terminate(Duration::from_secs(5)).await);
        child.wait().unwrap();
    }

    #[tokio::test]
    async fn a_process_that_ignores_sigterm_is_killed() {
        let mut child = Command::new("sh")
            .args(["-c", "trap '' TERM; echo; while :; do sleep 0.1; done"])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // The empty line follows the trap.
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0]).unwrap();
        let process = ProcessHandle::open(child.id()).unwrap();
        assert!(!process.terminate(Duration::from_millis(200)).await);
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&child.wait().unwrap()), Some(9));
    }

    #[tokio::test]
    async fn an_invalid_process_id_finds_nothing() {
        assert!(ProcessHandle::find(0, "sleep").is_none());
        assert!(ProcessHandle::find(u32::MAX, "sleep").is_none());
    }
}

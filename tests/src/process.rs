//! A program at work: its output is kept, and it ends with its handle.

use crate::condition::{eventually, within};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A running or ended program.
pub struct Process {
    name: String,
    child: Mutex<Child>,
    pid: u32,
    stdout: Arc<Mutex<String>>,
    stderr: Arc<Mutex<String>>,
    /// Shows the output when a test fails.
    show: bool,
}

/// What a program left behind.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub status: ExitStatus,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ended {
    /// Both outputs together.
    pub fn output(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}

impl Process {
    /// Starts a program with nothing of the tests' own environment that could configure it.
    pub fn start<A: AsRef<OsStr>>(program: &Path, arguments: &[A], environment: &[(&str, &str)]) -> Process {
        let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for (variable, _) in std::env::vars_os() {
            if variable.to_string_lossy().starts_with("POSTERN_") {
                command.env_remove(variable);
            }
        }
        command.envs(environment.iter().copied());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{} does not start: {error}", program.display()));
        let stdout = collect(child.stdout.take().expect("piped"));
        let stderr = collect(child.stderr.take().expect("piped"));
        Process { name, pid: child.id(), child: Mutex::new(child), stdout, stderr, show: true }
    }

    /// Runs a program to its end.
    pub async fn run<A: AsRef<OsStr>>(program: &Path, arguments: &[A], environment: &[(&str, &str)]) -> Ended {
        Process::start(program, arguments, environment).ended().await
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// What it has written to standard output so far.
    pub fn stdout(&self) -> String {
        self.stdout.lock().expect("no reader panics").clone()
    }

    /// What it has written to standard error so far.
    pub fn stderr(&self) -> String {
        self.stderr.lock().expect("no reader panics").clone()
    }

    /// Whether it is still there.
    pub fn is_running(&self) -> bool {
        self.status().is_none()
    }

    /// How it ended, if it did.
    pub fn status(&self) -> Option<ExitStatus> {
        self.child.lock().expect("not poisoned").try_wait().expect("a child can be asked")
    }

    /// Waits until standard error holds a text.
    pub async fn says(&self, text: &str) {
        eventually(&format!("{} says `{text}`", self.name), async || self.stderr().contains(text).then_some(())).await;
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Sends a signal, if it has not ended.
    pub fn signal(&self, signal: Signal) {
        if self.is_running() {
            let pid = Pid::from_raw(self.pid as i32).expect("a process id is not 0");
            kill_process(pid, signal).expect("the process is ours");
        }
    }

    /// Ends it at once, as `kill -9` does, and waits until it is gone.
    pub fn kill(&self) {
        let mut child = self.child.lock().expect("not poisoned");
        let _ = child.kill();
        let _ = child.wait();
    }

    /// Waits until it has ended and everything it wrote was read.
    pub async fn gone(&self) -> ExitStatus {
        let status = eventually(&format!("{} ends", self.name), async || self.status()).await;
        // The pipes are at their end when the readers have given their share back.
        eventually("the pipes are read to their end", async || {
            (Arc::strong_count(&self.stdout) == 1 && Arc::strong_count(&self.stderr) == 1).then_some(())
        })
        .await;
        status
    }

    /// Waits for its end and takes what it wrote.
    pub async fn ended(mut self) -> Ended {
        let status = self.gone().await;
        self.show = false;
        Ended { status, stdout: self.stdout(), stderr: self.stderr() }
    }

    /// The same within a time that is promised.
    pub async fn ended_within(self, promise: Duration) -> Ended {
        within(promise, &format!("{} ends", self.name), async || self.status()).await;
        self.ended().await
    }
}

/// Whether it ended by itself, not by a signal, and said all was well.
pub fn ended_well(status: ExitStatus) -> bool {
    status.success() && status.signal().is_none()
}

fn collect(pipe: impl Read + Send + 'static) -> Arc<Mutex<String>> {
    let text = Arc::new(Mutex::new(String::new()));
    let collected = text.clone();
    std::thread::spawn(move || {
        let mut pipe = BufReader::new(pipe);
        let mut line = Vec::new();
        while pipe.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            collected.lock().expect("not poisoned").push_str(&String::from_utf8_lossy(&line));
            line.clear();
        }
    });
    text
}

impl Drop for Process {
    #[allow(clippy::print_stderr, reason = "a failed test shows what its programs said")]
    fn drop(&mut self) {
        self.kill();
        if self.show && std::thread::panicking() {
            let (stdout, stderr) = (self.stdout(), self.stderr());
            eprintln!("--- {} ({}) wrote:\n{stdout}{stderr}---", self.name, self.pid);
        }
    }
}

//! A child process whose output is collected and that ends with its handle.

use postern_test_kit::{eventually, within};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    ffi::OsStr,
    io::{BufRead, BufReader, Read},
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex},
    time::Duration,
};

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

/// The exit status and output of a program.
#[derive(Debug)]
pub struct ProcessOutput {
    /// The exit status.
    pub status: ExitStatus,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl ProcessOutput {
    /// Standard output and standard error.
    pub fn output(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}

impl Process {
    /// Starts a program without the `POSTERN_*` variables of the test environment.
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
    pub async fn run<A: AsRef<OsStr>>(program: &Path, arguments: &[A], environment: &[(&str, &str)]) -> ProcessOutput {
        Process::start(program, arguments, environment).wait_with_output().await
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The standard output so far.
    pub fn stdout(&self) -> String {
        self.stdout.lock().expect("no reader panics").clone()
    }

    /// The standard error so far.
    pub fn stderr(&self) -> String {
        self.stderr.lock().expect("no reader panics").clone()
    }

    /// Whether the program is still running.
    pub fn is_running(&self) -> bool {
        self.status().is_none()
    }

    /// The exit status, if the program has ended.
    pub fn status(&self) -> Option<ExitStatus> {
        self.child.lock().expect("not poisoned").try_wait().expect("a child has a status")
    }

    /// Waits until standard output or standard error contains a text, and returns both.
    pub async fn wait_for_output(&self, text: &str) -> String {
        let output =
            async || Some(format!("{}{}", self.stdout(), self.stderr())).filter(|output| output.contains(text));
        eventually(&format!("{} prints `{text}`", self.name), output).await
    }

    /// Waits until standard error contains a text.
    pub async fn wait_for_log(&self, text: &str) {
        eventually(&format!("{} logs `{text}`", self.name), async || self.stderr().contains(text).then_some(())).await;
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

    /// Kills the program with SIGKILL and waits for its end.
    pub fn kill(&self) {
        let mut child = self.child.lock().expect("not poisoned");
        let _ = child.kill();
        let _ = child.wait();
    }

    /// Waits until the program has ended and all its output was read.
    pub async fn wait_for_exit(&self) -> ExitStatus {
        let status = eventually(&format!("{} ends", self.name), async || self.status()).await;
        // The readers drop their references at the end of the pipes.
        eventually("the pipes are read to their end", async || {
            (Arc::strong_count(&self.stdout) == 1 && Arc::strong_count(&self.stderr) == 1).then_some(())
        })
        .await;
        status
    }

    /// Waits for the end and returns the output.
    pub async fn wait_with_output(mut self) -> ProcessOutput {
        let status = self.wait_for_exit().await;
        self.show = false;
        ProcessOutput { status, stdout: self.stdout(), stderr: self.stderr() }
    }

    /// Waits for the end within a specified time.
    pub async fn wait_within(self, limit: Duration) -> ProcessOutput {
        within(limit, &format!("{} ends", self.name), async || self.status()).await;
        self.wait_with_output().await
    }
}

/// Whether the status is 0 and not a signal.
pub fn exited_successfully(status: ExitStatus) -> bool {
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
    #[expect(clippy::print_stderr, reason = "a failed test shows the output of its programs")]
    fn drop(&mut self) {
        self.kill();
        if self.show && std::thread::panicking() {
            let (stdout, stderr) = (self.stdout(), self.stderr());
            eprintln!("--- {} ({}) wrote:\n{stdout}{stderr}---", self.name, self.pid);
        }
    }
}

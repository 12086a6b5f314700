//! Ends the started programs when the desktop session ends.
//!
//! At logout the display server exits and the toolkit ends the app at once, without a chance to end server and agent,
//! which run in their own sessions. A crash of the app looks the same from outside and must not end them. Therefore a
//! second, small process of this program watches the display.

use super::{
    process::ProcessHandle,
    started_processes::{StartedProcess, StartedProcesses},
};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};
use tokio::{io::AsyncReadExt, net::UnixStream};

/// The flag that starts this program as the watcher; the app's data folder follows.
pub(crate) const FLAG: &str = "--watch-session";
/// The watcher's name in `started.json`.
const WATCHER: &str = "session-watch";
const PROGRAM_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(8);

/// Starts a watcher for this session, and ends one that a crashed app left.
pub(crate) async fn start(started: &StartedProcesses, folder: &Path) {
    stop(started).await;
    if display_socket().is_none() {
        return;
    }
    let spawned = std::env::current_exe().and_then(|program| {
        std::process::Command::new(program)
            .arg(FLAG)
            .arg(folder)
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
    });
    match spawned {
        Ok(mut child) => {
            started.insert(WATCHER, StartedProcess { pid: child.id(), address: None });
            // Reaps the child while the app runs.
            std::thread::spawn(move || child.wait());
        }
        Err(error) => tracing::warn!(%error, "the end of the desktop session cannot be watched"),
    }
}

/// Ends the watcher, if one runs.
pub(crate) async fn stop(started: &StartedProcesses) {
    let Some(watcher) = started.get(WATCHER) else { return };
    if let Some(process) = own_name().and_then(|name| ProcessHandle::find(watcher.pid, &name)) {
        process.terminate(Duration::from_secs(2)).await;
    }
    started.remove(WATCHER);
}

/// Runs the watcher until the session ends.
pub(crate) fn run(folder: &Path) -> ExitCode {
    let _ = rustix::process::setsid();
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return ExitCode::FAILURE;
    };
    let started = Arc::new(StartedProcesses::open(folder));
    runtime.block_on(async {
        if let Some(socket) = display_socket() {
            wait_until_closed(&socket).await;
            end_started_programs(&started).await;
        }
    });
    ExitCode::SUCCESS
}

async fn end_started_programs(started: &StartedProcesses) {
    // The agent first, so that it closes its session with the server.
    for program in ["postern", "postern-server"] {
        let Some(process) = started.get(program) else { continue };
        if let Some(process) = ProcessHandle::find(process.pid, program) {
            process.terminate(PROGRAM_SHUTDOWN_TIMEOUT).await;
        }
        started.remove(program);
    }
    started.remove(WATCHER);
}

/// Waits until the display accepts no connections. The display may close an idle connection, which is then reopened.
async fn wait_until_closed(socket: &Path) {
    while let Ok(mut stream) = UnixStream::connect(socket).await {
        let mut ignored = [0; 64];
        while matches!(stream.read(&mut ignored).await, Ok(count) if count > 0) {}
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// The socket of the Wayland compositor or the X server, if the display is on this computer.
fn display_socket() -> Option<PathBuf> {
    socket_from(|name| std::env::var(name).ok().filter(|value| !value.is_empty())).filter(|socket| socket.exists())
}

fn socket_from(variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    if let Some(wayland) = variable("WAYLAND_DISPLAY") {
        let wayland = PathBuf::from(wayland);
        if wayland.is_absolute() {
            return Some(wayland);
        }
        return Some(PathBuf::from(variable("XDG_RUNTIME_DIR")?).join(wayland));
    }
    let display = variable("DISPLAY")?;
    let number = display.strip_prefix(':').or_else(|| display.strip_prefix("unix:"))?;
    let number: u32 = number.split('.').next()?.parse().ok()?;
    Some(PathBuf::from(format!("/tmp/.X11-unix/X{number}")))
}

fn own_name() -> Option<String> {
    std::env::current_exe().ok()?.file_name()?.to_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket(variables: &[(&str, &str)]) -> Option<PathBuf> {
        socket_from(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn a_local_display_is_found() {
        assert_eq!(socket(&[("DISPLAY", ":7.0")]), Some("/tmp/.X11-unix/X7".into()));
        let wayland = [("WAYLAND_DISPLAY", "wayland-0"), ("XDG_RUNTIME_DIR", "/run/user/1"), ("DISPLAY", ":0")];
        assert_eq!(socket(&wayland), Some("/run/user/1/wayland-0".into()));
        assert_eq!(socket(&[("DISPLAY", "elsewhere:0")]), None, "a display over the network is not watched");
        assert_eq!(socket(&[]), None);
    }
}

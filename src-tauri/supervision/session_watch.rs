//! Ending what the app started when the desktop session ends.
//!
//! At logout the display server goes away, and the toolkit ends the app on the spot: no code of ours runs any
//! more, while server and agent, in sessions of their own, would stay. A crash of the app looks the same from
//! the outside and must end nothing. So a second, tiny process of this program watches the display itself.

use super::process::Process;
use super::record::{Record, Started};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;

/// The flag that makes this program a watcher instead of an app; the desktop's folder follows.
pub(crate) const FLAG: &str = "--watch-session";
const NOTED_AS: &str = "session-watch";
const PATIENCE: Duration = Duration::from_secs(8);

/// Starts a watcher for this session; one left by an app that crashed is replaced.
pub(crate) async fn begin(record: &Record, folder: &Path) {
    end(record).await;
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
            record.note(NOTED_AS, Started { pid: child.id(), address: None });
            // Somebody must take its exit status while the app lives.
            std::thread::spawn(move || child.wait());
        }
        Err(error) => tracing::warn!(%error, "the end of the desktop session will not be noticed"),
    }
}

/// Ends the watcher, if one runs.
pub(crate) async fn end(record: &Record) {
    let Some(started) = record.started(NOTED_AS) else { return };
    if let Some(process) = own_name().and_then(|name| Process::find(started.pid, &name)) {
        process.terminate(Duration::from_secs(2)).await;
    }
    record.forget(NOTED_AS);
}

/// The whole life of the watcher.
pub(crate) fn run(folder: &Path) -> ExitCode {
    let _ = rustix::process::setsid();
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return ExitCode::FAILURE;
    };
    let record = Arc::new(Record::open(folder));
    runtime.block_on(async {
        if let Some(socket) = display_socket() {
            until_it_is_gone(&socket).await;
            end_everything(&record).await;
        }
    });
    ExitCode::SUCCESS
}

async fn end_everything(record: &Record) {
    // The agent takes its leave from the server, so it goes first.
    for program in ["postern", "postern-server"] {
        let Some(started) = record.started(program) else { continue };
        if let Some(process) = Process::find(started.pid, program) {
            process.terminate(PATIENCE).await;
        }
        record.forget(program);
    }
    record.forget(NOTED_AS);
}

/// Waits until the display takes no connections. A silent one may be closed by the display: then it is made anew.
async fn until_it_is_gone(socket: &Path) {
    while let Ok(mut stream) = UnixStream::connect(socket).await {
        let mut ignored = [0; 64];
        while matches!(stream.read(&mut ignored).await, Ok(count) if count > 0) {}
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// The socket of the Wayland compositor or the X server, if the display is on this computer.
fn display_socket() -> Option<PathBuf> {
    socket_of(|name| std::env::var(name).ok().filter(|value| !value.is_empty())).filter(|socket| socket.exists())
}

fn socket_of(variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
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
        socket_of(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn the_display_of_this_computer_is_found() {
        assert_eq!(socket(&[("DISPLAY", ":7.0")]), Some("/tmp/.X11-unix/X7".into()));
        let wayland = [("WAYLAND_DISPLAY", "wayland-0"), ("XDG_RUNTIME_DIR", "/run/user/1"), ("DISPLAY", ":0")];
        assert_eq!(socket(&wayland), Some("/run/user/1/wayland-0".into()));
        assert_eq!(socket(&[("DISPLAY", "elsewhere:0")]), None, "a display over the network is not watched");
        assert_eq!(socket(&[]), None);
    }
}

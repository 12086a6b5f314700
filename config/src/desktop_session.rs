//! How server and agent live when the desktop app has started them: a crash of the app does not end them, the end of the
//! desktop session does.
//!
//! At logout the display server exits and the toolkit ends the app at once, without a chance to end the programs that it
//! started. They follow the display themselves.

#[cfg(unix)]
use std::{
    io::Read,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// The environment variable with which the app asks for a session of its own: `1`.
pub const OWN_SESSION: &str = "POSTERN_OWN_SESSION";
/// The environment variable with the Unix socket of the display with which the program ends.
pub const DISPLAY_SOCKET: &str = "POSTERN_DISPLAY_SOCKET";

/// Does what the environment variables ask for. Belongs at the start of a program.
#[cfg(unix)]
pub fn enter() {
    if std::env::var_os(OWN_SESSION).is_some_and(|value| value == "1") {
        // Fails only if this process leads a process group already, which has the same effect.
        let _ = rustix::process::setsid();
    }
    if let Some(socket) = std::env::var_os(DISPLAY_SOCKET).map(PathBuf::from) {
        let follow = move || {
            wait_until_closed(&socket);
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM);
        };
        // Without a thread the program outlives the desktop session, like one that was started in a terminal.
        let _ = thread::Builder::new().name("display".to_owned()).stack_size(64 * 1024).spawn(follow);
    }
}

/// There is no desktop session to follow.
#[cfg(not(unix))]
pub fn enter() {}

/// Waits until the socket accepts no connections. The display may close an idle connection, which is then opened again.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "the thread is its own and does nothing else")]
fn wait_until_closed(socket: &Path) {
    while let Ok(mut stream) = UnixStream::connect(socket) {
        let mut ignored = [0; 64];
        while matches!(stream.read(&mut ignored), Ok(count) if count > 0) {}
        thread::sleep(Duration::from_millis(100));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_display_that_closes_an_idle_connection_has_not_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("X0");
        let display = UnixListener::bind(&socket).expect("a socket");
        let waiting = thread::spawn({
            let socket = socket.clone();
            move || wait_until_closed(&socket)
        });
        drop(display.accept().expect("a connection"));
        let again = display.accept().expect("another connection");
        assert!(!waiting.is_finished());
        std::fs::remove_file(&socket).expect("the socket can be removed");
        drop((display, again));
        waiting.join().expect("the end of the display is noticed");
    }
}

//! The environment variables of this process and of those that show the pages, which are small and hardly move.

use tokio::process::Command;

/// Without the slowest of the compilers of JavaScript, which pays only for what runs for seconds; with a small heap; with
/// the system's allocator, which keeps less; without a graphics library for the frames of windows.
#[cfg(target_os = "linux")]
const SETTINGS: [(&str, &str); 4] =
    [("JSC_useFTLJIT", "false"), ("JSC_forceMiniVMMode", "true"), ("Malloc", "1"), ("GDK_GL", "disable")];
#[cfg(not(target_os = "linux"))]
const SETTINGS: [(&str, &str); 0] = [];

/// Sets what the processes of the pages inherit. Must be called before a second thread exists.
#[cfg(target_os = "linux")]
pub(crate) fn apply() {
    for (name, value) in SETTINGS {
        // Without it the pages take more memory.
        let _ = webkit2gtk::glib::setenv(name, value, false);
    }
}

/// There are none.
#[cfg(not(target_os = "linux"))]
pub(crate) fn apply() {}

/// Another program does not inherit them.
pub(crate) fn remove_from(command: &mut Command) {
    for (name, _) in SETTINGS {
        command.env_remove(name);
    }
}

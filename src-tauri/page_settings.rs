//! The environment variables of this process and of those that show the pages, which are small and hardly move.

use tokio::process::Command;

/// Without the slowest of the compilers of JavaScript, which pays only for what runs for seconds; with a small heap; without
/// a graphics library for the frames of windows.
///
/// Memory comes from the system's allocator, in one arena for all threads. What has 16 KiB or more, such as a block of the
/// heap of JavaScript, is mapped by itself and goes back to the system when it is freed. Otherwise half of what the allocator
/// holds after a thousand requests is free, but in pieces.
#[cfg(target_os = "linux")]
const SETTINGS: [(&str, &str); 8] = [
    ("JSC_useFTLJIT", "false"),
    ("JSC_forceMiniVMMode", "true"),
    ("Malloc", "1"),
    ("MALLOC_ARENA_MAX", "1"),
    ("MALLOC_MMAP_THRESHOLD_", "16384"),
    ("MALLOC_TRIM_THRESHOLD_", "65536"),
    ("MALLOC_TOP_PAD_", "0"),
    ("GDK_GL", "disable"),
];
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

//! The environment variables of this process and of those that show the pages, which are small and hardly move.

use tokio::process::Command;

/// Without the slowest of the compilers of JavaScript, which pays only for what runs for seconds; with a small heap; with
/// the system's allocator, which keeps less; without a graphics library for the frames of windows.
#[cfg(target_os = "linux")]
const SETTINGS: [(&str, &str); 4] =
    [("JSC_useFTLJIT", "false"), ("JSC_forceMiniVMMode", "true"), ("Malloc", "1"), ("GDK_GL", "disable")];
#[cfg(not(target_os = "linux"))]
const SETTINGS: [(&str, &str); 0] = [];

/// Another program does not inherit them.
pub(crate) fn remove_from(command: &mut Command) {
    for (name, _) in SETTINGS {
        command.env_remove(name);
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{apply, keep_graphics_drivers_out};
#[cfg(target_os = "linux")]
pub(crate) use linux::{apply, keep_graphics_drivers_out};

#[cfg(target_os = "linux")]
mod linux {
    use super::SETTINGS;
    use webkit2gtk::{WebContext, WebView, glib};

    /// Where EGL looks for graphics drivers.
    const GRAPHICS_DRIVERS: &str = "__EGL_VENDOR_LIBRARY_FILENAMES";

    /// Sets what the processes of the pages inherit. Must be called before a second thread exists.
    pub(crate) fn apply() {
        for (name, value) in SETTINGS {
            // Without it the pages take more memory.
            let _ = glib::setenv(name, value, false);
        }
    }

    /// Has EGL find no graphics drivers in this process: it looks for them once, when the first view is created. This
    /// process only copies pixels to the screen, and the drivers would take 35 MiB. The processes of the pages do not
    /// start without drivers, so that they must not inherit this. Must be called on the main thread, before the first
    /// window; a view of a context of its own has no processes yet.
    pub(crate) fn keep_graphics_drivers_out() {
        if glib::getenv(GRAPHICS_DRIVERS).is_some() || glib::setenv(GRAPHICS_DRIVERS, "/dev/null", false).is_err() {
            return;
        }
        drop(WebView::with_context(&WebContext::new_ephemeral()));
        glib::unsetenv(GRAPHICS_DRIVERS);
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    /// There are no settings.
    pub(crate) fn apply() {}

    /// There is no such library.
    pub(crate) fn keep_graphics_drivers_out() {}
}

//! One app for each user session: a second start hands its arguments to the first and ends.
//!
//! `tauri-plugin-single-instance` is the receiver, and finds an app that starts at the same time. It can end a second start
//! only after the event loop was created, whose threads then run into libraries that are being unloaded: one in fifty
//! crashes while the machine is busy. On Linux, the second start therefore asks before it creates anything.

/// Whether another app runs and has accepted the arguments of this one, which shall end then.
#[cfg(target_os = "linux")]
pub(crate) fn hand_over() -> bool {
    // Without a session bus, or without another app that owns the name, this one is the first.
    linux::hand_over().is_ok()
}

/// Left to the plugin.
#[cfg(not(target_os = "linux"))]
pub(crate) fn hand_over() -> bool {
    false
}

#[cfg(target_os = "linux")]
mod linux {
    use std::time::Duration;
    use zbus::blocking::connection::Builder;

    // What the plugin makes of the app's identifier.
    const NAME: &str = "dev.postern.desktop.SingleInstance";
    const PATH: &str = "/dev/postern/desktop/SingleInstance";
    const INTERFACE: &str = "org.SingleInstance.DBus";
    /// An app that does not respond is left to the plugin.
    const TIMEOUT: Duration = Duration::from_secs(5);

    pub(super) fn hand_over() -> zbus::Result<()> {
        let bus = Builder::session()?.method_timeout(TIMEOUT).build()?;
        let arguments: Vec<String> =
            std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
        let folder = std::env::current_dir().unwrap_or_default();
        let body = (arguments, folder.to_string_lossy());
        bus.call_method(Some(NAME), PATH, Some(INTERFACE), "ExecuteCallback", &body).map(drop)
    }
}

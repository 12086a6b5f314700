//! Whether the desktop shows tray icons. Without a tray, windows must not hide.

#[cfg(target_os = "linux")]
mod status_notifier;

#[cfg(target_os = "linux")]
pub(crate) use status_notifier::watch;

use std::sync::atomic::{AtomicBool, Ordering};

/// The availability of the desktop's tray.
#[derive(Default)]
pub(crate) struct TrayHost(AtomicBool);

impl TrayHost {
    /// Whether the tray icon is currently visible.
    pub(crate) fn is_available(&self) -> bool {
        cfg!(not(target_os = "linux")) || self.0.load(Ordering::Relaxed)
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) async fn watch(_app: tauri::AppHandle) {}

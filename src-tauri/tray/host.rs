//! Whether the desktop shows tray icons. Without a tray, windows must not hide.

use std::sync::atomic::{AtomicBool, Ordering};
use tauri::AppHandle;

/// The availability of the desktop's tray.
#[derive(Default)]
pub(crate) struct TrayHost(AtomicBool);

impl TrayHost {
    /// Whether the tray icon is currently visible.
    pub(crate) fn is_available(&self) -> bool {
        cfg!(not(target_os = "linux")) || self.0.load(Ordering::Relaxed)
    }
}

/// Keeps `TrayHost` up to date. If the tray disappears, the main window is shown.
#[cfg(target_os = "linux")]
pub(crate) async fn watch(app: AppHandle) {
    if let Err(error) = follow(&app).await {
        tracing::info!(%error, "the tray is not available without a session bus");
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) async fn watch(_app: AppHandle) {}

#[cfg(target_os = "linux")]
async fn follow(app: &AppHandle) -> zbus::Result<()> {
    use futures::StreamExt;
    use tauri::Manager;
    use zbus::names::BusName;

    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    let bus = zbus::Connection::session().await?;
    let names = zbus::fdo::DBusProxy::new(&bus).await?;
    let mut changes = names.receive_name_owner_changed_with_args(&[(0, WATCHER)]).await?;
    let set_available = |available: bool| {
        tracing::info!(available, "tray");
        let host = app.state::<TrayHost>();
        let was_available = host.0.swap(available, Ordering::Relaxed);
        if was_available && !available {
            let handle = app.clone();
            let _ = app.run_on_main_thread(move || {
                let _ = crate::windows::show_main(&handle);
            });
        }
    };
    set_available(names.name_has_owner(BusName::try_from(WATCHER)?).await?);
    while let Some(change) = changes.next().await {
        set_available(change.args()?.new_owner().is_some());
    }
    set_available(false);
    Ok(())
}

//! Whether this desktop shows tray icons at all: without one, nothing may hide where nobody can find it.

use std::sync::atomic::{AtomicBool, Ordering};
use tauri::AppHandle;

/// What is known about the desktop's tray.
#[derive(Default)]
pub(crate) struct TrayHost(AtomicBool);

impl TrayHost {
    /// Whether an icon in the tray can be seen at the moment.
    pub(crate) fn is_there(&self) -> bool {
        cfg!(not(target_os = "linux")) || self.0.load(Ordering::Relaxed)
    }
}

/// Keeps `TrayHost` true to the desktop. When the tray goes away, the main window comes back.
#[cfg(target_os = "linux")]
pub(crate) async fn watch(app: AppHandle) {
    if let Err(error) = follow(&app).await {
        tracing::info!(%error, "no session bus, so no tray");
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
    let note = |there: bool| {
        tracing::info!(there, "tray");
        let host = app.state::<TrayHost>();
        let was_there = host.0.swap(there, Ordering::Relaxed);
        if was_there && !there {
            let handle = app.clone();
            let _ = app.run_on_main_thread(move || {
                let _ = crate::windows::show_main(&handle);
            });
        }
    };
    note(names.name_has_owner(BusName::try_from(WATCHER)?).await?);
    while let Some(change) = changes.next().await {
        note(change.args()?.new_owner().is_some());
    }
    note(false);
    Ok(())
}

//! The preferences of the app itself: autostart and notifications.

use crate::{
    app_config::AppConfig,
    error::{DesktopError, Result},
    settings::NotificationPreferences,
};
use serde::Serialize;
use std::sync::Arc;
use tauri::{AppHandle, State};
use tauri_plugin_autostart::ManagerExt;

/// The current preferences.
#[derive(Debug, Serialize)]
pub(crate) struct Preferences {
    /// Whether the app starts at login; `None` if that cannot be determined.
    autostart: Option<bool>,
    notifications: NotificationPreferences,
}

#[tauri::command]
pub(crate) async fn preferences(app: AppHandle, config: State<'_, Arc<AppConfig>>) -> Result<Preferences> {
    Ok(Preferences {
        autostart: app.autolaunch().is_enabled().ok(),
        notifications: config.settings.current().notifications,
    })
}

/// Switches the start at login, hidden in the tray, on or off.
#[tauri::command]
pub(crate) async fn set_autostart(app: AppHandle, on: bool) -> Result<()> {
    let launcher = app.autolaunch();
    let result = match (on, launcher.is_enabled()) {
        // Disabling fails if there is no entry.
        (false, Ok(false)) => Ok(()),
        (false, _) => launcher.disable(),
        (true, _) => launcher.enable(),
    };
    result.map_err(|error| DesktopError::local("The start at login could not be changed", error))
}

#[tauri::command]
pub(crate) async fn set_notifications(
    config: State<'_, Arc<AppConfig>>,
    wanted: NotificationPreferences,
) -> Result<()> {
    config.settings.update(|settings| settings.notifications = wanted);
    Ok(())
}
